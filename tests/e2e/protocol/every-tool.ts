/** Calls every tool of a server, in the order of a session. The test client checks each answer against its schema. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { type Agent, createProject, type Data } from '../harness.ts';
import { MIXED_REPORT, PASSED_REPORT } from '../runs/reports.ts';

const toolListSchema = z.array(z.object({ name: z.string() }));
const importSchema = z.object({
  runId: z.string(),
  failures: z.tuple([z.object({ caseName: z.string() })], z.unknown()),
});

/** Calls every tool. Fails if the server lists a tool that is not called here. */
export async function callEveryTool(agent: Agent): Promise<void> {
  const projectPath = createProject({ 'mixed.xml': MIXED_REPORT, 'passed.xml': PASSED_REPORT });
  const called = new Set<string>();
  const data = (tool: string, args: Data = {}) => {
    called.add(tool);
    return agent.data(tool, { projectPath, ...args });
  };
  const ask = (tool: string, args: Data) => {
    called.add(tool);
    return agent.ask(tool, { projectPath, ...args });
  };

  await data('argus_init');
  await data('argus_run', { command: `node -e "throw new TypeError('cannot divide by cucumber')"` });
  const run = importSchema.parse(await data('argus_import', { path: 'mixed.xml' }));
  const failure = { runId: run.runId, caseName: run.failures[0].caseName };
  await data('argus_diagnose', failure);
  await data('argus_report_fix', { ...failure, fixDescription: 'Started the server first' });
  const passed = await data('argus_import', { path: 'passed.xml' });
  expect(passed).toMatchObject({ proved: [{ fixDescription: 'Started the server first' }] });
  await data('argus_import', { path: 'mixed.xml' });
  expect(await data('argus_diagnose', failure)).toMatchObject({ fixHistory: [{ state: 'proved' }] });
  await data('argus_history');
  await data('argus_history', { runId: run.runId });
  await data('argus_patterns');
  await data('argus_tests');
  await data('argus_tests', { caseName: failure.caseName });
  await data('argus_import', { path: 'mixed.xml', commit: 'a'.repeat(40) });
  await data('argus_import', { path: 'passed.xml', commit: 'b'.repeat(40) });
  await data('argus_tests', { since: 'aaaa' });

  const incident = { title: 'The belt slips', steps: 'Tighten it', env: {}, worked: true };
  const added = await ask('add_incident', incident);
  expect(await ask('add_incident', incident)).toMatchObject({ created: false, incident_id: added.incident_id });
  await ask('add_solution', { incident_id: added.incident_id, steps: 'Replace the belt', env: { language: 'python' } });
  const found = await ask('ranked_solutions', { query_text: 'the belt slips', env: {} });
  expect(found).toMatchObject({ recommended_solution: { solution_id: added.solution_id } });
  await ask('record_outcome', { solution_id: added.solution_id, worked: false, env: {} });

  const begun = await ask('fix_problem', { command: 'node check.js', desired: 'it ends well', backoff: 0 });
  await ask('fix_status', {});
  writeFileSync(path.join(projectPath, 'check.js'), '');
  expect(await ask('fix_attempt', { loop: begun.loop, fix: 'Wrote the file' })).toMatchObject({ result: 'success' });

  const tools = await agent.listTools();
  expect([...called].sort()).toEqual(
    toolListSchema
      .parse(tools)
      .map(({ name }) => name)
      .sort(),
  );
}
