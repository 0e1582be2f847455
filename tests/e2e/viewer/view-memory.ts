/** Projects whose memory has content for every view. */

import { cpSync } from 'node:fs';
import path from 'node:path';
import type { RecordRunParams } from 'argus-engine';
import { createProject } from '../harness.ts';
import { type Engine, withProjectEngine } from './view.ts';

type CaseParams = NonNullable<RecordRunParams['cases']>[number];

/** Creates a case. A case without an error has passed. */
export function createCase(name: string, error: string | null = null, durationMs = 3): CaseParams {
  const status = error === null ? 'passed' : 'failed';
  return { file: 'a.test.ts', suite: [], name, status, flaky: false, attempts: 1, durationMs, error };
}

/** Records a run and diagnoses its failures. */
export async function recordAndDiagnose(
  engine: Engine,
  cases: CaseParams[],
  run: Partial<RecordRunParams> = { git: { commit: 'c'.repeat(40), branch: 'main', dirty: false } },
): Promise<string> {
  const exitCode = cases.some(({ error }) => error !== null) ? 1 : 0;
  const usual = { command: 'npm test', exitCode, timedOut: false, reports: [], containers: [], notes: [], cases };
  const { runId, failures } = await engine.recordRun({ ...usual, ...run });
  for (const { caseName } of failures) await engine.diagnose({ runId, caseName });
  return runId;
}

/** Creates a project with a run for each list of cases. */
export async function createProjectWithRuns(...runs: CaseParams[][]): Promise<string> {
  const root = createProject();
  await withProjectEngine(root, async (engine) => {
    for (const cases of runs) await recordAndDiagnose(engine, cases);
  });
  return root;
}

export const REFUSED_ERROR = 'Error: connect ECONNREFUSED 127.0.0.1:5432';
export const UNDEFINED_ERROR = 'TypeError: Cannot read properties of undefined (reading "id")';
export const FIX_STEPS = 'read the id after the row was loaded';

/** The commit and the failed tests of each run, the oldest first. */
const RUN_OUTCOMES: readonly { commit: string; failed: Readonly<Record<string, string>> }[] = [
  { commit: 'a', failed: { 'health-check': REFUSED_ERROR, parses: UNDEFINED_ERROR } },
  {
    commit: 'b',
    failed: { 'health-check': REFUSED_ERROR, wobbles: 'AssertionError: expected 3 items in the cart, got 2' },
  },
  {
    commit: 'b',
    failed: { 'health-check': REFUSED_ERROR, 'closes the valve': 'OddError: the red valve does not close' },
  },
];

export interface ProjectMemory {
  root: string;
  file: string;
  /** Ids of the runs, oldest first. */
  runs: string[];
}

async function createMemory(work: (engine: Engine) => Promise<string[]>): Promise<ProjectMemory> {
  const root = createProject();
  const runs = await withProjectEngine(root, work);
  return { root, file: path.join(root, '.argus', 'argus.db'), runs };
}

/** Creates a project with three runs of broken, flaky and repaired tests, patterns with fixes, and an incident. */
export function createRememberedProject(): Promise<ProjectMemory> {
  return createMemory(async (engine) => {
    const runs: string[] = [];
    for (const { commit, failed } of RUN_OUTCOMES) {
      const names = ['health-check', 'parses', 'wobbles', 'closes the valve', 'lists users'];
      const git = { commit: commit.repeat(40), branch: 'main', dirty: false };
      runs.push(
        await recordAndDiagnose(
          engine,
          names.map((name) => createCase(name, failed[name])),
          { git },
        ),
      );
    }
    const failure = { runId: runs[0] ?? '', caseName: 'a.test.ts > parses' };
    await engine.reportFix({ ...failure, fixDescription: 'restart the machine', success: false });
    await engine.reportFix({ ...failure, fixDescription: FIX_STEPS, success: true });
    await engine.diagnose(failure);
    await engine.addIncident({
      title: 'Deploy hangs while the image is pulled',
      error_signature: 'ErrImagePull: registry refused the manifest',
      summary: 'The mirror served an old manifest.',
      tags: ['deploy', 'registry'],
      steps: 'Delete the cached manifest on the mirror, then deploy again.',
      env: { os: 'linux', language: 'go' },
      worked: true,
    });
    return runs;
  });
}

