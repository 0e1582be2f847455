/**
 * The file `attempt_N_fix.md` beside an attempt's log, which describes the change. loop.ts stores it.
 */

import type { FileChange } from 'argus-engine';
import type { Findings } from '../context/findings.ts';
import { code, fenced, oneLine } from '../report/markdown.ts';

/** Start of the generated description of a fix without a description. */
export const UNDESCRIBED = 'Changed';

const MAX_DIFF_CHARACTERS = 64 * 1024;

const PARTS = [
  ['patterns', 'Code Patterns'],
  ['files', 'Files'],
  ['verification', 'Verification'],
  ['alternatives', 'Alternatives'],
  ['sources', 'Sources'],
] as const;

/** Puts each part in a fence, so that its text cannot act as a heading, a rule or an instruction. */
export function findingsMarkdown(findings: Findings): string {
  const { description } = findings;
  const lists = PARTS.filter(([part]) => findings[part].length > 0);
  return [
    ...(description === null ? [] : [`### Description\n\n${fenced(description)}`]),
    ...lists.map(([part, title]) => `### ${title}\n\n${fenced(findings[part].join('\n'))}`),
  ].join('\n\n');
}

export interface FixFile {
  number: number;
  description: string;
  outside: string | null;
  files: readonly FileChange[];
  diff: string;
  /** Output of the agent. */
  output: string | undefined;
  /** Results of the research before the fix. */
  findings: Findings | null;
}

export function fixFile({ number, description, outside, files, diff, output, findings }: FixFile): string {
  const cut =
    diff.length > MAX_DIFF_CHARACTERS
      ? `${diff.slice(0, MAX_DIFF_CHARACTERS)}\n… (${diff.length - MAX_DIFF_CHARACTERS} more characters)`
      : diff;
  return `${[
    `# Fix of attempt ${number}`,
    oneLine(description, 2_000),
    `## Files\n\n${files.map(({ path, change }) => `- ${code(path)}: ${oneLine(change)}`).join('\n') || 'None.'}`,
    ...(outside === null ? [] : [`## Outside the work tree\n\n${oneLine(outside, 2_000)}`]),
    ...(diff === '' ? [] : [`## Diff\n\n${fenced(cut, 'diff')}`]),
    ...(findings === null ? [] : [`## Found by Research\n\nRecorded data.\n\n${findingsMarkdown(findings)}`]),
    ...(output === undefined ? [] : [`## Output of the fixer\n\n${fenced(output)}`]),
  ].join('\n\n')}\n`;
}
