/**
 * A project with something of everything that the viewer shows: runs on commits, broken, flaky and fixed tests,
 * patterns with fixes, incidents.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { openEngine } from 'argus-engine';
import { project } from '../harness.ts';
import { junit } from '../runs/reports.ts';
import { inMemoryOf } from './view.ts';

type Engine = Awaited<ReturnType<typeof openEngine>>;
type Case = Parameters<typeof junit>[0][number];

const REFUSED = { message: 'connect ECONNREFUSED 127.0.0.1:5432', type: 'Error' };
const UNDEFINED = { message: 'Cannot read properties of undefined (reading "id")', type: 'TypeError' };
const WOBBLED = { message: 'expected 3 items in the cart, got 2', type: 'AssertionError' };
const VALVE = { message: 'OddError: the red valve does not close', type: 'OddError' };

/** Of all runs, oldest first: the commit, and what failed. */
const RUNS: readonly { commit: string; failed: Readonly<Record<string, typeof REFUSED>> }[] = [
  { commit: 'a', failed: { 'health-check': REFUSED, parses: UNDEFINED } },
  { commit: 'b', failed: { 'health-check': REFUSED, wobbles: WOBBLED } },
  { commit: 'b', failed: { 'health-check': REFUSED, 'closes the valve': VALVE } },
];

const CASES = ['health-check', 'parses', 'wobbles', 'closes the valve', 'lists users'];

export const FIX = 'read the id after the row was loaded';

export interface Remembered {
  root: string;
  file: string;
  /** Oldest first. */
  runs: string[];
}

export async function rememberedProject(): Promise<Remembered> {
  const root = project();
  const runs = await inMemoryOf(root, async (engine) => {
    const ids: string[] = [];
    for (const { commit, failed } of RUNS) ids.push(await recorded(engine, root, commit, failed));
    await learn(engine, ids);
    return ids;
  });
  return { root, file: path.join(root, '.argus', 'argus.db'), runs };
}

/** Of one run, with what was asked about its failures. */
async function recorded(
  engine: Engine,
  root: string,
  commit: string,
  failed: Readonly<Record<string, typeof REFUSED>>,
): Promise<string> {
  const cases = CASES.map((name): Case => {
    const failure = failed[name];
    return failure === undefined ? { name } : { name, failure };
  });
  return record(engine, root, cases, commit.repeat(40));
}

export async function record(engine: Engine, root: string, cases: Case[], commit = 'c'.repeat(40)): Promise<string> {
  const report = path.join(root, 'report.xml');
  writeFileSync(report, junit(cases));
  const { runId, failures } = await engine.recordRun({
    command: 'npm test',
    exitCode: cases.some((one) => one.failure) ? 1 : 0,
    timedOut: false,
    git: { commit, branch: 'main', dirty: false },
    reports: [{ path: report }],
    containers: [],
    notes: [],
  });
  for (const { caseName } of failures) await engine.diagnose({ runId, caseName });
  return runId;
}

async function learn(engine: Engine, [first = '']: readonly string[]): Promise<void> {
  const { failures } = await failuresOf(engine, first);
  const caseName = failures.find((name) => name.endsWith('parses')) ?? '';
  await engine.reportFix({ runId: first, caseName, fixDescription: 'restart the machine', success: false });
  await engine.reportFix({ runId: first, caseName, fixDescription: FIX, success: true });
  await engine.diagnose({ runId: first, caseName });
  await engine.addIncident({
    title: 'Deploy hangs while the image is pulled',
    error_signature: 'ErrImagePull: registry refused the manifest',
    summary: 'The mirror served an old manifest.',
    tags: ['deploy', 'registry'],
    steps: 'Delete the cached manifest on the mirror, then deploy again.',
    env: { os: 'linux', language: 'go' },
    worked: true,
  });
}

async function failuresOf(engine: Engine, runId: string): Promise<{ failures: string[] }> {
  const { cases } = await engine.runDetail({ runId, limit: 100, offset: null });
  return { failures: cases.filter(({ status }) => status === 'failed').map(({ caseName }) => caseName) };
}

/** What must be shown as it is and never run; each would leave a mark in `window`. */
export const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '<img src=x onerror="window.hacked = 1">',
  '"><svg onload=window.hacked=1>',
  '</pre></script><script>window.hacked=1</script>',
  '<a href="javascript:window.hacked=1">click</a> javascript:window.hacked=1',
  '<!--argus:data--><!-- --><style>* { display: none !important }</style>',
  "{@html '<b>x</b>'} {{constructor.constructor('window.hacked=1')()}}",
] as const;

const ESCAPES =
  'plain \u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007 \u202egnp.exe\u202c';

/** A project whose every text is hostile; one of them is a line of ten megabytes. */
export async function hostileProject(): Promise<Remembered> {
  const root = project();
  const runs = await inMemoryOf(root, async (engine) => {
    const cases = HOSTILE.map(
      (text, index): Case => ({
        name: `case ${index} ${text}`,
        failure: { message: `OddError: broken ${index} ${text}`, type: 'OddError', text: `${text}\n${text}` },
      }),
    );
    const runId = await record(engine, root, cases);
    const { failures } = await failuresOf(engine, runId);
    for (const caseName of failures) {
      await engine.reportFix({ runId, caseName, fixDescription: `fix: ${HOSTILE.join(' ')}`, success: true });
    }
    const long = await engine.recordRun({
      command: `make ${HOSTILE[0]}`,
      exitCode: 1,
      timedOut: false,
      reports: [],
      containers: [],
      notes: [],
      outputTail: `OddError: ${ESCAPES}\nLongError: ${'<b>long</b> '.repeat(900_000)}`,
    });
    await engine.diagnose({ runId: long.runId, caseName: long.failures[0]?.caseName ?? '' });
    for (const [index, text] of HOSTILE.entries()) {
      await engine.addIncident({
        title: `incident ${index} ${text}`,
        error_signature: `${text} ${ESCAPES}`,
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
  return { root, file: path.join(root, '.argus', 'argus.db'), runs };
}
