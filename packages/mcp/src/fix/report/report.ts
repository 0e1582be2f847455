/**
 * Writes the reports exactly in the form of the contract, and adds Argus's own sections at the end. loop.ts stores
 * them.
 */

import type { FixAttempt, FixState } from 'argus-engine';
import { cell, code, fenced, lastPart, oneLine, seconds } from './markdown.ts';
import type { GoingBack, LoopRecord } from './record.ts';
import { approachTitle, keptFixes, lastError, locationText, nextSteps, succeeded } from './summary.ts';

/** Limit for the output in a report. The log has everything. */
const MAX_OUTPUT_CHARACTERS = 6_000;

export function reportMarkdown(record: LoopRecord): string {
  const { mode } = record.state;
  const body = mode === 'command' ? commandReport(record) : errorReport(record);
  return `${[...body, ...additions(record)].join('\n\n')}\n`;
}

function commandReport(record: LoopRecord): string[] {
  return succeeded(record.state) ? commandSuccess(record) : commandFailure(record);
}

function errorReport(record: LoopRecord): string[] {
  return succeeded(record.state) ? errorSuccess(record) : errorFailure(record);
}

function commandSuccess({ state, folder }: LoopRecord): string[] {
  const total = state.attempts.reduce((sum, attempt) => sum + attempt.duration_seconds, 0);
  const fixes = keptFixes(state);
  const rows = state.attempts.map((attempt) => [
    String(attempt.number),
    String(attempt.exit_code),
    cell(attempt.error_type),
    attempt.fix_applied !== null && !fixes.includes(attempt)
      ? 'rejected'
      : `${cell(attempt.fix_applied)}${hasFailed(state, attempt) ? ' (failed)' : ''}`,
    seconds(attempt.duration_seconds),
  ]);
  return [
    '## Command Execution Complete ✅',
    [
      '### Summary',
      `- **Command**: ${code(state.command ?? '')}`,
      '- **Result**: SUCCESS',
      `- **Attempts Used**: ${state.attempts.length}/${state.max_attempts}`,
      `- **Total Duration**: ${seconds(total)}`,
    ].join('\n'),
    `### Execution History\n${table(['Attempt', 'Exit Code', 'Error Type', 'Fix Applied', 'Duration'], rows)}`,
    `### Fixes Applied\n${fixes.length === 0 ? 'None was needed.' : fixes.map((fix, index) => appliedFix(state, fix, index)).join('\n')}`,
    stateFile(folder),
  ];
}

/** True if the error that the fix was for came back. */
function hasFailed({ attempts }: FixState, { number, error_hash, fix_applied }: FixAttempt): boolean {
  return fix_applied !== null && attempts.slice(number).some((later) => later.error_hash === error_hash);
}

function appliedFix(state: FixState, attempt: FixAttempt, index: number): string {
  const files = attempt.files.map((file) => `${code(file.path)} ${oneLine(file.change)}`);
  if (attempt.outside !== null) files.push(`outside the work tree: ${oneLine(attempt.outside)}`);
  const failed = hasFailed(state, attempt) ? ` - failed: ${oneLine(attempt.why_failed ?? 'still fails')}` : '';
  const what = `**Attempt ${attempt.number}**: ${oneLine(attempt.fix_applied ?? '')}${failed}`;
  return `${index + 1}. ${what}\n   - Files: ${files.join(', ') || 'none'}`;
}

function commandFailure(record: LoopRecord): string[] {
  const { state, folder } = record;
  const { circuit_breaker } = state;
  const open = circuit_breaker.state === 'OPEN';
  const hash = circuit_breaker.error_hashes.at(-1) ?? lastError(state)?.error_hash ?? null;
  const rows = state.attempts.map((attempt) => [
    String(attempt.number),
    String(attempt.exit_code),
    cell(attempt.error_type),
    cell(attempt.fix_applied),
    attemptResult(state, attempt),
  ]);
  return [
    '## Command Execution Failed ❌ - Escalate to Human',
    [
      '### Summary',
      `- **Command**: ${code(state.command ?? '')}`,
      `- **Result**: ${state.status === 'suspicious' ? 'SUSPICIOUS' : 'FAILED'}`,
      `- **Reason**: ${reasonOf(record)}`,
      `- **Attempts Used**: ${state.attempts.length}/${state.max_attempts}`,
    ].join('\n'),
    [
      '### Circuit Breaker Status',
      `- **State**: ${circuit_breaker.state}`,
      `- **Trigger**: ${open ? `Same error repeated ${circuit_breaker.threshold} times` : 'not triggered'}`,
      `- **Error Hash**: ${hash ?? '-'}`,
    ].join('\n'),
    `### Execution History\n${table(['Attempt', 'Exit Code', 'Error Type', 'Fix Attempted', 'Result'], rows)}`,
    `### Error Pattern (Repeated)\n${fenced(lastPart(errorOutput(record), MAX_OUTPUT_CHARACTERS))}`,
    suggested([...nextSteps(record).toSpliced(1, 0, `Review state file: \`${folder}/\``, investigation(record))]),
    stateFile(folder),
  ];
}

