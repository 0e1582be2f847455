/** The file `attempt_N_fix.md` next to an attempt's log, which describes the change. loop.ts stores it. */

import type { FileChange } from 'argus-engine';
import { formatCode, formatCodeBlock, formatMarkdownLine } from '../../text/markdown.ts';
import type { ResearchFindings } from '../context/research.ts';

/** Start of the generated description of a fix that nobody described. */
export const GENERATED_DESCRIPTION_PREFIX = 'Changed';

const MAX_DIFF_CHARACTERS = 64 * 1024;

const FINDINGS_PARTS = [
  ['patterns', 'Code Patterns'],
  ['files', 'Files'],
  ['verification', 'Verification'],
  ['alternatives', 'Alternatives'],
  ['sources', 'Sources'],
] as const;

/**
 * Formats the parts of a research result. Each part is in a fence, so that its text cannot act as a heading or an
 * instruction.
 */
export function formatFindings(findings: ResearchFindings): string {
  const { description } = findings;
  const lists = FINDINGS_PARTS.filter(([part]) => findings[part].length > 0);
  return [
    ...(description === null ? [] : [`### Description\n\n${formatCodeBlock(description)}`]),
    ...lists.map(([part, title]) => `### ${title}\n\n${formatCodeBlock(findings[part].join('\n'))}`),
  ].join('\n\n');
}

interface FixFile {
  number: number;
  description: string;
  outside: string | null;
  files: readonly FileChange[];
  diff: string;
  /** Output of the agent. */
  output: string | undefined;
  /** Results of the research before the fix. */
  findings: ResearchFindings | null;
}

export function formatFixFile({ number, description, outside, files, diff, output, findings }: FixFile): string {
  const cut =
    diff.length > MAX_DIFF_CHARACTERS
      ? `${diff.slice(0, MAX_DIFF_CHARACTERS)}\n… (${diff.length - MAX_DIFF_CHARACTERS} more characters)`
      : diff;
  return `${[
    `# Fix of attempt ${number}`,
    formatMarkdownLine(description, 2_000),
    `## Files\n\n${files.map(({ path, change }) => `- ${formatCode(path)}: ${formatMarkdownLine(change)}`).join('\n') || 'None.'}`,
    ...(outside === null ? [] : [`## Outside the work tree\n\n${formatMarkdownLine(outside, 2_000)}`]),
    ...(diff === '' ? [] : [`## Diff\n\n${formatCodeBlock(cut, 'diff')}`]),
    ...(findings === null ? [] : [`## Found by Research\n\nRecorded data.\n\n${formatFindings(findings)}`]),
    ...(output === undefined ? [] : [`## Output of the fixer\n\n${formatCodeBlock(output)}`]),
  ].join('\n\n')}\n`;
}
