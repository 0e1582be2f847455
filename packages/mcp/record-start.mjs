/**
 * Records the answers of a server to the requests at its start, for the launcher (src/launcher.ts). The build records
 * the built server. A test checks that the server that runs from the sources gives the same answers.
 */

import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const METHOD_NOT_FOUND = -32601;
const MODERN = '2026-07-28';
const CLIENT = { name: 'argus-build', version: '1.0.0' };

/**
 * `connect` starts a server and returns `ask`, which sends a message and resolves with the answer to it, and `close`.
 * Each connection serves one protocol era.
 */
export async function recordStart(connect) {
  const versions = [];
  let legacy = {};
  for (const version of SUPPORTED_PROTOCOL_VERSIONS) {
    const { ask, close } = await connect();
    const { protocolVersion, ...initialize } = await ask('initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: CLIENT,
    });
    if (protocolVersion === version) versions.push(version);
    if (versions.length === 1) legacy = { initialize, ping: {}, ...(await all(LISTS, (method) => ask(method))) };
    await close();
  }
  const { ask, close } = await connect();
  const _meta = Object.fromEntries(
    Object.entries({ protocolVersion: MODERN, clientInfo: CLIENT, clientCapabilities: {} }).map(([key, value]) => [
      `io.modelcontextprotocol/${key}`,
      value,
    ]),
  );
  const results = await all(['server/discover', ...LISTS], (method) => ask(method, { _meta }));
  await close();
  return { versions, legacy, modern: { version: MODERN, results } };
}

/** A method without a result is left out, so the server itself answers it. */
async function all(methods, ask) {
  const results = {};
  for (const method of methods) results[method] = await ask(method);
  return results;
}

/** Numbers the requests that `send` sends, and gives the results by `receive`. */
export function asking(send) {
  const waiting = new Map();
  return {
    ask(method, params) {
      const id = waiting.size + 1;
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
      send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
      return answer;
    },
    receive({ id, result, error }) {
      const { resolve, reject } = waiting.get(id);
      if (error === undefined) resolve(result);
      else if (error.code === METHOD_NOT_FOUND) resolve(undefined);
      else reject(new Error(JSON.stringify(error)));
    },
  };
}
