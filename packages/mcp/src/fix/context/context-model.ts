/**
 * What the fix loop asks about an error and what it is told: the form of the questions and their answers. Answering
 * them: gather-context.ts.
 */

import type { Config } from '../../config/schema.ts';

export type Layer = 'Error Context' | 'Code Context' | 'Environment Context' | 'Historical Context';

export interface Answer {
  number: number;
  layer: Layer;
  question: string;
  /** Null: not known, and `why_not` says why. */
  answer: string | null;
  why_not: string | null;
  /** The program or file it came from. */
  source: string | null;
}

/** A line of a stack trace. */
export interface Frame {
  file: string;
  line?: number | null | undefined;
  column?: number | null | undefined;
  function?: string | null | undefined;
}

/** Of what the engine understood, as much as the questions need; its texts are redacted. */
export interface ErrorFacts {
  error_type: string;
  category: string;
  headline: string;
  error_class?: string | undefined;
  location: Frame | null;
  frames?: readonly Frame[] | undefined;
  failing_tests?: readonly string[] | undefined;
}

export interface ContextRequest {
  /** Nothing outside it is read. */
  root: string;
  /** What the command printed, or what was pasted. */
  errorText: string;
  error: ErrorFacts;
  /** The command that failed, where it is known. */
  command?: string | undefined;
  /** The command that verifies a fix. */
  test?: string | undefined;
  namespace?: string | undefined;
  /** What the memory of runs says of when this error came first. */
  firstSeen?: string | undefined;
  signal?: AbortSignal | undefined;
  config: Config;
  /** Takes secrets out of a text; default: the engine's own rules and the configuration's. */
  redact?: ((text: string) => string) | undefined;
}

export interface FixContext {
  answers: Answer[];
  error_type: string;
  /** `file:line`, relative to the project. */
  location: string | null;
  function: string | null;
  /** `file:line function`, of the project's own frames, innermost first. */
  frames: string[];
  /** The diff of what is not committed, cut; null where nothing is. */
  uncommitted: string | null;
  /** The most likely cause the answers give, as half a sentence after "when". */
  hypothesis: string;
  /** `typescript 5`, `react 18`, ... */
  tech_stack: string[];
  /** `kubernetes (namespace shop)`, `docker`, `local`. */
  environment: string;
}

/** What one question came to. */
export type Finding = { answer: string; source: string } | { why_not: string };
