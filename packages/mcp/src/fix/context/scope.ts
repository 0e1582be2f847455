/**
 * Shared data of all questions: the project's files, git, and the place of the error in the project.
 */

import type { GitArgs } from '../../git/git.ts';
import type { Asked } from '../../system/ask.ts';
import type { ProjectFiles } from './code/files.ts';
import type { EnclosingFunction } from './code/functions.ts';
import type { ContextRequest } from './context-model.ts';

export interface SourceLocation {
  /** Path relative to the project. */
  file: string;
  /** Counted from 1. */
  line: number;
  function: string | null;
  enclosing: EnclosingFunction | null;
  lines: string[];
  /** How the place was found. */
  source: string;
  /** False if the place was found by the words of the error, because no trace names it. */
  traced: boolean;
}

export interface Tested extends EnclosingFunction {
  file: string;
  lines: string[];
}

/** A possible cause that a question found. The highest weight is the most certain. */
export interface Evidence {
  weight: number;
  /** Half a sentence that follows "when". */
  text: string;
}

export interface ContextScope {
  request: ContextRequest;
  /**
   * Removes secrets. Call it before a text is cut, because a secret of several lines cannot be recognized by its
   * middle.
   */
  redact: (text: string) => string;
  files: ProjectFiles;
  /** Runs git commands that need no repository. */
  runGit: RunGit;
  /** Null outside of a repository. In that case `noGit` has the reason. */
  git: RunGit | null;
  noGit: string;
  /** Null if no line of the project is known to be involved. */
  place: SourceLocation | null;
  /** If the place is in a test: the function of the project that the test calls. */
  tested: Tested | null;
  evidence: Evidence[];
}

export type RunGit = (args: GitArgs) => Promise<Asked>;
