/** One project in the product, called in process: the handlers of the tools, with a command that a test plays. */

import { Readable, Writable } from 'node:stream';
import type { execute } from '../../packages/mcp/src/run/execute.ts';
import { SessionManager } from '../../packages/mcp/src/sessions/session-manager.ts';
import { type ProgramIo, withIo } from '../../packages/mcp/src/system/io.ts';
import { handleDiagnose } from '../../packages/mcp/src/tools/failures/diagnose.ts';
import { handleHistory } from '../../packages/mcp/src/tools/failures/history.ts';
import { handleInit } from '../../packages/mcp/src/tools/failures/init.ts';
import { handleReportFix } from '../../packages/mcp/src/tools/failures/report-fix.ts';
import { handleRun } from '../../packages/mcp/src/tools/failures/run.ts';
import { handleTests } from '../../packages/mcp/src/tools/failures/tests.ts';
import type { Chunk } from './recording.ts';

type Env = Record<string, string>;
type Params<Handle extends (...args: never[]) => unknown> = Omit<Parameters<Handle>[0], 'projectPath'>;

export class Product {
  readonly root: string;
  /** What a person sees of the last run. */
  shown: Chunk[] = [];
  readonly env: Env;
  readonly #execute: typeof execute;
  readonly #sessions = new SessionManager();

  constructor(root: string, env: Env, play: typeof execute) {
    this.root = root;
    this.env = env;
    this.#execute = play;
  }

  init() {
    return this.#call(() => handleInit({ projectPath: this.root }, this.#sessions));
  }

  run(params: Params<typeof handleRun> = {}) {
    this.shown = [];
    const onOutput = (text: string, stream: 'stdout' | 'stderr') => void this.shown.push([stream, text]);
    const watcher = { onOutput, execute: this.#execute };
    return this.#call(() => handleRun({ projectPath: this.root, ...params }, this.#sessions, watcher));
  }

  async runs() {
    const answer = await this.#call(() => handleHistory({ projectPath: this.root }, this.#sessions));
    return 'runs' in answer ? answer.runs : [];
  }

  async cases(runId: string) {
    const answer = await this.#call(() => handleHistory({ projectPath: this.root, runId }, this.#sessions));
    return 'cases' in answer ? answer.cases : [];
  }

  diagnose(params: Params<typeof handleDiagnose>) {
    return this.#call(() => handleDiagnose({ projectPath: this.root, ...params }, this.#sessions));
  }

  reportFix(params: Params<typeof handleReportFix>) {
    return this.#call(() => handleReportFix({ projectPath: this.root, ...params }, this.#sessions));
  }

  tests(params: Params<typeof handleTests>) {
    return this.#call(() => handleTests({ projectPath: this.root, ...params }, this.#sessions));
  }

  close(): Promise<void> {
    return this.#call(() => this.#sessions.closeAll());
  }

  #call<T>(work: () => T): T {
    return withIo(ioOf(this.root, this.env), work);
  }
}

function ioOf(root: string, env: Env): ProgramIo {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    env,
    stdin: Readable.from([]),
    stdout: nowhere(),
    stderr: nowhere(),
    isInteractive: false,
    program: '',
    exitCode: undefined,
    cwd: () => root,
    now: () => Date.now(),
    exit(code) {
      throw new Error(`the program ended with ${code}`);
    },
    onceSignal() {},
  };
}
