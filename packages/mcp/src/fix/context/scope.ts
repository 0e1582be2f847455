/**
 * What all questions share: the project's files, git, and where in the project the error is.
 */

import type { GitArgs } from '../../git/git.ts';
import type { Asked } from '../../system/ask.ts';
import type { ProjectFiles } from './code/files.ts';
import type { EnclosingFunction } from './code/functions.ts';
import type { ContextRequest } from './context-model.ts';

export interface SourceLocation {
  /** Relative to the project. */
  file: string;
  /** From 1. */
  line: number;
  function: string | null;
  enclosing: EnclosingFunction | null;
  lines: string[];
  /** How it was found. */
  source: string;
  /** False: the words of the error were found there, no trace names it. */
  traced: boolean;
}

export interface Tested extends EnclosingFunction {
  file: string;
  lines: string[];
}

/** Something a question found that may be the cause, surest first. */
export interface Evidence {
  weight: number;
  /** Half a sentence after "when". */
  text: string;
}

export interface ContextScope {
  request: ContextRequest;
  /** Before a part of a text is shown: a secret of several lines is not known by its middle. */
  redact: (text: string) => string;
  files: ProjectFiles;
  /** For what needs no repository. */
  runGit: RunGit;
  /** Null where there is no repository; `noGit` says why. */
  git: RunGit | null;
  noGit: string;
  /** Null: no line of the project is known to be involved. */
  place: SourceLocation | null;
  /** Where that line is a test's: the function of the project that it calls. */
  tested: Tested | null;
  evidence: Evidence[];
}

export type RunGit = (args: GitArgs) => Promise<Asked>;
