/** Events and answers in the form that each agent documents. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { answerText, type CommandEvent, readEvent } from '../../src/hook/agents.ts';

const COMMON = { session_id: 's-1', transcript_path: '/t.jsonl', cwd: '/shop' };
const SPECIFIC = (event: string) => ({ hookSpecificOutput: { hookEventName: event, additionalContext: 'known' } });

const bash = (hook_event_name: string, command: unknown, more: object) => ({
  ...{ ...COMMON, permission_mode: 'default', hook_event_name, tool_name: 'Bash' },
  ...{ tool_input: { command, description: 'Run the tests' }, tool_use_id: 'toolu_1', ...more },
});

const codex = (tool_response: string, command: unknown = 'cargo test') =>
  bash('PostToolUse', command, { turn_id: 't-1', model: 'm', tool_response });

const gemini = (llmContent: string) => ({
  ...{ ...COMMON, timestamp: '2026-02-03T04:05:06Z', hook_event_name: 'AfterTool', tool_name: 'run_shell_command' },
  ...{ tool_input: { command: 'go test ./...' }, tool_response: { llmContent, returnDisplay: '' } },
});

const cursor = (hook_event_name: string, more: object) => ({
  ...{ conversation_id: 'c-1', generation_id: 'g-1', hook_event_name, cursor_version: '2.4.0' },
  ...{ workspace_roots: ['/shop'], tool_name: 'Shell', tool_input: { command: 'npm test' }, ...more },
});

const inFolder = <T extends { tool_input: object }>(event: T, folder: object): T => ({
  ...event,
  tool_input: { ...event.tool_input, ...folder },
});

const ENDED: [name: string, event: object, read: Partial<CommandEvent>, answer: unknown][] = [
  [
    'Claude Code, passed',
    bash('PostToolUse', 'npm test', { tool_response: { stdout: '# pass 3', stderr: '', interrupted: false } }),
    { command: 'npm test', output: '# pass 3', ending: 'passed', session: 's-1', cwd: '/shop' },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Claude Code, failed',
    bash('PostToolUseFailure', 'npm test', { error: 'Exit code 7\nnot ok 1 - adds', is_interrupt: false }),
    { command: 'npm test', output: 'not ok 1 - adds', ending: 'failed', exitCode: 7 },
    SPECIFIC('PostToolUseFailure'),
  ],
  [
    'Codex, a text',
    codex('Chunk ID: 1\nWall time: 1.2 seconds\nProcess exited with code 101\nOutput:\ntest a ... FAILED\n'),
    { command: 'cargo test', output: 'test a ... FAILED\n', ending: 'failed', exitCode: 101 },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Codex, an object, and a command as words',
    codex('{"output":"ok","metadata":{"exit_code":0,"duration_seconds":1}}', ['bash', '-lc', 'cargo test']),
    { command: 'cargo test', output: 'ok', ending: 'passed', exitCode: 0 },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Codex, which does not say how it ended',
    codex('1 failed, 2 passed in 0.1s'),
    { output: '1 failed, 2 passed in 0.1s', ending: 'unknown' },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Codex, in a folder below',
    inFolder(codex('ok'), { workdir: 'web' }),
    { cwd: path.resolve('/shop/web') },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Gemini CLI, in a folder below',
    inFolder(gemini('Output: ok'), { dir_path: 'web' }),
    { cwd: path.resolve('/shop/web') },
    SPECIFIC('AfterTool'),
  ],
  [
    'Gemini CLI, failed',
    gemini('Output: --- FAIL: TestAdd\nExit Code: 1\nProcess Group PGID: 4'),
    { command: 'go test ./...', output: '--- FAIL: TestAdd', ending: 'failed', exitCode: 1 },
    SPECIFIC('AfterTool'),
  ],
  [
    'Gemini CLI, passed',
    gemini('Output: ok shop 0.2s\nProcess Group PGID: 4'),
    { output: 'ok shop 0.2s', ending: 'passed' },
    SPECIFIC('AfterTool'),
  ],
  [
    'Cursor, after any tool',
    cursor('postToolUse', {
      tool_input: { command: 'npx vitest run', working_directory: '/shop/web' },
      tool_output: '{"exitCode":1,"stdout":"FAIL a.test.ts","stderr":""}',
      duration: 812,
    }),
    { session: 'c-1', cwd: '/shop/web', output: 'FAIL a.test.ts', ending: 'failed', exitCode: 1, durationMs: 812 },
    { additional_context: 'known' },
  ],
  [
    'Cursor, failed',
    cursor('postToolUseFailure', { error_message: 'Command timed out after 30s', failure_type: 'timeout' }),
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

test.each(ENDED)('%s', (_name, event, wanted, answer) => {
  const read = readEvent(JSON.stringify(event));
  expect(read).toMatchObject({ kind: 'command', ...wanted });
  if (read?.kind !== 'command') throw new Error('no command');
  const text = answerText(read.answer, 'known');
  expect(text === undefined ? undefined : JSON.parse(text)).toEqual(answer);
});

test.each(['SessionStart', 'sessionStart'])('reads %s as the start of a session', (hook_event_name) => {
  const event = { ...COMMON, hook_event_name, source: 'startup' };
  expect(readEvent(JSON.stringify(event))).toEqual({ kind: 'start', cwd: '/shop' });
});

test('ignores events other than finished commands', () => {
  const run = { ...COMMON, tool_name: 'Bash', tool_input: { command: 'npm test' } };
  const others = [
    { ...run, hook_event_name: 'PreToolUse' },
    { ...run, hook_event_name: 'PostToolUse', tool_name: 'Read', tool_response: {} },
    { ...run, hook_event_name: 'PostToolUse', tool_response: { stdout: '', backgroundTaskId: 'b' } },
    { ...run, hook_event_name: 'PostToolUse', tool_input: { command: 'npm test', run_in_background: true } },
    { ...run, hook_event_name: 'PostToolUseFailure', error: 'x', is_interrupt: true },
    { ...run, hook_event_name: 'PostToolUse', turn_id: 't', tool_response: 'Process running with session ID 4' },
    { ...run, hook_event_name: 'postToolUseFailure', tool_name: 'Shell', failure_type: 'permission_denied' },
    { ...run, hook_event_name: 'PostToolUseFailure', tool_input: {}, error: 'x' },
    [],
    null,
  ];
  for (const event of others) expect(readEvent(JSON.stringify(event))).toBeUndefined();
});
