/**
 * The command `prove`: runs the test of a fix without the change of the fix, and then with it, in a temporary work tree
 * of the last commit. The files of the user are not changed, and the runs are not recorded, because the state without
 * the change is not a state of the project.
 */

import path from 'node:path';
import { type CaseRecord, type Engine, EngineError, openEngine, type RecordRunParams } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import type { FixDetails } from '../../format/failures/evidence-text.ts';
import { formatProof, formatProofPlan, type ProofResult, type TestResults } from '../../format/failures/proof-text.ts';
import { applyPatch, type ChangePatch, canApply, readChangePatch } from '../../git/change-patch.ts';
import { Git } from '../../git/git.ts';
import { type CommitWorkTree, createCommitWorkTree } from '../../run/commit-work-tree.ts';
import { canAddFilter } from '../../run/planning/plan.ts';
import { getFolderInProject, removeFolderPrefix } from '../../run/planning/test-command-location.ts';
import { chooseTestCommand, DEFAULT_TIMEOUT_SECONDS, runTests } from '../../run/run-tests.ts';
import type { Session } from '../../sessions/session.ts';
import { quoteArgument } from '../../system/command-line.ts';
import { io } from '../../system/io.ts';
import { findSameTest } from '../ci/rerun.ts';
import { measureBytes } from '../cleanup.ts';
import { abortOnSignals, EXIT_CODES } from '../terminal/exit.ts';
import { askForConsent } from '../terminal/interaction.ts';
import { type GlobalOptions, runProjectCommand } from '../terminal/output.ts';
import { readFixDetails } from './tool-commands.ts';

export interface ProveOptions extends GlobalOptions {
  yes?: boolean;
  /** Limit for all runs together, in seconds. */
  timeout?: number;
}

/** Maximum size of the work tree with everything that the tests build in it. Checked before each run. */
const MAX_WORK_TREE_BYTES = 4 * 1024 ** 3;
/** Maximum number of cases that are searched for the test. */
const MAX_CASES = 1_000;

/** Files that choose installed packages. The work tree uses the installed packages with and without the change. */
const PACKAGE_LIST =
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|requirements[^/]*\.txt|pyproject\.toml|(?:poetry|uv|Pipfile|composer|Gemfile)\.lock|Pipfile|composer\.json|Gemfile)$/u;

export async function prove(named: string, command: readonly string[], options: ProveOptions): Promise<void> {
  await runProjectCommand(
    options,
    ({ session }) => proveFix(session, named, command, options),
    (result) => formatProof(result),
    { exitCode: ({ result }) => (result === 'cause' ? EXIT_CODES.done : EXIT_CODES.failures) },
  );
}

/** A fix of a single commit, and a test that it fixed. */
interface ProvableFix {
  fixId: string;
  commit: string;
  caseName: string;
  /** Number of runs that show that a failure of this rate is gone. */
  needed: number;
  failedIn: string | undefined;
}

