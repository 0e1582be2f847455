/**
 * Tests the command line: exit codes, JSON and text, options, doctor and inspect. The tests of the tools check the
 * contract, because both use the same handlers. commands.test.ts tests the help of every command.
 */

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject, type Data } from '../harness.ts';
import { formatJunit, MIXED_REPORT, PASSED_REPORT } from '../runs/reports.ts';

/** Fields of the answer of `inspect`. Their order is part of the contract. */
const INSPECT_FIELDS = ['category', 'rule', 'evidence', 'redacted', 'normalized', 'signature', 'familySignature'];

const parseJson = (text: string) => JSON.parse(text);

/**
 * Creates a project, and functions that run commands on it from another folder. `data` returns the data of the JSON
 * answer.
 */
function createProjectCommands(files: Record<string, string> = {}) {
  const root = createProject(files);
  const run = (...args: string[]) => argus([...args.slice(0, 1), '--project', root, ...args.slice(1)]);
  return { root, run, data: async (...args: string[]) => parseJson((await run(...args, '--json')).stdout).data };
}

test('import, diagnose, report-fix and history work together', async () => {
  const { run } = createProjectCommands({ 'mixed.xml': MIXED_REPORT, 'passed.xml': PASSED_REPORT });
  const imported = await run('import', 'mixed.xml');
  expect(imported.status).toBe(1);
  expect(imported.stdout).toMatch(/^Argus {2}2 failures, 2 causes, 1 passed, 1 skipped {2,}run-/u);
  expect(imported.stdout).toContain('connect ECONNREFUSED 127.0.0.1:5432');
  const runId = /run-\S+/u.exec(imported.stdout)?.[0] ?? '';

  const diagnosed = await run('diagnose', runId, 'health-check', '--json');
  expect(diagnosed.status).toBe(0);
  expect(parseJson(diagnosed.stdout)).toMatchObject({ success: true, data: { category: 'CONNECTION_REFUSED' } });
  expect((await run('diagnose', runId, 'parses')).stdout).toContain('new: first occurrence');
  const fixed = await run('report-fix', runId, 'parses', 'Loaded the user first');
  expect(fixed.stdout).toMatch(/^fix-\S+ recorded on pat-/u);
  const failed = await run('report-fix', runId, 'health-check', 'Restarted', '--failed');
  expect(failed.stdout).toContain('0 fixes reported');

  expect((await run('import', 'passed.xml')).status).toBe(0);
  expect((await run('history')).stdout.trim().split('\n')).toHaveLength(2);
  expect((await run('history', runId)).stdout).toContain('ECONNREFUSED');
  expect((await run('patterns', '--source', 'learned')).stdout).toContain('Loaded the user first');
});

test('the terminal shows the proof of a fix, and the kind of a failure without a category', async () => {
  const { run } = createProjectCommands({
    'busy.xml': formatJunit([
      { name: 'starts', failure: { message: 'listen EADDRINUSE: address already in use :::3000' } },
    ]),
    'refused.xml': MIXED_REPORT,
  });
  const busy = (await run('import', 'busy.xml')).stdout;
  expect(busy).toMatch(/^ 1x {2}listen EADDRINUSE/mu);
  const runId = /run-\S+/u.exec(busy)?.[0] ?? '';
  expect((await run('diagnose', runId, 'starts')).stdout).toMatch(/^address-in-use {2}rule /u);
  const refused = (await run('import', 'refused.xml')).stdout;
  expect(refused, 'a built-in tip is left to the diagnosis').not.toContain('The service may not have');
  const failed = /run-\S+/u.exec(refused)?.[0] ?? '';
  const fixed = (await run('report-fix', failed, 'health-check', 'Started it')).stdout;
  expect(fixed).toContain('to confirm it: A recorded run');
  for (const text of [busy, refused, fixed, (await run('patterns')).stdout]) expect(text).not.toContain(' %');
});

test('run passes the output through and exits with the code of the outcome', async () => {
  const { run } = createProjectCommands();
  const failed = await run('run', '--', 'node', '-e', 'console.log("some output"); process.exit(3)');
  expect(failed.status).toBe(1);
  expect(failed.stdout).toMatch(/^some output\n\nArgus {2}1 failure, 1 cause/u);
  const quoted = await run('run', '--timeout', '60', 'printf half');
  expect(quoted.status).toBe(0);
  expect(quoted.stdout).toMatch(/^half\n\nArgus {2}1 passed/u);
  const asJson = await run('run', '--json', 'echo shown');
  expect(parseJson(asJson.stdout)).toMatchObject({ success: true, data: { status: 'passed' } });
  expect(asJson.stderr).toContain('shown');
  const late = await run('run', '--timeout', '1', '--json', 'sleep 20');
  expect(late.status).toBe(1);
  expect(parseJson(late.stdout).data).toMatchObject({ failures: [{ category: 'TIMEOUT' }] });
});

