/**
 * Writes the reports exactly in the form of `docs/contract/fix-problem.md`, followed by sections that only Argus has.
 * loop.ts stores the reports.
 */

import type { FixAttempt, FixState } from 'argus-engine';
import {
  formatCell,
  formatCode,
  formatCodeBlock,
  formatMarkdownLine,
  formatSeconds,
  truncateStart,
} from '../../text/markdown.ts';
import {
  formatErrorLocation,
  getApproachTitle,
  getLastError,
  hasSucceeded,
  type LoopRecord,
  listKeptFixes,
  type RestoreCommand,
  suggestNextSteps,
} from './loop-record.ts';

/** Limit for the output in a report. The log has the complete output. */
const MAX_OUTPUT_CHARACTERS = 6_000;

export function formatReport(record: LoopRecord): string {
  const { mode } = record.state;
  const body = mode === 'command' ? formatCommandReport(record) : formatErrorReport(record);
  return `${[...body, ...formatAdditionalSections(record)].join('\n\n')}\n`;
}

function formatCommandReport(record: LoopRecord): string[] {
  return hasSucceeded(record.state) ? formatCommandSuccess(record) : formatCommandFailure(record);
}

function formatErrorReport(record: LoopRecord): string[] {
  return hasSucceeded(record.state) ? formatErrorSuccess(record) : formatErrorFailure(record);
}

function formatCommandSuccess({ state, folder }: LoopRecord): string[] {
  const total = state.attempts.reduce((sum, attempt) => sum + attempt.duration_seconds, 0);
  const fixes = listKeptFixes(state);
  const rows = state.attempts.map((attempt) => [
    String(attempt.number),
    String(attempt.exit_code),
    formatCell(attempt.error_type),
    attempt.fix_applied !== null && !fixes.includes(attempt)
      ? 'rejected'
      : `${formatCell(attempt.fix_applied)}${hasFailed(state, attempt) ? ' (failed)' : ''}`,
    formatSeconds(attempt.duration_seconds),
  ]);
  return [
    '## Command Execution Complete ✅',
    [
      '### Summary',
      `- **Command**: ${formatCode(state.command ?? '')}`,
      '- **Result**: SUCCESS',
      `- **Attempts Used**: ${state.attempts.length}/${state.max_attempts}`,
      `- **Total Duration**: ${formatSeconds(total)}`,
    ].join('\n'),
    `### Execution History\n${formatTable(['Attempt', 'Exit Code', 'Error Type', 'Fix Applied', 'Duration'], rows)}`,
    `### Fixes Applied\n${fixes.length === 0 ? 'None was needed.' : fixes.map((fix, index) => formatAppliedFix(state, fix, index)).join('\n')}`,
    formatStateFile(folder),
  ];
}

/** True if the error that the fix was meant for came back. */
function hasFailed({ attempts }: FixState, { number, error_hash, fix_applied }: FixAttempt): boolean {
  return fix_applied !== null && attempts.slice(number).some((later) => later.error_hash === error_hash);
}

function formatAppliedFix(state: FixState, attempt: FixAttempt, index: number): string {
  const files = attempt.files.map((file) => `${formatCode(file.path)} ${formatMarkdownLine(file.change)}`);
  if (attempt.outside !== null) files.push(`outside the work tree: ${formatMarkdownLine(attempt.outside)}`);
  const failed = hasFailed(state, attempt)
    ? ` - failed: ${formatMarkdownLine(attempt.why_failed ?? 'still fails')}`
    : '';
  const what = `**Attempt ${attempt.number}**: ${formatMarkdownLine(attempt.fix_applied ?? '')}${failed}`;
  return `${index + 1}. ${what}\n   - Files: ${files.join(', ') || 'none'}`;
}

