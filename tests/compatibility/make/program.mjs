// Runs the program: its MCP server, its command line and its servers, with a clock that the script sets.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const CLOCK = new URL('clock.mjs', import.meta.url).href;

/** A user with a separate home folder. */
export class User {
  #program;
  #clock;
  #env;
  now;

  constructor({ program, folder, clock, env = {} }) {
    this.#program = program;
    this.#clock = clock;
    const data = join(folder, 'data');
    mkdirSync(data, { recursive: true });
    const keep = /^(?:PATH|TMPDIR|LANG)$/;
    this.#env = {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => keep.test(name))),
      HOME: folder,
      XDG_DATA_HOME: data,
      LC_ALL: 'en_US.UTF-8',
      NO_COLOR: '1',
      NODE_OPTIONS: `--import ${CLOCK}`,
      COMPATIBILITY_CLOCK: clock.file,
      GIT_CONFIG_GLOBAL: '/dev/null',
      ARGUS_LOG_DIR: join(folder, 'logs'),
      ...env,
    };
  }

  /** Sets a variable for processes that start later. */
  setEnv(name, value) {
    this.#env[name] = value;
  }

  /** Runs a command and throws unless its exit code is one of `codes`. */
  run(args, { cwd, input, codes = [0, 1], env = {} } = {}) {
    const options = { cwd, input, env: { ...this.#env, ...env }, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.#program, ...args], options);
    if (!codes.includes(status)) throw new Error(`argus ${args.join(' ')}: ${status}: ${stderr}${stdout}`);
    return { status, stdout, stderr };
  }

  /** Starts the MCP server. `call` answers the data of a tool or throws its error. */
  async agent(cwd) {
    const client = new Client({ name: 'compatibility', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const transport = { command: process.execPath, args: [this.#program], env: this.#env, cwd, stderr: 'ignore' };
    await client.connect(new StdioClientTransport(transport));
    const call = async (tool, args) => {
      this.#clock.tick();
      const { content, isError } = await client.callTool({ name: tool, arguments: args }, { timeout: 600_000 });
      const answer = JSON.parse(content[0].text);
      if (isError || answer.success === false)
        throw new Error(`${tool} ${JSON.stringify(args).slice(0, 400)}: ${JSON.stringify(answer.error)}`);
      return answer.success ? answer.data : answer;
    };
    return { call, close: () => client.close() };
  }

  /** Starts a command that runs until `stop`, and waits for its first line. */
  async start(args, cwd) {
    const child = spawn(process.execPath, [this.#program, ...args], {
      cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const stop = async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    };
    return { line: String(line), stop };
  }
}

/** The time of all programs of one history. */
export class Clock {
  #now;
  file;

  constructor(file, start) {
    this.file = file;
    this.set(start);
  }

  get now() {
    return this.#now;
  }

  set(now) {
    this.#now = now;
    writeFileSync(this.file, String(now));
  }

  advance(milliseconds) {
    this.set(this.#now + milliseconds);
  }

  /** Advances by a few seconds, so that no two calls have the same time. */
  tick() {
    this.advance(3_000);
  }
}
