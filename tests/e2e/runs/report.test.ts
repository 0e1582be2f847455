/** Tests argus report: a recorded run as Markdown, JUnit and CTRF. Argus reads its own JUnit and CTRF back. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject, type Data } from '../harness.ts';
import { formatJunit } from './reports.ts';

/** A case name and an error text that try to break the Markdown. */
const HOSTILE_TEXT = '@everyone [free](http://evil.example) | <img src=x> `code` ``';

let projectFolder: string;

beforeEach(() => {
  projectFolder = createProject({ 'package.json': '{}' });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: projectFolder });
  git('init', '-q', '-b', 'main');
  git('config', 'user.email', 'ada@example.com');
  git('config', 'user.name', 'Ada');
  git('commit', '-qm', 'first', '--allow-empty');
});

async function recordRun(
  branch: string,
  failing: Record<string, string>,
  passing: string[] = ['stays'],
): Promise<void> {
  const failed = Object.entries(failing).map(([name, message]) => ({ name, failure: { message, type: 'Error' } }));
  writeFileSync(path.join(projectFolder, 'report.xml'), formatJunit([...failed, ...passing.map((name) => ({ name }))]));
  await argus(['import', 'report.xml', '--commit', 'a'.repeat(40), '--branch', branch], { cwd: projectFolder });
}

async function runReport(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await argus(['report', ...args], { cwd: projectFolder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

test('a Markdown report lists causes first, marks new failures, and escapes names', async () => {
  await recordRun('main', { old: 'no total' });
  await recordRun('fix', { old: 'no total', fresh: 'no cart', [HOSTILE_TEXT]: HOSTILE_TEXT });
  const report = await runReport('--base', 'main');
  const [title, , where] = report.split('\n');
  expect(title).toBe('## ❌ failed: 1 passed, 3 failed, 0 skipped');
  expect(where).toMatch(/^`run-[^`]+`, [\d.]+ s, `fix`, `aaaaaaaaaaaa`$/u);
  expect(report).toMatch(/^\| 1 \| UNKNOWN: `[^`]*no cart` \| new: [^|]* \| `[^`]*fresh` \|$/mu);
  expect(report).toContain('**2 failures new** against `main`');
  expect(report).not.toMatch(/^- `[^`]*old`$[^<]*<details>/mu);
  const outside = report.replaceAll(/(`+)[\s\S]*?[^`]\1(?!`)/gu, '');
  expect(outside).not.toMatch(/@everyone|<img|evil\.example/u);
  expect(await runReport('--base', 'nowhere')).toContain('No run of `nowhere` is recorded');
});

test('a Markdown report fits into a GitHub comment', async () => {
  const many = Array.from({ length: 400 }, (_, index) => [`case ${index} ${'x'.repeat(190)}`, `error ${index}`]);
  await recordRun('main', Object.fromEntries(many));
  const report = await runReport();
  expect(Buffer.byteLength(report)).toBeLessThanOrEqual(65 * 1024);
  expect(report).toContain('380 more causes');
});

test.each([
  ['--junit', 'report-junit.xml'],
  ['--ctrf', 'report-ctrf.json'],
])('%s is read back as the same run', async (format, file) => {
  await recordRun('main', { fails: 'expected 1 to be 2', [HOSTILE_TEXT]: `${HOSTILE_TEXT}\u0001` }, ['one', 'two']);
  writeFileSync(path.join(projectFolder, file), await runReport(format));
  const { data } = JSON.parse((await argus(['import', file, '--json'], { cwd: projectFolder })).stdout) as {
    data: Data;
  };
  expect(data).toMatchObject({ status: 'failed', totals: { passed: 2, failed: 2, skipped: 0 } });
  expect(JSON.stringify(data.failures)).toContain('expected 1 to be 2');
});

test('argus report refuses wrong usage and a project without runs', async () => {
  expect((await argus(['report', '--junit', '--ctrf'], { cwd: projectFolder })).status).toBe(2);
  expect((await argus(['report', 'run-nope'], { cwd: projectFolder })).stderr).toContain(
    "Test run 'run-nope' not found",
  );
  expect((await argus(['report'], { cwd: projectFolder })).stderr).toMatch(
    /^RUN_NOT_FOUND: No run is recorded yet\. Run argus run first\.$/mu,
  );
});
