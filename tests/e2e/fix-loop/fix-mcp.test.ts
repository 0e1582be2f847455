/**
 * The fix loop over MCP with real clients: every answer's next step is taken as it is given. The rules:
 * fix-rules.test.ts, on the command line.
 */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Agent, BUNDLE, connect, type Data, ERAS, environment } from '../harness.ts';
import { CHECK, fileOf, fixProblem, git, processesWith, repository, stateOf, until, untilFile } from './fix-loop.ts';

const action = z.looseObject({
  type: z.string(),
  instructions: z.string().min(20),
  tool: z.enum(['fix_attempt', 'fix_status']),
  arguments: z.record(z.string(), z.unknown()),
});

/** Does what an answer says, with what an agent adds. */
async function next(agent: Agent, answer: Data, more: Data = {}): Promise<Data> {
  const { tool, arguments: args } = action.parse(answer.next_action);
  return agent.ask(tool, { ...args, ...more });
}

const failing = () => repository({ 'check.js': CHECK, 'answer.txt': 'bad\n' });
const write = (root: string, text: string) => writeFileSync(path.join(root, 'answer.txt'), `${text}\n`);
const START = { command: 'node check.js', desired: 'it is well', backoff: 0 };

describe.each(ERAS)('%s', (era) => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connect(era);
  });
  afterAll(() => agent.close());

  test('a failure, a change, success', async () => {
    const root = failing();
    const first = await agent.ask('fix_problem', { projectPath: root, ...START });
    expect(first).toMatchObject({
      status: 'needs_fix',
      attempt: 1,
      exit_code: 1,
      duration_seconds: expect.any(Number),
      failure: { type: 'TypeError', class: 'fixable', category: expect.any(String), hash: expect.any(String) },
      circuit: { state: 'CLOSED', same_in_a_row: 1 },
      approach: { name: 'direct' },
      known_solutions: [],
      research_query: expect.stringContaining('TypeError'),
      next_action: {
        type: 'APPLY_FIX_THEN_ATTEMPT',
        tool: 'fix_attempt',
        arguments: { projectPath: root, approach: 'direct' },
      },
    });
    expect(first.context).toHaveLength(15);

    const unchanged = await next(agent, first, { fix: 'nothing, really' });
    expect(unchanged).toMatchObject({
      refused: expect.stringMatching(/Nothing changed/u),
      next_action: {
        type: 'APPLY_FIX_THEN_ATTEMPT',
        instructions: expect.stringMatching(/^Nothing was run\. .*Nothing changed/u),
      },
    });
    expect(stateOf(root).attempts).toHaveLength(1);
    // What was found out was said, and is there to be looked up.
    expect(unchanged).toMatchObject({ context: [], failure: { type: 'TypeError', output: '' } });
    expect((await agent.ask('fix_status', { projectPath: root, loop: first.loop })).context).toHaveLength(15);

    write(root, 'good');
    const research = 'Fix: a good answer\nFiles: answer.txt\nVerification: node check.js\nSee https://example.com/good';
    const sources = ['https://example.com/answers'];
    const last = await next(agent, first, { fix: 'Made the answer good', research, sources });
    expect(last).toMatchObject({ result: 'success', attempt: 2, next_action: { type: 'DONE_RECORDED' } });
    expect(last.research).toMatchObject({ description: 'a good answer', files: ['answer.txt'] });
    expect(fileOf(root, 'attempt_1_fix.md')).toContain('### Files\n\n```\nanswer.txt\n```');
    expect(last.report).toMatch(/^## Command Execution Complete ✅/u);
    expect(await next(agent, last)).toMatchObject({ result: 'success', report: last.report });
    // That run failed no more: nothing is said of its work tree.
    const over = await agent.ask('fix_attempt', { projectPath: root, loop: first.loop, fix: 'once more' });
    expect(over.refused).toMatch(/^(?!The work tree)/u);
    expect(over.refused).not.toContain('which failed');

    const known = await agent.ask('ranked_solutions', {
      query_text: 'TypeError: cannot use answer from port 20100',
      env: {},
      projectPath: root,
    });
    expect(JSON.stringify(known.recommended_solution)).toContain('sol-');
    expect(JSON.stringify(known.ranked_solutions)).toContain('Made the answer good');

    write(root, 'bad');
    const again = await agent.ask('fix_problem', { projectPath: root, ...START });
    expect(JSON.stringify(again.known_solutions)).toContain('Made the answer good');
  });

  test('an error that is given, with its verification', async () => {
    const root = failing();
    const error = 'TypeError: cannot use answer from port 1\n    at check.js:6:7';
    const first = await agent.ask('fix_problem', {
      projectPath: root,
      error,
      desired: 'it is well',
      test: 'node check.js',
    });
    expect(first).toMatchObject({ mode: 'error', attempt: 0, next_action: { type: 'APPLY_FIX_THEN_ATTEMPT' } });
    write(root, 'good');
    const last = await next(agent, first, { fix: 'good' });
    expect(last).toMatchObject({ result: 'success', report: expect.stringMatching(/^## Fix Applied ✅/u) });
  });

  test('progress, cancelling, and going on', async () => {
    const root = repository({ a: '' });
    const messages: string[] = [];
    const abort = new AbortController();
    const onprogress = ({ message = '' }: { message?: string | undefined }) => {
      messages.push(message);
      if (message.includes('working on')) abort.abort();
    };
    const token = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6';
    const say = `printf 'working \\033[31mon ghp_%s' ${token}`;
    const command = `test -e .git/on || { touch .git/on; ${say}; setsid sleep 4751; }`;
    const args = { projectPath: root, command, desired: 'x' };
    await expect(agent.call('fix_problem', args, { signal: abort.signal, onprogress })).rejects.toThrow();
    expect(messages.join()).toContain('working on [REDACTED');
    expect(messages.join()).not.toContain(token);
    await until(() => processesWith('sleep 4751').length === 0);
    await until(() => stateOf(root).status === 'cancelled');
    const stands = await agent.ask('fix_status', { projectPath: root });
    expect(stands).toMatchObject({
      result: 'cancelled',
      next_action: {
        type: 'ESCALATE_TO_HUMAN',
        tool: 'fix_attempt',
        instructions: expect.stringMatching(/cancelled/u),
      },
    });
    expect(await next(agent, stands)).toMatchObject({ result: 'success', attempt: 1 });
  });

  test('a look at one that runs', async () => {
    const root = repository({ a: '' });
    const args = { projectPath: root, command: `touch .git/on; ${untilFile('.git/end')}`, desired: 'x' };
    const running = agent.ask('fix_problem', args);
    await until(() => existsSync(path.join(root, '.git/on')));
    const stands = await agent.ask('fix_status', { projectPath: root });
    expect(stands).toMatchObject({ status: 'running', next_action: { type: 'WAIT_THEN_ATTEMPT' } });
    const { loop } = stands;
    expect(await agent.askError('fix_attempt', { projectPath: root, loop })).toMatchObject({ code: 'LOOP_BUSY' });
    writeFileSync(path.join(root, '.git/end'), '');
    expect(await running).toMatchObject({ result: 'success' });
  });
});

describe('an agent', () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connect('2026-07-28');
  });
  afterAll(() => agent.close());

  test('gets no further with an open circuit', async () => {
    const root = failing();
    let answer = await agent.ask('fix_problem', { projectPath: root, ...START });
    for (const text of ['worse', 'worst']) {
      write(root, text);
      answer = await next(agent, answer, { fix: text });
    }
    expect(answer).toMatchObject({
      result: 'failed',
      escalation: 'circuit_breaker_opened',
      circuit: { state: 'OPEN', same_in_a_row: 3 },
      next_action: { type: 'ESCALATE_TO_HUMAN' },
    });
    write(root, 'good');
    const { loop } = answer;
    expect(await agent.ask('fix_attempt', { projectPath: root, loop, fix: 'good' })).toMatchObject({
      refused: expect.stringMatching(/circuit is open/u),
    });
    expect(await agent.ask('fix_problem', { projectPath: root, ...START })).toMatchObject({
      circuit: { state: 'OPEN' },
      next_action: { type: 'ESCALATE_TO_HUMAN' },
    });
    expect((await fixProblem(root, ['--resume', '--reset-circuit'])).status).toBe(0);
  });

  test('waits for a transient error', async () => {
    const root = repository({ a: '' });
    const command = 'test -e .git/up || { touch .git/up; echo "Error: connect ECONNREFUSED 127.0.0.1:5432"; exit 1; }';
    const first = await agent.ask('fix_problem', { projectPath: root, command, desired: 'x', backoff: 0.3 });
    expect(first).toMatchObject({ failure: { class: 'transient' }, next_action: { type: 'WAIT_THEN_ATTEMPT' } });
    expect(await next(agent, first)).toMatchObject({ result: 'success', attempt: 2 });
  });

  test('may not weaken tests', async () => {
    const root = repository({
      'package.json': '{"scripts":{"test":"node --test"}}',
      'a.test.js':
        "const { test } = require('node:test');\nconst assert = require('node:assert');\ntest('a', () => {\n  assert.ok(false);\n});\n",
    });
    const first = await agent.ask('fix_problem', {
      projectPath: root,
      command: 'npm test',
      desired: 'tests pass',
      backoff: 0,
    });
    rmSync(path.join(root, 'a.test.js'));
    const last = await next(agent, first, { fix: 'removed a broken test' });
    expect(last).toMatchObject({ result: 'suspicious', next_action: { type: 'ESCALATE_TO_HUMAN' } });
    expect(last.report).toContain('### Suspicious Changes');
  });

  test('gives answers to prompts', async () => {
    const root = repository({ 'ask.sh': 'read -r -p "Name: " name; test -n "$name" && echo "hello $name"\n' });
    const first = await agent.ask('fix_problem', {
      projectPath: root,
      command: 'bash ask.sh',
      desired: 'x',
      backoff: 0,
      timeout: 20,
    });
    expect(first).toMatchObject({ next_action: { type: 'PROVIDE_INPUTS' } });
    writeFileSync(
      path.join(root, 'answers.yaml'),
      'version: 1\nscript: ask.sh\ninputs:\n  - name: name\n    prompt: "Name: "\n    value: ada\n    source: user\n    confidence: 1\n',
    );
    expect(await next(agent, first, { inputs: 'answers.yaml' })).toMatchObject({ result: 'success' });
  });

  test('a look disturbs nobody', async () => {
    const root = failing();
    expect(await agent.askError('fix_status', { projectPath: root })).toMatchObject({ code: 'LOOP_NOT_FOUND' });
    expect(existsSync(path.join(root, '.claude'))).toBe(false);
    const first = await agent.ask('fix_problem', { projectPath: root, ...START });
    const before = readFileSync(path.join(root, '.claude/fixes', String(first.loop), 'state.json'), 'utf8');
    expect(await agent.ask('fix_status', { projectPath: root })).toMatchObject({
      status: 'needs_fix',
      next_action: first.next_action,
    });
    expect(readFileSync(path.join(root, '.claude/fixes', String(first.loop), 'state.json'), 'utf8')).toBe(before);
    expect(git(root, 'status', '--porcelain')).toBe('');
  });

  test.each([
    [{ command: '', desired: 'x' }, 'INVALID_INPUT', /nothing to fix|empty/iu],
    [{ command: 'true', desired: ' ' }, 'INVALID_INPUT', /desired/u],
    [{ command: 'true', error: 'x', desired: 'x' }, 'INVALID_INPUT', /not both/u],
    [{ command: 'true', desired: 'x', timeout: -1 }, 'INVALID_INPUT', /timeout/u],
    [{ command: 'true', desired: 'x', max_attempts: 1e9 }, 'INVALID_INPUT', /max_attempts/u],
    [{ command: 'true', desired: 'x', backof: 1 }, 'INVALID_INPUT', /backof/u],
    [{ command: 'true\0', desired: 'x' }, 'INVALID_INPUT', /NUL/u],
  ])('bad arguments: %j', async (args, code, message) => {
    const root = repository({ a: '' });
    const error = await agent.askError('fix_problem', { projectPath: root, ...args });
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(existsSync(path.join(root, '.claude'))).toBe(false);
  });

  test('texts without end do no harm', async () => {
    const root = failing();
    const first = await agent.ask('fix_problem', { projectPath: root, ...START });
    write(root, 'good');
    const long = 'https://example.com/'.repeat(100_000);
    const sources = Array.from({ length: 200 }, (_, index) => `${index} ${long}`);
    const last = await next(agent, first, { fix: long, outside: long, sources: sources.slice(0, 3) });
    expect(last).toMatchObject({ result: 'success' });
    expect(await agent.ask('fix_status', { projectPath: root })).toMatchObject({ result: 'success' });
  });

  test('names that lead elsewhere are no loops', async () => {
    const root = repository({ a: '' });
    expect(await agent.askError('fix_attempt', { projectPath: root, loop: '../../../etc' })).toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(await agent.askError('fix_attempt', { projectPath: root, loop: 'deadbeef' })).toMatchObject({
      code: 'LOOP_NOT_FOUND',
    });
  });
});

test('the prompt', async () => {
  const transport = new StdioClientTransport({ command: process.execPath, args: [BUNDLE], env: environment() });
  const client = new Client({ name: 'argus-e2e', version: '1.0.0' });
  await client.connect(transport);
  const { prompts } = await client.listPrompts();
  expect(prompts).toMatchObject([{ name: 'fix-problem', title: 'Fix a problem' }]);
  expect(prompts[0]?.arguments?.map(({ name }) => name)).toEqual([
    'error_message',
    'desired',
    'command',
    'test',
    'auto',
    'inputs',
    'timeout',
    'max-attempts',
    'backoff',
    'circuit-breaker',
    'namespace',
  ]);
  const args = { command: 'npm test', desired: 'green', 'max-attempts': '3', auto: 'true' };
  const { messages } = await client.getPrompt({ name: 'fix-problem', arguments: args });
  const [message] = messages;
  const text = message?.content.type === 'text' ? message.content.text : '';
  const json: unknown = JSON.parse(/\{.*?\n\}/su.exec(text)?.[0] ?? '');
  expect(json).toEqual({
    projectPath: expect.any(String),
    command: 'npm test',
    desired: 'green',
    max_attempts: 3,
    auto: true,
  });
  await client.close();
});
