/**
 * Starts the MCP server. The start must be fast: some hosts wait only 250 ms, and some start a server only to list its
 * tools. So this file imports nothing. It answers the handshake and the lists from a file, which the build recorded
 * from the real server, and loads the server afterwards. All other requests wait for the server. Later, the server gets
 * every message in order. If it answers a request that was already answered, its answer is dropped.
 */

import type { Readable } from 'node:stream';

/** The id of a JSON-RPC request. */
export type RequestId = string | number;

/** Starts the server on an input. Its answers to the requests in `answered` are dropped. */
export type ServerStarter = (input: Readable, answered: Set<RequestId>) => void;

/** The server's answers to requests whose answers never change, as `record-start.mjs` wrote them. */
export interface RecordedStart {
  /** Protocol versions for which the answer of `initialize` contains the same version. */
  versions: string[];
  /** Results by method. */
  legacy: Record<string, object>;
  /** Results by method, for the protocol revision with an envelope in each request. */
  modern: { version: string; results: Record<string, object> };
}

type Fields = Record<string, unknown>;

/** If the client sends nothing for this time, the server is loaded, so that it is ready for the first tool call. */
const MAX_IDLE_MS = 100;

/** A longer message is not part of the handshake, so the server handles it. */
const MAX_LINE_BYTES = 64 * 1024;

const ENVELOPE_PREFIX = 'io.modelcontextprotocol/';

/**
 * Serves a client on stdin and stdout. `recorded` is the file with the recorded answers. Without the file, all requests
 * wait for the server.
 */
export function launchServer(recorded: string, load: () => Promise<ServerStarter>): void {
  const { PassThrough } = process.getBuiltinModule('node:stream');
  const { stdin, stdout } = process;
  const start = new RecordedAnswerer(readRecordedStart(recorded));
  const input = new PassThrough();
  const exit = () => process.exit(0);
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  let quiet: NodeJS.Timeout | undefined;
  let isLoading = false;
  const loadServer = async () => {
    isLoading = true;
    const serve = await load();
    stdin.off('data', read);
    stdout.off('error', exit);
    for (const signal of signals) process.off(signal, exit);
    serve(input, start.answered);
    stdin.pipe(input, { end: false });
  };
  const read = (bytes: Buffer) => {
    input.write(bytes);
    for (const answer of start.answerRequests(bytes)) stdout.write(`${JSON.stringify(answer)}\n`);
    if (isLoading) return;
    clearTimeout(quiet);
    if (start.needsServer) loadServer();
    else quiet = setTimeout(loadServer, MAX_IDLE_MS);
  };
  const end = () => {
    if (!isLoading) exit();
    input.end();
  };
  stdin.on('data', read);
  for (const event of ['end', 'close', 'error']) stdin.once(event, end);
  stdout.on('error', exit);
  for (const signal of signals) process.on(signal, exit);
}

function readRecordedStart(file: string): RecordedStart | undefined {
  try {
    return JSON.parse(process.getBuiltinModule('node:fs').readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Answers the messages of a client from the recorded start, as far as possible. */
export class RecordedAnswerer {
  readonly answered = new Set<RequestId>();
  /** True after a message that only the server can answer. */
  needsServer: boolean;
  readonly #recorded: RecordedStart | undefined;
  #era: 'legacy' | 'modern' | undefined;
  #rest: Buffer = Buffer.alloc(0);

  constructor(recorded: RecordedStart | undefined) {
    this.#recorded = recorded;
    this.needsServer = recorded === undefined;
  }

  /** Returns the answers to the requests in these bytes. */
  answerRequests(bytes: Buffer): object[] {
    if (this.needsServer) return [];
    const lines: string[] = [];
    let text = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (let end = text.indexOf(10); end !== -1; end = text.indexOf(10)) {
      lines.push(text.toString('utf8', 0, end));
      text = text.subarray(end + 1);
    }
    this.#rest = text;
    const answers = lines.flatMap((line) => this.#answerLine(line));
    this.needsServer ||= text.length > MAX_LINE_BYTES;
    return answers;
  }

  #answerLine(line: string): object[] {
    const message = this.needsServer ? undefined : toJsonObject(tryParse(line));
    if (message?.jsonrpc !== '2.0' || typeof message.method !== 'string') {
      this.needsServer = true;
      return [];
    }
    const { id, method } = message;
    // The server gets notifications later, in order.
    if (id === undefined && method.startsWith('notifications/')) return [];
    const result = isId(id) && !this.answered.has(id) ? this.#findResult(method, message.params ?? {}) : undefined;
    if (result === undefined || !isId(id)) {
      this.needsServer = true;
      return [];
    }
    this.answered.add(id);
    return [{ result, jsonrpc: '2.0', id }];
  }

  /**
   * Returns the recorded result. Returns undefined for everything that is not certain, so that the server decides about
   * errors.
   */
  #findResult(method: string, params: unknown): object | undefined {
    const fields = toJsonObject(params);
    const recorded = this.#recorded;
    if (fields === undefined || recorded === undefined) return undefined;
    if (method === 'initialize') return this.#createInitializeResult(recorded, fields);
    const { _meta: meta, ...others } = fields;
    if (Object.keys(others).length > 0) return undefined;
    if (this.#era === 'legacy') return meta === undefined ? recorded.legacy[method] : undefined;
    if (!isEnvelope(toJsonObject(meta), recorded.modern.version)) return undefined;
    this.#era = 'modern';
    return recorded.modern.results[method];
  }

  #createInitializeResult({ versions, legacy }: RecordedStart, params: Fields): object | undefined {
    const { protocolVersion: version, capabilities, clientInfo, _meta: meta } = params;
    const isPlain = toJsonObject(capabilities) !== undefined && isClient(clientInfo) && meta === undefined;
    if (this.#era !== undefined || !isPlain || !versions.some((known) => known === version)) return undefined;
    this.#era = 'legacy';
    return { protocolVersion: version, ...legacy.initialize };
  }
}

/** True if the envelope has exactly the known keys. Other keys may be invalid, so the server decides about them. */
function isEnvelope(meta: Fields | undefined, version: string): boolean {
  const { progressToken: _, ...claims } = meta ?? {};
  const isKnown = Object.keys(claims).length === 3 && claims[`${ENVELOPE_PREFIX}protocolVersion`] === version;
  return (
    isKnown &&
    isClient(claims[`${ENVELOPE_PREFIX}clientInfo`]) &&
    areCapabilities(claims[`${ENVELOPE_PREFIX}clientCapabilities`])
  );
}

/** True if all capabilities are objects. The server reads their content when it gets the message. */
function areCapabilities(value: unknown): boolean {
  const fields = toJsonObject(value);
  return fields !== undefined && Object.values(fields).every((one) => toJsonObject(one) !== undefined);
}

function isClient(value: unknown): boolean {
  const { name, version } = toJsonObject(value) ?? {};
  return typeof name === 'string' && typeof version === 'string';
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isInteger(id);
}

function toJsonObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
