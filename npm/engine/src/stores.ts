/** Two stores on top of an engine, with the names that tools usually use: recorded runs and known failures. */

import type { Engine } from './engine.ts';
import { EngineError } from './errors.ts';
import type {
  FailureCategory,
  FailurePattern,
  FixRecord,
  HistoryParams,
  HistoryResult,
  PatternsParams,
  RecordFixParams,
  RunDetail,
  RunRecord,
} from './generated/contract.ts';

/** Maximum number of entries that a call returns. */
const PAGE_SIZE = 200;

/** Recorded runs. */
export class HistoryStore {
  readonly #engine: Pick<Engine, 'history' | 'runDetail'>;

  constructor(engine: Pick<Engine, 'history' | 'runDetail'>) {
    this.#engine = engine;
  }

  /** Returns a run with its first hundred cases, failed cases first, or null if the run does not exist. */
  async getRunById(runId: string): Promise<RunDetail | null> {
    return returnNullOn('RUN_NOT_FOUND', this.#engine.runDetail({ runId }));
  }

  /** Returns runs, newest first. */
  async listRuns(params: HistoryParams = {}): Promise<HistoryResult> {
    return this.#engine.history(params);
  }

  /** Returns the newest run, or null if there are no runs. */
  async getLatestRun(): Promise<RunRecord | null> {
    const { runs } = await this.#engine.history({ limit: 1 });
    return runs[0] ?? null;
  }
}

/** Known failures and their fixes. */
export class KnowledgeStore {
  readonly #engine: Pick<Engine, 'patterns' | 'pattern' | 'findBySignature' | 'recordFix'>;

  constructor(engine: Pick<Engine, 'patterns' | 'pattern' | 'findBySignature' | 'recordFix'>) {
    this.#engine = engine;
  }

  /** Returns the pattern with exactly this signature, or null. */
  async findBySignature(signature: string): Promise<FailurePattern | null> {
    return this.#engine.findBySignature({ signature });
  }

  /** Returns all patterns of a category, most frequent first. */
  async findByCategory(category: FailureCategory): Promise<FailurePattern[]> {
    return this.#all({ category });
  }

  /** Returns all patterns, most frequent first. */
  async getAllPatterns(): Promise<FailurePattern[]> {
    return this.#all({});
  }

  /** Returns the pattern with this id, or null. */
  async getPatternById(patternId: string): Promise<FailurePattern | null> {
    const detail = await returnNullOn('PATTERN_NOT_FOUND', this.#engine.pattern({ id: patternId }));
    return detail?.pattern ?? null;
  }

  /** Records a fix for a pattern and updates its counts. */
  async recordFix(params: RecordFixParams): Promise<FixRecord> {
    return this.#engine.recordFix(params);
  }

  /** Returns the newest fixes of a pattern, at most a hundred. */
  async getFixHistory(patternId: string): Promise<FixRecord[]> {
    return (await this.#engine.pattern({ id: patternId })).fixHistory;
  }

  async #all(filter: PatternsParams): Promise<FailurePattern[]> {
    const found: FailurePattern[] = [];
    for (;;) {
      const page = await this.#engine.patterns({ ...filter, limit: PAGE_SIZE, offset: found.length });
      found.push(...page.patterns);
      if (!page.hasMore) return found;
    }
  }
}

async function returnNullOn<T>(code: EngineError['code'], call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EngineError && error.code === code) return null;
    throw error;
  }
}
