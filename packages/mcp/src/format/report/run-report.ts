/** Formats a recorded run as JUnit XML and CTRF JSON for programs. markdown.ts formats it for people. */

import type { BriefVerdict, CaseRecord, RunRecord, VerdictKind } from 'argus-engine';
import { formatVerdict } from '../failures/verdict-text.ts';

/** A run with all cases, and the failures of the newest run of the base branch. */
export interface RunReport {
  run: RunRecord;
  cases: CaseRecord[];
  base?: { branch: string; runId: string | null; failing: string[] };
}

/** Failures with the same cause, or with the same error if the run has no verdicts. */
interface ReportedCause {
  headline: string;
  category: string;
  verdict: BriefVerdict | undefined;
  cases: string[];
}

/**
 * Groups failures by cause. Sorts the causes by urgency, and causes of equal urgency by their number of failures. The
 * engine uses the same order (`crates/engine/src/runs/cause.rs`).
 */
export function groupByCause(cases: readonly CaseRecord[]): ReportedCause[] {
  const causes = new Map<string, ReportedCause>();
  for (const { status, headline, category, verdict, causeId, caseName } of cases) {
    if (status !== 'failed') continue;
    const key = causeId ?? JSON.stringify([headline, category]);
    const cause = causes.get(key);
    if (cause === undefined)
      causes.set(key, { headline: headline ?? '', category: category ?? 'UNKNOWN', verdict, cases: [caseName] });
    else {
      cause.cases.push(caseName);
      // If the first test is new and has no history, use the verdict of another test.
      if (cause.verdict?.kind === 'new') cause.verdict = verdict;
    }
  }
  const getUrgency = ({ verdict }: ReportedCause) => URGENCY_BY_VERDICT[verdict?.kind ?? 'unknown'] ?? 1;
  return [...causes.values()].sort(
    (one, other) => getUrgency(one) - getUrgency(other) || other.cases.length - one.cases.length,
  );
}

/** Regressions come first. Failures that existed before the change come last. */
const URGENCY_BY_VERDICT: Readonly<Partial<Record<VerdictKind, number>>> = { regression: 0, broken: 2, flaky: 2 };

const SEPARATOR = ' > ';

/** Formats a run as JUnit XML in the dialect of Jenkins. */
export function formatJunitReport({ run, cases }: RunReport): string {
  const files = new Map<string, CaseRecord[]>();
  for (const one of cases) {
    const [file = ''] = one.caseName.split(SEPARATOR);
    files.set(file, [...(files.get(file) ?? []), one]);
  }
  const suites = [...files].map(([file, casesOfFile]) => {
    const failures = casesOfFile.filter(({ status }) => status === 'failed').length;
    const skipped = casesOfFile.filter(({ status }) => status === 'skipped').length;
    const counts = `tests="${casesOfFile.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
    return [
      `  <testsuite name="${escapeXml(file)}" ${counts}>`,
      ...casesOfFile.map(formatJunitTestcase),
      '  </testsuite>',
    ].join('\n');
  });
  const totals = `tests="${cases.length}" failures="${run.failed}" time="${toSeconds(run.durationMs)}" timestamp="${run.timestamp}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="argus" ${totals}>`,
    ...suites,
    '</testsuites>',
  ].join('\n');
}

function formatJunitTestcase(one: CaseRecord): string {
  const [file = '', ...rest] = one.caseName.split(SEPARATOR);
  const name = rest.length > 0 ? rest.join(SEPARATOR) : file;
  const time = one.durationMs === null ? '' : ` time="${toSeconds(one.durationMs)}"`;
  const start = `    <testcase classname="${escapeXml(file)}" name="${escapeXml(name)}"${time}`;
  if (one.status === 'skipped') return `${start}><skipped/></testcase>`;
  if (one.status === 'passed') return `${start}/>`;
  const verdictLine = one.verdict === undefined ? '' : `Argus: ${formatVerdict(one.verdict)}\n`;
  const message = `message="${escapeXml(one.headline ?? '')}" type="${escapeXml(one.category ?? 'UNKNOWN')}"`;
  return `${start}><failure ${message}>${escapeXml(`${verdictLine}${one.error ?? ''}`)}</failure></testcase>`;
}

export function formatCtrfReport({ run, cases }: RunReport): string {
  const start = Date.parse(run.timestamp);
  const tests = cases.map((one) => ({
    name: one.caseName,
    status: one.status,
    duration: Math.round(one.durationMs ?? 0),
    ...(one.flaky && { flaky: true }),
    ...(one.attempts > 1 && { retries: one.attempts - 1 }),
    ...(one.headline !== null && { message: one.headline }),
    ...(one.error !== null && { trace: one.error }),
    ...(one.verdict !== undefined && { extra: { verdict: one.verdict } }),
  }));
  const summary = {
    tests: cases.length,
    passed: run.passed,
    failed: run.failed,
    skipped: run.skipped,
    pending: 0,
    other: 0,
    start,
    stop: start + Math.round(run.durationMs),
  };
  const environment = { branchName: run.gitBranch ?? undefined, commit: run.gitCommit ?? undefined };
  return JSON.stringify({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: { tool: { name: 'argus' }, summary, tests, environment },
  });
}

function toSeconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}

/** Escapes a text and removes characters that XML 1.0 does not allow. */
function escapeXml(value: string): string {
  return value
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