function formatCommandFailure(record: LoopRecord): string[] {
  const { state, folder } = record;
  const { circuit_breaker } = state;
  const open = circuit_breaker.state === 'OPEN';
  const hash = circuit_breaker.error_hashes.at(-1) ?? getLastError(state)?.error_hash ?? null;
  const rows = state.attempts.map((attempt) => [
    String(attempt.number),
    String(attempt.exit_code),
    formatCell(attempt.error_type),
    formatCell(attempt.fix_applied),
    formatAttemptResult(state, attempt),
  ]);
  return [
    '## Command Execution Failed ❌ - Escalate to Human',
    [
      '### Summary',
      `- **Command**: ${formatCode(state.command ?? '')}`,
      `- **Result**: ${state.status === 'suspicious' ? 'SUSPICIOUS' : 'FAILED'}`,
      `- **Reason**: ${getEndReason(record)}`,
      `- **Attempts Used**: ${state.attempts.length}/${state.max_attempts}`,
    ].join('\n'),
    [
      '### Circuit Breaker Status',
      `- **State**: ${circuit_breaker.state}`,
      `- **Trigger**: ${open ? `Same error repeated ${circuit_breaker.threshold} times` : 'not triggered'}`,
      `- **Error Hash**: ${hash ?? '-'}`,
    ].join('\n'),
    `### Execution History\n${formatTable(['Attempt', 'Exit Code', 'Error Type', 'Fix Attempted', 'Result'], rows)}`,
    `### Error Pattern (Repeated)\n${formatCodeBlock(truncateStart(getErrorOutput(record), MAX_OUTPUT_CHARACTERS))}`,
    formatSuggestedSteps([
      ...suggestNextSteps(record).toSpliced(1, 0, `Review state file: \`${folder}/\``, suggestInvestigation(record)),
    ]),
    formatStateFile(folder),
  ];
}

function formatAttemptResult(state: FixState, attempt: FixAttempt): string {
  const last = attempt === state.attempts.at(-1);
  if (attempt.exit_code === 0) return attempt.weakened.length > 0 ? 'Passed, suspicious' : 'Passed';
  if (isSuspicious(state, attempt)) return 'Suspicious';
  if (last && state.circuit_breaker.state === 'OPEN') return 'Circuit opened';
  if (attempt.fix_worked === true) return 'Fixed';
  if (attempt.timed_out) return 'Timed out';
  return last ? 'Failed' : 'Still failed';
}

/** True if the run after this fix succeeded with weakened tests, and no person has accepted it. */
function isSuspicious({ status, attempts }: FixState, fixed: FixAttempt): boolean {
  return status === 'suspicious' && fixed.fix_worked === true && fixed === attempts.at(-2);
}

function formatErrorSuccess(record: LoopRecord): string[] {
  const { state, insight } = record;
  const last = state.attempts.at(-1);
  const applied = listKeptFixes(state).at(-1);
  return [
    '## Fix Applied ✅',
    [
      '### Error Summary',
      `- **Type**: ${formatErrorType(record)}`,
      `- **Location**: ${formatErrorLocation(record)}`,
      `- **Function**: ${formatFunction(record)}`,
    ].join('\n'),
    `### Root Cause\n${formatRootCause(record)}`,
    `### Context Gathered\n${formatContext(record, insight?.context.filter(({ answer }) => answer !== null) ?? [])}`,
    [
      '### Fix Applied',
      `- **Approach**: Attempt ${last?.number ?? 0} - ${getApproachTitle(applied?.approach ?? null)}`,
      '- **Files Modified**:',
      ...(applied?.files.map(({ path, change }) => `  - ${formatCode(path)}: ${formatMarkdownLine(change)}`) ?? []),
      ...(applied?.outside ? [`  - outside the work tree: ${formatMarkdownLine(applied.outside)}`] : []),
      ...(applied ? [`- **Description**: ${formatMarkdownLine(applied.fix_applied ?? '')}`] : []),
    ].join('\n'),
    [
      '### Verification',
      `- **Command**: ${formatVerification(state)}`,
      '- **Result**: PASS ✅',
      `- **Retries Used**: ${Math.max(0, state.attempts.length - 1)}/${state.max_attempts}`,
    ].join('\n'),
    `### Research Sources\n${formatSources(record)}`,
  ];
}