async function proveFix(
  session: Session,
  named: string,
  words: readonly string[],
  options: ProveOptions,
): Promise<ProofResult> {
  const fix = toProvableFix(await readFixDetails(session, named));
  const { root: testRoot, command: knownCommand } = session.testPlace;
  // A single word is a complete command line, as in `argus run "npm test"`.
  const given = words.length > 1 ? words.map((word) => quoteArgument(word)).join(' ') : words[0];
  const root = given === undefined ? testRoot : session.root;
  const command = chooseTestCommand(root, session.config, given ?? knownCommand);
  const folder = getFolderInProject(session.project, root);
  const testFile = removeFolderPrefix(folder, fix.caseName).split(' > ')[0] ?? '';
  const git = new Git(session.project.top);
  const patch = await readChangePatch(git, fix.commit, testFile);
  if (typeof patch === 'string') throw createFixError(fix.commit, patch);
  const timeoutSeconds = options.timeout ?? DEFAULT_TIMEOUT_SECONDS;
  const plan = { ...fix, command, runs: 2 * fix.needed, timeoutSeconds };
  if (!options.yes) await requireConsent(formatProofPlan(plan), options);
  const signal = abortOnSignals(EXIT_CODES.error);
  const tree = await createCommitWorkTree(root, 'HEAD', signal);
  let engine: Engine | undefined;
  try {
    const rules = session.createOpenOptions('project', {});
    const memory = await openEngine({ ...rules, databasePath: ':memory:', projectRoot: tree.top });
    engine = memory;
    Object.assign(io().env, tree.env);
    const deadline = io().now() + timeoutSeconds * 1_000;
    const filter = canAddFilter(command, tree.root) ? { filter: fix.caseName.split(' > ').at(-1) ?? '' } : {};
    const record = async (run: RecordRunParams) => {
      const { runId } = await memory.recordRun({ ...run, folder });
      return { run, cases: (await memory.runDetail({ runId, limit: MAX_CASES })).cases };
    };
    const runTest = async (state: string) => {
      if (measureBytes(path.dirname(tree.top)) > MAX_WORK_TREE_BYTES)
        return `The work tree has become larger than ${MAX_WORK_TREE_BYTES / 1024 ** 3} GiB.`;
      const secondsLeft = Math.ceil((deadline - io().now()) / 1_000);
      const late = `The time limit of ${timeoutSeconds} s was reached. Use --timeout for a longer one.`;
      if (secondsLeft < 1) return late;
      const request = { root: tree.root, config: session.config, command, ...filter, timeoutSeconds: secondsLeft };
      const { run, cases } = await runTests(
        request,
        { signal, onStart: () => void io().stderr.write(`${state}\n`) },
        record,
      );
      if (signal.aborted) throw new ArgusError('CANCELLED', 'It was canceled. The work tree was removed.');
      return run.timedOut ? late : findResult(cases, fix.caseName);
    };
    const original = await readOriginalFailure(session, fix);
    const results = await comparePassesAndFailures({ tree, patch, needed: fix.needed, original, runTest });
    const { fixId, commit, caseName } = fix;
    return { fixId, commit, testedAt: tree.commit, caseName, command, files: patch.files, ...results };
  } finally {
    await engine?.close();
    await tree.remove();
  }
}

function toProvableFix({ found, reported, shared, notShown }: FixDetails): ProvableFix {
  if (found !== null) {
    const { fixId, commit, needed, failedIn, caseNames } = found;
    const [caseName] = caseNames;
    if (commit === undefined) throw createNoCommitError('This fix is an edit without a known commit.');
    if (notShown !== undefined) throw createFixError(commit, notShown);
    if (caseName === undefined) throw new ArgusError('INVALID_INPUT', 'The test of this fix is no longer recorded.');
    return { fixId, commit, caseName, needed, failedIn };
  }
  if (reported !== null) {
    const { fixId, caseName, trust } = reported;
    const [commit, ...others] = trust.change?.commits ?? [];
    if (commit === undefined || others.length > 0)
      throw createNoCommitError('This report belongs to no single commit.');
    return { fixId, commit, caseName, needed: trust.needed, failedIn: trust.failedIn };
  }
  throw new ArgusError('INVALID_INPUT', `${shared?.fixId ?? 'This fix'} comes from another project, without a commit.`);
}

function createNoCommitError(problem: string): ArgusError {
  const advice = 'Commit the fix, run the tests on that commit, and pass the id that argus fixes then lists.';
  return new ArgusError('INVALID_INPUT', `${problem} ${advice}`);
}

function createFixError(commit: string, problem: string): ArgusError {
  return new ArgusError('INVALID_INPUT', `The change of commit ${commit.slice(0, 12)} cannot be taken out. ${problem}`);
}

async function requireConsent(plan: string, { json }: ProveOptions): Promise<void> {
  if (json || !io().isInteractive)
    throw new ArgusError('INVALID_INPUT', `${plan}\nThis runs code of the project. Pass --yes to agree to it.`);
  io().stdout.write(`${plan}\n`);
  if (!(await askForConsent('Run it?'))) throw new ArgusError('CANCELLED', 'Nothing was run.');
}

/** The failure that the fix removed. Undefined if its run was deleted. */
async function readOriginalFailure(
  session: Session,
  { failedIn, caseName }: ProvableFix,
): Promise<CaseRecord | undefined> {
  if (failedIn === undefined) return undefined;
  const read = session.withEngine((engine) => engine.runDetail({ runId: failedIn, limit: MAX_CASES }));
  const detail = await read.catch((thrown: unknown) => {
    if (thrown instanceof EngineError && thrown.code === 'RUN_NOT_FOUND') return undefined;
    throw thrown;
  });
  return findSameTest(detail?.value.cases ?? [], caseName).find(({ status }) => status === 'failed');
}

