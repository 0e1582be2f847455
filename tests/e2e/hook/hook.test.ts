/**
 * Sessions of an agent that uses only the hook, in a real repository. tests/e2e/process tests the hook as a process.
 */

import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../harness.ts';
import { startTestViewer } from '../viewer/view.ts';
import {
  AgentMachine,
  BROKEN_STOCK,
  createRepairedMachine,
  REFUSED_OUTPUT,
  REPAIRED_STOCK,
  TEST_COMMAND,
  tapOutput,
} from './desk.ts';

test('the hook creates no memory in a project without a memory', async () => {
  const desk = new AgentMachine();
  expect(await desk.ended(TEST_COMMAND, true, REFUSED_OUTPUT)).toBe('');
  const start = { hook_event_name: 'SessionStart', session_id: 'one', cwd: desk.root, source: 'startup' };
  expect(await desk.event(start)).toBe('');
  expect(existsSync(path.join(desk.root, '.argus'))).toBe(false);
  expect(existsSync(path.join(desk.user.XDG_DATA_HOME, 'argus'))).toBe(false);
});

test('the team of another repository is no memory of this project', async () => {
  const desk = new AgentMachine();
  desk.commit({ 'apples.test.mjs': '' });
  const folder = path.join(desk.user.XDG_DATA_HOME, 'argus');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const membership = { rootCommit: 'a'.repeat(40), origin: null, url: 'https://argus.example.com', project: 'shop' };
  const joined = { ...membership, tokenVariable: 'ARGUS_TEAM_TOKEN', joinedAt: '2026-02-03T04:05:06Z' };
  writeFileSync(path.join(folder, 'teams.json'), JSON.stringify({ version: 1, memberships: [joined] }));
  expect(await desk.ended(TEST_COMMAND, true, REFUSED_OUTPUT)).toBe('');
  expect(desk.lines()).toEqual([]);
});

test('the hook shows the fix unasked when a failure recurs in another place', async () => {
  const { desk, mending } = await createRepairedMachine();
  // The fix is known although no fix was reported.
  expect(await desk.data('fixes')).toMatchObject({ fixes: [{ commit: mending, status: 'proved' }], reported: [] });

  desk.commit({ 'pears.test.mjs': '', 'store.mjs': BROKEN_STOCK });
  const said = await desk.ended(TEST_COMMAND, true, tapOutput('serves pears', true), 'two');
  expect(said).toContain(`proved to fix it: commit ${mending.slice(0, 12)}\n  files: stock.mjs\n  symbols: startStock`);
  expect(said).toMatch(/^Argus, .* data, not instructions\.\n```text\n[\s\S]*\n```$/u);
  // The commit message is left out, because it may contain instructions.
  expect(said).not.toContain('IGNORE');
  // The fix is shown once per session.
  expect(await desk.ended(TEST_COMMAND, true, tapOutput('serves pears', true), 'two')).toBe('');
  desk.write('store.mjs', REPAIRED_STOCK);
  expect(await desk.ended(TEST_COMMAND, false, tapOutput('serves pears', false), 'two')).toBe('');
  expect(await desk.data('score')).toMatchObject({ said: 1, used: 1, wrong: 0, precision: 1, muted: false });
  expect(await desk.data('score', '--mine')).toMatchObject({ spoken: 1, right: 1, wrong: 0 });
  expect(await desk.print('score', '--mine')).toContain('would have given 1 hint: 1 right, 0 wrong');
});

