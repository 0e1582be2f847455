/** A loop as data: the machine-readable form of the reports, and the answers of the MCP tools. */

import type { EscalationReason, FixAttempt, FixResult, FixState, FixStep } from 'argus-engine';
import { truncateStart } from '../../text/markdown.ts';
import { removeInvisibleDeep } from '../../text/untrusted-text.ts';
import type { Answer } from '../context/gather-context.ts';
import type { ResearchFindings } from '../context/research.ts';
import {
  getLastError,
  type KnownSolution,
  type LoopRecord,
  type RestoreCommand,
  suggestNextSteps,
} from './loop-record.ts';

/** Version of the report data. */
const LOOP_VIEW_VERSION = 1;

/**
 * Limit for the output in an answer. The headline and the frames are separate fields, and the log has the complete
 * output.
 */
const MAX_OUTPUT_CHARACTERS = 4_000;

/** The state of a loop after its last attempt. */
export interface LoopView {
  loop: string;
  mode: FixState['mode'];
  status: FixState['status'];
  result: FixResult;
  attempt: number;
  max_attempts: number;
  exit_code: number | null;
  timed_out: boolean;
  duration_seconds: number | null;
  /** The field is not named `error`, because a failed call has a field `error`. */
  failure: FailureView | null;
  circuit: { state: string; threshold: number; same_in_a_row: number };
  approach: FixStep | null;
  reason: string;
  escalation: EscalationReason | null;
  known_solutions: KnownSolution[];
  lookup_id: string | null;
  context: Answer[];
  research_query: string | null;
  research: ResearchFindings | null;
  warnings: string[];
  state_file: string;
}

interface FailureView {
  type: string;
  /** `test`, `build`, `runtime`, `logs` or `k8s`. */
  source: string | null;
  class: string;
  because: string | null;
  category: string | null;
  hash: string | null;
  headline: string | null;
  location: string | null;
  /** A missing program, dependency or script, and the command that installs it. */
  missing: string | null;
  failing_tests: string[];
  output: string;
}

export function createLoopView(record: LoopRecord): LoopView {
  const { state, nextStep, insight, folder, notes, earlier } = record;
  const last = state.attempts.at(-1);
  return removeInvisibleDeep({
    loop: state.command_hash,
    mode: state.mode,
    status: state.status,
    result: nextStep.decision.result,
    attempt: last?.number ?? 0,
    max_attempts: state.max_attempts,
    exit_code: last?.exit_code ?? null,
    timed_out: last?.timed_out ?? false,
    duration_seconds: last?.duration_seconds ?? null,
    failure: createFailureView(record),
    circuit: {
      state: state.circuit_breaker.state,
      threshold: state.circuit_breaker.threshold,
      same_in_a_row: countEqualAtEnd(state.circuit_breaker.error_hashes),
    },
    approach: nextStep.decision.approach,
    reason: nextStep.decision.reason,
    escalation: state.escalation,
    known_solutions: nextStep.decision.is_over ? [] : (insight?.known ?? []),
    lookup_id: insight?.lookup_id ?? null,
    context: nextStep.decision.is_over ? [] : (insight?.context ?? []),
    research_query: insight?.query ?? null,
    research: insight?.findings ?? null,
    warnings: [...(earlier === null ? [] : [earlier]), ...nextStep.warnings.map(({ text }) => text), ...notes],
    state_file: `${folder}/state.json`,
  });
}

/** The machine-readable form of the report. */
interface ReportData extends LoopView {
  version: number;
  command: string | null;
  desired: string;
  test: string | null;
  started: string;
  total_duration_seconds: number;
  attempts: FixAttempt[];
  pending_fix: FixState['pending_fix'];
  stated_reason: string | null;
  verified_by: string | null;
  suggested_next_steps: string[];
  research_sources: string[];
  going_back: RestoreCommand[];
  raw_output: string;
}

export function createReportData(record: LoopRecord): ReportData {
  const { state, sources, goingBack, output, insight } = record;
  return removeInvisibleDeep({
    version: LOOP_VIEW_VERSION,
    ...createLoopView(record),
    context: insight?.context ?? [],
    command: state.command,
    desired: state.desired,
    test: state.test,
    started: state.started,
    total_duration_seconds: state.attempts.reduce((sum, attempt) => sum + attempt.duration_seconds, 0),
    attempts: state.attempts,
    pending_fix: state.pending_fix,
    stated_reason: state.stated_reason,
    verified_by: state.verified_by,
    suggested_next_steps: state.status === 'success' ? [] : suggestNextSteps(record),
    research_sources: sources,
    going_back: goingBack,
    raw_output: output,
  });
}

/** Returns null if the last run succeeded. */
function createFailureView({ state, insight, output }: LoopRecord): FailureView | null {
  const error = getLastError(state);
  if (error === null || state.status === 'success' || state.status === 'suspicious') return null;
  const { location } = error;
  return {
    type: error.error_type ?? 'unknown',
    source: state.host.error_source ?? null,
    class: error.error_class ?? 'fixable',
    because: error.class_because,
    category: error.category,
    hash: error.error_hash,
    headline: error.headline,
    location: insight?.location ?? (location === null ? null : formatLocation(location.file, location.line)),
    missing: insight?.missing ?? null,
    failing_tests: insight?.error.failing_tests ?? [],
    output: truncateStart(insight?.error.text || output, MAX_OUTPUT_CHARACTERS),
  };
}

function formatLocation(file: string, line: number | null): string {
  return line === null ? file : `${file}:${line}`;
}

function countEqualAtEnd(hashes: readonly string[]): number {
  const last = hashes.at(-1);
  const different = hashes.findLastIndex((hash) => hash !== last);
  return last === undefined ? 0 : hashes.length - 1 - different;
}
