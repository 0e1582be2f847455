/** Verdicts, tests and fixes, for people at the terminal. */

import type { BriefVerdict, FixesResult, TestEvidence, TestsResult } from 'argus-engine';
import { count } from '../text/count.ts';
import { lines, paint, percent, table } from './terminal.ts';

const HASH_CHARS = 12;

export function formatTests({ tests, total, hasMore, warnings }: TestsResult & { warnings?: string[] }): string {
  return lines([
    tests.length > 0 ? table(tests.map(testRow)) : 'no test has failed in the recorded runs',
    hasMore && paint.dim(`${tests.length} of ${total}; --offset shows the rest`),
    ...(warnings ?? []).map((warning) => paint.yellow(`warning: ${warning}`)),
  ]);
}

function testRow(test: TestEvidence): string[] {
  const [low, high] = test.interval.map(rate);
  const by = {
    broken: '',
    flaky: `fails by chance in ${rate(test.flakeRate)} (${low} to ${high})`,
    order: test.polluter === undefined ? '' : `broken by ${test.polluter}`,
    environment: test.condition ?? '',
    healthy: '',
  }[test.state];
  return [test.state, `failed ${test.failures} of ${test.runs}`, test.caseName, by];
}

export function formatFixes({ fixes, warnings }: FixesResult & { warnings?: string[] }): string {
  const rows = fixes.map(({ status, commit, passes, caseNames }) => [
    status,
    commit.slice(0, HASH_CHARS),
    `passed ${count(passes, 'time')} since`,
    caseNames.join(', '),
  ]);
  return lines([
    rows.length > 0 ? table(rows) : 'no change is known to have mended a failure',
    ...(warnings ?? []).map((warning) => paint.yellow(`warning: ${warning}`)),
  ]);
}

/** What came of a history. */
export interface ImportedRuns {
  runs: number;
  known: number;
  failures: number;
}

export function formatImportedRuns({ runs, known, failures }: ImportedRuns): string {
  return lines([`${count(runs, 'run')} read, ${known} known before; ${count(failures, 'failure')} judged`]);
}

/** In a few words: `regression (97 %), likely since 1a2b3c4d5e6f`. */
export function verdictText({ kind, probability, suspect }: BriefVerdict): string {
  const since = suspect === undefined ? '' : `, likely since ${suspect.slice(0, HASH_CHARS)}`;
  return kind === 'new' ? 'new: no earlier run has this test' : `${kind} (${percent(probability)})${since}`;
}

/** Rates of a test that rarely fails are below one per cent. */
function rate(share: number): string {
  return share < 0.1 ? `${Math.round(share * 1000) / 10} %` : percent(share);
}
