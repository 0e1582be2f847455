/**
 * Parses the events that Claude Code, Codex, Copilot CLI, Cursor and Gemini CLI send to a hook, and formats the
 * answers. Only the fields that the hook needs are read. Unknown events, and events of tools other than the shell, are
 * ignored. A form that is not recognized must not count as a pass, because hosts change their forms.
 */

import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { io } from '../system/io.ts';

/** How a command ended. `unknown` means that the agent reports no exit code. */
type CommandEnding = 'passed' | 'failed' | 'unknown';

/** A shell command that an agent ran. */
export interface CommandEvent {
  kind: 'command';
  session: string;
  /** Id of the tool call. Two events with the same id are the same event, if the hook is configured twice. */
  call: string | undefined;
  cwd: string;
  command: string;
  output: string;
  ending: CommandEnding;
  exitCode?: number | undefined;
  timedOut?: boolean | undefined;
  durationMs?: number | undefined;
  answer: AnswerFormat;
}

/** The start of a session, when the hook prepares its files. */
interface StartEvent {
  kind: 'start';
  session: string;
  cwd: string;
}

/** The end of a turn, when a person reads what the agent did. */
interface StopEvent {
  kind: 'stop';
  session: string;
  cwd: string;
}

type HookEvent = CommandEvent | StartEvent | StopEvent;

/** The format in which an agent accepts context. One of Cursor's events accepts none. */
type AnswerFormat = { form: 'specific'; event: string } | { form: 'plain' | 'camel' | 'none' };

/** The command and its result, without the folder. */
type CommandResult = Pick<CommandEvent, 'command' | 'output' | 'ending'> &
  Partial<Pick<CommandEvent, 'exitCode' | 'timedOut' | 'durationMs' | 'cwd'>>;

type Fields = Readonly<Record<string, unknown>>;

interface EventFormat {
  /** Value of `hook_event_name`. */
  event: string;
  /** Distinguishes agents that use the same event name. */
  matches?: (fields: Fields) => boolean;
  answer: AnswerFormat;
  /** Returns undefined unless the event is about a command that ended by itself. */
  read: (fields: Fields) => CommandResult | undefined;
}

const createSpecificFormat = (event: string): AnswerFormat => ({ form: 'specific', event });

/** Only Codex sends the turn of a tool call. */
const isCodex = (fields: Fields) => 'turn_id' in fields;

/** Copilot CLI also calls the hooks of Claude Code's settings, with the same event names and another result. */
const isCopilot = (fields: Fields) => 'tool_result' in fields;

/** Formats in the order in which they are tried. */
const EVENT_FORMATS: readonly EventFormat[] = [
  { event: 'PostToolUse', matches: isCodex, answer: createSpecificFormat('PostToolUse'), read: parseCodex },
  { event: 'PostToolUse', matches: isCopilot, answer: { form: 'camel' }, read: parseCopilot },
  { event: 'PostToolUse', answer: createSpecificFormat('PostToolUse'), read: parseClaude },
  { event: 'PostToolUseFailure', answer: createSpecificFormat('PostToolUseFailure'), read: parseClaudeFailure },
  { event: 'AfterTool', answer: createSpecificFormat('AfterTool'), read: parseGemini },
  { event: 'postToolUse', answer: { form: 'plain' }, read: parseCursor },
  { event: 'postToolUseFailure', answer: { form: 'plain' }, read: parseCursorFailure },
  { event: 'afterShellExecution', answer: { form: 'none' }, read: parseCursorShell },
];

/** The event of Claude Code, which shows the message of the answer to the user. */
const STOP_EVENT = 'Stop';

const SESSION_START_EVENTS = new Set(['SessionStart', 'sessionStart']);

/** Names of the shell tool in the agents. */
const SHELL_TOOLS = new Set([
  'Bash',
  'Shell',
  'shell',
  'local_shell',
  'exec_command',
  'unified_exec',
  'run_shell_command',
  'run_in_terminal',
]);

/** Parses an event. Returns undefined for an event that the hook ignores. Throws if the text is not JSON. */
export function parseEvent(text: string): HookEvent | undefined {
  const fields = toFields(JSON.parse(text));
  const name = toText(fields.hook_event_name);
  const cwd = toText(fields.cwd) || toText(toList(fields.workspace_roots)[0]) || io().cwd();
  const session = toText(fields.session_id) || toText(fields.conversation_id) || 'none';
  if (SESSION_START_EVENTS.has(name)) return { kind: 'start', session, cwd };
  if (name === STOP_EVENT) return { kind: 'stop', session, cwd };
  const format = EVENT_FORMATS.find(
    ({ event, matches }) => event === name && (matches === undefined || matches(fields)),
  );
  if (format === undefined || ('tool_name' in fields && !SHELL_TOOLS.has(toText(fields.tool_name)))) return undefined;
  const result = format.read(fields);
  if (result === undefined || result.command.trim() === '') return undefined;
  // Copilot CLI gives both calls of a hook that is configured twice the same time instead of an id.
  const call = toText(fields.tool_use_id) || toText(fields.timestamp) || undefined;
  return { kind: 'command', session, call, answer: format.answer, ...result, cwd: path.resolve(cwd, result.cwd ?? '') };
}

