/**
 * A trap of the wasm engine in a running server: the call is answered with INTERNAL_ERROR, the next call on the same
 * server works, and no stored data is lost. A trap at every write: tests/faults/trap.test.ts.
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { _trapAtWrite } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { type Agent, connect, type Data, project } from '../harness.ts';
import { MIXED } from '../runs/reports.ts';

async function server(env: Record<string, string> = {}): Promise<Agent> {
  const agent = await connect('2026-07-28', env);
  onTestFinished(() => agent.close());
  return agent;
}

/** Starts a server with a separate log. `trapped` returns the error of a call that traps at its second file write. */
async function trapping() {
  const logs = project();
  const agent = await server({ ARGUS_LOG_DIR: logs });
  const trapped = async (error: Agent['error'], tool: string, args: Data) => {
    _trapAtWrite(2);
    const { code, message } = await error(tool, args);
    expect({ tool, code }).toEqual({ tool, code: 'INTERNAL_ERROR' });
    const reference = /reference (err-\w+).*may be repeated/u.exec(message)?.[1] ?? 'a reference';
    expect(readFileSync(path.join(logs, 'argus.log'), 'utf8')).toContain(reference);
  };
  return { agent, trapped };
}

const occurrences = ({ pattern }: Data) => Number(Object(pattern).occurrences);

// Over 5 s, because the engine is compiled again after each trap.
test('a trapped call is undone, and the next call on the same server works', async () => {
  const { agent, trapped } = await trapping();
  const root = project({ 'mixed.xml': MIXED });
  await agent.data('argus_init', { projectPath: root });
  const { runId } = await agent.data('argus_import', { projectPath: root, path: 'mixed.xml' });
  const refused = { projectPath: root, runId, caseName: 'health-check' };
  const unknown = { projectPath: root, runId, caseName: 'parses', fixDescription: 'Loaded the user first' };
  const learned = await agent.data('argus_report_fix', unknown);
  const before = occurrences(await agent.data('argus_diagnose', refused));

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

  expect(occurrences(await agent.data('argus_diagnose', refused)), 'the trapped call did not count').toBe(before + 1);
  const { projectPath, caseName } = unknown;
  const known = { pattern: { id: learned.patternId }, suggestedFix: 'Loaded the user first' };
  expect(await agent.data('argus_diagnose', { projectPath, runId, caseName })).toMatchObject(known);
  expect(await agent.data('argus_run', { projectPath: root, command: 'echo hello' })).toMatchObject({ notes: [] });

  const other = await server();
  expect(await other.data('argus_history', { projectPath: root })).toMatchObject({ total: 2 });
  expect(await other.data('argus_diagnose', { projectPath, runId, caseName })).toMatchObject(known);
});
