/** Commands whose output claims that all tests passed while their exit code does not confirm it. */

import { expect, test } from 'vitest';
import { BROKEN, COMMAND, Desk, MENDED, PASSED, tap } from '../e2e/hook/desk.ts';

/** A desk where a test failed and a change that may fix it is committed. */
async function changedDesk(): Promise<Desk> {
  const desk = new Desk();
  desk.commit({ 'stock.mjs': BROKEN, 'apples.test.mjs': '' });
  await desk.print('run', 'true');
  await desk.ended(COMMAND, true, tap('serves apples', true));
  desk.commit({ 'stock.mjs': MENDED });
  return desk;
}

const proved = async (desk: Desk) =>
  (await desk.data('fixes')).fixes.filter(({ status }: { status: string }) => status === 'proved').length;

const NO_PROOF = [
  `${COMMAND} | tail -5`,
  `${COMMAND} 2>&1 | tee log | grep pass`,
  `${COMMAND} || true`,
  `${COMMAND}; echo done`,
  `set +e; ${COMMAND}\necho done`,
  `set -o pipefail; set +o pipefail; ${COMMAND} | tail`,
  `trap 'exit 0' EXIT; ${COMMAND}`,
  `${COMMAND} && exit 0`,
  `git stash && ${COMMAND} && git stash pop`,
  `git checkout HEAD~1 && ${COMMAND} && git checkout -`,
  `${COMMAND} && git restore .`,
  `${COMMAND} && sed -i s/a/b/ stock.mjs`,
  `${COMMAND} && python fix.py`,
  `pushd /tmp && ${COMMAND}`,
];

test('the output of a line whose exit code is not the exit code of the tests proves no fix', async () => {
  const desk = await changedDesk();
  const { total } = await desk.data('history');
  for (const line of NO_PROOF) {
    expect(await desk.ended(line, false, PASSED), line).toBe('');
    expect((await desk.data('history')).total, line).toBe(total);
  }
  expect(await proved(desk)).toBe(0);
  // The command on its own proves the fix.
  await desk.ended(COMMAND, false, PASSED);
  expect(await proved(desk)).toBe(1);
});

test('the exit code of a line that fails when its tests fail proves a fix', async () => {
  const desk = await changedDesk();
  for (const line of [
    `set -o pipefail; ${COMMAND} | tail -5`,
    `set -e; ${COMMAND}; echo done`,
    `npm ci && ${COMMAND}`,
    `git stash && ${COMMAND}`,
    `${COMMAND} && git commit -qam x`,
  ]) {
    await desk.ended(COMMAND, true, tap('serves apples', true));
    await desk.ended(line, false, PASSED);
    expect((await desk.data('history')).runs[0], line).toMatchObject({ status: 'passed' });
  }
});

test('the output alone proves no fix when the agent reports no exit code', async () => {
  const desk = await changedDesk();
  const before = (await desk.data('history')).total;
  const codex = { hook_event_name: 'PostToolUse', turn_id: 't', tool_name: 'Bash', session_id: 'one', cwd: desk.root };
  await desk.event({ ...codex, tool_input: { command: COMMAND }, tool_response: PASSED });
  const cursor = { hook_event_name: 'afterShellExecution', conversation_id: 'c', workspace_roots: [desk.root] };
  await desk.event({ ...cursor, command: COMMAND, output: PASSED });
  expect((await desk.data('history')).total).toBe(before);
  expect(await proved(desk)).toBe(0);
});

test('counts no test as passed when the output reports failed tests', async () => {
  const desk = await changedDesk();
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
  await desk.ended(`${COMMAND} | tail -20`, false, printed);
  expect((await desk.data('history')).runs[0]).toMatchObject({ status: 'failed' });
  expect(await proved(desk)).toBe(0);
  // The exit code of the command confirms the passed test, so its fix is proved.
  await desk.ended(COMMAND, true, printed);
  expect(await proved(desk)).toBe(1);
});
