/** One project's memory, on whatever platform. Does not: name a platform, or do more than pass calls on. */

import type {
  AddIncidentParams,
  AddIncidentResult,
  AddSolutionParams,
  AddSolutionResult,
  DiagnoseParams,
  DiagnosticResult,
  FailurePattern,
  FixRecord,
  HistoryParams,
  HistoryResult,
  IncidentDetail,
  Locale,
  MemoryExported,
  MemoryExportParams,
  MemoryImported,
  MemoryOptions,
  MemorySearched,
  MemorySearchParams,
  Overview,
  PatternDetail,
  PatternsParams,
  PatternsResult,
  RankedSolutionsParams,
  RankedSolutionsResult,
  RecordFixParams,
  RecordOutcomeParams,
  RecordOutcomeResult,
  RecordRunParams,
  ReportFixParams,
  ReportFixResult,
  Retention,
  RunDetail,
  RunDetailParams,
  RunResult,
  UserRule,
  UserSecret,
} from './generated/contract.ts';
import type { Log } from './host.ts';
import type { Runtime } from './runtime.ts';
import type { ViewMethod, ViewParams, ViewResult } from './viewer.ts';
import * as wasm from './wasm/argus_wasm.js';

/** How to open one project's memory. */
export interface OpenOptions {
  /** A file, made at the first write, or `:memory:`. Not on a network file system: their locks cannot be trusted. */
  readonly databasePath: string;
  /** Absolute, real path; case files are made relative to it. */
  readonly projectRoot: string;
  /** Language of built-in suggestions; the contract's own when none. */
  readonly locale?: Locale;
  readonly rules?: readonly UserRule[];
  readonly secrets?: readonly UserSecret[];
  readonly retention?: Retention;
  /** The other memory, searched too and whose ids resolve. Never made; a missing file reads as an empty one. */
  readonly besidePath?: string;
  /** Which memory `databasePath` is, and how it forgets. */
  readonly memory?: MemoryOptions;
  /** Nothing is ever written, and no file is made. */
  readonly readOnly?: boolean;
  /** Takes what a person looking for a cause would want to know. */
  readonly log?: Log;
}

/**
 * The engine's functions. Each is one transaction, or two where it looks something up first. Errors are `EngineError`.
 * A call may block for some seconds while another process writes.
 */
export class Engine {
  readonly #runtime: Runtime;
  readonly #options: OpenOptions;
  #current: { readonly generation: number; readonly wasm: wasm.WasmEngine } | undefined;
  #closed = false;

  /** Opens the database; a missing one stays missing until something is written. */
  constructor(runtime: Runtime, options: OpenOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#call(() => undefined);
  }

  /** How much is known. */
  async overview(): Promise<Overview> {
    return this.#call((engine) => engine.overview());
  }

  /** Records a finished run from its reports or, without any, from what the command printed. */
  async recordRun(params: RecordRunParams): Promise<RunResult> {
    return this.#call((engine) => engine.recordRun(params));
  }

  /** Runs, newest first. */
  async history(params: HistoryParams = {}): Promise<HistoryResult> {
    return this.#call((engine) => engine.history(params));
  }

  /** One run with its cases. */
  async runDetail(params: RunDetailParams): Promise<RunDetail> {
    return this.#call((engine) => engine.runDetail(params));
  }

  /** What a failure is and what fixed it before; counts it as met once more. */
  async diagnose(params: DiagnoseParams): Promise<DiagnosticResult> {
    return this.#call((engine) => engine.diagnose(params));
  }

  /** Whether a fix worked. */
  async reportFix(params: ReportFixParams): Promise<ReportFixResult> {
    return this.#call((engine) => engine.reportFix(params));
  }

  /** Records a fix straight on a pattern. */
  async recordFix(params: RecordFixParams): Promise<FixRecord> {
    return this.#call((engine) => engine.recordFix(params));
  }

  /** Patterns in the asked order. */
  async patterns(params: PatternsParams = {}): Promise<PatternsResult> {
    return this.#call((engine) => engine.patterns(params));
  }

  /** One pattern with its history. */
  async pattern(id: string): Promise<PatternDetail> {
    return this.#call((engine) => engine.pattern(id));
  }

