/** Formats the proof of a fix for the terminal. */

import { formatCount } from '../../text/count.ts';
import { formatTable, joinLines, paint, toCommandLineText } from '../terminal.ts';
import { shortenHash } from './verdict-text.ts';

/** Results of a test in one of the two states. */
export interface TestResults {
  passed: number;
  failed: number;
  /** The error in one line. */
  headline: string | null;
  signature: string | null;
}

export interface ProofResult {
  fixId: string;
  commit: string;
  /** The commit from which the work tree was created. */
  testedAt: string;
  caseName: string;
  command: string;
  /** Files that were taken out, relative to the repository. */
  files: string[];
  /** `cause`: fails without the change and passes with it. `guardsNothing`: passes without the change. */
  result: 'cause' | 'guardsNothing' | 'inconclusive';
  /** The reason, if the result is `inconclusive`. */
  reason: string | null;
  without: TestResults;
  with: TestResults;
}

const TITLES = {
  cause: paint.green('proved: cause'),
  guardsNothing: paint.yellow('guards nothing: the test passes without the change'),
  inconclusive: paint.yellow('inconclusive'),
} as const satisfies Record<ProofResult['result'], string>;

export function formatProof(proof: ProofResult): string {
  const { result, reason, without, commit, testedAt, caseName, command, files } = proof;
  return joinLines([
    paint.bold(TITLES[result]),
    reason !== null && toCommandLineText(reason),
    formatTable([
      ['without the change', ...formatResults(without)],
      ['with the change', ...formatResults(proof.with)],
    ]),
    `test     ${caseName}`,
    `fix      commit ${shortenHash(commit)}: ${files.join(', ')}`,
    `tried at ${shortenHash(testedAt)}, without uncommitted edits`,
    `command  ${command}`,
  ]);
}

function formatResults({ passed, failed, headline }: TestResults): string[] {
  const runs = passed + failed;
  if (runs === 0) return ['did not run'];
  const count = failed > 0 ? `failed ${failed} of ${runs}` : `passed ${passed} of ${runs}`;
  return headline === null ? [count] : [count, headline];
}

interface ProofPlan {
  commit: string;
  caseName: string;
  command: string;
  /** Maximum number of runs. */
  runs: number;
  timeoutSeconds: number;
}

/** Describes what will run, before a person agrees to it. */
export function formatProofPlan({ commit, caseName, command, runs, timeoutSeconds }: ProofPlan): string {
  const work = `without and with the change of commit ${shortenHash(commit)}, in a temporary work tree of the last commit`;
  const limit = `at most ${formatCount(runs, 'run')} and ${formatCount(timeoutSeconds, 'second')}`;
  return `Runs ${command} for the test ${caseName} ${work}: ${limit}.`;
}