/** Returns the result of the test, or the reason why there is no result. */
function findResult(cases: readonly CaseRecord[], caseName: string): CaseRecord | string {
  const matching = findSameTest(cases, caseName);
  const [first] = matching;
  const failed = matching.find(({ status }) => status === 'failed');
  if (failed !== undefined) return failed;
  if (first !== undefined) return matching.every(({ status }) => status === 'passed') ? first : 'The test was skipped.';
  const headline = cases.find(({ status }) => status === 'failed')?.headline;
  return `The test was not among the tests that ran${headline ? `: ${headline}` : '.'}`;
}

interface Comparison {
  tree: CommitWorkTree;
  patch: ChangePatch;
  needed: number;
  original: CaseRecord | undefined;
  /** Returns the result of the test, or the reason why there is none. `state` is shown while it runs. */
  runTest: (state: string) => Promise<CaseRecord | string>;
}

type Compared = Pick<ProofResult, 'result' | 'reason' | 'without' | 'with'>;

/**
 * Runs the test without the change until it fails, and then with the change until it passed as often as needed. Both
 * numbers come from the rate of the failure before the fix: if the change has no effect, so many passes are unlikely.
 */
async function comparePassesAndFailures({ tree, patch, needed, original, runTest }: Comparison): Promise<Compared> {
  const [without, withFix] = [createResults(), createResults()];
  const conclude = (result: Compared['result'], reason: string | null = null): Compared => ({
    result,
    reason,
    without,
    with: withFix,
  });
  const git = new Git(tree.top);
  if (!(await removeChange(git, patch)))
    return conclude(
      'inconclusive',
      'The change no longer applies to the last commit, because the code was changed since.',
    );
  const withoutProblem = await runUntilFailed(without, needed, (run) => runTest(`without the change, run ${run}`));
  if (withoutProblem !== undefined) return conclude('inconclusive', `Without the change: ${withoutProblem}`);
  if (without.failed === 0) {
    const list = patch.files.find((file) => PACKAGE_LIST.test(file));
    return list === undefined
      ? conclude('guardsNothing')
      : conclude('inconclusive', `${list} was changed, but the installed packages stayed the same.`);
  }
  if (!(await applyPatch(git, patch.code, 'in')))
    return conclude('inconclusive', 'The test changed the files of the fix, so that the change could not be put back.');
  const withProblem = await runUntilFailed(withFix, needed, (run) =>
    runTest(`with the change, run ${run} of ${needed}`),
  );
  if (withProblem !== undefined) return conclude('inconclusive', `With the change: ${withProblem}`);
  if (withFix.failed > 0) return conclude('inconclusive', 'The test fails with the change too.');
  const isOther = original !== undefined && original.signature !== without.signature;
  return isOther
    ? conclude(
        'inconclusive',
        `Without the change, the test fails with another error than before the fix: ${original.headline}`,
      )
    : conclude('cause');
}

/** Brings the work tree to the state without the change but with its tests. The last commit may already have it. */
async function removeChange(git: Git, { code, tests }: ChangePatch): Promise<boolean> {
  if (await canApply(git, code, 'out')) return applyPatch(git, code, 'out');
  if (!(await canApply(git, code, 'in'))) return false;
  if (tests !== '') await applyPatch(git, tests, 'in');
  return true;
}

function createResults(): TestResults {
  return { passed: 0, failed: 0, headline: null, signature: null };
}

/** Runs the test until it fails, or until it passed as often as needed. Returns the reason if a run has no result. */
async function runUntilFailed(
  results: TestResults,
  needed: number,
  runTest: (run: number) => Promise<CaseRecord | string>,
): Promise<string | undefined> {
  while (results.passed < needed && results.failed === 0) {
    const result = await runTest(results.passed + 1);
    if (typeof result === 'string') return result;
    if (result.status === 'passed') results.passed += 1;
    else {
      results.failed += 1;
      results.headline = result.headline;
      results.signature = result.signature;
    }
  }
  return undefined;
}