function attemptResult(state: FixState, attempt: FixAttempt): string {
  const last = attempt === state.attempts.at(-1);
  if (attempt.exit_code === 0) return attempt.weakened.length > 0 ? 'Passed, suspicious' : 'Passed';
  if (isSuspicious(state, attempt)) return 'Suspicious';
  if (last && state.circuit_breaker.state === 'OPEN') return 'Circuit opened';
  if (attempt.fix_worked === true) return 'Fixed';
  if (attempt.timed_out) return 'Timed out';
  return last ? 'Failed' : 'Still failed';
}

/** True if the run after this fix is green with weakened tests, and no human has accepted it. */
function isSuspicious({ status, attempts }: FixState, fixed: FixAttempt): boolean {
  return status === 'suspicious' && fixed.fix_worked === true && fixed === attempts.at(-2);
}

function errorSuccess(record: LoopRecord): string[] {
  const { state, insight } = record;
  const last = state.attempts.at(-1);
  const applied = keptFixes(state).at(-1);
  return [
    '## Fix Applied ✅',
    [
      '### Error Summary',
      `- **Type**: ${errorTypeOf(record)}`,
      `- **Location**: ${locationText(record)}`,
      `- **Function**: ${functionOf(record)}`,
    ].join('\n'),
    `### Root Cause\n${rootCause(record)}`,
    `### Context Gathered\n${context(record, insight?.context.filter(({ answer }) => answer !== null) ?? [])}`,
    [
      '### Fix Applied',
      `- **Approach**: Attempt ${last?.number ?? 0} - ${approachTitle(applied?.approach ?? null)}`,
      '- **Files Modified**:',
      ...(applied?.files.map(({ path, change }) => `  - ${code(path)}: ${oneLine(change)}`) ?? []),
      ...(applied?.outside ? [`  - outside the work tree: ${oneLine(applied.outside)}`] : []),
      ...(applied ? [`- **Description**: ${oneLine(applied.fix_applied ?? '')}`] : []),
    ].join('\n'),
    [
      '### Verification',
      `- **Command**: ${verification(state)}`,
      '- **Result**: PASS ✅',
      `- **Retries Used**: ${Math.max(0, state.attempts.length - 1)}/${state.max_attempts}`,
    ].join('\n'),
    `### Research Sources\n${sources(record)}`,
  ];
}

function verification({ test, verified_by }: FixState): string {
  if (verified_by !== null) return `none; verified by who fixed it: ${oneLine(verified_by)}`;
  return test === null ? 'none; a human accepted it' : code(test);
}

function errorFailure(record: LoopRecord): string[] {
  const { state, insight } = record;
  const tried = state.attempts.map(
    ({ approach, fix_applied, why_failed, exit_code }, index) =>
      `${index + 1}. **${approach === null ? 'No change' : approachTitle(approach)}**: ${oneLine(fix_applied ?? 'waited for the error to pass')} - ${oneLine(why_failed ?? (exit_code === 0 ? 'passed' : 'still fails'))}`,
  );
  const pending = state.pending_fix;
  if (pending !== null)
    tried.push(
      `${tried.length + 1}. **${approachTitle(pending.approach)}**: ${oneLine(pending.description)} - not verified`,
    );
  return [
    state.status === 'unverified'
      ? '## Fix Not Verified ❌ - Escalate to Human'
      : '## Fix Failed ❌ - Escalate to Human',
    [
      '### Error Summary',
      `- **Type**: ${errorTypeOf(record)}`,
      `- **Location**: ${locationText(record)}`,
      `- **Classification**: ${lastError(state)?.error_class ?? 'fixable'}`,
    ].join('\n'),
    `### Attempts Made\n${tried.join('\n') || 'None: no change of the code helps against this error.'}`,
    `### Context Gathered\n${context(record, insight?.context ?? [])}`,
    suggested([...nextSteps(record), investigation(record)]),
    `### Raw Error Output\n${fenced(lastPart(errorOutput(record), MAX_OUTPUT_CHARACTERS))}`,
  ];
}

/** Writes the report of a loop that waits for answers to prompts. The notes name the prompts. */
export function inputsMarkdown({ state, outlook, notes }: LoopRecord): string {
  return `${[
    '## Inputs Needed',
    [
      '### Summary',
      `- **Command**: ${code(state.command ?? '')}`,
      `- **Attempts Used**: ${state.attempts.length}/${state.max_attempts}`,
      ...(state.inputs === null ? [] : [`- **Inputs File**: ${code(state.inputs)}`]),
    ].join('\n'),
    [outlook.decision.reason, ...notes].map((note) => `- ${oneLine(note, 2_000)}`).join('\n'),
    '`argus-mcp generate-inputs SCRIPT` writes a file of proposed answers; give it with `--inputs FILE`, then `--resume`.',
  ].join('\n\n')}\n`;
}

