// A minimal client that speaks MCP over stdio (newline-delimited JSON-RPC). It validates nothing, because a benchmark
// must not measure its own client.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const PROTOCOL = '2025-06-18';

export class StdioClient {
  #child;
  #waiting = new Map();
  #next = 1;

  constructor(command, args, options = {}) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], ...options });
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#answer(JSON.parse(line)));
  }

  #answer(message) {
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }

  async request(method, params = {}) {
    const id = this.#next;
    this.#next += 1;
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#send({ jsonrpc: '2.0', id, method, params });
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async initialize() {
    const clientInfo = { name: 'bench', version: '1.0.0' };
    await this.request('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Returns the `data` of a tool's answer. */
  async call(name, args) {
    const result = await this.request('tools/call', { name, arguments: args });
    if (result.isError) throw new Error(`${name}: ${result.content[0]?.text}`);
    return result.structuredContent.data;
  }

  async close() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    await ended;
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}
