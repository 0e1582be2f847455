/**
 * The built server as a process: a session with a client of each protocol era, the start of the server, and its end.
 */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { TOOLS } from '../../../packages/mcp/src/tools/shared/registry.ts';
import { connectProcess } from '../clients.ts';
import { createEnvironment, createProject, PROGRAM_PATH, PROTOCOL_ERAS } from '../harness.ts';

// Takes some seconds, because the program starts and compiles the whole engine.
test.each(PROTOCOL_ERAS)(
  'a client of %s lists, runs, diagnoses, asks the debug memory, reads and closes',
  async (era) => {
    const root = createProject();
    const agent = await connectProcess(era, {}, root);
    expect(await agent.listTools()).toHaveLength(TOOLS.length);
    expect((await agent.error('argus_history', { projectPath: root })).code).toBe('SESSION_NOT_FOUND');
    await agent.data('argus_init', { projectPath: root });
    const command = `node -e "throw new TypeError('cannot divide by cucumber')"`;
    const { runId } = await agent.data('argus_run', { projectPath: root, command });
    const failure = { projectPath: root, runId, caseName: command };
    expect(await agent.data('argus_diagnose', failure)).toMatchObject({
      message: expect.stringContaining('divide by cucumber'),
    });
    const search = { query_text: 'the belt slips', env: {}, projectPath: root };
    expect(await agent.ask('ranked_solutions', search)).toMatchObject({ incidents: [] });
    expect((await agent.askError('ranked_solutions', { ...search, limit: 0 })).code).toBe('INVALID_INPUT');
    expect(await agent.complete('argus://run/{id}', 'run-')).toEqual([runId]);
    expect(await agent.read(`argus://run/${runId}`)).toMatchObject({ run: { id: runId } });
    // The SDK's own transport would close the connection at 10 MB instead of returning an error.
    const long = { ...failure, fixDescription: 'x'.repeat(11_000_000) };
    expect((await agent.error('argus_report_fix', long)).code).toBe('INVALID_INPUT');
    await agent.close();
    expect(() => process.kill(agent.pid, 0), 'the process is gone').toThrow();
  },
);

function startServer() {
  const cwd = createProject();
  const child = spawn(process.execPath, [PROGRAM_PATH], {
    cwd,
    env: createEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (stderr += String(bytes)));
  return {
    child,
    cwd,
    printed: () => ({ stdout, stderr }),
    send: (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`),
  };
}

const INITIALIZE_REQUEST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

test('a server without requests writes no files and prints nothing', async () => {
  const { child, cwd, printed } = startServer();
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(printed()).toEqual({ stdout: '', stderr: '' });
  expect(readdirSync(cwd)).toEqual([]);
});

test('each request is answered once, whether the launcher or the server answers it', async () => {
  const { child, printed, cwd } = startServer();
  const call = { name: 'argus_history', arguments: { projectPath: cwd } };
  const requests = [INITIALIZE_REQUEST, { id: 2, method: 'tools/call', params: call }, { id: 'three', method: 'ping' }];
  child.stdin.write(requests.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''));
  const answers = () => printed().stdout.split('\n').slice(0, -1);
  while (answers().length < requests.length) await once(child.stdout, 'data');
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'tools/list' })}\n`);
  while (answers().length < requests.length + 1) await once(child.stdout, 'data');
  const ids = answers().map((line) => JSON.parse(line).id);
  expect(new Set(ids)).toEqual(new Set([1, 2, 'three', 4]));
  expect(ids).toHaveLength(4);
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('SIGTERM, SIGINT and SIGHUP each end a server', async () => {
  const ended = (['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map(async (signal) => {
    const { child, printed, send } = startServer();
    send(INITIALIZE_REQUEST);
    await once(child.stdout, 'data');
    child.kill(signal);
    return { signal, exit: await once(child, 'exit'), stderr: printed().stderr };
  });
  for (const one of await Promise.all(ended)) expect(one).toMatchObject({ exit: [0, null], stderr: '' });
});

test.skipIf(process.platform === 'win32')(
  'an invalid line does not end a server; the end of stdin ends the server and its command',
  async () => {
    const { child, cwd, printed, send } = startServer();
    child.stdin.write('not json\n{"jsonrpc":"2.0"}\n');
    send(INITIALIZE_REQUEST);
    await once(child.stdout, 'data');
    expect(JSON.parse(printed().stdout)).toMatchObject({ id: 1, result: {} });
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const call = (id: number, name: string, args: object) =>
      send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { projectPath: cwd, ...args } } });
    call(2, 'argus_init', {});
    await once(child.stdout, 'data');
    // The command and its child hold the pipe open, so it ends only after both have ended.
    const pipe = path.join(cwd, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const alive = createReadStream(pipe);
    const gone = once(alive, 'end');
    call(3, 'argus_run', { command: 'exec 9> pipe; echo begun >&9; sleep 600; true' });
    await once(alive, 'data');
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    await gone;
  },
);
