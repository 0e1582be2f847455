/**
 * Reruns failed tests that the gate excuses only after they pass on the same files. If a test passes in a rerun, the
 * change did not break it. Known flaky tests are rerun too, because the change may have broken them completely.
 */

import { ArgusError } from '../../errors.ts';
import type { GateFailure, GateResult } from '../../format/report/gate.ts';
import type { SessionManager } from '../../sessions/session-manager.ts';
import { io } from '../../system/io.ts';
import { formatCount } from '../../text/count.ts';
import { handleRun } from '../../tools/run.ts';
import { MIN_CHANCE_PROBABILITY, type RerunResults } from './gate-judgement.ts';

/** If more tests failed, flaky tests are not the reason, so nothing is rerun. */
const MAX_RERUN_TESTS = 20;

/**
 * Environment variables with secrets. A program that this process starts can read them from this process, even if the
 * program does not inherit them.
 */
const SECRET_VARIABLES = ['GITHUB_TOKEN', 'ARGUS_TEAM_TOKEN'];

/**
 * A test is rerun until it passes, at most this often. A test that fails in 54 % of its runs fails in the first run and
 * all of these reruns with a probability of 5 %.
 */
const MAX_RERUNS = 4;

interface RerunSummary extends RerunResults {
  passed: Set<string>;
  failed: Set<string>;
  /** Messages about completed steps. */
  done: string[];
  /** Messages about steps that failed. */
  undone: string[];
}

/**
 * Reruns the failures. If `command` is true, uses the configured or detected command. If it is undefined, runs nothing.
 */
export async function rerunFailures(
  { failing, reported }: GateResult,
  command: string | true | undefined,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<RerunSummary> {
  const ran: RerunSummary = { passed: new Set(), failed: new Set(), done: [], undone: [] };
  const isKnownFlaky = ({ verdict }: GateFailure) => verdict?.kind === 'flaky';
  const toRerun = [...failing.filter(({ refused }) => refused !== undefined), ...reported.filter(isKnownFlaky)];
  if (command === undefined || toRerun.length === 0) return ran;
  const secret = SECRET_VARIABLES.find((name) => io().env[name]);
  if (secret !== undefined) {
    ran.undone.push(
      `Nothing was rerun, because tests of the change could read ${secret}. Call argus ci --rerun without it.`,
    );
    return ran;
  }
  if (toRerun.length > MAX_RERUN_TESTS) {
    ran.undone.push(`Nothing was rerun: ${toRerun.length} failures are more than the limit of ${MAX_RERUN_TESTS}.`);
    return ran;
  }
  for (const { caseName } of toRerun) {
    const rerun = rerunUntilPassed(caseName, command, projectPath, sessionManager);
    const { hasFailed, problem } = await rerun.catch(describeRefusal);
    if (hasFailed) ran.failed.add(caseName);
    else if (problem === null) ran.passed.add(caseName);
    if (problem !== null) ran.undone.push(`${caseName} ran again: ${problem}.`);
  }
  if (ran.passed.size > 0)
    ran.done.push(`${formatCount(ran.passed.size, 'test')} passed when run again on the same files.`);
  return ran;
}

/** A command that cannot run a single test does not end the job: the gate then decides without the rerun. */
function describeRefusal(thrown: unknown): RerunOutcome {
  if (!(thrown instanceof ArgusError)) throw thrown;
  return { hasFailed: false, problem: thrown.message.replace(/\.$/u, '') };
}

interface RerunOutcome {
  hasFailed: boolean;
  /** Null if the test ran and passed. */
  problem: string | null;
  /** Probability that a test with this failure rate fails this often in a row. 1 if the rate is unknown. */
  chance?: number;
}

/** Stops early if the test failed so often in a row that chance is unlikely. */
async function rerunUntilPassed(
  caseName: string,
  command: string | true,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<RerunOutcome> {
  for (let runs = 1; ; runs += 1) {
    const outcome = await rerunOnce(caseName, command, projectPath, sessionManager);
    const isOver = !outcome.hasFailed || runs === MAX_RERUNS || (outcome.chance ?? 1) < MIN_CHANCE_PROBABILITY;
    if (isOver) return outcome.hasFailed && runs > 1 ? { ...outcome, problem: `it failed ${runs} times` } : outcome;
  }
}

async function rerunOnce(
  caseName: string,
  command: string | true,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<RerunOutcome> {
  const filter = caseName.split(' > ').at(-1) ?? caseName;
  const params = { projectPath, filter, ...(command === true ? {} : { command }) };
  const { runId, stored } = await handleRun(params, sessionManager);
  if (stored === false) return { hasFailed: false, problem: 'the run could not be recorded' };
  const session = await sessionManager.getOrThrow(projectPath);
  const { value } = await session.withEngine((engine) => engine.runDetail({ runId, limit: MAX_CASES }));
  const matching = findSameTest(value.cases, caseName);
  if (matching.length === 0) return { hasFailed: false, problem: 'it was not among the tests that ran' };
  const failed = matching.find(({ status }) => status === 'failed');
  if (failed === undefined && matching.every(({ status }) => status === 'passed'))
    return { hasFailed: false, problem: null };
  if (failed === undefined) return { hasFailed: false, problem: 'it was skipped' };
  return { hasFailed: true, problem: 'it failed', chance: failed.precedents?.failedHere?.chance ?? 1 };
}

const MAX_CASES = 1_000;

/**
 * Returns the results of a test that an imported report names. Some reports, such as the JUnit report of node:test, have
 * no files, while the rerun names the file of each test. Then several tests may have the name, and all must pass.
 */
export function findSameTest<T extends { caseName: string }>(cases: readonly T[], reportedName: string): T[] {
  const exact = cases.filter(({ caseName }) => caseName === reportedName);
  if (exact.length > 0) return exact;
  return cases.filter(
    ({ caseName }) => caseName.endsWith(` > ${reportedName}`) || reportedName.endsWith(` > ${caseName}`),
  );
}