  /** The pattern of an exact signature. */
  async findBySignature(signature: string): Promise<FailurePattern | null> {
    return this.#call((engine) => engine.findBySignature(signature));
  }

  /** What is known about a problem, and which solution to try first. Remembers the search. */
  async rankedSolutions(params: RankedSolutionsParams): Promise<RankedSolutionsResult> {
    return this.#call((engine) => engine.rankedSolutions(params));
  }

  /** Whether a solution worked. */
  async recordOutcome(params: RecordOutcomeParams): Promise<RecordOutcomeResult> {
    return this.#call((engine) => engine.recordOutcome(params));
  }

  /** Adds a solution to an incident, or to a pattern. */
  async addSolution(params: AddSolutionParams): Promise<AddSolutionResult> {
    return this.#call((engine) => engine.addSolution(params));
  }

  /** Adds an incident with its solution and outcome, unless one like it is there. */
  async addIncident(params: AddIncidentParams): Promise<AddIncidentResult> {
    return this.#call((engine) => engine.addIncident(params));
  }

  /** Takes in whole lines, one incident each; one transaction for all lines of a call, so a thousand are a good number. */
  async memoryImport(lines: string): Promise<MemoryImported> {
    return this.#call((engine) => engine.memoryImport(lines));
  }

  /** One page of all incidents with their solutions and outcomes, as an import takes them. */
  async memoryExport(params: MemoryExportParams = {}): Promise<MemoryExported> {
    return this.#call((engine) => engine.memoryExport(params));
  }

  /** Ids of the incidents that answer a text, best first. */
  async memorySearch(params: MemorySearchParams): Promise<MemorySearched> {
    return this.#call((engine) => engine.memorySearch(params));
  }

  /** One incident of either memory, with its solutions and what came of them. */
  async incident(id: string): Promise<IncidentDetail> {
    return this.#call((engine) => engine.incident(id));
  }

  /** One of the viewer's functions: what a person looks at or changes. A value that is undefined is none. */
  async view<M extends ViewMethod>(method: M, params: ViewParams<M>): Promise<ViewResult<M>> {
    const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
    return this.#call((engine) => engine.view(method, given));
  }

  /** Ids that begin so, newest first, at most a hundred. */
  async completeIds(kind: 'run' | 'pattern' | 'incident', prefix: string): Promise<string[]> {
    return this.#call((engine) => engine.completeIds(kind, prefix));
  }

  /** Writes a copy of the database as it is now; the path must be free. Others can read meanwhile, writers wait. */
  async snapshot(path: string): Promise<void> {
    this.#call((engine) => engine.snapshot(path));
  }

  /** Rejects with the reason if nothing can be stored. */
  async checkWrite(): Promise<void> {
    this.#call((engine) => engine.checkWrite());
  }

  /** Closes the database. The engine cannot be used afterwards; closing twice is fine. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const current = this.#current;
    this.#current = undefined;
    if (current?.generation !== this.#runtime.generation) return;
    this.#runtime.call(this.#options.log, () => current.wasm.free());
  }

  #call<T>(work: (engine: wasm.WasmEngine) => T): T {
    if (this.#closed) throw new Error('the engine was closed');
    return this.#runtime.call(this.#options.log, () => work(this.#open()));
  }

  /** After a trap there is a new instance, and the file is opened again there. */
  #open(): wasm.WasmEngine {
    if (this.#current?.generation === this.#runtime.generation) return this.#current.wasm;
    if (this.#current !== undefined) this.#options.log?.(`engine: opening ${this.#options.databasePath} again`);
    const { databasePath, projectRoot, locale, rules, secrets, retention, besidePath, memory, readOnly } =
      this.#options;
    const engine = new wasm.WasmEngine({
      databasePath,
      projectRoot,
      readOnly: readOnly ?? false,
      locale: locale ?? 'zh',
      rules: rules ?? [],
      secrets: secrets ?? [],
      retention: retention ?? {},
      besidePath,
      memory: memory ?? {},
    });
    this.#current = { generation: this.#runtime.generation, wasm: engine };
    return engine;
  }
}
