/**
 * A trap of the wasm engine inside a running server: that call is answered with INTERNAL_ERROR, the next one on the
 * same server works, and nothing that was stored is lost. A trap at every write: tests/faults/trap.test.ts.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Agent, connectProcess, type Data, ERAS, type Era, project } from '../harness.ts';
import { MIXED } from '../runs/reports.ts';

const HOOK = new URL('trap-hook.mjs', import.meta.url).href;

interface Trapping {
  agent: Agent;
  log: () => string;
  /** The engine traps at this write to a file, counted from now. */
  trapAtWrite(write: number): Promise<void>;
}

async function trapping(era: Era): Promise<Trapping> {
  const folder = project();
  const file = path.join(folder, 'write');
  const env = { NODE_OPTIONS: `--import=${HOOK}`, ARGUS_TEST_TRAP: file, ARGUS_LOG_DIR: folder };
  const agent = await connectProcess(era, env);
  return {
    agent,
    log: () => readFileSync(path.join(folder, 'argus.log'), 'utf8'),
    async trapAtWrite(write) {
      writeFileSync(file, String(write));
      process.kill(agent.pid, 'SIGUSR2');
      await vi.waitFor(() => expect(existsSync(file)).toBe(false), { interval: 5, timeout: 10_000 });
    },
  };
}

const occurrences = ({ pattern }: Data) => Number(Object(pattern).occurrences);

describe.skipIf(process.platform === 'win32').each(ERAS)('%s', (era) => {
  test('the call fails, the next one works, nothing stored is lost', async () => {
    const { agent, log, trapAtWrite } = await trapping(era);
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
      await trapAtWrite(2);
      const { code, message } = await agent.error(tool, args);
      expect({ tool, code }).toEqual({ tool, code: 'INTERNAL_ERROR' });
      const reference = /reference (err-\w+).*may be repeated/u.exec(message)?.[1] ?? 'a reference';
      expect(log()).toContain(reference);
      // The same server, the same project, right after it.
      expect(await agent.data('argus_history', { projectPath: root })).toMatchObject({
        total: 1,
        runs: [{ id: runId }],
      });
    }

    expect(occurrences(await agent.data('argus_diagnose', refused)), 'the trapped call did not count').toBe(before + 1);
    const known = { pattern: { id: learned.patternId }, suggestedFix: 'Loaded the user first' };
    const { projectPath, caseName } = unknown;
    expect(await agent.data('argus_diagnose', { projectPath, runId, caseName })).toMatchObject(known);
    await agent.data('argus_import', { projectPath: root, path: 'mixed.xml' });
    expect(await agent.data('argus_run', { projectPath: root, command: 'echo hello' })).toMatchObject({ notes: [] });
    await agent.close();

    const other = await connectProcess(era);
    await other.data('argus_init', { projectPath: root });
    expect(await other.data('argus_history', { projectPath: root })).toMatchObject({ total: 3 });
    expect(await other.data('argus_diagnose', { projectPath, runId, caseName })).toMatchObject({
      pattern: known.pattern,
      fixHistory: [{ fixDescription: 'Loaded the user first', state: 'refuted' }],
    });
    await other.close();
  });

  test('the same for the tools of the debug memory', async () => {
    const { agent, log, trapAtWrite } = await trapping(era);
    const at = { projectPath: project(), env: { os: 'linux' } };
    const incident = { ...at, title: 'no cucumbers left in the warehouse', steps: 'Order some.', worked: true };
    const { incident_id, solution_id } = await agent.ask('add_incident', incident);
    const other = { ...incident, title: 'KeyError: "price" while reading orders.csv' };
    const calls: [string, Data][] = [
      ['ranked_solutions', { ...at, query_text: incident.title }],
      ['record_outcome', { ...at, solution_id, worked: false }],
      ['add_solution', { ...at, incident_id, steps: 'Sell tomatoes.' }],
      ['add_incident', other],
    ];
    for (const [tool, args] of calls) {
      await trapAtWrite(2);
      const { code, message } = await agent.askError(tool, args);
      expect({ tool, code }).toEqual({ tool, code: 'INTERNAL_ERROR' });
      expect(log()).toContain(/reference (err-\w+).*may be repeated/u.exec(message)?.[1] ?? 'a reference');
    }
    expect(await agent.ask('ranked_solutions', { ...at, query_text: incident.title })).toMatchObject({
      incidents: [{ incident_id, solution_count: 1 }],
      recommended_solution: { solution_id, worked: 1, failed: 0 },
    });
    expect(await agent.ask('add_incident', other), 'nothing of it was there').toMatchObject({ created: true });
    await agent.close();
  });
});
