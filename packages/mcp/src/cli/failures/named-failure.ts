/**
 * Finds the failure that the arguments of a command name: by the number of a cause as `argus run` prints it, or by a
 * part of the test's name. Without a name, the first cause is used; without a run, the newest run that failed.
 */

import { type CaseRecord, EngineError } from 'argus-engine';
import { groupByCause } from '../../format/report/run-report.ts';
import { shortenId } from '../../format/terminal.ts';
import type { Session } from '../../sessions/session.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { readRunWithCases } from './report.ts';

interface NamedFailure {
  runId: string;
  caseName: string;
}

const CAUSE_NUMBER = /^\d{1,4}$/u;
/** Names of runs: `latest`, `@2`, and ids of recorded runs or their beginnings. */
const RUN_NAME = /^(?:latest|@\d+|run-[0-9a-f-]{4,})$/u;

const MAX_NAMES = 5;

/**
 * Finds the failure that the arguments name. The first of two arguments is a run; a single argument is a run if it
 * looks like a run's name.
 */
export async function findNamedFailure(session: Session, words: readonly string[]): Promise<NamedFailure> {
  const [first, second] = words;
  if (first !== undefined && second !== undefined) return findFailureInRun(session, first, second);
  if (first !== undefined && RUN_NAME.test(first)) return findFailureInRun(session, first, undefined);
  const runId = await findNewestFailedRun(session);
  if (runId === undefined) {
    if (first !== undefined && !CAUSE_NUMBER.test(first)) return findFailureOfTest(session, first, undefined);
    throw new EngineError('RUN_NOT_FOUND', 'No recorded run has failed tests. Call argus run first.');
  }
  return findFailureInRun(session, runId, first, (name) => findFailureOfTest(session, name, runId));
}

/** Returns the id of the newest run with a failed case. Runs of forks do not count. */
export async function findNewestFailedRun(session: Session): Promise<string | undefined> {
  const { value } = await session.withEngine((engine) => engine.history({ status: 'failed', limit: 100 }));
  return value.runs.find(({ failed, foreign }) => failed > 0 && foreign !== true)?.id;
}

type FallbackSearch = (name: string) => Promise<NamedFailure>;

async function findFailureInRun(
  session: Session,
  runName: string,
  failureName: string | undefined,
  fallback?: FallbackSearch,
): Promise<NamedFailure> {
  const detail = await readRun(session, runName, failureName);
  if (detail === undefined) return { runId: runName, caseName: failureName ?? '' };
  const { run, cases } = detail;
  const failed = cases.filter(({ status }) => status === 'failed');
  if (failureName !== undefined && failed.some(({ caseName }) => caseName === failureName))
    return { runId: run.id, caseName: failureName };
  if (failureName === undefined || CAUSE_NUMBER.test(failureName))
    return findCauseByNumber(run.id, failed, Number(failureName ?? 1));
  const found = filterByNamePart(failed, failureName);
  const causes = new Set(found.map((one) => one.causeId ?? one.caseName));
  const [only] = found;
  if (only !== undefined && causes.size === 1) return { runId: run.id, caseName: only.caseName };
  if (only !== undefined)
    throw createAmbiguousNameError(
      failureName,
      found.map(({ caseName }) => caseName),
    );
  if (fallback !== undefined) return fallback(failureName);
  // The engine rejects this name and lists the closest names.
  return { runId: run.id, caseName: failureName };
}

/**
 * Returns undefined for an exact name in a run that cannot be read, for example because the run waits to be stored. The
 * call that uses the name is then queued, or its error describes the problem.
 */
async function readRun(session: Session, runName: string, failureName: string | undefined) {
  try {
    return await readRunWithCases(session, runName);
  } catch (thrown) {
    if (thrown instanceof EngineError && failureName !== undefined && !CAUSE_NUMBER.test(failureName)) return undefined;
    throw thrown;
  }
}

function findCauseByNumber(runId: string, failed: readonly CaseRecord[], number: number): NamedFailure {
  const causes = groupByCause(failed);
  const caseName = causes[number - 1]?.cases[0];
  if (caseName !== undefined) return { runId, caseName };
  const has = causes.length === 0 ? 'no failed tests' : `causes 1 to ${causes.length}`;
  throw new EngineError('CASE_NOT_FOUND', `Cause ${number} does not exist: run ${shortenId(runId)} has ${has}.`);
}

/**
 * Returns the failed cases whose name ends with the text; without any, those whose name contains the text, ignoring
 * case.
 */
function filterByNamePart(failed: readonly CaseRecord[], part: string): CaseRecord[] {
  const ending = failed.filter(({ caseName }) => caseName.endsWith(` > ${part}`));
  const sought = part.toLowerCase();
  return ending.length > 0 ? ending : failed.filter(({ caseName }) => caseName.toLowerCase().includes(sought));
}

function createAmbiguousNameError(part: string, found: readonly string[]): EngineError {
  const names = found.slice(0, MAX_NAMES).map((name) => `'${toShortLine(name)}'`);
  const more = found.length > MAX_NAMES ? ` and ${found.length - MAX_NAMES} more` : '';
  const message = `'${toShortLine(part)}' is part of several names: ${names.join(', ')}${more}. Give more of the name.`;
  return new EngineError('CASE_NOT_FOUND', message);
}

/**
 * Returns the first failure of the imported run with this id. Without such a run, returns the newest failure of the
 * test whose name contains `name`.
 */
async function findFailureOfTest(session: Session, name: string, newest: string | undefined): Promise<NamedFailure> {
  const { value: ids } = await session.withEngine((engine) => engine.completeIds({ kind: 'run', prefix: name }));
  if (ids.includes(name)) return findFailureInRun(session, name, undefined);
  const caseName = await completeCaseName(session, name);
  const { value: history } = await session.withEngine((engine) => engine.testHistory({ caseName, limit: 50 }));
  const runId = history.latestFailure?.runId ?? history.runs.find(({ status }) => status === 'failed')?.runId;
  // The error of the diagnosis lists the closest cases of the run.
  return { runId: runId ?? newest ?? 'latest', caseName };
}

/**
 * Returns the full name of the only test that ever failed and whose name contains this part. Without such a test,
 * returns the part.
 */
export async function completeCaseName(session: Session, part: string): Promise<string> {
  const { value } = await session.withEngine((engine) => engine.tests({ name: part, limit: MAX_NAMES + 1 }));
  const names = value.tests.map(({ caseName }) => caseName);
  const exact = names.find((name) => name === part) ?? names.find((name) => name.endsWith(` > ${part}`));
  const [only = part, ...others] = exact === undefined ? names : [exact];
  if (others.length > 0) throw createAmbiguousNameError(part, names);
  return only;
}
