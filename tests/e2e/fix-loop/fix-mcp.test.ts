/**
 * The fix loop over MCP with a real client, which follows the next action of every answer. fix-rules.test.ts tests the
 * rules on the command line.
 */

import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Agent, connect, createEnvironment, createProject, type Data } from '../harness.ts';
import { serveInProcess } from '../in-process-server.ts';
import {
  createRepository,
  FAILING_FILES,
  findProcesses,
  fixProblem,
  readLoopFile,
  readState,
  runGit,
  waitForFileCommand,
  waitUntil,
  writeAnswer,
  writeProjectFile,
} from './fix-loop.ts';

const nextActionSchema = z.looseObject({
  type: z.string(),
  instructions: z.string().min(20),
  tool: z.enum(['fix_attempt', 'fix_status']),
  arguments: z.record(z.string(), z.unknown()),
});

const LOOP_START = { command: 'node check.js', desired: 'it is well', backoff: 0 };

// The tests run concurrently, because some of them wait.
describe('an agent with the fix tools', { concurrent: true }, () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await connect('2026-07-28');
  });
  afterAll(() => agent.close());

  /** Calls the tool that an answer's next_action names, with additional arguments of the agent. */
  async function followNextAction(said: Data, more: Data = {}): Promise<Data> {
    const { tool, arguments: args } = nextActionSchema.parse(said.next_action);
    return agent.ask(tool, { ...args, ...more });
  }

  test("an agent repairs a project, and reads the loop's state without changing it", async () => {
    const root = createRepository(FAILING_FILES);
    expect(await agent.askError('fix_status', { projectPath: root })).toMatchObject({ code: 'LOOP_NOT_FOUND' });
    expect(existsSync(path.join(root, '.claude'))).toBe(false);
    const first = await agent.ask('fix_problem', { projectPath: root, ...LOOP_START });
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
    const before = readLoopFile(root, 'state.json');
    expect(await agent.ask('fix_status', { projectPath: root })).toMatchObject({
      status: 'needs_fix',
      next_action: first.next_action,
    });
    expect(readLoopFile(root, 'state.json')).toBe(before);
    expect(runGit(root, 'status', '--porcelain')).toBe('');

    const unchanged = await followNextAction(first, { fix: 'nothing, really' });
    expect(unchanged).toMatchObject({
      refused: expect.stringMatching(/Nothing changed/u),
      next_action: {
        type: 'APPLY_FIX_THEN_ATTEMPT',
        instructions: expect.stringMatching(/^Nothing was run\. .*Nothing changed/u),
      },
    });
    expect(readState(root).attempts).toHaveLength(1);
    // The previous answer contained the context, and fix_status still returns it.
    expect(unchanged).toMatchObject({ context: [], failure: { type: 'TypeError', output: '' } });
    expect((await agent.ask('fix_status', { projectPath: root, loop: first.loop })).context).toHaveLength(15);

    writeAnswer(root, 'good');
    const research = 'Fix: a good answer\nFiles: answer.txt\nVerification: node check.js\nSee https://example.com/good';
    const sources = ['https://example.com/answers'];
    const last = await followNextAction(first, { fix: 'Made the answer good', research, sources });
    expect(last).toMatchObject({ result: 'success', attempt: 2, next_action: { type: 'DONE_RECORDED' } });
    expect(last.research).toMatchObject({ description: 'a good answer', files: ['answer.txt'] });
    expect(readLoopFile(root, 'attempt_1_fix.md')).toContain('### Files\n\n```\nanswer.txt\n```');
    expect(last.report).toMatch(/^## Command Execution Complete ✅/u);
    expect(await followNextAction(last)).toMatchObject({ result: 'success', report: last.report });
    const over = await agent.ask('fix_attempt', { projectPath: root, loop: first.loop, fix: 'once more' });
    expect(over.refused, 'of a run that did not fail').toMatch(/^(?!The work tree)(?!.*which failed)/su);

    const query = { query_text: 'TypeError: cannot use answer from port 20100', env: {}, projectPath: root };
    const known = await agent.ask('ranked_solutions', query);
    expect(JSON.stringify(known.recommended_solution)).toContain('sol-');
    expect(JSON.stringify(known.ranked_solutions)).toContain('Made the answer good');
    const [{ incident_id }] = known.ranked_solutions as [{ incident_id: string }];
    const place = { env: {}, projectPath: root };
    const { solution_id } = await agent.ask('add_solution', { ...place, incident_id, steps: 'Restart the computer' });
    await agent.ask('record_outcome', { ...place, solution_id, worked: false });
    writeAnswer(root, 'bad');
    const again = await agent.ask('fix_problem', { projectPath: root, ...LOOP_START });
    expect(JSON.stringify(again.known_solutions)).toContain('Made the answer good');
    expect(JSON.stringify(again.known_solutions), 'it only failed').not.toContain('Restart the computer');
  });

  test('an agent verifies the fix of a given error with texts of any length', async () => {
    const root = createProject(FAILING_FILES);
    const error = 'TypeError: cannot use answer from port 1\n    at check.js:6:7';
    const args = { projectPath: root, error, desired: 'it is well', test: 'node check.js' };
    const first = await agent.ask('fix_problem', args);
    expect(first).toMatchObject({ mode: 'error', attempt: 0, next_action: { type: 'APPLY_FIX_THEN_ATTEMPT' } });
    writeAnswer(root, 'good');
    const long = 'https://example.com/'.repeat(20_000);
    const last = await followNextAction(first, { fix: long, outside: long, sources: [`1 ${long}`, `2 ${long}`] });
    expect(last).toMatchObject({ result: 'success', report: expect.stringMatching(/^## Fix Applied ✅/u) });
    expect(await agent.ask('fix_status', { projectPath: root })).toMatchObject({ result: 'success' });
  });

  test('an agent receives progress without secrets, cancels and resumes', async () => {
    const token = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6';
    const root = createProject({ 'say.sh': `printf 'working \\033[31mon ghp_%s' ${token}` });
    const messages: string[] = [];
    const abort = new AbortController();
    const onprogress = ({ message = '' }: { message?: string | undefined }) => {
      messages.push(message);
      if (message.includes('working on')) abort.abort();
    };
    const command = 'test -e on || { touch on; sh say.sh; setsid sleep 4751; }';
    const args = { projectPath: root, command, desired: 'x' };
    await expect(agent.call('fix_problem', args, { signal: abort.signal, onprogress })).rejects.toThrow();
    expect(messages.join()).toContain('working on [REDACTED');
    expect(messages.join()).not.toContain(token);
    await waitUntil(() => readState(root).status === 'cancelled');
    expect(findProcesses('sleep 4751')).toEqual([]);
    const stands = await agent.ask('fix_status', { projectPath: root });
    expect(stands).toMatchObject({
      result: 'cancelled',
      next_action: {
        type: 'ESCALATE_TO_HUMAN',
        tool: 'fix_attempt',
        instructions: expect.stringMatching(/cancelled/u),
      },
    });
    expect(await followNextAction(stands)).toMatchObject({ result: 'success', attempt: 1 });
  });

  test('an agent reads the state of a running loop', async () => {
    const root = createProject();
    const command = `touch begun; ${waitForFileCommand('end')}`;
    const running = agent.ask('fix_problem', { projectPath: root, command, desired: 'x' });
    await waitUntil(() => existsSync(path.join(root, 'begun')));
    const stands = await agent.ask('fix_status', { projectPath: root });
    expect(stands).toMatchObject({ status: 'running', next_action: { type: 'WAIT_THEN_ATTEMPT' } });
    const { loop } = stands;
    expect(await agent.askError('fix_attempt', { projectPath: root, loop })).toMatchObject({ code: 'LOOP_BUSY' });
    writeProjectFile(root, 'end', '');
    expect(await running).toMatchObject({ result: 'success' });
  });

  test('an agent cannot continue with an open circuit', async () => {
    const root = createProject(FAILING_FILES);
    const args = { projectPath: root, ...LOOP_START, circuit_breaker: 1 };
    const first = await agent.ask('fix_problem', args);
    const instructions = expect.stringMatching(/^(?!null )[\s\S]*A human resets the circuit/u);
    const open = {
      circuit: { state: 'OPEN', same_in_a_row: 1 },
      next_action: { type: 'ESCALATE_TO_HUMAN', instructions },
    };
    expect(first).toMatchObject({ result: 'failed', escalation: 'circuit_breaker_opened', ...open });
    writeAnswer(root, 'good');
    const { loop } = first;
    expect(await agent.ask('fix_attempt', { projectPath: root, loop, fix: 'good' })).toMatchObject({
      refused: expect.stringMatching(/circuit is open/u),
    });
    expect(await agent.ask('fix_problem', args)).toMatchObject(open);
    expect((await fixProblem(root, ['--resume', '--reset-circuit'])).status).toBe(0);
  });

  test('an agent waits for a transient error', async () => {
    const command = 'test -e up || { touch up; echo "Error: connect ECONNREFUSED 127.0.0.1:5432"; exit 1; }';
    const first = await agent.ask('fix_problem', { projectPath: createProject(), command, desired: 'x', backoff: 0.1 });
    expect(first).toMatchObject({ failure: { class: 'transient' }, next_action: { type: 'WAIT_THEN_ATTEMPT' } });
    expect(await followNextAction(first)).toMatchObject({ result: 'success', attempt: 2 });
  });

  test('an agent answers prompts', async () => {
    const root = createProject({ 'ask.sh': 'read -r -p "Name: " name; test -n "$name" && echo "hello $name"\n' });
    const first = await agent.ask('fix_problem', { ...LOOP_START, projectPath: root, command: 'bash ask.sh' });
    expect(first).toMatchObject({ next_action: { type: 'PROVIDE_INPUTS' } });
    writeFileSync(path.join(root, 'answers.yaml'), 'inputs:\n  - name: name\n    value: ada\n');
    expect(await followNextAction(first, { inputs: 'answers.yaml' })).toMatchObject({ result: 'success' });
  });

  test.each([
    ['fix_problem', { command: 'true', desired: ' ' }, 'INVALID_INPUT', /desired/u],
    ['fix_problem', { command: 'true', error: 'x', desired: 'x' }, 'INVALID_INPUT', /not both/u],
    ['fix_problem', { command: 'true', desired: 'x', max_attempts: 1e9 }, 'INVALID_INPUT', /max_attempts/u],
    ['fix_problem', { command: 'true', desired: 'x', backof: 1 }, 'INVALID_INPUT', /backof/u],
    ['fix_problem', { command: 'true\0', desired: 'x' }, 'INVALID_INPUT', /NUL/u],
    ['fix_attempt', { loop: '../../../etc' }, 'INVALID_INPUT', /loop/u],
    ['fix_attempt', { loop: 'deadbeef' }, 'LOOP_NOT_FOUND', /deadbeef/u],
  ])('starts no loop by %s with %j', async (tool, args, code, message) => {
    const root = createProject();
    const error = await agent.askError(tool, { projectPath: root, ...args });
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(existsSync(path.join(root, '.claude'))).toBe(false);
  });
});

test('the slash command has the arguments of the contract, and the prompt has the arguments of the tool', async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = serveInProcess(far, { env: createEnvironment(), cwd: createProject(), isImpatient: false });
  const client = new Client({ name: 'argus-e2e', version: '1.0.0' });
  await client.connect(near);
  const { prompts } = await client.listPrompts();
  expect(prompts).toMatchObject([{ name: 'fix-problem', title: 'Fix a problem' }]);
  const names = 'error_message desired command test auto inputs timeout max-attempts backoff circuit-breaker namespace';
  expect(prompts[0]?.arguments?.map(({ name }) => name)).toEqual(names.split(' '));
  const args = { command: 'npm test', desired: 'green', 'max-attempts': '3', auto: 'true' };
  const { messages } = await client.getPrompt({ name: 'fix-problem', arguments: args });
  const text = messages[0]?.content.type === 'text' ? messages[0].content.text : '';
  const json: unknown = JSON.parse(/\{.*?\n\}/su.exec(text)?.[0] ?? '');
  const asked = { command: 'npm test', desired: 'green', max_attempts: 3, auto: true };
  expect(json).toEqual({ projectPath: expect.any(String), ...asked });
  await client.close();
  await server.close();
});
