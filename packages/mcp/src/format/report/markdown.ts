/**
 * Formats a run as Markdown for a pull request or the summary of a job: first causes with verdicts, then new failures.
 * Names and errors are text from others, so they are escaped.
 */

import type { CaseRecord } from 'argus-engine';
import { formatCount } from '../../text/count.ts';
import { addBackticks } from '../../text/markdown.ts';
import { toSingleLine } from '../../text/untrusted-text.ts';
import { formatVerdict } from '../failures/verdict-text.ts';
import { formatDuration } from '../terminal.ts';
import { formatQuarantineChanges, type GateFailure, type GateResult, listPreviousFix } from './gate.ts';
import { groupByCause, type RunReport } from './run-report.ts';

/** Fits into a comment and into the summary of a job. */
const MAX_MARKDOWN_BYTES = 64 * 1024;

const MAX_CAUSES = 20;
const MAX_NAMES = 200;

/** `lead` is text before the causes. */
export function formatMarkdownReport(
  report: RunReport,
  lead: readonly string[] = [],
  maxBytes: number = MAX_MARKDOWN_BYTES,
): string {
  const { run, cases } = report;
  const failed = cases.filter(({ status }) => status === 'failed');
  const flaky = cases.filter((one) => one.flaky).map(({ caseName }) => caseName);
  const where = [run.gitBranch, run.gitCommit?.slice(0, 12)]
    .filter((one) => one != null)
    .map((one) => formatInlineCode(one));
  const parts = [
    `## ${run.status === 'passed' ? '✅ passed' : '❌ failed'}: ${run.passed} passed, ${run.failed} failed, ${run.skipped} skipped`,
    [`${formatInlineCode(run.id)}, ${formatDuration(run.durationMs)}`, ...where].join(', '),
    ...lead,
    formatCauses(failed),
    formatNewFailures(report, failed),
    formatFoldedList(`${formatCount(flaky.length, 'test')} passed only on a retry`, flaky),
    formatFoldedList(
      'All failed tests',
      failed.map(({ caseName }) => caseName),
    ),
  ].filter((part) => part !== '');
  return joinWithinLimit(parts, maxBytes);
}

function formatCauses(failed: readonly CaseRecord[]): string {
  const all = groupByCause(failed);
  if (all.length === 0) return '';
  const rows = all.slice(0, MAX_CAUSES).map(({ headline, category, verdict, cases }) => {
    const [first = ''] = cases;
    const formattedVerdict = verdict === undefined ? '' : escapeMarkdown(formatVerdict(verdict));
    return `| ${cases.length} | ${escapeMarkdown(category)}: ${toCell(headline)} | ${formattedVerdict} | ${toCell(first)} |`;
  });
  const more =
    all.length > MAX_CAUSES ? [`\n${formatCount(all.length - MAX_CAUSES, 'more cause')} in the list below.`] : [];
  return ['| failures | cause | verdict | first of them |', '|---|---|---|---|', ...rows, ...more].join('\n');
}

/** Formats the failures that the base branch does not have. */
function formatNewFailures({ base }: RunReport, failed: readonly CaseRecord[]): string {
  if (base === undefined) return '';
  if (base.runId === null) return `No run of ${formatInlineCode(base.branch)} is recorded for a comparison.`;
  const known = new Set(base.failing);
  const added = failed.filter(({ caseName }) => !known.has(caseName)).map(({ caseName }) => caseName);
  const compared = `against ${formatInlineCode(base.branch)} (${formatInlineCode(base.runId)})`;
  if (added.length === 0) return `No new failures ${compared}.`;
  return [
    `**${formatCount(added.length, 'failure')} new** ${compared}:`,
    '',
    ...toListItems(added.slice(0, MAX_CAUSES)),
  ].join('\n');
}

function formatFoldedList(title: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MAX_NAMES ? [`- and ${names.length - MAX_NAMES} more`] : [];
  const items = [...toListItems(names.slice(0, MAX_NAMES)), ...more];
  return ['<details>', `<summary>${title}</summary>`, '', ...items, '', '</details>'].join('\n');
}