function formatVerification({ test, verified_by }: FixState): string {
  if (verified_by !== null) return `none; the author of the fix verified it: ${formatMarkdownLine(verified_by)}`;
  return test === null ? 'none; a human accepted it' : formatCode(test);
}

function formatErrorFailure(record: LoopRecord): string[] {
  const { state, insight } = record;
  const tried = state.attempts.map(
    ({ approach, fix_applied, why_failed, exit_code }, index) =>
      `${index + 1}. **${approach === null ? 'No change' : getApproachTitle(approach)}**: ${formatMarkdownLine(fix_applied ?? 'waited for the error to pass')} - ${formatMarkdownLine(why_failed ?? (exit_code === 0 ? 'passed' : 'still fails'))}`,
  );
  const pending = state.pending_fix;
  if (pending !== null)
    tried.push(
      `${tried.length + 1}. **${getApproachTitle(pending.approach)}**: ${formatMarkdownLine(pending.description)} - not verified`,
    );
  return [
    state.status === 'unverified'
      ? '## Fix Not Verified ❌ - Escalate to Human'
      : '## Fix Failed ❌ - Escalate to Human',
    [
      '### Error Summary',
      `- **Type**: ${formatErrorType(record)}`,
      `- **Location**: ${formatErrorLocation(record)}`,
      `- **Classification**: ${getLastError(state)?.error_class ?? 'fixable'}`,
    ].join('\n'),
    `### Attempts Made\n${tried.join('\n') || 'None: no code change helps against this error.'}`,
    `### Context Gathered\n${formatContext(record, insight?.context ?? [])}`,
    formatSuggestedSteps([...suggestNextSteps(record), suggestInvestigation(record)]),
    `### Raw Error Output\n${formatCodeBlock(truncateStart(getErrorOutput(record), MAX_OUTPUT_CHARACTERS))}`,
  ];
}

/** Writes the report of a loop that waits for answers to prompts. The notes name the prompts. */
export function formatInputsReport({ state, nextStep, notes }: LoopRecord): string {
  return `${[
    '## Inputs Needed',
    [
      '### Summary',
      `- **Command**: ${formatCode(state.command ?? '')}`,
      `- **Attempts Used**: ${state.attempts.length}/${state.max_attempts}`,
      ...(state.inputs === null ? [] : [`- **Inputs File**: ${formatCode(state.inputs)}`]),
    ].join('\n'),
    [nextStep.decision.reason, ...notes].map((note) => `- ${formatMarkdownLine(note, 2_000)}`).join('\n'),
    '`argus-mcp generate-inputs SCRIPT` writes a file of proposed answers; pass it with `--inputs FILE` and `--resume`.',
  ].join('\n\n')}\n`;
}

/** Returns sections that the contract does not have, including how to undo the changes. */
function formatAdditionalSections(record: LoopRecord): string[] {
  const { state, goingBack, notes, nextStep } = record;
  const weakened = state.attempts.at(-1)?.weakened ?? [];
  const warnings = [...nextStep.warnings.map(({ text }) => text), ...notes];
  return [
    ...(weakened.length > 0
      ? [
          `### Suspicious Changes\n${weakened.map(({ file, line, kind, text }) => `- ${formatCode(`${file}:${line}`)} ${kind.replaceAll('_', ' ')}: ${formatCode(text)}`).join('\n')}`,
        ]
      : []),
    ...(state.stated_reason === null ? [] : [`### Stated Reason\n${formatMarkdownLine(state.stated_reason, 2_000)}`]),
    ...(record.diff === '' ? [] : [`### Diff\n${formatCodeBlock(cutDiff(record.diff), 'diff')}`]),
    ...(state.mode === 'error' && state.test === null && state.status === 'unverified'
      ? ['### Verification\n- **Command**: not given (`--test`)\n- **Result**: NOT VERIFIED']
      : []),
    ...formatRestoreCommands(goingBack),
    ...(warnings.length > 0
      ? [`### Notes\n${warnings.map((warning) => `- ${formatMarkdownLine(warning)}`).join('\n')}`]
      : []),
    ...(state.mode === 'error' ? [formatStateFile(record.folder)] : []),
  ];
}

