/**
 * Parses the events that agents send to a hook, and formats the answers: Claude Code, Codex, Cursor, Gemini CLI. Only
 * fields that the hook needs are read. Unknown events and events of other tools are ignored.
 */

import path from 'node:path';
import { io } from '../system/io.ts';

/** How a command ended. `unknown` means that the agent reports no exit code. */
export type Ending = 'passed' | 'failed' | 'unknown';

/** A shell command that an agent ran. */
export interface CommandEvent {
  kind: 'command';
  session: string;
  cwd: string;
  command: string;
  output: string;
  ending: Ending;
  exitCode?: number | undefined;
  timedOut?: boolean | undefined;
  durationMs?: number | undefined;
  answer: AnswerForm;
}

/** The start of a session, which the hook uses for preparation. */
export interface StartEvent {
  kind: 'start';
  cwd: string;
}

export type HookEvent = CommandEvent | StartEvent;

/** The form in which an agent accepts context. One event of Cursor accepts none. */
export type AnswerForm = { form: 'specific'; event: string } | { form: 'plain' } | { form: 'none' };

/** The command and its result, without the folder. */
type Said = Pick<CommandEvent, 'command' | 'output' | 'ending'> &
  Partial<Pick<CommandEvent, 'exitCode' | 'timedOut' | 'durationMs' | 'cwd'>>;

type Fields = Readonly<Record<string, unknown>>;

interface EventFormat {
  /** `hook_event_name`. */
  event: string;
  /** Distinguishes agents that use the same event name. */
  is?: (fields: Fields) => boolean;
  answer: AnswerForm;
  /** Returns undefined unless the event is a command that ended by itself. */
  read: (fields: Fields) => Said | undefined;
}

const specific = (event: string): AnswerForm => ({ form: 'specific', event });

/** Only Codex sends the turn of a tool call. */
const isCodex = (fields: Fields) => 'turn_id' in fields;

/** Formats in the order in which they are tried. */
const FORMATS: readonly EventFormat[] = [
  { event: 'PostToolUse', is: isCodex, answer: specific('PostToolUse'), read: readCodex },
  { event: 'PostToolUse', answer: specific('PostToolUse'), read: readClaude },
  { event: 'PostToolUseFailure', answer: specific('PostToolUseFailure'), read: readClaudeFailure },
  { event: 'AfterTool', answer: specific('AfterTool'), read: readGemini },
  { event: 'postToolUse', answer: { form: 'plain' }, read: readCursor },
  { event: 'postToolUseFailure', answer: { form: 'plain' }, read: readCursorFailure },
  { event: 'afterShellExecution', answer: { form: 'none' }, read: readCursorShell },
];

const STARTS = new Set(['SessionStart', 'sessionStart']);

/** Names of the shell tool in agents. */
const SHELLS = new Set(['Bash', 'Shell', 'shell', 'local_shell', 'exec_command', 'unified_exec', 'run_shell_command']);

/** Returns undefined for an event that the hook ignores. Throws if the text is not JSON. */
export function readEvent(text: string): HookEvent | undefined {
  const fields = fieldsOf(JSON.parse(text));
  const name = textOf(fields.hook_event_name);
  const cwd = textOf(fields.cwd) || textOf(list(fields.workspace_roots)[0]) || io().cwd();
  if (STARTS.has(name)) return { kind: 'start', cwd };
  const format = FORMATS.find(({ event, is }) => event === name && (is === undefined || is(fields)));
  if (format === undefined || ('tool_name' in fields && !SHELLS.has(textOf(fields.tool_name)))) return undefined;
  const said = format.read(fields);
  if (said === undefined || said.command.trim() === '') return undefined;
  const session = textOf(fields.session_id) || textOf(fields.conversation_id) || 'none';
  return { kind: 'command', session, answer: format.answer, ...said, cwd: path.resolve(cwd, said.cwd ?? '') };
}

/** The text that is printed for the agent. */
export function answerText(answer: AnswerForm, context: string): string | undefined {
  switch (answer.form) {
    case 'specific':
      return JSON.stringify({ hookSpecificOutput: { hookEventName: answer.event, additionalContext: context } });
    case 'plain':
      return JSON.stringify({ additional_context: context });
    default:
      return undefined;
  }
}

/** Claude Code sends this event only for commands that passed. A command in the background has not ended. */
function readClaude(fields: Fields): Said | undefined {
  const response = fieldsOf(fields.tool_response);
  const input = fieldsOf(fields.tool_input);
  if (input.run_in_background === true || response.backgroundTaskId !== undefined || response.interrupted === true)
    return undefined;
  const output = joined(textOf(response.stdout), textOf(response.stderr)) || textOf(fields.tool_response);
  return { command: textOf(input.command), output, ending: 'passed', exitCode: 0 };
}