const CUT_NOTE = '\n\nThe list was cut; argus history shows all cases.';

/** Keeps as many complete parts as fit. */
function joinWithinLimit(parts: readonly string[], maxBytes: number): string {
  let report = '';
  for (const part of parts) {
    const longer = report === '' ? part : `${report}\n\n${part}`;
    if (Buffer.byteLength(longer) + CUT_NOTE.length > maxBytes) return `${report}${CUT_NOTE}`;
    report = longer;
  }
  return report;
}

const MAX_GATE_ROWS = 20;

/** Formats the result of the gate as Markdown for the summary of a job or a comment. */
export function formatGateMarkdown(gate: GateResult): string[] {
  const { passes, failing, problems, reported, quarantined, missing, notes } = gate;
  const counts = `${failing.length} to fix, ${reported.length} not caused by this change, ${quarantined.length} quarantined`;
  const changes = formatQuarantineChanges(gate);
  return [
    `**Gate ${passes ? 'passed' : 'failed'}**: ${counts}`,
    problems.map((problem) => `- ${formatInlineCode(problem)}`).join('\n'),
    formatFailureTable('to fix', 'verdict', failing, ({ verdict, refused, mendedBefore }) => {
      const judged = verdict === null ? 'none' : escapeMarkdown(formatVerdict(verdict));
      return [judged, ...[refused ?? '', ...listPreviousFix(mendedBefore)].filter(Boolean).map(toCell)].join('; ');
    }),
    formatFailureTable('quarantined', 'until', quarantined, ({ until, owner, reason }) =>
      toCell(`${until}, ${owner}: ${reason}`),
    ),
    formatNameList('Tests of the base that did not run', missing),
    changes.length === 0
      ? ''
      : [
          '**This change edits the quarantine:**',
          '',
          ...changes.slice(0, MAX_GATE_ROWS).map((one) => `- ${formatInlineCode(one)}`),
        ].join('\n'),
    notes.map((note) => `- ${formatInlineCode(note)}`).join('\n'),
  ].filter((part) => part !== '');
}

function formatNameList(title: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MAX_GATE_ROWS ? [`- and ${names.length - MAX_GATE_ROWS} more`] : [];
  return [
    `**${title}:**`,
    '',
    ...names.slice(0, MAX_GATE_ROWS).map((name) => `- ${formatInlineCode(name)}`),
    ...more,
  ].join('\n');
}

function formatFailureTable<T extends GateFailure>(
  title: string,
  secondHeading: string,
  failures: readonly T[],
  formatCell: (one: T) => string,
): string {
  if (failures.length === 0) return '';
  const rows = failures.slice(0, MAX_GATE_ROWS).map((one) => `| ${toCell(one.caseName)} | ${formatCell(one)} |`);
  const more = failures.length > MAX_GATE_ROWS ? [`\nand ${failures.length - MAX_GATE_ROWS} more.`] : [];
  return [`| ${title} | ${secondHeading} |`, '|---|---|', ...rows, ...more].join('\n');
}

/* Escapes names and errors for Markdown, so that text from others cannot become a link, a mention or HTML. */

const MAX_TEXT_CHARS = 200;

function toListItems(names: readonly string[]): string[] {
  return names.map((name) => `- ${formatInlineCode(name)}`);
}

export function formatInlineCode(value: string): string {
  return addBackticks(shorten(value));
}

/**
 * Formats code for a table cell. A bar ends a cell even inside code, so bars are escaped. Backslashes before a bar are
 * removed, because they would cancel that escape.
 */
function toCell(value: string): string {
  return formatInlineCode(value).replaceAll(/\\*\|/gu, '\\|');
}

export function escapeMarkdown(value: string): string {
  return shorten(value).replaceAll(/[\\`*_{}[\]<>()#+!|@]/gu, (sign) => `\\${sign}`);
}

function shorten(value: string): string {
  const line = toSingleLine(value);
  return line.length > MAX_TEXT_CHARS ? `${line.slice(0, MAX_TEXT_CHARS).toWellFormed()}…` : line;
}
