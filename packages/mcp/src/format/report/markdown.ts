/**
 * Formats a run as Markdown for a pull request or the summary of a job: causes with verdicts first, then new failures.
 * Names and errors are a stranger's text, so they are escaped.
 */

import type { CaseRecord } from 'argus-engine';
import { count } from '../../text/count.ts';
import { verdictText } from '../failures/evidence-text.ts';
import { duration } from '../terminal.ts';
import { cell, code, listed, text } from './markdown-text.ts';
import { causesOf, type RunReport } from './run-report.ts';

/** The space in a comment or the summary of a job. */
export const MAX_MARKDOWN_BYTES = 64 * 1024;

const MAX_CAUSES = 20;
const MAX_NAMES = 200;

/** `lead` comes before the causes. */
export function markdownReport(
  report: RunReport,
  lead: readonly string[] = [],
  maxBytes: number = MAX_MARKDOWN_BYTES,
): string {
  const { run, cases } = report;
  const failed = cases.filter(({ status }) => status === 'failed');
  const flaky = cases.filter((one) => one.flaky).map(({ caseName }) => caseName);
  const where = [run.gitBranch, run.gitCommit?.slice(0, 12)].filter((one) => one != null).map((one) => code(one));
  const parts = [
    `## ${run.status === 'passed' ? '✅ passed' : '❌ failed'}: ${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped`,
    [`${code(run.id)}, ${duration(run.durationMs)}`, ...where].join(', '),
    ...lead,
    causes(failed),
    news(report, failed),
    folded(`${count(flaky.length, 'test')} passed only when tried again`, flaky),
    folded(
      'All failed tests',
      failed.map(({ caseName }) => caseName),
    ),
  ].filter((part) => part !== '');
  return bounded(parts, maxBytes);
}

function causes(failed: readonly CaseRecord[]): string {
  const all = causesOf(failed);
  if (all.length === 0) return '';
  const rows = all.slice(0, MAX_CAUSES).map(({ headline, category, verdict, cases }) => {
    const [first = ''] = cases;
    const found = verdict === undefined ? '' : text(verdictText(verdict));
    return `| ${cases.length} | ${text(category)}: ${cell(headline)} | ${found} | ${cell(first)} |`;
  });
  const more = all.length > MAX_CAUSES ? [`\n${count(all.length - MAX_CAUSES, 'more cause')} in the list below.`] : [];
  return ['| failures | cause | verdict | first of them |', '|---|---|---|---|', ...rows, ...more].join('\n');
}

/** The failures that the base branch does not have. */
function news({ base }: RunReport, failed: readonly CaseRecord[]): string {
  if (base === undefined) return '';
  if (base.runId === null) return `No run of ${code(base.branch)} is recorded to compare with.`;
  const known = new Set(base.failing);
  const added = failed.filter(({ caseName }) => !known.has(caseName)).map(({ caseName }) => caseName);
  const compared = `against ${code(base.branch)} (${code(base.runId)})`;
  if (added.length === 0) return `Nothing fails anew ${compared}.`;
  return [`**${count(added.length, 'failure')} new** ${compared}:`, '', ...listed(added.slice(0, MAX_CAUSES))].join(
    '\n',
  );
}

function folded(title: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMES ? [`- and ${names.length - MAX_NAMES} more`] : [];
  const items = [...listed(names.slice(0, MAX_NAMES)), ...more];
  return ['<details>', `<summary>${title}</summary>`, '', ...items, '', '</details>'].join('\n');
}

const CUT = '\n\nMore than fits here: argus history.';

/** Keeps the whole parts that fit. */
function bounded(parts: readonly string[], maxBytes: number): string {
  let report = '';
  for (const part of parts) {
    const longer = report === '' ? part : `${report}\n\n${part}`;
    if (Buffer.byteLength(longer) + CUT.length > maxBytes) return `${report}${CUT}`;
    report = longer;
  }
  return report;
}
