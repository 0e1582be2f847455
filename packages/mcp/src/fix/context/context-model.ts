/**
 * Types of the fix loop's questions about an error and of their answers. gather-context.ts answers them.
 */

import type { Config } from '../../config/schema.ts';

export type Layer = 'Error Context' | 'Code Context' | 'Environment Context' | 'Historical Context';

export interface Answer {
  number: number;
  layer: Layer;
  question: string;
  /** Null if the answer is not known. `why_not` has the reason then. */
  answer: string | null;
  why_not: string | null;
  /** The program or file of the answer. */
  source: string | null;
}

/** A line of a stack trace. */
export interface Frame {
  file: string;
  line?: number | null | undefined;
  column?: number | null | undefined;
  function?: string | null | undefined;
}

/** The part of the engine's analysis that the questions need. Its texts are redacted. */
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
  /** Root of the project. Files outside are not read. */
  root: string;
  /** Output of the command, or text that a user pasted. */
  errorText: string;
  error: ErrorFacts;
  /** The command that failed. Undefined if it is not known. */
  command?: string | undefined;
  /** The command that verifies a fix. */
  test?: string | undefined;
  namespace?: string | undefined;
  /** First time of this error in the memory of runs. */
  firstSeen?: string | undefined;
  signal?: AbortSignal | undefined;
  config: Config;
  /** Removes secrets from a text. Default: the engine's rules and the configuration's patterns. */
  redact?: ((text: string) => string) | undefined;
}

export interface FixContext {
  answers: Answer[];
  error_type: string;
  /** `file:line`, relative to the project. */
  location: string | null;
  function: string | null;
  /** `file:line function` for frames in the project, the innermost first. */
  frames: string[];
  /** Diff of the uncommitted changes, cut to a limit. Null if there are none. */
  uncommitted: string | null;
  /** The most likely cause, as half a sentence that follows "when". */
  hypothesis: string;
  /** For example `typescript 5`, `react 18`. */
  tech_stack: string[];
  /** For example `kubernetes (namespace shop)`, `docker`, `local`. */
  environment: string;
}

/** The result of a question. */
export type Finding = { answer: string; source: string } | { why_not: string };
