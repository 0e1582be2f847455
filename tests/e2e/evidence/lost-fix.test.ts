/** A failure that comes back tells whether the change that fixed it is still in the tree: over MCP, printed, and in the hook. */

import { expect, test } from 'vitest';
import { connect } from '../harness.ts';
import { AgentMachine, BROKEN_STOCK, createRepairedMachine, TEST_COMMAND, tapOutput } from '../hook/desk.ts';

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
});

test('the hook names a lost fix', async () => {
  const { desk, mending } = await createRepairedMachine();
  const removedBy = desk.commit({ 'stock.mjs': BROKEN_STOCK });
  const said = await desk.ended(TEST_COMMAND, true, tapOutput('serves apples', true), 'two');
  expect(said).toContain(`that change is no longer in the tree since commit ${removedBy.slice(0, 12)}`);
  expect(said).toContain(`reapply: git show ${mending.slice(0, 12)} -- :/stock.mjs | git apply`);
});
