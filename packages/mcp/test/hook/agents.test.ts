/** Reads the events and writes the answers in the form that each agent documents. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { type CommandEvent, formatHookAnswer, parseEvent } from '../../src/hook/agent-events.ts';

const COMMON_FIELDS = { session_id: 's-1', transcript_path: '/t.jsonl', cwd: '/shop' };
const hookAnswer = (event: string) => ({ hookSpecificOutput: { hookEventName: event, additionalContext: 'known' } });

const bashEvent = (hook_event_name: string, command: unknown, more: object) => ({
  ...{ ...COMMON_FIELDS, permission_mode: 'default', hook_event_name, tool_name: 'Bash' },
  ...{ tool_input: { command, description: 'Run the tests' }, tool_use_id: 'toolu_1', ...more },
});

const codexEvent = (tool_response: string, command: unknown = 'cargo test') =>
  bashEvent('PostToolUse', command, { turn_id: 't-1', model: 'm', tool_response });

const geminiEvent = (llmContent: string) => ({
  ...{
    ...COMMON_FIELDS,
    timestamp: '2026-02-03T04:05:06Z',
    hook_event_name: 'AfterTool',
    tool_name: 'run_shell_command',
  },
  ...{ tool_input: { command: 'go test ./...' }, tool_response: { llmContent, returnDisplay: '' } },
});

const copilotEvent = (text_result_for_llm: string) => ({
  ...{ ...COMMON_FIELDS, timestamp: '2026-11-30T21:15:12.751Z', hook_event_name: 'PostToolUse', tool_name: 'Bash' },
  ...{ tool_input: { command: 'npm test' }, tool_result: { result_type: 'success', text_result_for_llm } },
});

const cursorEvent = (hook_event_name: string, more: object) => ({
  ...{ conversation_id: 'c-1', generation_id: 'g-1', hook_event_name, cursor_version: '2.4.0' },
  ...{ workspace_roots: ['/shop'], tool_name: 'Shell', tool_input: { command: 'npm test' }, ...more },
});

const addFolder = <T extends { tool_input: object }>(event: T, folder: object): T => ({
  ...event,
  tool_input: { ...event.tool_input, ...folder },
});

const COMMAND_END_CASES: [name: string, event: object, read: Partial<CommandEvent>, answer: unknown][] = [
  [
    'Claude Code, passed',
    bashEvent('PostToolUse', 'npm test', { tool_response: { stdout: '# pass 3', stderr: '', interrupted: false } }),
    { command: 'npm test', output: '# pass 3', ending: 'passed', session: 's-1', cwd: '/shop' },
    hookAnswer('PostToolUse'),
  ],
  [
    'Claude Code, failed',
    bashEvent('PostToolUseFailure', 'npm test', { error: 'Exit code 7\nnot ok 1 - adds', is_interrupt: false }),
    { command: 'npm test', output: 'not ok 1 - adds', ending: 'failed', exitCode: 7 },
    hookAnswer('PostToolUseFailure'),
  ],
  [
    'Codex, a text',
    codexEvent('Chunk ID: 1\nWall time: 1.2 seconds\nProcess exited with code 101\nOutput:\ntest a ... FAILED\n'),
    { command: 'cargo test', output: 'test a ... FAILED\n', ending: 'failed', exitCode: 101 },
    hookAnswer('PostToolUse'),
  ],
  [
    'Codex, an object, and a command as words',
    codexEvent('{"output":"ok","metadata":{"exit_code":0,"duration_seconds":1}}', ['bash', '-lc', 'cargo test']),
    { command: 'cargo test', output: 'ok', ending: 'passed', exitCode: 0 },
    hookAnswer('PostToolUse'),
  ],
  [
    'Codex, which does not say how it ended',
    codexEvent('1 failed, 2 passed in 0.1s'),
    { output: '1 failed, 2 passed in 0.1s', ending: 'unknown' },
    hookAnswer('PostToolUse'),
  ],
  [
    'Codex, in a folder below',
    addFolder(codexEvent('ok'), { workdir: 'web' }),
    { cwd: path.resolve('/shop/web') },
    hookAnswer('PostToolUse'),
  ],
  [
    'Gemini CLI, in a folder below',
    addFolder(geminiEvent('Output: ok'), { dir_path: 'web' }),
    { cwd: path.resolve('/shop/web') },
    hookAnswer('AfterTool'),
  ],
  [
    'Gemini CLI, failed',
    geminiEvent('Output: --- FAIL: TestAdd\nExit Code: 1\nProcess Group PGID: 4'),
    { command: 'go test ./...', output: '--- FAIL: TestAdd', ending: 'failed', exitCode: 1 },
    hookAnswer('AfterTool'),
  ],
  [
    'Gemini CLI, failed, with output in the form of a pass',
    geminiEvent('Output: ok\nExit Code: 0\nError: (none)\nExit Code: 1\nProcess Group PGID: 4'),
    { ending: 'failed', exitCode: 1 },
    hookAnswer('AfterTool'),
  ],
  [
    'Gemini CLI, ended by a signal, with output in the form of a pass',
    geminiEvent('Output: ok\nExit Code: 0\nSignal: SIGKILL\nProcess Group PGID: 4'),
    { output: 'ok', ending: 'failed' },
    hookAnswer('AfterTool'),
  ],
  [
    'Gemini CLI, not started',
    geminiEvent('Output: (empty)\nError: spawn ENOENT'),
    { ending: 'unknown' },
    hookAnswer('AfterTool'),
  ],
  [
    'Codex, with output in the form of an exit code',
    codexEvent('> test\nExit code: 0\nOutput:\nok'),
    { ending: 'unknown' },
    hookAnswer('PostToolUse'),
  ],
  [
    'Gemini CLI, passed',
    geminiEvent('Output: ok shop 0.2s\nProcess Group PGID: 4'),
    { output: 'ok shop 0.2s', ending: 'passed' },
    hookAnswer('AfterTool'),
  ],
  [
    'Gemini CLI, in a fence, failed',
    geminiEvent('<untrusted_context>\nOutput: not ok 1\nExit Code: 1\nProcess Group PGID: 4\n</untrusted_context>'),
    { output: 'not ok 1', ending: 'failed', exitCode: 1 },
    hookAnswer('AfterTool'),
  ],
  [
    'Gemini CLI, in a fence, passed',
    geminiEvent('<untrusted_context>\nOutput: ok 1\nProcess Group PGID: 4\n</untrusted_context>'),
    { output: 'ok 1', ending: 'passed', exitCode: 0 },
    hookAnswer('AfterTool'),
  ],
  [
    'Gemini CLI, in a form that is not known',
    geminiEvent('<result>\nOutput: not ok 1\nExit Code: 1\n</result>'),
    { ending: 'unknown' },
    hookAnswer('AfterTool'),
  ],
  [
    'Copilot CLI, failed',
    copilotEvent('not ok 1\n<shellId: 5 completed with exit code 1>'),
    { command: 'npm test', output: 'not ok 1', ending: 'failed', exitCode: 1 },
    { additionalContext: 'known' },
  ],
  [
    'Copilot CLI, passed',
    copilotEvent('# pass 3\n<shellId: 0 completed with exit code 0>'),
    { output: '# pass 3', ending: 'passed', exitCode: 0 },
    { additionalContext: 'known' },
  ],
  [
    'Copilot CLI, in the background',
    copilotEvent('<command started in detached background with shellId: 3>'),
    { ending: 'unknown' },
    { additionalContext: 'known' },
  ],
  [
    'another host with the events of Claude Code',
    bashEvent('PostToolUse', 'npm test', { tool_response: 'not ok 1' }),
    { output: 'not ok 1', ending: 'unknown' },
    hookAnswer('PostToolUse'),
  ],
  [
    'Cursor, after any tool',
    cursorEvent('postToolUse', {
      tool_input: { command: 'npx vitest run', working_directory: '/shop/web' },
      tool_output: '{"exitCode":1,"stdout":"FAIL a.test.ts","stderr":""}',
      duration: 812,
    }),
    { session: 'c-1', cwd: '/shop/web', output: 'FAIL a.test.ts', ending: 'failed', exitCode: 1, durationMs: 812 },
    { additional_context: 'known' },
  ],
  [
    'Cursor, failed',
    cursorEvent('postToolUseFailure', { error_message: 'Command timed out after 30s', failure_type: 'timeout' }),
    { cwd: '/shop', ending: 'failed', timedOut: true },
    { additional_context: 'known' },
  ],
  [
    'Cursor, after a shell command: it takes no answer',
    { conversation_id: 'c-1', hook_event_name: 'afterShellExecution', cwd: '/shop', command: 'npm test', output: 'x' },
    { command: 'npm test', output: 'x', ending: 'unknown' },
    undefined,
  ],
];

test.each(COMMAND_END_CASES)('reads the end of a command: %s', (_name, event, expected, expectedAnswer) => {
  const parsed = parseEvent(JSON.stringify(event));
  expect(parsed).toMatchObject({ kind: 'command', ...expected });
  if (parsed?.kind !== 'command') throw new Error('no command');
  const text = formatHookAnswer(parsed.answer, 'known');
  expect(text === undefined ? undefined : JSON.parse(text)).toEqual(expectedAnswer);
});

test.each(['SessionStart', 'sessionStart'])('reads %s as the start of a session', (hook_event_name) => {
  const event = { ...COMMON_FIELDS, hook_event_name, source: 'startup' };
  expect(parseEvent(JSON.stringify(event))).toEqual({ kind: 'start', session: 's-1', cwd: '/shop' });
});

test('ignores events other than finished commands', () => {
  const commandEvent = { ...COMMON_FIELDS, tool_name: 'Bash', tool_input: { command: 'npm test' } };
  const otherEvents = [
    { ...commandEvent, hook_event_name: 'PreToolUse' },
    { ...commandEvent, hook_event_name: 'PostToolUse', tool_name: 'Read', tool_response: {} },
    { ...commandEvent, hook_event_name: 'PostToolUse', tool_response: { stdout: '', backgroundTaskId: 'b' } },
    { ...commandEvent, hook_event_name: 'PostToolUse', tool_input: { command: 'npm test', run_in_background: true } },
    { ...commandEvent, hook_event_name: 'PostToolUseFailure', error: 'x', is_interrupt: true },
    {
      ...commandEvent,
      hook_event_name: 'PostToolUse',
      turn_id: 't',
      tool_response: 'Process running with session ID 4',
    },
    { ...commandEvent, hook_event_name: 'postToolUseFailure', tool_name: 'Shell', failure_type: 'permission_denied' },
    { ...commandEvent, hook_event_name: 'PostToolUseFailure', tool_input: {}, error: 'x' },
    [],
    null,
  ];
  for (const event of otherEvents) expect(parseEvent(JSON.stringify(event))).toBeUndefined();
});
