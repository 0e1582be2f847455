/**
 * The state of a suggested fix, over MCP and at the terminal: claimed, proved, refuted, from another case, for other
 * values, or a tip. `crates/engine/src/tests/failures/suggesting.rs` and `fixing.rs` test the rules.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject, type Data } from '../harness.ts';
import { agent, openProject } from '../one-agent.ts';
import { formatJunit } from '../runs/reports.ts';

const ERROR_MESSAGE = 'the flux capacitor is out of tune';
const refusedMessage = (port: number) => `connect ECONNREFUSED 127.0.0.1:${port}`;

/** Opens a project. Returns functions that record runs, diagnose failures and report fixes. */
async function openMemory() {
  const root = await openProject();
  return {
    root,
    /** Records a run of these cases with their error messages; null means that the case passed. */
    record(cases: Record<string, string | null>): Promise<Data> {
      const all = Object.entries(cases).map(([name, message]) =>
        message === null ? { name } : { name, failure: { message, type: 'Error' } },
      );
      writeFileSync(path.join(root, 'report.xml'), formatJunit(all));
      return agent.data('argus_import', { projectPath: root, path: 'report.xml' });
    },
    diagnose: ({ runId }: Data, caseName: string) =>
      agent.data('argus_diagnose', { projectPath: root, runId, caseName }),
    report: ({ runId }: Data, caseName: string, fixDescription: string) =>
      agent.data('argus_report_fix', { projectPath: root, runId, caseName, fixDescription }),
    solutions: () => agent.ask('ranked_solutions', { query_text: ERROR_MESSAGE, env: {}, projectPath: root }),
  };
}

test('a failing run refutes a claimed fix, and a passing run proves the next fix', async () => {
  const { root, record, diagnose, report, solutions } = await openMemory();
  const run = await record({ boom: ERROR_MESSAGE });
  const first = await report(run, 'boom', 'Tuned it');
  expect(first).toMatchObject({ state: 'claimed', resolutions: 1 });
  expect(await report(run, 'boom', 'Tuned it'), 'the same report again').toMatchObject({
    resolutions: 1,
    occurrences: first.occurrences,
  });
  const claimed = { claimed: true, standing: 'reported once, not confirmed' };
  expect(await diagnose(run, 'boom')).toMatchObject({ ...claimed, pattern: claimed });
  const why = expect.stringContaining('not confirmed');
  expect(await solutions()).toMatchObject({ ranked_solutions: [{ worked: 1, failed: 0, claimed: 1, why }] });

  const again = await record({ boom: ERROR_MESSAGE });
  expect(await diagnose(again, 'boom')).toMatchObject({
    suggestedFix: null,
    fixHistory: [{ success: true, state: 'refuted', refutedBy: again.runId }, {}],
    warnings: [expect.stringContaining(`${again.runId} refutes it`)],
  });
  await report(again, 'boom', 'Replaced it');
  const { runId: provedBy } = await record({ boom: null });
  const proved = await diagnose(again, 'boom');
  expect(proved).toMatchObject({
    suggestedFix: 'Replaced it',
    standing: 'fixed 1 of 1 time',
    tried: { proved: 1, claimed: 0, failed: 0 },
    fixHistory: [{ state: 'proved', provedBy }, { state: 'refuted', provedBy: null }, {}],
  });
  expect(proved).not.toHaveProperty('claimed');
  const { stdout } = await argus(['diagnose', String(again.runId), 'boom', '--project', root]);
  expect(stdout).toMatch(/✓ \S+ Replaced it \(held in 1 run\)[\s\S]*✗ \S+ Tuned it \(the failure came back\)/u);
});

test('the terminal shows the proof of a fix, and the kind of a failure without a category', async () => {
  const root = createProject({
    'busy.xml': formatJunit([
      { name: 'starts', failure: { message: 'listen EADDRINUSE: address already in use :::3000' } },
    ]),
    'refused.xml': formatJunit([{ name: 'health', failure: { message: refusedMessage(5432), type: 'Error' } }]),
  });
  const at = ['--project', root];
  const busy = (await argus(['import', 'busy.xml', ...at])).stdout;
  expect(busy).toMatch(/^ 1x {2}listen EADDRINUSE/mu);
  const runId = /run-\S+/u.exec(busy)?.[0] ?? '';
  expect((await argus(['diagnose', runId, 'starts', ...at])).stdout).toMatch(/^address-in-use {2}rule /u);
  const refused = (await argus(['import', 'refused.xml', ...at])).stdout;
  expect(refused, 'a built-in tip is left to the diagnosis').not.toContain('The service may not have');
  const failed = /run-\S+/u.exec(refused)?.[0] ?? '';
  const fixed = (await argus(['report-fix', failed, 'health', 'Started it', ...at])).stdout;
  expect(fixed).toContain('to confirm it: A recorded run');
  for (const text of [busy, refused, fixed, (await argus(['patterns', ...at])).stdout])
    expect(text).not.toContain(' %');
});
