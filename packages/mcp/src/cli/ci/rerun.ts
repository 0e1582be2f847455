/**
 * Runs failed tests again that are excused only after they pass on the same files. A test that passes there was not
 * broken by the change. Tests that are known as flaky run again too, because the change may have broken them for good.
 */

import type { GatedFailure, GateResult } from '../../format/report/gate-result.ts';
import type { SessionManager } from '../../sessions/session-manager.ts';
import { io } from '../../system/io.ts';
import { count } from '../../text/count.ts';
import { handleRun } from '../../tools/run.ts';
import { MIN_CHANCE, type RanAgain } from './excuse.ts';

/** More failures are not chance. */
const MAX_TESTS = 20;

/**
 * Variables with secrets. Every program that this process starts can read them from this process, even without
 * inheriting them.
 */
const SECRETS = ['GITHUB_TOKEN', 'ARGUS_TEAM_TOKEN'];

/** Until a test has passed: at a rate of 54 % it fails by chance in this and the first run in 5 % of the cases. */
const MAX_RUNS = 4;

export interface Rerun extends RanAgain {
  passed: Set<string>;
  failed: Set<string>;
  /** Sentences about completed and failed steps. */
  done: string[];
  undone: string[];
}

/** If `command` is true, uses the configured or detected command. If it is undefined, runs nothing. */
export async function rerun(
  { failing, reported }: GateResult,
  command: string | true | undefined,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<Rerun> {
  const ran: Rerun = { passed: new Set(), failed: new Set(), done: [], undone: [] };
  const isKnownFlaky = ({ verdict }: GatedFailure) => verdict?.kind === 'flaky';
  const asked = [...failing.filter(({ refused }) => refused !== undefined), ...reported.filter(isKnownFlaky)];
  if (command === undefined || asked.length === 0) return ran;
  const secret = SECRETS.find((name) => io().env[name]);
  if (secret !== undefined) {
    ran.undone.push(`Nothing ran again: tests of the change could read ${secret}. Call argus ci --rerun without it.`);
    return ran;
  }
  if (asked.length > MAX_TESTS) {
    ran.undone.push(`Nothing ran again: ${asked.length} failures are more than ${MAX_TESTS}.`);
    return ran;
  }
  for (const { caseName } of asked) {
    const { hasFailed, problem } = await runUntilPassed(caseName, command, projectPath, sessionManager);
    if (hasFailed) ran.failed.add(caseName);
    else if (problem === null) ran.passed.add(caseName);
    if (problem !== null) ran.undone.push(`${caseName} ran again: ${problem}.`);
  }
  if (ran.passed.size > 0) ran.done.push(`${count(ran.passed.size, 'test')} passed when run again on the same files.`);
  return ran;
}

interface Again {
  hasFailed: boolean;
  /** Null if the test ran and passed. */
  problem: string | null;
  /** The chance that a test with this failure rate fails as often in a row. 1 if the rate is unknown. */
  chance?: number;
}

/** Stops early after so many failures in a row that chance is unlikely. */
async function runUntilPassed(
  caseName: string,
  command: string | true,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<Again> {
  for (let runs = 1; ; runs += 1) {
    const again = await runAgain(caseName, command, projectPath, sessionManager);
    const isOver = !again.hasFailed || runs === MAX_RUNS || (again.chance ?? 1) < MIN_CHANCE;
    if (isOver) return again.hasFailed && runs > 1 ? { ...again, problem: `it failed ${runs} times` } : again;
  }
}

async function runAgain(
  caseName: string,
  command: string | true,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<Again> {
  const filter = caseName.split(' > ').at(-1) ?? caseName;
  const asked = { projectPath, filter, ...(command === true ? {} : { command }) };
  const { runId, stored } = await handleRun(asked, sessionManager);
  if (stored === false) return { hasFailed: false, problem: 'the run could not be recorded' };
  const session = await sessionManager.getOrThrow(projectPath);
  const { value } = await session.withEngine((engine) => engine.runDetail({ runId, limit: MAX_CASES }));
  const same = value.cases.filter((one) => one.caseName === caseName);
  if (same.length === 0) return { hasFailed: false, problem: 'it was not among the tests that ran' };
  const failed = same.find(({ status }) => status === 'failed');
  if (failed === undefined && same.every(({ status }) => status === 'passed'))
    return { hasFailed: false, problem: null };
  if (failed === undefined) return { hasFailed: false, problem: 'it was skipped' };
  return { hasFailed: true, problem: 'it failed', chance: failed.precedents?.failedHere?.chance ?? 1 };
}

const MAX_CASES = 1_000;
