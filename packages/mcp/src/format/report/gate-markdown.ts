/** Formats the result of the gate as Markdown for a job's summary or a comment. It comes before the causes. */

import { verdictText } from '../failures/evidence-text.ts';
import { type GatedFailure, type GateResult, quarantineChangeText } from './gate-result.ts';
import { cell, code, text } from './markdown-text.ts';

const MAX_ROWS = 20;

export function gateMarkdown(gate: GateResult): string[] {
  const { passes, failing, problems, reported, quarantined, missing, notes } = gate;
  const counts = `${failing.length} to mend, ${reported.length} not of this change, ${quarantined.length} quarantined`;
  const changes = quarantineChangeText(gate);
  return [
    `**Gate ${passes ? 'passed' : 'failed'}**: ${counts}`,
    problems.map((problem) => `- ${code(problem)}`).join('\n'),
    tableOf('to mend', 'verdict', failing, ({ verdict, refused }) =>
      verdict === null ? 'none' : [text(verdictText(verdict)), refused && cell(refused)].filter(Boolean).join('; '),
    ),
    tableOf('quarantined', 'until', quarantined, ({ until, owner, reason }) => cell(`${until}, ${owner}: ${reason}`)),
    listOf('Tests of the base that did not run', missing),
    changes.length === 0
      ? ''
      : [
          '**This change changes the quarantine:**',
          '',
          ...changes.slice(0, MAX_ROWS).map((one) => `- ${code(one)}`),
        ].join('\n'),
    notes.map((note) => `- ${code(note)}`).join('\n'),
  ].filter((part) => part !== '');
}

function listOf(title: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MAX_ROWS ? [`- and ${names.length - MAX_ROWS} more`] : [];
  return [`**${title}:**`, '', ...names.slice(0, MAX_ROWS).map((name) => `- ${code(name)}`), ...more].join('\n');
}

function tableOf<T extends GatedFailure>(
  title: string,
  about: string,
  failures: readonly T[],
  found: (one: T) => string,
): string {
  if (failures.length === 0) return '';
  const rows = failures.slice(0, MAX_ROWS).map((one) => `| ${cell(one.caseName)} | ${found(one)} |`);
  const more = failures.length > MAX_ROWS ? [`\nand ${failures.length - MAX_ROWS} more.`] : [];
  return [`| ${title} | ${about} |`, '|---|---|', ...rows, ...more].join('\n');
}
