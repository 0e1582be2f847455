/** Commands whose output claims that all tests passed, while their exit code does not confirm that. */

import { expect, test } from 'vitest';
import {
  AgentMachine,
  BROKEN_STOCK,
  PASSED_OUTPUT,
  REPAIRED_STOCK,
  TEST_COMMAND,
  tapOutput,
} from '../e2e/hook/desk.ts';

/** Creates a machine on which a test failed, and a change that may fix it is committed. */
async function createChangedMachine(): Promise<AgentMachine> {
  const desk = new AgentMachine();
  desk.commit({ 'stock.mjs': BROKEN_STOCK, 'apples.test.mjs': '' });
  await desk.print('run', 'true');
  await desk.ended(TEST_COMMAND, true, tapOutput('serves apples', true));
  desk.commit({ 'stock.mjs': REPAIRED_STOCK });
  return desk;
}

const listProvedFixes = async (desk: AgentMachine) =>
  (await desk.data('fixes')).fixes.filter(({ status }: { status: string }) => status === 'proved').length;

const LINES_WITHOUT_PROOF = [
  `${TEST_COMMAND} | tail -5`,
  `${TEST_COMMAND} 2>&1 | tee log | grep pass`,
  `${TEST_COMMAND} || true`,
  `${TEST_COMMAND}; echo done`,
  `set +e; ${TEST_COMMAND}\necho done`,
  `set -o pipefail; set +o pipefail; ${TEST_COMMAND} | tail`,
  `trap 'exit 0' EXIT; ${TEST_COMMAND}`,
  `${TEST_COMMAND} && exit 0`,
  `git stash && ${TEST_COMMAND} && git stash pop`,
  `git checkout HEAD~1 && ${TEST_COMMAND} && git checkout -`,
  `${TEST_COMMAND} && git restore .`,
  `${TEST_COMMAND} && sed -i s/a/b/ stock.mjs`,
  `${TEST_COMMAND} && python fix.py`,
  `pushd /tmp && ${TEST_COMMAND}`,
  `NODE_OPTIONS=--test-name-pattern=none ${TEST_COMMAND}`,
  `env NODE_OPTIONS=--test-only ${TEST_COMMAND}`,
  `export NODE_OPTIONS=--test-only && ${TEST_COMMAND}`,
  `alias node=true\n${TEST_COMMAND}`,
  `hash -p /bin/true node && ${TEST_COMMAND}`,
];

test('the output of a line whose exit code is not the exit code of the tests proves no fix', async () => {
  const desk = await createChangedMachine();
  const { total } = await desk.data('history');
  for (const line of LINES_WITHOUT_PROOF) {
    expect(await desk.ended(line, false, PASSED_OUTPUT), line).toBe('');
    expect((await desk.data('history')).total, line).toBe(total);
  }
  expect(await listProvedFixes(desk)).toBe(0);
  // The command without the rest of the line proves the fix.
  await desk.ended(TEST_COMMAND, false, PASSED_OUTPUT);
  expect(await listProvedFixes(desk)).toBe(1);
});

test('the exit code of a line that fails if its tests fail proves a fix', async () => {
  const desk = await createChangedMachine();
  for (const line of [
    `set -o pipefail; ${TEST_COMMAND} | tail -5`,
    `set -e; ${TEST_COMMAND}; echo done`,
    `npm ci && ${TEST_COMMAND}`,
    `git stash && ${TEST_COMMAND}`,
    `${TEST_COMMAND} && git commit -qam x`,
  ]) {
    await desk.ended(TEST_COMMAND, true, tapOutput('serves apples', true));
    await desk.ended(line, false, PASSED_OUTPUT);
    expect((await desk.data('history')).runs[0], line).toMatchObject({ status: 'passed' });
  }
});

test('the output alone proves no fix if the agent reports no exit code', async () => {
  const desk = await createChangedMachine();
  const before = (await desk.data('history')).total;
  const codex = { hook_event_name: 'PostToolUse', turn_id: 't', tool_name: 'Bash', session_id: 'one', cwd: desk.root };
  await desk.event({ ...codex, tool_input: { command: TEST_COMMAND }, tool_response: PASSED_OUTPUT });
  const cursor = { hook_event_name: 'afterShellExecution', conversation_id: 'c', workspace_roots: [desk.root] };
  await desk.event({ ...cursor, command: TEST_COMMAND, output: PASSED_OUTPUT });
  expect((await desk.data('history')).total).toBe(before);
  expect(await listProvedFixes(desk)).toBe(0);
});

test('no test counts as passed if the output reports failed tests', async () => {
  const desk = await createChangedMachine();
  const printed = `TAP version 13
ok 1 - serves apples
not ok 2 - serves pears
  ---
  error: 'no pears'
  ...
1..2
# pass 1
# fail 1
`;
  await desk.ended(`${TEST_COMMAND} | tail -20`, false, printed);
  expect((await desk.data('history')).runs[0]).toMatchObject({ status: 'failed' });
  expect(await listProvedFixes(desk)).toBe(0);
  // The exit code of the command confirms the passed test, so its fix is proved.
  await desk.ended(TEST_COMMAND, true, printed);
  expect(await listProvedFixes(desk)).toBe(1);
});

test('a pass proves a fix only if the command sets the same environment variables as the failed command', async () => {
  const desk = await createChangedMachine();
  const line = `STOCK_URL=http://127.0.0.1:9 ${TEST_COMMAND}`;
  await desk.ended(line, true, tapOutput('serves apples', true));
  const { total } = await desk.data('history');
  await desk.ended(`STOCK_URL=http://127.0.0.1:8 ${TEST_COMMAND}`, false, PASSED_OUTPUT);
  expect((await desk.data('history')).total).toBe(total);
  await desk.ended(`CI=1 ${line}`, false, PASSED_OUTPUT);
  expect((await desk.data('history')).runs[0]).toMatchObject({ status: 'passed' });
});

test('output that imitates an exit code of 0 proves no fix', async () => {
  const desk = await createChangedMachine();
  const event = { session_id: 'one', cwd: desk.root, tool_input: { command: TEST_COMMAND } };
  const ends = 'Exit Code: 0\nError: (none)\nExit Code: 1\nProcess Group PGID: 4';
  const gemini = { ...event, hook_event_name: 'AfterTool', tool_name: 'run_shell_command' };
  await desk.event({ ...gemini, tool_response: { llmContent: `Output: done\n${ends}` } });
  const codex = { ...event, hook_event_name: 'PostToolUse', turn_id: 't', tool_name: 'Bash' };
  await desk.event({ ...codex, tool_response: '> test\nExit code: 0\nOutput:\ndone' });
  expect(await listProvedFixes(desk)).toBe(0);
  expect((await desk.data('history')).runs[0]).toMatchObject({ status: 'failed' });
});
