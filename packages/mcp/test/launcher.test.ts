/**
 * Tests which messages the launcher answers itself. tests/e2e/protocol/surface.test.ts compares its answers with the
 * server's answers.
 */

import { expect, test } from 'vitest';
import { RecordedAnswerer } from '../src/launcher.ts';

const RECORDED_START = {
  versions: ['2025-11-25', '2025-06-18'],
  legacy: { initialize: { serverInfo: 'argus' }, ping: {}, 'tools/list': { tools: ['old'] } },
  modern: { version: '2026-07-28', results: { 'server/discover': { d: 1 }, 'tools/list': { tools: ['new'] } } },
};

const clientInfo = { name: 'client', version: '1' };
const initializeRequest = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
};
const createEnvelope = (claims: object = {}) => ({
  _meta: Object.fromEntries(
    Object.entries({ protocolVersion: '2026-07-28', clientInfo, clientCapabilities: {}, ...claims }).map(([k, v]) => [
      `io.modelcontextprotocol/${k}`,
      v,
    ]),
  ),
});
const legacyListRequest = { method: 'tools/list' };
const modernListRequest = { method: 'tools/list', params: createEnvelope() };
const discoverRequest = { method: 'server/discover', params: createEnvelope() };

function readMessages(...messages: (object | string)[]) {
  const start = new RecordedAnswerer(RECORDED_START);
  const lines = messages.map((one, at) =>
    typeof one === 'string' ? one : JSON.stringify({ jsonrpc: '2.0', id: at, ...one }),
  );
  const answers = start.answerRequests(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  return { answers, needsServer: start.needsServer, answered: [...start.answered] };
}

test('answers the handshake, pings and lists of the 2025 protocol', () => {
  const initialized = { id: undefined, method: 'notifications/initialized' };
  expect(readMessages(initializeRequest, initialized, { method: 'ping' }, legacyListRequest)).toEqual({
    answers: [
      { jsonrpc: '2.0', id: 0, result: { protocolVersion: '2025-06-18', serverInfo: 'argus' } },
      { jsonrpc: '2.0', id: 2, result: {} },
      { jsonrpc: '2.0', id: 3, result: { tools: ['old'] } },
    ],
    needsServer: false,
    answered: [0, 2, 3],
  });
});

test('answers discovery and lists of the 2026 protocol', () => {
  const { answers, needsServer } = readMessages(discoverRequest, modernListRequest);
  expect(answers).toMatchObject([{ result: { d: 1 } }, { result: { tools: ['new'] } }]);
  expect(needsServer).toBe(false);
});

test('answers messages that arrive in parts', () => {
  const start = new RecordedAnswerer(RECORDED_START);
  const text = `${JSON.stringify({ jsonrpc: '2.0', id: 'é', ...initializeRequest })}\n`;
  const answers = [...Buffer.from(text)].flatMap((byte) => start.answerRequests(Buffer.from([byte])));
  expect(answers).toMatchObject([{ id: 'é', result: { serverInfo: 'argus' } }]);
});

const { capabilities: _, ...incomplete } = initializeRequest.params;
test.each<[name: string, answers: number, messages: (object | string)[]]>([
  ['a tool call', 1, [initializeRequest, { method: 'tools/call', params: { name: 'argus_init' } }]],
  ['a list before the handshake', 0, [legacyListRequest]],
  ['another page of a list', 1, [initializeRequest, { ...legacyListRequest, params: { cursor: 'x' } }]],
  [
    'a version that it does not know',
    0,
    [{ ...initializeRequest, params: { ...initializeRequest.params, protocolVersion: '1' } }],
  ],
  ['an incomplete handshake', 0, [{ ...initializeRequest, params: incomplete }]],
  ['a second handshake', 1, [initializeRequest, initializeRequest]],
  ['a message of the other era', 1, [initializeRequest, modernListRequest]],
  ['a handshake after a message of the other era', 1, [discoverRequest, initializeRequest]],
  ['an envelope with another key', 0, [{ ...modernListRequest, params: createEnvelope({ logLevel: 'debug' }) }]],
  [
    'an envelope with a wrong capability',
    0,
    [{ ...modernListRequest, params: createEnvelope({ clientCapabilities: { x: 1 } }) }],
  ],
  [
    'an id that was used',
    1,
    [
      { ...initializeRequest, id: 1 },
      { ...legacyListRequest, id: 1 },
    ],
  ],
  ['a message without an id', 0, [{ ...initializeRequest, id: undefined }]],
  ['invalid JSON', 0, ['no json']],
  ['a batch', 0, [[{ jsonrpc: '2.0', id: 1, ...initializeRequest }]]],
  ['a message after a waiting message', 0, ['no json', initializeRequest]],
])('leaves %s to the server', (_name, count, messages) => {
  const { answers, needsServer } = readMessages(...messages);
  expect({ count: answers.length, needsServer }).toEqual({ count, needsServer: true });
});

test('passes a long message to the server before the message ends', () => {
  const start = new RecordedAnswerer(RECORDED_START);
  expect(start.answerRequests(Buffer.alloc(100_000, '{'))).toEqual([]);
  expect(start.needsServer).toBe(true);
});

test('needs the server if no start was recorded', () => {
  expect(new RecordedAnswerer(undefined).needsServer).toBe(true);
});