function formatRestoreCommands(restoreCommands: readonly RestoreCommand[]): string[] {
  const lines = restoreCommands.map(
    ({ attempt, command }) =>
      `- ${attempt === 0 ? 'Before the first fix' : `Before attempt ${attempt}`}: ${formatCode(command)}`,
  );
  return lines.length === 0 ? [] : [`### Going Back\n${lines.join('\n')}`];
}

/** Returns the reason why the loop ended, otherwise its result. */
function getEndReason({ state, nextStep }: LoopRecord): string {
  return state.escalation ?? nextStep.decision.result;
}

function cutDiff(diff: string): string {
  if (diff.length <= MAX_OUTPUT_CHARACTERS) return diff;
  const part = diff.slice(0, MAX_OUTPUT_CHARACTERS);
  return `${part.slice(0, part.lastIndexOf('\n'))}\n… (${diff.length - part.length} more characters)`.toWellFormed();
}

function formatErrorType({ state, insight }: LoopRecord): string {
  const type = state.first_error?.error_type ?? insight?.error.error_type ?? 'unknown';
  const category = state.first_error?.category ?? insight?.error.category;
  return category === undefined ? formatMarkdownLine(type) : `${formatMarkdownLine(type)} (${category})`;
}

function formatFunction({ state, insight }: LoopRecord): string {
  return formatMarkdownLine(insight?.function ?? state.first_error?.location?.function ?? 'unknown');
}

function formatRootCause({ state, insight }: LoopRecord): string {
  const evidence = state.first_error?.headline ?? insight?.error.headline ?? '';
  const hypothesis = insight?.hypothesis ? `${formatMarkdownLine(insight.hypothesis)}. ` : '';
  return `${hypothesis}Evidence: ${formatCode(evidence)}`;
}

function formatContext(
  { insight }: LoopRecord,
  answers: readonly NonNullable<typeof insight>['context'][number][],
): string {
  if (answers.length === 0) return 'No context was gathered.';
  return answers
    .map(
      ({ number, question, answer, why_not }) =>
        `${number}. ${question} ${answer === null ? `(unknown: ${formatMarkdownLine(why_not ?? '')})` : formatMarkdownLine(answer)}`,
    )
    .join('\n');
}

function formatSources({ sources: found, insight }: LoopRecord): string {
  if (found.length > 0) return found.map((source) => `- ${formatMarkdownLine(source)}`).join('\n');
  return insight?.query ? `- none; the query was: ${formatMarkdownLine(insight.query)}` : '- none';
}

function formatSuggestedSteps(steps: readonly string[]): string {
  return `### Suggested Next Steps\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`;
}

/** Names the places that a person should look at. */
function suggestInvestigation(record: LoopRecord): string {
  const files = record.state.attempts.flatMap((attempt) => attempt.files.map(({ path }) => path));
  const location = formatErrorLocation(record);
  const places = [...new Set([...(location === 'unknown' ? [] : [location]), ...files])].slice(0, 5);
  const what = record.state.mode === 'command' ? 'Manual investigation of' : 'Manual review of';
  return `${what}: ${places.map((place) => formatCode(place)).join(', ') || 'the error output, line by line'}`;
}

function getErrorOutput({ output, state, insight }: LoopRecord): string {
  return insight?.error.text || output || state.error || '(nothing was printed)';
}

function formatStateFile(folder: string): string {
  return `### State File\n\`${folder}/state.json\``;
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((title) => '-'.repeat(title.length + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