test('run --filter runs the tests with that name', async () => {
  const tests = `import test from 'node:test';
test('adds', () => {});
test('is wrong', () => { throw new Error('1 + 1 is not 3'); });
`;
  const { run } = createProjectCommands({
    'package.json': '{ "scripts": { "test": "node --test" } }',
    'sum.test.mjs': tests,
  });
  const adds = await run('run', '--filter', 'adds', '--json');
  expect(adds.status).toBe(0);
  expect(parseJson(adds.stdout).data).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0 } });
  const wrong = await run('run', '--filter', 'is wrong');
  expect(wrong.status).toBe(1);
  expect(wrong.stdout).toMatch(/^Argus {2}1 failure, 1 cause, 0 passed/mu);
  const none = await run('run', '--filter', 'x', '--json', 'make', 'check');
  expect(none.status).toBe(2);
  expect(parseJson(none.stdout)).toMatchObject({ error: { code: 'INVALID_INPUT' } });
});

test('lists accept limit, offset, days, status, category, source and order', async () => {
  const { run, data } = createProjectCommands({ 'mixed.xml': MIXED_REPORT, 'passed.xml': PASSED_REPORT });
  for (const file of ['mixed.xml', 'passed.xml', 'mixed.xml']) await run('import', file, '--format', 'junit');
  const page = { runs: [{ status: 'passed' }], total: 3, hasMore: true };
  expect(await data('history', '--limit', '1', '--offset', '1')).toMatchObject(page);
  const failed = await data('history', '--status', 'failed', '--days', '1');
  expect(failed).toMatchObject({ total: 2 });
  const runId = failed.runs[0].id;
  expect(await data('history', runId, '--limit', '2')).toMatchObject({ total: 4, hasMore: true });
  await data('diagnose', runId, 'health-check');
  const sorted = await data('patterns', '--sort', 'occurrences', '--limit', '1');
  expect(sorted).toMatchObject({ patterns: [{ id: 'builtin-conn-refused', occurrences: 1 }], hasMore: true });
  const timeouts = await data('patterns', '--category', 'TIMEOUT', '--source', 'built-in', '--offset', '1');
  expect(timeouts).toMatchObject({ patterns: [], total: 1 });
});

test.each([
  [['bogus'], /unknown command/u],
  [['serv', '--help'], /unknown command 'serv'/u],
  [['run', '--timeout', 'soon'], /whole number/u],
  [['run', '--timeout', '0', 'node -p 1'], /between 1 and \d+/u],
  [['run', '--idle-timeout', '0', 'node -p 1'], /between 1 and \d+/u],
  [['patterns', '--category', 'FLAKY'], /Allowed choices/u],
  [['help', 'serv'], /^error: unknown command 'serv'/u],
  [['import'], /^INVALID_INPUT: Name a report, or a history with --runs/u],
  [['import', 'report.xml', '--runs', '-'], /not both/u],
  [['import', 'report.xml', '--environment', 'windows'], /--environment/u],
  [['import', '--runs', 'nowhere.jsonl'], /^INVALID_INPUT: nowhere\.jsonl cannot be read/u],
  [['outcome', 'sol-1'], /missing required argument/u],
  [['outcome', 'sol-1', 'maybe'], /Allowed choices are worked, failed/u],
  [['solutions', 'x', '--env', 'linux'], /field=value/u],
  [['memory', 'search', '--jsonl', '--threshold', '2'], /0 and 1/u],
  [['memory', 'import', '/does/not/exist'], /INVALID_INPUT: .*cannot be read/u],
  [['diagnose', 'a', 'b', 'c'], /^INVALID_INPUT: Too many words/u],
  [['report-fix'], /missing required argument/u],
  [['learn'], /^INVALID_INPUT: Add --from-git, --from-ci DIR, or both/u],
])('wrong usage: %j', async (args, message) => {
  const { status, stdout, stderr } = await argus(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(message);
  expect(stderr.trim().split('\n'), 'one line').toHaveLength(1);
});

test('an error names its code and the next command, and creates no file', async () => {
  const { root, run } = createProjectCommands({
    'mixed.xml': MIXED_REPORT,
    'off.yaml': 'history: { enabled: false }\n',
  });
  const plain = await run('diagnose', 'run-xyz', 'a');
  expect(plain).toMatchObject({ status: 2, stdout: '' });
  expect(plain.stderr).toMatch(/^RUN_NOT_FOUND: Test run 'run-xyz' not found in history.* Run argus run first/u);
  for (const [code, args] of [
    ['RUN_NOT_FOUND', ['diagnose', 'run-xyz', 'a']],
    ['HISTORY_DISABLED', ['import', 'mixed.xml', '--config', 'off.yaml']],
  ] as const) {
    const { status, stdout } = await run(...args, '--json');
    expect({ status, answer: parseJson(stdout) }).toMatchObject({
      status: 2,
      answer: { success: false, error: { code } },
    });
  }
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
});

test('doctor checks the database, the memories and the test command, and creates no file', async () => {
  const { root, run } = createProjectCommands({ 'package.json': '{}', 'test/a.js': "require('node:test');" });
  const { status, stdout } = await run('doctor');
  expect(stdout).toMatch(/✓ database {2}.*writable, locks: byte-range/u);
  expect(stdout).toMatch(/✓ user memory {2}.*memory\.db \(still empty\)/u);
  expect(stdout).toContain('node --test (node:test)');
  expect(status).toBe(0);
  expect(readdirSync(root)).toEqual(['package.json', 'test']);
  expect((await run('run', 'exit 0')).status).toBe(0);
  expect((await run('doctor')).stdout).toContain('; yours');
  writeFileSync(path.join(root, '.argus', 'argus.db'), 'this is no database, and longer than its header'.repeat(50));
  const broken = await run('doctor', '--json');
  expect(broken.status).toBe(1);
  expect(broken.stdout).toContain('DATABASE_CORRUPT');
});

test('doctor and run name a runner that is not installed', async () => {
  const content = { scripts: { test: 'ava' }, devDependencies: { ava: '7' } };
  const { run, data } = createProjectCommands({ 'package.json': JSON.stringify(content) });
  const { status, stdout } = await run('doctor');
  expect(status).toBe(1);
  expect(stdout).toContain("npm test: ava is not installed: run 'npm install'.");
  const notes = ["ava is not installed: run 'npm install'."];
  expect(await data('run')).toMatchObject({ status: 'failed', notes });
  const misspelt = parseJson((await run('run', '--json', 'npm run tset')).stdout).data;
  expect(misspelt.notes).toEqual(["package.json has no script 'tset'. Its scripts are test."]);
});

test.each(['-v', '-V', '--version'])('%s prints the version', async (option) => {
  expect(await argus([option])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/u) });
});