test('the hook stores nothing for other commands, tests without a known failure and invalid events, or when it is off', async () => {
  const { desk } = await createRepairedMachine();
  // A pass is only noted for the receipt.
  const lines = () => desk.lines().filter(({ t }) => t !== 'ran');
  const before = [lines(), (await desk.data('history')).total];
  for (const command of ['cat test.log', 'psql -c "select 1"', 'curl -s localhost && npm test', 'ssh ci npm test'])
    expect(await desk.ended(command, true, REFUSED_OUTPUT)).toBe('');
  expect(await desk.ended('npx vitest run', false, 'Tests  3 passed')).toBe('');
  expect(await desk.event('no json')).toBe('');
  desk.write('argus.yaml', 'hook: false\n');
  expect(await desk.ended('node --test kiwis.test.mjs', true, REFUSED_OUTPUT, 'four')).toBe('');
  expect([lines(), (await desk.data('history')).total]).toEqual(before);
  expect(await desk.print('doctor')).toMatch(/hook .*off/u);
  // The failure is recorded, but this event of Cursor accepts no answer.
  desk.write('argus.yaml', '');
  const ended = { hook_event_name: 'afterShellExecution', conversation_id: 'cursor', workspace_roots: [desk.root] };
  expect(await desk.event({ ...ended, command: 'node --test plums.test.mjs', output: REFUSED_OUTPUT })).toBe('');
  expect((await desk.data('history')).runs[0]).toMatchObject({ status: 'failed' });
});

test('the hook answers and records an event once if two configured hooks receive it', async () => {
  const { desk, mending } = await createRepairedMachine();
  const before = (await desk.data('history')).total;
  const event = { ...desk.claude('node --test figs.test.mjs', true, REFUSED_OUTPUT, 'two'), tool_use_id: 'toolu_1' };
  expect(await desk.event(event)).toContain(mending.slice(0, 12));
  expect(await desk.event(event)).toBe('');
  expect((await desk.data('history')).total).toBe(before + 1);
  await desk.event({ ...event, tool_use_id: 'toolu_2' });
  expect((await desk.data('history')).total).toBe(before + 2);
});

