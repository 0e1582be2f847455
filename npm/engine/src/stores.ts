/**
 * The contract's vocabulary for tooling: what is stored, as two stores over one engine.
 */

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

/** The most that one call of the engine lists. */
const PAGE_SIZE = 200;

/** Recorded runs. */
export class HistoryStore {
  readonly #engine: Pick<Engine, 'history' | 'runDetail'>;

  constructor(engine: Pick<Engine, 'history' | 'runDetail'>) {
    this.#engine = engine;
  }

  /** The run with its first hundred cases, failed ones first; null when there is no such run. */
  async getRunById(runId: string): Promise<RunDetail | null> {
    return orNull('RUN_NOT_FOUND', this.#engine.runDetail({ runId }));
  }

  /** Runs, newest first. */
  async listRuns(params: HistoryParams = {}): Promise<HistoryResult> {
    return this.#engine.history(params);
  }

  /** The newest run; null when there is none. */
  async getLatestRun(): Promise<RunRecord | null> {
    const { runs } = await this.#engine.history({ limit: 1 });
    return runs[0] ?? null;
  }
}

/** Known failures and what was tried against them. */
export class KnowledgeStore {
  readonly #engine: Pick<Engine, 'patterns' | 'pattern' | 'findBySignature' | 'recordFix'>;

  constructor(engine: Pick<Engine, 'patterns' | 'pattern' | 'findBySignature' | 'recordFix'>) {
    this.#engine = engine;
  }

  /** The pattern of an exact signature. */
  async findBySignature(signature: string): Promise<FailurePattern | null> {
    return this.#engine.findBySignature({ signature });
  }

  /** All patterns of a category, most frequent first. */
  async findByCategory(category: FailureCategory): Promise<FailurePattern[]> {
    return this.#all({ category });
  }

  /** All patterns, most frequent first. */
  async getAllPatterns(): Promise<FailurePattern[]> {
    return this.#all({});
  }

  /** One pattern; null when there is none of this id. */
  async getPatternById(patternId: string): Promise<FailurePattern | null> {
    const detail = await orNull('PATTERN_NOT_FOUND', this.#engine.pattern({ id: patternId }));
    return detail?.pattern ?? null;
  }

  /** Records a fix on a pattern, and counts it. */
  async recordFix(params: RecordFixParams): Promise<FixRecord> {
    return this.#engine.recordFix(params);
  }

  /** What was tried, newest first, at most a hundred. */
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

async function orNull<T>(code: EngineError['code'], call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EngineError && error.code === code) return null;
    throw error;
  }
}
