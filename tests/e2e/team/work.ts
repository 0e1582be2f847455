/** Work of a team's agents in these tests, and the resulting memory of a server. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Agent, Data } from '../harness.ts';
import { junit } from '../runs/reports.ts';
import { post, type TeamServer } from './team.ts';

export const ENV = { os: 'linux' };
export const INCIDENT = { title: 'The boiler is cold', steps: 'Relight the pilot flame.', worked: true, env: ENV };

const PASSED = junit([{ name: 'tunes' }]);
const FAILED = junit([{ name: 'tunes', failure: { message: 'Error: the flux capacitor is out of tune' } }]);

/** Imports a run with a failed test. Resolves with the answer and with the failure's arguments for a call. */
export async function failedRun(agent: Agent, root: string): Promise<{ run: Data; failure: Data }> {
  const run = await imported(agent, root, FAILED);
  return { run, failure: { projectPath: root, runId: run.runId, caseName: 'tunes' } };
}

function imported(agent: Agent, root: string, report: string): Promise<Data> {
  writeFileSync(path.join(root, 'report.xml'), report);
  return agent.data('argus_import', { projectPath: root, path: 'report.xml' });
}

/** Plays a test that fails, is fixed at the second try, and fails again. Resolves with all answers. */
export async function work(agent: Agent, root: string): Promise<Data[]> {
  const answers: Data[] = [];
  for (const fix of [
    { fixDescription: 'Hit it.', success: false },
    { fixDescription: 'Tuned it.', success: true },
    undefined,
    { fixDescription: 'Tuned it again.', success: true },
  ]) {
    if (fix === undefined) {
      answers.push(await imported(agent, root, PASSED));
      continue;
    }
    const { run, failure } = await failedRun(agent, root);
    const diagnosis = await agent.data('argus_diagnose', failure);
    answers.push(run, diagnosis, await agent.data('argus_report_fix', { ...failure, ...fix }));
  }
  return answers;
}

/** Returns the learned data of a server without ids, commits and times, because these differ between runs. */
export async function learned(server: TeamServer, bearer: string): Promise<string> {
  const asked = ['patterns', 'history', 'viewPatterns', 'viewGrid'].map((method) => post(server, bearer, method, {}));
  return JSON.stringify(await Promise.all(asked), undefined, 1)
    .replaceAll(/(run|pat|fix|sol|out)-[0-9a-f-]{36}/gu, '$1-ID')
    .replaceAll(/"[0-9a-f]{40}"/gu, '"COMMIT"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, 'TIME');
}
