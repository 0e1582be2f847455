/** Events in the form that each agent documents, and answers in the one that it takes. */
import { expect, test } from 'vitest';
import { answerText, type CommandEvent, readEvent } from '../../src/hook/agents.ts';

const COMMON = { session_id: 's-1', transcript_path: '/t.jsonl', cwd: '/shop' };
const SPECIFIC = (event: string) => ({ hookSpecificOutput: { hookEventName: event, additionalContext: 'known' } });

const ENDED: [string, Record<string, unknown>, Partial<CommandEvent>, unknown][] = [
  [
    'Claude Code, passed',
    {
      ...COMMON,
      permission_mode: 'default',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'npm test', description: 'Run the tests' },
      tool_response: { stdout: '# pass 3', stderr: '', interrupted: false, isImage: false },
      tool_use_id: 'toolu_1',
    },
    { command: 'npm test', output: '# pass 3', ending: 'passed', session: 's-1', cwd: '/shop' },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Claude Code, failed',
    {
      ...COMMON,
      hook_event_name: 'PostToolUseFailure',
      tool_name: 'Bash',
      tool_input: { command: 'npm test' },
      tool_use_id: 'toolu_1',
      error: 'Exit code 7\nnot ok 1 - adds',
      is_interrupt: false,
    },
    { command: 'npm test', output: 'not ok 1 - adds', ending: 'failed', exitCode: 7 },
    SPECIFIC('PostToolUseFailure'),
  ],
  [
    'Codex, a text',
    {
      ...COMMON,
      turn_id: 't-1',
      model: 'm',
      permission_mode: 'default',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'cargo test' },
      tool_use_id: 'c-1',
      tool_response: 'Chunk ID: 1\nWall time: 1.2 seconds\nProcess exited with code 101\nOutput:\ntest a ... FAILED\n',
    },
    { command: 'cargo test', output: 'test a ... FAILED\n', ending: 'failed', exitCode: 101 },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Codex, an object, and a command as words',
    {
      ...COMMON,
      turn_id: 't-1',
      hook_event_name: 'PostToolUse',
      tool_name: 'shell',
      tool_input: { command: ['bash', '-lc', 'cargo test'] },
      tool_response: '{"output":"ok","metadata":{"exit_code":0,"duration_seconds":1}}',
    },
    { command: 'cargo test', output: 'ok', ending: 'passed', exitCode: 0 },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Codex, which does not say how it ended',
    {
      ...COMMON,
      turn_id: 't-1',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'pytest' },
      tool_response: '1 failed, 2 passed in 0.1s',
    },
    { output: '1 failed, 2 passed in 0.1s', ending: 'unknown' },
    SPECIFIC('PostToolUse'),
  ],
  [
    'Gemini CLI, failed',
    {
      ...COMMON,
      timestamp: '2026-02-03T04:05:06Z',
      hook_event_name: 'AfterTool',
      tool_name: 'run_shell_command',
      tool_input: { command: 'go test ./...' },
      tool_response: {
        llmContent: 'Output: --- FAIL: TestAdd\nExit Code: 1\nProcess Group PGID: 4',
        returnDisplay: '',
      },
    },
    { command: 'go test ./...', output: '--- FAIL: TestAdd', ending: 'failed', exitCode: 1 },
    SPECIFIC('AfterTool'),
  ],
  [
    'Gemini CLI, passed',
    {
      ...COMMON,
      hook_event_name: 'AfterTool',
      tool_name: 'run_shell_command',
      tool_input: { command: 'go test ./...' },
      tool_response: { llmContent: 'Output: ok shop 0.2s\nProcess Group PGID: 4', returnDisplay: 'ok' },
    },
    { output: 'ok shop 0.2s', ending: 'passed' },
    SPECIFIC('AfterTool'),
  ],
  [
    'Cursor, after any tool',
    {
      conversation_id: 'c-1',
      generation_id: 'g-1',
      hook_event_name: 'postToolUse',
      cursor_version: '2.4.0',
      workspace_roots: ['/shop'],
      tool_name: 'Shell',
      tool_input: { command: 'npx vitest run', working_directory: '/shop/web' },
      tool_output: '{"exitCode":1,"stdout":"FAIL a.test.ts","stderr":""}',
      duration: 812,
    },
    { session: 'c-1', cwd: '/shop/web', output: 'FAIL a.test.ts', ending: 'failed', exitCode: 1, durationMs: 812 },
    { additional_context: 'known' },
  ],
  [
    'Cursor, failed',
    {
      conversation_id: 'c-1',
      hook_event_name: 'postToolUseFailure',
      workspace_roots: ['/shop'],
      tool_name: 'Shell',
      tool_input: { command: 'npm test' },
      error_message: 'Command timed out after 30s',
      failure_type: 'timeout',
      is_interrupt: false,
    },
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

test('a session that begins is no command, in all of them', () => {
  for (const name of ['SessionStart', 'sessionStart']) {
    expect(readEvent(JSON.stringify({ ...COMMON, hook_event_name: name, source: 'startup' }))).toEqual({
      kind: 'start',
      cwd: '/shop',
    });
  }
});

test('what is no command that has ended by itself is none', () => {
  const bash = { ...COMMON, tool_name: 'Bash', tool_input: { command: 'npm test' } };
  const others = [
    { ...bash, hook_event_name: 'PreToolUse' },
    { ...bash, hook_event_name: 'PostToolUse', tool_name: 'Read', tool_response: {} },
    { ...bash, hook_event_name: 'PostToolUse', tool_response: { stdout: '', backgroundTaskId: 'b' } },
    { ...bash, hook_event_name: 'PostToolUse', tool_input: { command: 'npm test', run_in_background: true } },
    { ...bash, hook_event_name: 'PostToolUseFailure', error: 'x', is_interrupt: true },
    { ...bash, hook_event_name: 'PostToolUse', turn_id: 't', tool_response: 'Process running with session ID 4' },
    { ...bash, hook_event_name: 'postToolUseFailure', tool_name: 'Shell', failure_type: 'permission_denied' },
    { ...bash, hook_event_name: 'PostToolUseFailure', tool_input: {}, error: 'x' },
    [],
    null,
  ];
  for (const event of others) expect(readEvent(JSON.stringify(event))).toBeUndefined();
});
