/** Work that a team's agents do in these tests, and the memory of a server that results. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Agent, Data } from '../harness.ts';
import { formatJunit } from '../runs/reports.ts';
import { postCall, type TeamServer } from './team.ts';

export const ENVIRONMENT = { os: 'linux' };
export const INCIDENT = {
  title: 'The boiler is cold',
  steps: 'Relight the pilot flame.',
  worked: true,
  env: ENVIRONMENT,
};

const PASSED_REPORT = formatJunit([{ name: 'tunes' }]);
const FAILED_REPORT = formatJunit([
  { name: 'tunes', failure: { message: 'Error: the flux capacitor is out of tune' } },
]);

/** Imports a run with a failed test. Resolves with the answer, and with the arguments of a call about the failure. */
export async function importFailedRun(agent: Agent, root: string): Promise<{ run: Data; failure: Data }> {
  const run = await importReport(agent, root, FAILED_REPORT);
  return { run, failure: { projectPath: root, runId: run.runId, caseName: 'tunes' } };
}

function importReport(agent: Agent, root: string, report: string): Promise<Data> {
  writeFileSync(path.join(root, 'report.xml'), report);
  return agent.data('argus_import', { projectPath: root, path: 'report.xml' });
}

/** Simulates a test that fails, is fixed at the second try, and fails again. Resolves with all answers. */
export async function simulateWork(agent: Agent, root: string): Promise<Data[]> {
  const answers: Data[] = [];
  for (const fix of [
    { fixDescription: 'Hit it.', success: false },
    { fixDescription: 'Tuned it.', success: true },
    undefined,
    { fixDescription: 'Tuned it again.', success: true },
  ]) {
    if (fix === undefined) {
      answers.push(await importReport(agent, root, PASSED_REPORT));
      continue;
    }
    const { run, failure } = await importFailedRun(agent, root);
    const diagnosis = await agent.data('argus_diagnose', failure);
    answers.push(run, diagnosis, await agent.data('argus_report_fix', { ...failure, ...fix }));
  }
  return answers;
}

/** Returns the learned data of a server without ids, commits and times, because these differ between runs. */
export async function readLearnedData(server: TeamServer, bearer: string): Promise<string> {
  const asked = ['patterns', 'history', 'viewPatterns', 'viewGrid'].map((method) =>
    postCall(server, bearer, method, {}),
  );
  return JSON.stringify(await Promise.all(asked), undefined, 1)
    .replaceAll(/(run|pat|fix|sol|out)-[0-9a-f-]{36}/gu, '$1-ID')
    .replaceAll(/"[0-9a-f]{40}"/gu, '"COMMIT"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, 'TIME');
}