test('inspect classifies an error', async () => {
  const input = 'Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect (node:net:1494:16)\n';
  const plain = await argus(['inspect'], { input });
  expect(plain.status).toBe(0);
  expect(plain.stdout).toMatch(/^category {3}CONNECTION_REFUSED$/mu);
  const inspection = parseJson((await argus(['inspect', '--json', '--case', 'a > b'], { input })).stdout);
  expect(Object.keys(inspection)).toEqual(expect.arrayContaining(INSPECT_FIELDS));
  const nothing = await argus(['inspect']);
  expect([nothing.status, nothing.stderr]).toEqual([0, expect.stringContaining('npm test 2>&1 | argus inspect')]);
  expect((await argus(['inspect'], { input: Buffer.from([0xff, 0xfe, 0x00, 0x0a]) })).status).toBe(0);
});

test('inspect --jsonl reads every field and answers all lines in order', async () => {
  const lines = [
    { text: 'connect ECONNREFUSED 10.0.0.1:80', caseName: 'case 0' },
    { text: '' },
    { text: 'worker ended', exitCode: 137, oomKilled: true },
    { text: 'it failed', httpStatus: 503 },
    { text: 'it failed', containerStatus: 'CrashLoopBackOff' },
  ];
  const input = [...lines.map((line) => JSON.stringify(line)), 'not json'].join('\n');
  const { status, stdout } = await argus(['inspect', '--jsonl'], { input });
  expect(status).toBe(0);
  const answers: Data[] = stdout.trim().split('\n').map(parseJson);
  const categories = ['CONNECTION_REFUSED', 'UNKNOWN', 'CONTAINER_OOM', 'HTTP_ERROR', 'CONTAINER_CRASH', undefined];
  expect(answers.map(({ category }) => category)).toEqual(categories);
  expect(answers[0]).toMatchObject({ redacted: lines[0]?.text });
  expect(Object.keys(answers[3] ?? {}).filter((key) => INSPECT_FIELDS.includes(key))).toEqual(INSPECT_FIELDS);
  expect(answers[5]).toMatchObject({ error: { code: 'INVALID_INPUT' } });
});

test('forget everything shows the files first, and deletes them with --yes', async () => {
  const cwd = createProject({ 'mixed.xml': MIXED_REPORT });
  expect((await argus(['forget', 'everything'], { cwd })).stdout).toContain('Nothing is recorded');
  await argus(['import', 'mixed.xml'], { cwd });
  const database = path.join(cwd, '.argus', 'argus.db');
  const shown = await argus(['forget', 'everything'], { cwd });
  expect(shown.stdout).toMatch(/^This deletes:\n +\d+ kB +.*argus\.db\n[\s\S]*Nothing was deleted/u);
  expect(existsSync(database)).toBe(true);
  expect((await argus(['forget', 'everything', '--yes'], { cwd })).stdout).toMatch(/^Deleted:/u);
  expect(existsSync(database)).toBe(false);
  expect((await argus(['history'], { cwd })).stdout).toContain('no runs');
  expect((await argus(['forget', 'something'], { cwd })).status).toBe(2);
});