/** Returns the text that is printed for the agent, or undefined if the agent accepts none. */
export function formatHookAnswer(answer: AnswerFormat, context: string): string | undefined {
  switch (answer.form) {
    case 'specific':
      return JSON.stringify({ hookSpecificOutput: { hookEventName: answer.event, additionalContext: context } });
    case 'plain':
      return JSON.stringify({ additional_context: context });
    case 'camel':
      return JSON.stringify({ additionalContext: context });
    default:
      return undefined;
  }
}

/** Returns the text that shows a line to the user, which the agent does not read. */
export function formatUserMessage(line: string): string {
  return JSON.stringify({ systemMessage: `Argus: ${line}` });
}

/**
 * Parses Claude Code's event for commands that passed. Returns undefined for a command in the background, which has not
 * ended.
 */
function parseClaude(fields: Fields): CommandResult | undefined {
  const response = toFields(fields.tool_response);
  const input = toFields(fields.tool_input);
  if (input.run_in_background === true || response.backgroundTaskId !== undefined || response.interrupted === true)
    return undefined;
  const hasOutput = typeof response.stdout === 'string';
  return {
    command: toText(input.command),
    output: joinNonEmpty(toText(response.stdout), toText(response.stderr)) || toText(fields.tool_response),
    // Only commands with exit code 0 have this event, and this result.
    ...toEnding(hasOutput ? 0 : undefined),
    durationMs: toNumber(fields.duration_ms),
  };
}

function parseClaudeFailure(fields: Fields): CommandResult | undefined {
  if (fields.is_interrupt === true) return undefined;
  const [, code, rest] = /^(?:Error: )?Exit code (\d+)\n?([\s\S]*)$/u.exec(toText(fields.error)) ?? [];
  const output = rest ?? toText(fields.error);
  return {
    command: toText(toFields(fields.tool_input).command),
    output,
    ending: 'failed',
    exitCode: code === undefined ? undefined : Number(code),
    timedOut: code === undefined && /\btimed out\b/iu.test(output.slice(0, 200)),
    durationMs: toNumber(fields.duration_ms),
  };
}

/** Parses an event of Copilot CLI, which adds a line with the exit code to the output. */
function parseCopilot(fields: Fields): CommandResult {
  const text = toText(toFields(fields.tool_result).text_result_for_llm);
  const [line = '', code] = COPILOT_LAST_LINE.exec(text) ?? [];
  return {
    command: toText(toFields(fields.tool_input).command),
    output: text.slice(0, text.length - line.length),
    ...toEnding(toNumber(code)),
  };
}

const COPILOT_LAST_LINE = /(?:^|\n)<(?:shellId: [^\n<>]* )?(?:completed|exited) with exit code (\d+)>\s*$/u;

/**
 * Parses an event of Codex, which contains a text for the model or an object with that text. The exit code may be
 * missing.
 */
function parseCodex(fields: Fields): CommandResult | undefined {
  const input = toFields(fields.tool_input);
  const command = toList(input.command);
  const line = command.length > 0 ? toText(command.at(-1)) : toText(input.command) || toText(input.cmd);
  const response = toFields(tryParseJson(fields.tool_response));
  const text =
    toText(response.output) ||
    joinNonEmpty(toText(response.stdout), toText(response.stderr)) ||
    toText(fields.tool_response);
  if (/^Process running with session ID/mu.test(text.slice(0, 500))) return undefined;
  const statedCode = CODEX_PREAMBLE.exec(text)?.[1];
  const code = toNumber(toFields(response.metadata).exit_code ?? response.exit_code ?? statedCode);
  const output = statedCode === undefined ? text : text.replace(/^[\s\S]*?^(?:Final o|O)utput:\n/mu, '');
  const cwd = toText(input.workdir) || undefined;
  return { command: line, output, ...toEnding(code), ...(cwd === undefined ? {} : { cwd }) };
}

/**
 * Matches the lines that Codex adds before the output. They are only accepted at the very beginning, because a program
 * may print similar lines.
 */
const CODEX_PREAMBLE =
  /^(?:(?:Chunk ID|Wall time|Original token count|Total output lines): ?[^\n]*\n)*(?:Process exited with code|Exit code:?) (\d+)\n/u;

/**
 * Parses an event of Gemini CLI, which appends lines about the process to the output. They contain an exit code only if
 * it is not 0.
 */
