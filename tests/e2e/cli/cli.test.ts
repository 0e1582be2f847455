/**
 * The command line: exit codes, JSON and text, and inspect. The contract is tested with the tools, whose handlers these
 * are.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { BUNDLE, environment, project } from '../harness.ts';
import { ALL_PASSED, MIXED } from '../runs/reports.ts';

const INSPECTED = ['category', 'rule', 'evidence', 'redacted', 'normalized', 'signature', 'familySignature'];

const json = (text: string): Record<string, never> => JSON.parse(text);

test('a session', async () => {
  const root = project({ 'mixed.xml': MIXED, 'passed.xml': ALL_PASSED });
  const at = ['--project', root];

  const imported = await argus(['import', 'mixed.xml', ...at]);
  expect(imported.status).toBe(1);
  expect(imported.stdout).toMatch(/^run-\S+ {2}failed {2}1 passed, 2 failed, 1 skipped/u);
  expect(imported.stdout).toContain('CONNECTION_REFUSED');
  const runId = /run-\S+/u.exec(imported.stdout)?.[0] ?? '';

  const diagnosed = await argus(['diagnose', runId, 'health-check', '--json', ...at]);
  expect(diagnosed.status).toBe(0);
  expect(json(diagnosed.stdout)).toMatchObject({ success: true, data: { category: 'CONNECTION_REFUSED' } });
  expect((await argus(['diagnose', runId, 'parses', ...at])).stdout).toContain('new: seen for the first time');

  const fixed = await argus(['report-fix', runId, 'parses', 'Loaded the user first', ...at]);
  expect(fixed.stdout).toMatch(/^fix-\S+ recorded on pat-/u);
  expect((await argus(['report-fix', runId, 'health-check', 'Restarted', '--failed', ...at])).stdout).toContain(
    '0 fixes reported',
  );

  expect((await argus(['import', 'passed.xml', ...at])).status).toBe(0);
  expect((await argus(['history', ...at])).stdout.trim().split('\n')).toHaveLength(2);
  expect((await argus(['history', runId, ...at])).stdout).toContain('ECONNREFUSED');
  expect((await argus(['patterns', '--source', 'learned', ...at])).stdout).toContain('Loaded the user first');
});

test('run', async () => {
  const root = project();
  const failed = await argus([
    'run',
    '--project',
    root,
    '--',
    'node',
    '-e',
    'console.log("some output"); process.exit(3)',
  ]);
  expect(failed.status).toBe(1);
  expect(failed.stdout).toMatch(/^some output\nrun-/u);
  expect((await argus(['run', '--project', root, 'true'])).status).toBe(0);
  const quoted = await argus(['run', '--project', root, 'node -p 1+1', '--json', '--timeout', '60']);
  expect(JSON.parse(quoted.stdout)).toMatchObject({ success: true, data: { status: 'passed' } });
  expect((await argus(['run', '--project', root, 'printf half'])).stdout).toMatch(/^half\nrun-/u);
  const asJson = await argus(['run', '--project', root, '--json', 'echo shown']);
  expect(json(asJson.stdout)).toMatchObject({ success: true, data: { status: 'passed' } });
  expect(asJson.stderr).toContain('shown');
});

test.each([
  [['bogus'], /unknown command/u],
  [['run', '--timeout', 'soon'], /whole number/u],
  [['run', '--timeout', '0', 'node -p 1'], /1 to \d+ is needed/u],
  [['run', '--idle-timeout', '0', 'node -p 1'], /1 to \d+ is needed/u],
  [['patterns', '--category', 'FLAKY'], /Allowed choices/u],
  [['diagnose', 'run-1'], /missing required argument/u],
])('wrong usage: %j', async (args, message) => {
  const { status, stdout, stderr } = await argus(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

test('errors', async () => {
  const root = project();
  const plain = await argus(['diagnose', 'run-xyz', 'a', '--project', root]);
  expect(plain).toMatchObject({ status: 2, stdout: '' });
  expect(plain.stderr).toMatch(/^RUN_NOT_FOUND: Test run 'run-xyz' not found in history.* argus run records one/u);
  const asJson = await argus(['diagnose', 'run-xyz', 'a', '--json', '--project', root]);
  expect(asJson.status).toBe(2);
  expect(json(asJson.stdout)).toMatchObject({ success: false, error: { code: 'RUN_NOT_FOUND' } });
  expect(existsSync(path.join(root, '.argus')), 'reading creates nothing').toBe(false);
});

test.each(['', 'run', 'import', 'history', 'diagnose', 'report-fix', 'patterns', 'doctor', 'inspect', 'clean'])(
  '%s --help',
  async (command) => {
    const { status, stdout } = await argus([...(command ? [command] : []), '--help']);
    expect(status).toBe(0);
    expect(stdout).toContain('Usage: argus');
    if (command !== '') expect(stdout).toContain('--json');
  },
);

test('there is no help of a command that there is not', async () => {
  const { status, stdout, stderr } = await argus(['serv', '--help']);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain("unknown command 'serv'");
});

test('doctor', async () => {
  const root = project({ 'package.json': '{}', 'test/a.js': "require('node:test');" });
  const { status, stdout } = await argus(['doctor', '--project', root]);
  expect(stdout).toMatch(/✓ database {2}.*a write works, locks: byte-range/u);
  expect(stdout).toMatch(/✓ user memory {2}.*memory\.db \(nothing in it yet\)/u);
  expect(stdout).toContain('node --test (node:test)');
  expect(status).toBe(0);
  expect(readdirSync(root), 'nothing is recorded, so nothing is made').toEqual(['package.json', 'test']);
  expect((await argus(['run', '--project', root, 'exit 0'])).status).toBe(0);
  expect((await argus(['doctor', '--project', root])).stdout).toContain('made or adopted by this user');
  writeFileSync(path.join(root, '.argus', 'argus.db'), 'this is no database, and longer than its header'.repeat(50));
  const broken = await argus(['doctor', '--project', root, '--json']);
  expect(broken.status).toBe(1);
  expect(broken.stdout).toContain('DATABASE_CORRUPT');
});

test('doctor and run say what is not installed', async () => {
  const content = { scripts: { test: 'ava' }, devDependencies: { ava: '7' } };
  const root = project({ 'package.json': JSON.stringify(content) });
  const { status, stdout } = await argus(['doctor', '--project', root]);
  expect(status).toBe(1);
  expect(stdout).toContain("npm test: ava is not installed: run 'npm install'.");
  const run = json((await argus(['run', '--project', root, '--json'])).stdout);
  expect(run).toMatchObject({ data: { status: 'failed', notes: ["ava is not installed: run 'npm install'."] } });
  const misspelt = json((await argus(['run', '--project', root, '--json', 'npm run tset'])).stdout);
  expect(misspelt).toMatchObject({ data: { notes: ["There is no script 'tset' in package.json. It has: test."] } });
});

test.each(['-v', '-V', '--version'])('%s', async (option) => {
  expect(await argus([option])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
});

test('inspect', async () => {
  const text = 'Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect (node:net:1494:16)\n';
  const plain = await argus(['inspect'], { input: text });
  expect(plain.status).toBe(0);
  expect(plain.stdout).toMatch(/^category {3}CONNECTION_REFUSED$/mu);
  const inspection = json((await argus(['inspect', '--json', '--case', 'a > b'], { input: text })).stdout);
  expect(Object.keys(inspection)).toEqual(expect.arrayContaining(INSPECTED));
  const nothing = await argus(['inspect'], { input: '' });
  expect([nothing.status, nothing.stderr]).toEqual([0, expect.stringContaining('npm test 2>&1 | argus inspect')]);
  expect((await argus(['inspect'], { input: Buffer.from([0xff, 0xfe, 0x00, 0x0a]) })).status).toBe(0);
});

test('inspect --jsonl answers every line in its order', async () => {
  const texts = ['connect ECONNREFUSED 10.0.0.1:80', 'nonsense', '', 'TypeError: x is not a function'];
  const lines = texts.map((text, index) => JSON.stringify({ text, caseName: `case ${index}` }));
  const { status, stdout } = await argus(['inspect', '--jsonl'], { input: [...lines, 'not json'].join('\n') });
  expect(status).toBe(0);
  const answers = stdout.trim().split('\n').map(json);
  expect(answers).toHaveLength(5);
  expect(answers[0]).toMatchObject({ category: 'CONNECTION_REFUSED', redacted: texts[0] });
  expect(Object.keys(answers[0] ?? {})).toEqual(expect.arrayContaining(INSPECTED));
  expect(answers[4]).toMatchObject({ error: { code: 'INVALID_INPUT' } });
});

test('inspect --jsonl keeps pace with a slow reader', async () => {
  const line = `${JSON.stringify({ text: 'Error: boom\n'.repeat(20) })}\n`;
  const count = 50_000;
  const child = spawn(process.execPath, [BUNDLE, 'inspect', '--jsonl'], { env: environment() });
  child.stdin.end(line.repeat(count));
  let lines = 0;
  for await (const bytes of child.stdout) {
    lines += String(bytes).split('\n').length - 1;
    if (lines % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(lines).toBe(count);
});

test('a reader that has seen enough', () => {
  const command = `"${process.execPath}" "${BUNDLE}" --help | head -n 1`;
  const { status, stderr } = spawnSync(command, { shell: true, encoding: 'utf8', env: environment() });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
