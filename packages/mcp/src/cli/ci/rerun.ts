/**
 * Runs failed tests again that are excused only after they pass on the same files. A test that passes there was not
 * broken by the change.
 */

import type { GateResult } from '../../format/report/gate-result.ts';
import type { SessionManager } from '../../sessions/session-manager.ts';
import { io } from '../../system/io.ts';
import { count } from '../../text/count.ts';
import { handleRun } from '../../tools/run.ts';

/** More failures are not chance. */
const MAX_TESTS = 20;

/**
 * Variables with secrets. Every program that this process starts can read them from this process, even without
 * inheriting them.
 */
const SECRETS = ['GITHUB_TOKEN', 'ARGUS_TEAM_TOKEN'];

export interface RanAgain {
  /** Names of tests that passed. */
  passed: Set<string>;
  /** Sentences about what was done, and about what failed. */
  done: string[];
  undone: string[];
}

/** If `command` is true, uses the configured or detected command. If it is undefined, runs nothing. */
export async function rerun(
  { failing }: GateResult,
  command: string | true | undefined,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<RanAgain> {
  const ran: RanAgain = { passed: new Set(), done: [], undone: [] };
  const asked = failing.filter(({ refused }) => refused !== undefined);
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
    const problem = await runAgain(caseName, command, projectPath, sessionManager);
    if (problem === null) ran.passed.add(caseName);
    else ran.undone.push(`${caseName} ran again: ${problem}.`);
  }
  if (ran.passed.size > 0) ran.done.push(`${count(ran.passed.size, 'test')} passed when run again on the same files.`);
  return ran;
}

/** Returns null if the test ran and passed, otherwise the problem. */
async function runAgain(
  caseName: string,
  command: string | true,
  projectPath: string,
  sessionManager: SessionManager,
): Promise<string | null> {
  const filter = caseName.split(' > ').at(-1) ?? caseName;
  const asked = { projectPath, filter, ...(command === true ? {} : { command }) };
  const { runId, stored } = await handleRun(asked, sessionManager);
  if (stored === false) return 'the run could not be recorded';
  const session = await sessionManager.getOrThrow(projectPath);
  const { value } = await session.withEngine((engine) => engine.runDetail({ runId, limit: MAX_CASES }));
  const same = value.cases.filter((one) => one.caseName === caseName);
  if (same.length === 0) return 'it was not among the tests that ran';
  return same.every(({ status }) => status === 'passed') ? null : 'it failed';
}

const MAX_CASES = 1_000;