function readClaudeFailure(fields: Fields): Said | undefined {
  if (fields.is_interrupt === true) return undefined;
  const [, code, rest] = /^(?:Error: )?Exit code (\d+)\n?([\s\S]*)$/u.exec(textOf(fields.error)) ?? [];
  const output = rest ?? textOf(fields.error);
  return {
    command: textOf(fieldsOf(fields.tool_input).command),
    output,
    ending: 'failed',
    exitCode: code === undefined ? undefined : Number(code),
    timedOut: code === undefined && /\btimed out\b/iu.test(output.slice(0, 200)),
  };
}

/** Codex sends a text for the model, or an object with that text. Neither has to contain the exit code. */
function readCodex(fields: Fields): Said | undefined {
  const input = fieldsOf(fields.tool_input);
  const command = list(input.command);
  const line = command.length > 0 ? textOf(command.at(-1)) : textOf(input.command) || textOf(input.cmd);
  const response = fieldsOf(parsedOr(fields.tool_response));
  const text =
    textOf(response.output) || joined(textOf(response.stdout), textOf(response.stderr)) || textOf(fields.tool_response);
  if (/^Process running with session ID/mu.test(text.slice(0, 500))) return undefined;
  const stated = /^(?:Process exited with code|Exit code:?) (\d+)/mu.exec(text.slice(0, 500))?.[1];
  const code = numberOf(fieldsOf(response.metadata).exit_code ?? response.exit_code ?? stated);
  const output = stated === undefined ? text : text.replace(/^[\s\S]*?^(?:Final o|O)utput:\n/mu, '');
  const cwd = textOf(input.workdir) || undefined;
  return { command: line, output, ...endingOf(code), ...(cwd === undefined ? {} : { cwd }) };
}

/** Gemini CLI appends lines about the process to the output. They contain an exit code only if it is not 0. */
function readGemini(fields: Fields): Said | undefined {
  const input = fieldsOf(fields.tool_input);
  const response = fieldsOf(fields.tool_response);
  const parts = list(response.llmContent).map((part) => textOf(fieldsOf(part).text) || textOf(part));
  const text = parts.length > 0 ? parts.join('\n') : textOf(response.llmContent);
  if (/^Command (?:moved to background|was cancelled|cancelled)/mu.test(text)) return undefined;
  const told = (name: string) => new RegExp(`^${name}: (?!\\(none\\))(.+)$`, 'mu').exec(text)?.[1];
  const code = numberOf(told('Exit Code'));
  const hasFailed = code !== undefined ? code !== 0 : told('Signal') !== undefined || response.error !== undefined;
  const output = text
    .replace(/^[\s\S]*?^Output: ?/mu, '')
    .replace(/(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)+\s*$/u, '');
  const folder = textOf(input.dir_path) || textOf(input.directory);
  const ending = hasFailed ? 'failed' : 'passed';
  return {
    command: textOf(input.command),
    output,
    ending,
    exitCode: code ?? (hasFailed ? undefined : 0),
    cwd: folder,
  };
}

function readCursor(fields: Fields): Said {
  const input = fieldsOf(fields.tool_input);
  const result = fieldsOf(parsedOr(fields.tool_output));
  const output =
    joined(textOf(result.stdout) || textOf(result.output), textOf(result.stderr)) || textOf(fields.tool_output);
  const cwd = textOf(input.working_directory) || undefined;
  return {
    command: textOf(input.command),
    output,
    ...endingOf(numberOf(result.exitCode ?? result.exit_code)),
    durationMs: numberOf(fields.duration),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function readCursorFailure(fields: Fields): Said | undefined {
  const isRefused = fields.failure_type === 'permission_denied';
  if (fields.is_interrupt === true || isRefused) return undefined;
  const input = fieldsOf(fields.tool_input);
  const output = textOf(fields.error_message);
  const code = numberOf(/\bexit(?:ed)?(?: with)?(?: code| status)?:? (\d+)/iu.exec(output.slice(0, 200))?.[1]);
  return {
    command: textOf(input.command),
    output,
    ending: 'failed',
    exitCode: code,
    timedOut: fields.failure_type === 'timeout',
    durationMs: numberOf(fields.duration),
  };
}

function readCursorShell(fields: Fields): Said {
  const { command, output, duration } = fields;
  return { command: textOf(command), output: textOf(output), ending: 'unknown', durationMs: numberOf(duration) };
}

function endingOf(code: number | undefined): Pick<CommandEvent, 'ending' | 'exitCode'> {
  return { ending: code === undefined ? 'unknown' : code === 0 ? 'passed' : 'failed', exitCode: code };
}

function fieldsOf(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The parsed JSON of a text, or the value itself. */
function parsedOr(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function joined(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