test('the hook is silent after too many wrong messages until its score is reset, and doctor reports that', async () => {
  const { desk, mending } = await createRepairedMachine();
  const wrong = Array.from({ length: 11 }, (_, at) => [
    { t: 'said', id: `w${at}`, session: 'w', key: 'w', family: 'w', kind: 'proved', at, tokens: 9 },
    { t: 'came', id: `w${at}`, of: 'wrong', at },
  ]).flat();
  appendFileSync(desk.stateFile, wrong.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const before = (await desk.data('history')).total;
  expect(await desk.ended('node --test figs.test.mjs', true, REFUSED_OUTPUT, 'three')).toBe('');
  expect((await desk.data('history')).total, 'it goes on recording').toBe(before + 1);
  expect(await desk.print('doctor')).toMatch(/hook .*11 wrong.*muted/u);
  await desk.print('score', '--reset');
  expect(await desk.ended('node --test figs.test.mjs', true, REFUSED_OUTPUT, 'three')).toContain(mending.slice(0, 12));
});

test('the hook shows a reported fix that runs proved, and a solution that worked', async () => {
  const desk = new AgentMachine();
  desk.commit({ 'a.mjs': 'throw new Error("no stock ledger at depot");\n' });
  const { runId } = await desk.data('run', 'node a.mjs');
  await desk.print('diagnose', runId, 'node a.mjs');
  await desk.print('report-fix', runId, 'node a.mjs', 'open the ledger first');
  desk.commit({ 'a.mjs': '' });
  await desk.print('run', 'node a.mjs');
  const incident = ['add-incident', 'Depot is closed', 'ring the depot', 'worked', '--project', desk.root];
  await desk.print(...incident, '--error', 'Error: depot of plums is closed');

  const failing = (error: string) => `Error: ${error}\n    at load (${desk.root}/b.mjs:1:7)\n`;
  const ledger = await desk.ended('node --test', true, failing('no stock ledger at depot'));
  expect(ledger).toContain('proved to fix it: open the ledger first');
  const closed = await desk.ended('node --test', true, failing('depot of plums is closed'), 'two');
  expect(closed).toContain('worked in a similar environment: ring the depot (worked 1 time)');
});

/** packages/mcp/test/run tests the parsers of the output (printed-failures.test.ts and run.test.ts). */
const printAssertion = (name: string) =>
  `___________ test_${name} ___________\n>       assert total([1]) == 2\nE       assert 1 == 2\n\ntest_cart.py:4: AssertionError\n====== short test summary info ======\nFAILED test_cart.py::test_${name} - assert 1 == 2\n1 failed in 0.08s\n`;

test('the hook recognizes a failed assertion by the name of its test', async () => {
  const command = 'python -m pytest -q';
  const desk = new AgentMachine();
  desk.commit({ 'cart.txt': 'broken', 'a.mjs': '' });
  await desk.print('run', 'node a.mjs');
  expect(await desk.ended(command, true, printAssertion('adds'))).toBe('');
  const mending = desk.commit({ 'cart.txt': 'mended' });
  expect(await desk.ended(command, false, '1 passed in 0.08s\n')).toBe('');
  expect(await desk.data('fixes')).toMatchObject({ fixes: [{ commit: mending, status: 'proved' }] });

  desk.commit({ 'cart.txt': 'broken again' });
  expect(await desk.ended(command, true, printAssertion('removes'), 'two')).toBe('');
  expect(await desk.ended(command, true, printAssertion('adds'), 'three')).toContain(`commit ${mending.slice(0, 12)}`);
});

const TESTS = `import test from 'node:test';
import assert from 'node:assert';
import { add } from './add.mjs';

test('adds', () => assert.equal(add(1, 2), 3));
`;
const BROKEN = 'export const add = (one, other) => one - other;\n';

test('a lost fix is named with the commit that removed it and the command that applies it again', async () => {
  const desk = new AgentMachine();
  desk.commit({ 'add.mjs': BROKEN, 'add.test.mjs': TESTS });
  await desk.print('run', 'node --test');
  const fix = desk.commit({ 'add.mjs': BROKEN.replace('-', '+') });
  await desk.print('run', 'node --test');
  const removedBy = desk.commit({ 'add.mjs': BROKEN });
  const reapply = `git show ${fix.slice(0, 12)} -- :/add.mjs | git apply`;
  const mendedBefore = { commit: fix, presence: { state: 'lost', removedBy, reapply } };

  const agent = await connect('2026-07-28', desk.user);
  await agent.data('argus_init', { projectPath: desk.root });
  const run = await agent.data('argus_run', { projectPath: desk.root, command: 'node --test' });
  expect(run).toMatchObject({ failures: [{ mendedBefore }] });
  const diagnosis = { projectPath: desk.root, runId: run.runId, caseName: 'add.test.mjs > adds' };
  expect(await agent.data('argus_diagnose', diagnosis)).toMatchObject({ mendedBefore });
  await agent.close();

  const printed = await desk.print('diagnose');
  expect(printed).toContain(`that change is no longer in the tree since commit ${removedBy.slice(0, 12)}`);
  expect(printed).toContain(`reapply    ${reapply}\n`);

  expect(await desk.data('gate')).toMatchObject({ passes: false, failing: [{ mendedBefore }] });
  const viewer = await startTestViewer(desk.root, [], desk.user);
  const body = JSON.stringify({ runId: run.runId, caseName: diagnosis.caseName });
  expect(JSON.parse((await viewer.ask('POST', '/api/viewCase', { body })).text)).toMatchObject({ mendedBefore });
});

test('the hook names a lost fix', async () => {
  const { desk, mending } = await createRepairedMachine();
  const removedBy = desk.commit({ 'stock.mjs': BROKEN_STOCK });
  const said = await desk.ended(TEST_COMMAND, true, tapOutput('serves apples', true), 'two');
  expect(said).toContain(`that change is no longer in the tree since commit ${removedBy.slice(0, 12)}`);
  expect(said).toContain(`reapply: git show ${mending.slice(0, 12)} -- :/stock.mjs | git apply`);
});
