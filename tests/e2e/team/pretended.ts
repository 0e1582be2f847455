/** A fake of a team's server, and a machine that has joined it. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { VERSION } from '../../../packages/mcp/src/version.ts';
import type { Data } from '../harness.ts';
import { createMachineWithToken, createRepository, type Machine } from './team.ts';

export interface FakeTeam {
  ada: Machine;
  /** Fields that replace those of the server's greeting. */
  greeting: Data;
  /** Answers a call. A test can replace this function. */
  answer(response: ServerResponse, request: IncomingMessage): void;
  /** Methods of the received calls, in order. */
  asked: unknown[];
}

/** Creates a machine that has joined a server which greets like Argus and gives the test's answers to calls. */
export async function joinFakeTeam(answer: FakeTeam['answer']): Promise<FakeTeam> {
  const pretended: FakeTeam = {
    ada: createMachineWithToken(createRepository(), 'argus_0123'),
    greeting: {},
    answer,
    asked: [],
  };
  await pretended.ada.join({ url: await startFakeServer(pretended) });
  return pretended;
}

/** Starts the server, which ends with the test. Resolves with its URL. */
export async function startFakeServer(pretended: Omit<FakeTeam, 'ada'>): Promise<string> {
  const token = { name: 'Ada', scope: 'write', projects: null };
  const hello = { name: 'argus', version: VERSION, protocol: { oldest: 1, newest: 1 }, recipe: 'r', token };
  const http = createServer(async (request, response) => {
    if (request.url === '/v1/hello') {
      response.end(JSON.stringify({ ...hello, ...pretended.greeting }));
      return;
    }
    let body = '';
    for await (const part of request) body += part;
    pretended.asked.push(JSON.parse(body).method);
    pretended.answer(response, request);
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const { port } = http.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Answers with a status and a JSON body. */
export function jsonAnswer(status: number, body: unknown): FakeTeam['answer'] {
  return (response) => void response.writeHead(status).end(JSON.stringify(body));
}