/** Copies a project for a test that changes the memory. */
export function copyProject({ root }: ProjectMemory): string {
  const copy = createProject();
  cpSync(path.join(root, '.argus'), path.join(copy, '.argus'), { recursive: true });
  return copy;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const RECORDED_DAYS = 16;
export const REPAIR_DAY = 12;
export const FIX_DESCRIPTION = 'oiled the valve';
export const LONG_NAME = `tests/${'deeply/'.repeat(12)}nested.test.ts`;

export const commitHash = (number: number) => number.toString(16).padStart(40, '0');

/**
 * Creates a project with a run each day and two runs for each commit: a flaky test, a test that a change broke, a
 * repaired test whose fix was reported, and slow tests.
 */
export function createHealthProject(): Promise<ProjectMemory> {
  return createMemory(async (engine) => {
    const start = Date.now() - RECORDED_DAYS * DAY_MS;
    const runs: string[] = [];
    for (let day = 0; day < RECORDED_DAYS; day += 1) {
      const newest = day >> 1;
      const commits = Array.from({ length: newest + 1 }, (_, at) => ({
        commit: commitHash(newest - at),
        parents: at === newest ? [] : [commitHash(newest - at - 1)],
      }));
      const cases = [
        createCase('coin', day % 4 === 1 ? 'Error: the cart wobbles' : null),
        createCase('breaks', day >= 14 ? UNDEFINED_ERROR : null),
        createCase('repaired', day >= 8 && day < REPAIR_DAY ? 'Error: the valve is stuck' : null),
        createCase('slow', null, day >= 10 ? 2400 : 800),
        { ...createCase('steady', null, 5000), file: LONG_NAME },
      ];
      const git = { commit: commitHash(newest), branch: 'main', dirty: false, tree: `tree of ${newest}`, commits };
      const { runId } = await engine.recordRun({
        command: 'npm test',
        exitCode: 1,
        timedOut: false,
        startedAt: start + day * DAY_MS,
        durationMs: 8000 + day * 100,
        git,
        reports: [],
        containers: [],
        notes: [],
        cases,
      });
      runs.push(runId);
    }
    const repaired = { runId: runs[REPAIR_DAY - 1] ?? '', caseName: 'a.test.ts > repaired' };
    await engine.reportFix({ ...repaired, fixDescription: FIX_DESCRIPTION, success: true });
    return runs;
  });
}

/** Texts that would run or change the page if they were HTML; each would leave a mark in `window`. */
export const HOSTILE_TEXTS = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '"><svg onload=window.hacked=1>',
  '</pre></script><script>window.hacked=1</script>',
  '<a href="javascript:window.hacked=1">click</a> javascript:window.hacked=1',
  '<!--argus:data--><!-- --><style>* { display: none !important }</style>',
  "{@html '<b>x</b>'} {{constructor.constructor('window.hacked=1')()}}",
] as const;

/** Failing tests with these texts in their names and errors. */
export const HOSTILE_CASES = HOSTILE_TEXTS.map((text, index) =>
  createCase(`case ${index} ${text}`, `OddError: broken ${index} ${text}\n${text}`),
);

const ESCAPE_TEXT =
  'plain \u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007 \u202egnp.exe\u202c';

/** Creates a project with only hostile texts. The last line of its second run has the given size in megabytes. */
export function createHostileProject(megabytes = 1): Promise<ProjectMemory> {
  return createMemory(async (engine) => {
    const runId = await recordAndDiagnose(engine, HOSTILE_CASES);
    for (const { name } of HOSTILE_CASES) {
      const caseName = `a.test.ts > ${name}`;
      await engine.reportFix({ runId, caseName, fixDescription: `fix: ${HOSTILE_TEXTS.join(' ')}`, success: true });
    }
    const long = await engine.recordRun({
      command: `make ${HOSTILE_TEXTS[0]}`,
      exitCode: 1,
      timedOut: false,
      reports: [],
      containers: [],
      notes: [],
      outputTail: `OddError: ${ESCAPE_TEXT}\nLongError: ${'<b>long</b> '.repeat(megabytes * 90_000)}`,
    });
    await engine.diagnose({ runId: long.runId, caseName: long.failures[0]?.caseName ?? '' });
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      await engine.addIncident({
        title: `incident ${index} ${text}`,
        error_signature: `${text} ${ESCAPE_TEXT}`,
        summary: text,
        tags: [text.slice(0, 90)],
        steps: `${text}\n[link](javascript:window.hacked=1)`,
        env: { os: 'linux', language: text.slice(0, 40) },
        worked: true,
        notes: text,
        force: true,
      });
    }
    return [runId, long.runId];
  });
}