/** Adds sections that the contract does not have, and how to undo the changes. */
function additions(record: LoopRecord): string[] {
  const { state, goingBack, notes, outlook } = record;
  const weakened = state.attempts.at(-1)?.weakened ?? [];
  const warnings = [...outlook.warnings.map(({ text }) => text), ...notes];
  return [
    ...(weakened.length > 0
      ? [
          `### Suspicious Changes\n${weakened.map(({ file, line, kind, text }) => `- ${code(`${file}:${line}`)} ${kind.replaceAll('_', ' ')}: ${code(text)}`).join('\n')}`,
        ]
      : []),
    ...(state.stated_reason === null ? [] : [`### Stated Reason\n${oneLine(state.stated_reason, 2_000)}`]),
    ...(record.diff === '' ? [] : [`### Diff\n${fenced(firstPart(record.diff), 'diff')}`]),
    ...(state.mode === 'error' && state.test === null && state.status === 'unverified'
      ? ['### Verification\n- **Command**: none was given (`--test`)\n- **Result**: NOT VERIFIED']
      : []),
    ...undoing(goingBack),
    ...(warnings.length > 0 ? [`### Notes\n${warnings.map((warning) => `- ${oneLine(warning)}`).join('\n')}`] : []),
    ...(state.mode === 'error' ? [stateFile(record.folder)] : []),
  ];
}

function undoing(moments: readonly GoingBack[]): string[] {
  const lines = moments.map(
    ({ attempt, command }) =>
      `- ${attempt === 0 ? 'Before the first fix' : `Before attempt ${attempt}`}: ${code(command)}`,
  );
  return lines.length === 0 ? [] : [`### Going Back\n${lines.join('\n')}`];
}

/** Returns the reason from the state, otherwise the result. */
function reasonOf({ state, outlook }: LoopRecord): string {
  return state.escalation ?? outlook.decision.result;
}

function firstPart(diff: string): string {
  if (diff.length <= MAX_OUTPUT_CHARACTERS) return diff;
  const part = diff.slice(0, MAX_OUTPUT_CHARACTERS);
  return `${part.slice(0, part.lastIndexOf('\n'))}\n… (${diff.length - part.length} more characters)`.toWellFormed();
}

function errorTypeOf({ state, insight }: LoopRecord): string {
  const type = state.first_error?.error_type ?? insight?.error.error_type ?? 'unknown';
  const category = state.first_error?.category ?? insight?.error.category;
  return category === undefined ? oneLine(type) : `${oneLine(type)} (${category})`;
}

function functionOf({ state, insight }: LoopRecord): string {
  return oneLine(insight?.function ?? state.first_error?.location?.function ?? 'unknown');
}

function rootCause({ state, insight }: LoopRecord): string {
  const evidence = state.first_error?.headline ?? insight?.error.headline ?? '';
  const hypothesis = insight?.hypothesis ? `${oneLine(insight.hypothesis)}. ` : '';
  return `${hypothesis}Evidence: ${code(evidence)}`;
}

function context({ insight }: LoopRecord, answers: readonly NonNullable<typeof insight>['context'][number][]): string {
  if (answers.length === 0) return 'Nothing was gathered.';
  return answers
    .map(
      ({ number, question, answer, why_not }) =>
        `${number}. ${question} ${answer === null ? `(not known: ${oneLine(why_not ?? '')})` : oneLine(answer)}`,
    )
    .join('\n');
}

function sources({ sources: found, insight }: LoopRecord): string {
  if (found.length > 0) return found.map((source) => `- ${oneLine(source)}`).join('\n');
  return insight?.query ? `- none; the query was: ${oneLine(insight.query)}` : '- none';
}

function suggested(steps: readonly string[]): string {
  return `### Suggested Next Steps\n${steps.map((step, index) => `${index + 1}. ${step}`).join('\n')}`;
}

/** Names the places that a person should look at. */
function investigation(record: LoopRecord): string {
  const files = record.state.attempts.flatMap((attempt) => attempt.files.map(({ path }) => path));
  const location = locationText(record);
  const places = [...new Set([...(location === 'unknown' ? [] : [location]), ...files])].slice(0, 5);
  const what = record.state.mode === 'command' ? 'Manual investigation of' : 'Manual review of';
  return `${what}: ${places.map((place) => code(place)).join(', ') || 'the error output, line by line'}`;
}

function errorOutput({ output, state, insight }: LoopRecord): string {
  return insight?.error.text || output || state.error || '(nothing was printed)';
}

function stateFile(folder: string): string {
  return `### State File\n\`${folder}/state.json\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = `|${head.map((title) => '-'.repeat(title.length + 2)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
