/**
 * Types of the fix loop's questions about an error, and of the answers. gather-context.ts answers the questions. All
 * questions share a `ContextScope`: the project's files, git, and the location of the error in the project.
 */

import type { Config } from '../../config/schema.ts';
import type { GitArgs } from '../../git/git.ts';
import type { ProgramResult } from '../../system/programs.ts';
import type { ProjectFiles } from './code/project-files.ts';

export type Layer = 'Error Context' | 'Code Context' | 'Environment Context' | 'Historical Context';

export interface Answer {
  number: number;
  layer: Layer;
  question: string;
  /** Null if the answer is not known. Then `why_not` has the reason. */
  answer: string | null;
  why_not: string | null;
  /** The program or file that the answer comes from. */
  source: string | null;
}

/** A line of a stack trace. */
export interface StackFrame {
  file: string;
  line?: number | null | undefined;
  column?: number | null | undefined;
  function?: string | null | undefined;
}

/** The part of the engine's analysis that the questions need. Its texts are redacted. */
interface AnalyzedError {
  error_type: string;
  category: string;
  headline: string;
  error_class?: string | undefined;
  location: StackFrame | null;
  frames?: readonly StackFrame[] | undefined;
  failing_tests?: readonly string[] | undefined;
}

export interface ContextRequest {
  /** Root of the project. Files outside are not read. */
  root: string;
  /** Output of the command, or a text that a user pasted. */
  errorText: string;
  error: AnalyzedError;
  /** The command that failed. Undefined if it is not known. */
  command?: string | undefined;
  /** The command that verifies a fix. */
  test?: string | undefined;
  namespace?: string | undefined;
  /** Time at which the memory first recorded this error. */
  firstSeen?: string | undefined;
  signal?: AbortSignal | undefined;
  config: Config;
  /** Removes secrets from a text. By default, uses the engine's rules and the patterns of the configuration. */
  redact?: ((text: string) => string) | undefined;
}

export interface FixContext {
  answers: Answer[];
  error_type: string;
  /** `file:line`, relative to the project. */
  location: string | null;
  function: string | null;
  /** `file:line function` of the frames in the project, the innermost first. */
  frames: string[];
  /** Diff of the uncommitted changes, cut to a limit. Null if nothing changed. */
  uncommitted: string | null;
  /** The most likely cause, as a clause that can follow "when". */
  hypothesis: string;
  /** For example `typescript 5`, `react 18`. */
  tech_stack: string[];
  /** For example `kubernetes (namespace shop)`, `docker`, `local`. */
  environment: string;
}

/** The answer to a question, or the reason why it is not known. */
export type Finding = { answer: string; source: string } | { why_not: string };

export interface SourceLocation {
  /** Path relative to the project. */
  file: string;
  /** Counted from 1. */
  line: number;
  function: string | null;
  enclosing: EnclosingFunction | null;
  lines: string[];
  /** How the location was found, such as `stack trace`. */
  source: string;
  /** True if a stack trace names the location. False if it was found by searching for the words of the error. */
  traced: boolean;
}

export interface EnclosingFunction {
  name: string;
  /** Line of the header, counted from 1. */
  start: number;
  /** First line of the comment above the function, or of the header if there is no comment. */
  from: number;
  /** The header up to the body, on one line. */
  signature: string;
}

export interface TestedFunction extends EnclosingFunction {
  file: string;
  lines: string[];
}

/** A possible cause that a question found. The evidence with the highest weight is the most certain. */
interface Evidence {
  weight: number;
  /** A clause that can follow "when". */
  text: string;
}

export interface ContextScope {
  request: ContextRequest;
  /**
   * Removes secrets. Call it before a text is cut, because a secret that spans several lines cannot be recognized by
   * its middle.
   */
  redact: (text: string) => string;
  files: ProjectFiles;
  /** Runs git commands that need no repository. */
  runGit: RunGit;
  /** Runs git commands in the repository. Null outside of a repository; then `noGit` has the reason. */
  git: RunGit | null;
  noGit: string;
  /** Location of the error. Null if it is not known. */
  place: SourceLocation | null;
  /** If the location is in a test: the function of the project that the test calls. */
  tested: TestedFunction | null;
  evidence: Evidence[];
}

export type RunGit = (args: GitArgs) => Promise<ProgramResult>;
