/** Calls the handlers of the tools in this process for a single project, with an `execute` that a test provides. */

import { SessionManager } from '../../packages/mcp/src/sessions/session-manager.ts';
import { type ProgramIo, withIo } from '../../packages/mcp/src/system/io.ts';
import { handleDiagnose } from '../../packages/mcp/src/tools/diagnose.ts';
import { handleHistory } from '../../packages/mcp/src/tools/history.ts';
import { handleInit } from '../../packages/mcp/src/tools/init.ts';
import { handleReportFix } from '../../packages/mcp/src/tools/report-fix.ts';
import { handleRun } from '../../packages/mcp/src/tools/run.ts';
import { handleTests } from '../../packages/mcp/src/tools/tests.ts';
import type { Execute } from './play.ts';
import type { Chunk } from './recording.ts';

type Params<Handle extends (...args: never[]) => unknown> = Omit<Parameters<Handle>[0], 'projectPath'>;

export class ToolCaller {
  readonly root: string;
  readonly env: Record<string, string>;
  /** The output of the last run that a person sees. */
  shown: Chunk[] = [];
  readonly #execute: Execute;
  readonly #sessions = new SessionManager();

  constructor(root: string, env: Record<string, string>, execute: Execute) {
    this.root = root;
    this.env = env;
    this.#execute = execute;
  }

  init() {
    return this.#call(() => handleInit(this.#given({}), this.#sessions));
  }

  run(params: Params<typeof handleRun> = {}) {
    this.shown = [];
    const onOutput = (text: string, stream: 'stdout' | 'stderr') => void this.shown.push([stream, text]);
    const watcher = { onOutput, execute: this.#execute };
    return this.#call(() => handleRun(this.#given(params), this.#sessions, watcher));
  }

  async runs() {
    const answer = await this.#call(() => handleHistory(this.#given({}), this.#sessions));
    return 'runs' in answer ? answer.runs : [];
  }

  async cases(runId: string) {
    const answer = await this.#call(() => handleHistory(this.#given({ runId }), this.#sessions));
    return 'cases' in answer ? answer.cases : [];
  }

  diagnose(params: Params<typeof handleDiagnose>) {
    return this.#call(() => handleDiagnose(this.#given(params), this.#sessions));
  }

  reportFix(params: Params<typeof handleReportFix>) {
    return this.#call(() => handleReportFix(this.#given(params), this.#sessions));
  }

  tests(params: Params<typeof handleTests>) {
    return this.#call(() => handleTests(this.#given(params), this.#sessions));
  }

  close(): Promise<void> {
    return this.#call(() => this.#sessions.closeAll());
  }

  #given<T extends object>(params: T): T & { projectPath: string } {
    return { ...params, projectPath: this.root };
  }

  #call<T>(work: () => T): T {
    const { stdin, stdout, stderr } = process;
    const own: ProgramIo = {
      ...{ stdin, stdout, stderr, env: this.env, isInteractive: false, program: '', exitCode: undefined },
      cwd: () => this.root,
      now: Date.now,
      exit: (code) => {
        throw new Error(`the program ended with ${code}`);
      },
      onceSignal: () => {},
    };
    return withIo(own, work);
  }
}
