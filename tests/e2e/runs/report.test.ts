/** argus report: a recorded run as Markdown, JUnit and CTRF. Argus reads its own JUnit and CTRF back. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Data, project } from '../harness.ts';
import { junit } from './reports.ts';

/** A name and an error that try to break the Markdown. */
const HOSTILE = '@everyone [free](http://evil.example) | <img src=x> `code` ``';

let cwd: string;

beforeEach(() => {
  cwd = project({ 'package.json': '{}' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd });
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  git('commit', '-qm', 'first', '--allow-empty');
});

async function record(branch: string, failing: Record<string, string>, passing: string[] = ['stays']): Promise<void> {
  const failed = Object.entries(failing).map(([name, message]) => ({ name, failure: { message, type: 'Error' } }));
  writeFileSync(path.join(cwd, 'report.xml'), junit([...failed, ...passing.map((name) => ({ name }))]));
  await argus(['import', 'report.xml', '--commit', 'a'.repeat(40), '--branch', branch], { cwd });
}

async function reported(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await argus(['report', ...args], { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

test('Markdown lists causes first, marks new failures, and escapes names', async () => {
  await record('main', { old: 'no total' });
  await record('fix', { old: 'no total', fresh: 'no cart', [HOSTILE]: HOSTILE });
  const report = await reported('--base', 'main');
  const [title, , where] = report.split('\n');
  expect(title).toBe('## ❌ failed: 1 passed, 3 failed, 0 skipped');
  expect(where).toMatch(/^`run-[^`]+`, [\d.]+ s, `fix`, `aaaaaaaaaaaa`$/u);
  expect(report).toMatch(/^\| 1 \| UNKNOWN: `[^`]*no cart` \| new: [^|]* \| `[^`]*fresh` \|$/mu);
  expect(report).toContain('**2 failures new** against `main`');
  expect(report).not.toMatch(/^- `[^`]*old`$[^<]*<details>/mu);
  const outside = report.replaceAll(/(`+)[\s\S]*?[^`]\1(?!`)/gu, '');
  expect(outside).not.toMatch(/@everyone|<img|evil\.example/u);
  expect(await reported('--base', 'nowhere')).toContain('No run of `nowhere` is recorded');
});

test('Markdown fits into a comment', async () => {
  const many = Array.from({ length: 400 }, (_, index) => [`case ${index} ${'x'.repeat(190)}`, `error ${index}`]);
  await record('main', Object.fromEntries(many));
  const report = await reported();
  expect(Buffer.byteLength(report)).toBeLessThanOrEqual(65 * 1024);
  expect(report).toContain('380 more causes');
});

test.each([
  ['--junit', 'report-junit.xml'],
  ['--ctrf', 'report-ctrf.json'],
])('%s is read back as the same run', async (format, file) => {
  await record('main', { fails: 'expected 1 to be 2', [HOSTILE]: `${HOSTILE}\u0001` }, ['one', 'two']);
  writeFileSync(path.join(cwd, file), await reported(format));
  const { data } = JSON.parse((await argus(['import', file, '--json'], { cwd })).stdout) as { data: Data };
  expect(data).toMatchObject({ status: 'failed', totals: { passed: 2, failed: 2, skipped: 0 } });
  expect(JSON.stringify(data.failures)).toContain('expected 1 to be 2');
});

test('refuses wrong usage and a project without runs', async () => {
  expect((await argus(['report', '--junit', '--ctrf'], { cwd })).status).toBe(2);
  expect((await argus(['report', 'run-nope'], { cwd })).stderr).toContain("Test run 'run-nope' not found");
  expect((await argus(['report'], { cwd })).stderr).toMatch(
    /^RUN_NOT_FOUND: No run is recorded yet; argus run records one\.$/mu,
  );
});