function parseGemini(fields: Fields): CommandResult | undefined {
  const input = toFields(fields.tool_input);
  const response = toFields(fields.tool_response);
  const parts = toList(response.llmContent).map((part) => toText(toFields(part).text) || toText(part));
  const text = (parts.length > 0 ? parts.join('\n') : toText(response.llmContent)).replaceAll(GEMINI_FENCE, '');
  if (/^Command (?:moved to background|was cancelled|cancelled)/mu.test(text)) return undefined;
  // The output of the program may end with similar lines, so the last line with a name counts.
  const [trailer = ''] = GEMINI_TRAILER.exec(text) ?? [];
  const getTrailerField = (name: string) => {
    const line = trailer.split('\n').findLast((one) => one.startsWith(`${name}: `));
    return line === undefined || line.endsWith(': (none)') ? undefined : line.slice(name.length + 2);
  };
  const code = toNumber(getTrailerField('Exit Code'));
  const isStopped = getTrailerField('Signal') !== undefined || response.error !== undefined;
  const isComplete = trailer !== '' && getTrailerField('Error') === undefined;
  const ending = code || isStopped ? 'failed' : isComplete ? 'passed' : 'unknown';
  return {
    command: toText(input.command),
    output: text.slice(0, text.length - trailer.length).replace(/^[\s\S]*?^Output: ?/mu, ''),
    ending,
    exitCode: ending === 'passed' ? 0 : code || undefined,
    cwd: toText(input.dir_path) || toText(input.directory),
  };
}

/** Matches the lines around the whole text, with which Gemini CLI tells its model not to trust the output. */
const GEMINI_FENCE = /^<untrusted_context>\n|\n<\/untrusted_context>\s*$/gu;

/** Matches the lines about the process after the output. */
const GEMINI_TRAILER = /(?:(?:^|\n)(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)+\s*$/u;

function parseCursor(fields: Fields): CommandResult {
  const input = toFields(fields.tool_input);
  const result = toFields(tryParseJson(fields.tool_output));
  const output =
    joinNonEmpty(toText(result.stdout) || toText(result.output), toText(result.stderr)) || toText(fields.tool_output);
  const cwd = toText(input.working_directory) || undefined;
  return {
    command: toText(input.command),
    output,
    ...toEnding(toNumber(result.exitCode ?? result.exit_code)),
    durationMs: toNumber(fields.duration),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function parseCursorFailure(fields: Fields): CommandResult | undefined {
  const isRefused = fields.failure_type === 'permission_denied';
  if (fields.is_interrupt === true || isRefused) return undefined;
  const input = toFields(fields.tool_input);
  const output = toText(fields.error_message);
  const code = toNumber(/\bexit(?:ed)?(?: with)?(?: code| status)?:? (\d+)/iu.exec(output.slice(0, 200))?.[1]);
  return {
    command: toText(input.command),
    output,
    ending: 'failed',
    exitCode: code,
    timedOut: fields.failure_type === 'timeout',
    durationMs: toNumber(fields.duration),
  };
}

function parseCursorShell(fields: Fields): CommandResult {
  const { command, output, duration } = fields;
  return { command: toText(command), output: toText(output), ending: 'unknown', durationMs: toNumber(duration) };
}

function toEnding(code: number | undefined): Pick<CommandEvent, 'ending' | 'exitCode'> {
  return { ending: code === undefined ? 'unknown' : code === 0 ? 'passed' : 'failed', exitCode: code };
}

function toFields(value: unknown): Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {};
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Parses a text that contains a JSON object. Returns any other value unchanged. */
function tryParseJson(value: unknown): unknown {
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function joinNonEmpty(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** Number of characters at the end of the output that are searched, because summaries come last. */
const MAX_SEARCHED_CHARACTERS = 16_384;

const FAILURE_SUMMARIES: readonly RegExp[] = [
  // Counts: `2 failed`, `# fail 1`, `Failures: 3`, `5 errors`, `failed 1`.
  /\b[1-9]\d* (?:failed|failing|failures?|errors?|problems?)\b/iu,
  /(?:^|[\s#])(?:fail|failed|failures|errors)[: =]+[1-9]\d*\b/imu,
  /^not ok \d/mu,
  /^(?:FAIL|FAILED|FAILURES!|BUILD FAILED|--- FAIL)\b/mu,
  // The last lines of npm, pnpm and yarn after a failed script.
  /^npm (?:ERR!|error) (?:code ELIFECYCLE|Test failed|Lifecycle script)|\bELIFECYCLE\b.* failed|^error Command failed with exit code [1-9]/mu,
  /\bBUILD FAILURE\b|\btest result: FAILED\b|^✖ /mu,
  /\berror TS\d+:|^error(?:\[E\d+\])?: /mu,
  /^make(?:\[\d+\])?: \*\*\* /mu,
];

/**
 * Detects failures in the output of a command, for agents that report no exit code and for lines whose exit code
 * belongs to another command. Only summaries of test runners and tools count. The output never proves that a command
 * passed, because any program can print such a text.
 */
export function hasFailureSummary(output: string): boolean {
  const text = stripVTControlCharacters(output.slice(-MAX_SEARCHED_CHARACTERS));
  return FAILURE_SUMMARIES.some((one) => one.test(text));
}
