/** Tests argus receipt, which compares the recorded runs with the current files, and the line of the hook for the user. */

import { expect, test } from 'vitest';
import { AgentMachine } from '../hook/desk.ts';

const SOURCE = 'export const add = (one, other) => one + other;\n';
const TESTS = `import test from 'node:test';
import assert from 'node:assert';
import { add } from './add.mjs';

test('adds', () => assert.equal(add(1, 2), 3));
test('adds zero', () => assert.equal(add(1, 0), 1));
test('adds below zero', () => assert.equal(add(1, -1), 0));
`;
const COMMAND = 'node --test';

async function createMachine(): Promise<AgentMachine> {
  const desk = new AgentMachine();
  desk.commit({ 'add.mjs': SOURCE, 'add.test.mjs': TESTS });
  return desk;
}

test('the receipt tells whether the tests passed on exactly the current files', async () => {
  const desk = await createMachine();
  const expectReceipt = async (state: string, line: RegExp) =>
    expect(await desk.data('receipt')).toMatchObject({ state, line: expect.stringMatching(line) });
  await expectReceipt('unknown', /^no test run is recorded$/u);

  await desk.print('run', COMMAND);
  await expectReceipt('green', /^green: 3 of 3, node --test, this very tree, \d+ s ago$/u);

  desk.write('add.mjs', SOURCE.replace('+', '-'));
  await expectReceipt('not run', /^not run since 1 changed file \(add\.mjs\); last green: 3 of 3, node --test, /u);
  await desk.print('run', COMMAND);
  await expectReceipt('red', /^red: 2 of 3 failed, node --test, this very tree, /u);
  // A pass of a part of the tests does not hide the failures.
  await desk.print('run', COMMAND, '--filter', 'adds zero');
  await expectReceipt('red', /^red: 2 of 3 failed/u);

  desk.write('add.test.mjs', TESTS.replaceAll("test('adds", "test.skip('adds"));
  await desk.print('run', COMMAND);
  await expectReceipt('skipped', /^green by skipping: 3 uncommitted edits disable tests \(add\.test\.mjs:5, /u);

  desk.git('checkout', '-q', '.');
  await expectReceipt('green', /^green: 3 of 3/u);
  desk.write('add.mjs', `// Adds.\n${SOURCE}`);
  await desk.print('run', COMMAND, '--filter', 'adds zero');
  await expectReceipt('partial', /^only 1 of 3 known tests ran; green: 1 of 1/u);
  // An edit keeps its tree when it is committed.
  await desk.print('run', COMMAND);
  desk.commit({});
  await expectReceipt('green', /^green: 3 of 3/u);
});

test('the user sees the receipt when an agent stops, unless it changed no file', async () => {
  const desk = await createMachine();
  await desk.print('run', COMMAND);
  const event = { session_id: 'one', cwd: desk.root };
  const stop = async () => {
    const printed = await desk.event({ ...event, hook_event_name: 'Stop' });
    return printed === '' ? '' : JSON.parse(printed).systemMessage;
  };
  await desk.event({ ...event, hook_event_name: 'SessionStart', source: 'startup' });
  expect(await stop()).toBe('');

  desk.write('add.mjs', `// Adds.\n${SOURCE}`);
  expect(await stop()).toMatch(/^Argus: not run since 1 changed file \(add\.mjs\); last green: 3 of 3/u);
  // The hook sees that the agent's own command passed, although no run was recorded for it.
  expect(await desk.ended(COMMAND, false, '# pass 3')).toBe('');
  expect(await stop()).toMatch(/^Argus: green: node:test ended with exit code 0 on this very tree, \d+ s ago$/u);
  // Another command may have run only some of the tests.
  desk.write('add.mjs', `// Adds two numbers.\n${SOURCE}`);
  await desk.ended(`${COMMAND} --test-name-pattern=zero`, false, '# pass 1');
  expect(await stop()).toMatch(/^Argus: not recorded since 1 changed file: node:test ended with exit code 0 on /u);
  // A linter or a printed text proves nothing.
  desk.write('add.mjs', `// Adds numbers.\n${SOURCE}`);
  await desk.ended('npx eslint .', false, '');
  await desk.ended('echo "# pass 3"', false, '# pass 3');
  expect(await stop()).toMatch(/^Argus: not run since/u);
  // Committed work is reported too.
  desk.commit({});
  expect(await stop()).toMatch(/^Argus: not run since/u);
});
