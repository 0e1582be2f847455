/**
 * A trap of the wasm engine in a running server: the call returns INTERNAL_ERROR, the next call on the same server
 * works, and no stored data is lost. tests/faults/trap.test.ts tests a trap at every write.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { _trapAtWrite } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { type Agent, connect, createProject, type Data } from '../harness.ts';
import { MIXED_REPORT } from '../runs/reports.ts';

async function connectServer(env: Record<string, string> = {}): Promise<Agent> {
  const agent = await connect('2026-07-28', env);
  onTestFinished(() => agent.close());
  return agent;
}

/** Starts a server with a separate log. `trapped` returns the error of a call that traps at its second file write. */
async function connectTrappingServer() {
  const logs = createProject();
  const agent = await connectServer({ ARGUS_LOG_DIR: logs });
  const trapped = async (error: Agent['error'], tool: string, args: Data) => {
    _trapAtWrite(2);
    const { code, message } = await error(tool, args);
    expect({ tool, code }).toEqual({ tool, code: 'INTERNAL_ERROR' });
    const reference = /reference (err-\w+).*you can repeat the call/u.exec(message)?.[1] ?? 'a reference';
    expect(readFileSync(path.join(logs, 'argus.log'), 'utf8')).toContain(reference);
  };
  return { agent, trapped };
}

const occurrencesOf = ({ pattern }: Data) => Number(Object(pattern).occurrences);

// Takes over 5 s, because the engine is compiled again after each trap.
test('a trapped call is undone, and the next call on the same server works', async () => {
  const { agent, trapped } = await connectTrappingServer();
  const root = createProject({ 'mixed.xml': MIXED_REPORT });
  await agent.data('argus_init', { projectPath: root });
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'mixed.xml' });
  const refused = { projectPath: root, runId, caseName: 'health-check' };
  const unknown = { projectPath: root, runId, caseName: 'parses', fixDescription: 'Loaded the user first' };
  const learned = await agent.data('argus_report_fix', unknown);
  const before = occurrencesOf(await agent.data('argus_diagnose', refused));

  const calls: [string, Data][] = [
    ['argus_diagnose', refused],
    ['argus_report_fix', { ...unknown, fixDescription: 'Never recorded' }],
    ['argus_import', { projectPath: root, path: 'mixed.xml' }],
    ['argus_run', { projectPath: root, command: 'echo hello' }],
  ];
  for (const [tool, args] of calls) {
    await trapped(agent.error, tool, args);
    const history = await agent.data('argus_history', { projectPath: root });
    expect(history).toMatchObject({ total: 1, runs: [{ id: runId }] });
  }

  expect(occurrencesOf(await agent.data('argus_diagnose', refused)), 'the trapped call did not count').toBe(before + 1);
  const { projectPath, caseName } = unknown;
  const known = { pattern: { id: learned.patternId }, suggestedFix: 'Loaded the user first' };
  expect(await agent.data('argus_diagnose', { projectPath, runId, caseName })).toMatchObject(known);
  expect(await agent.data('argus_run', { projectPath: root, command: 'echo hello' })).toMatchObject({ notes: [] });

  const other = await connectServer();
  expect(await other.data('argus_history', { projectPath: root })).toMatchObject({ total: 2 });
  expect(await other.data('argus_diagnose', { projectPath, runId, caseName })).toMatchObject(known);
});
