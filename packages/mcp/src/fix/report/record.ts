/**
 * What is known of a loop at one moment; reports, briefs and answers are written from it. Reading it:
 * state/loop-files.ts.
 */

import type { FixError, FixOutlook, FixState } from 'argus-engine';
import type { Findings } from '../context/findings.ts';
import type { Answer } from '../context/gather-context.ts';

/** A solution that helped against something like it before. */
export interface KnownSolution {
  solution_id: string;
  title: string;
  steps: string;
  why: string;
}

/** What was found out about an error; kept in `insight.json` until the next one. */
export interface Insight {
  /** The attempt that failed with it; 0 is the error that was given. */
  attempt: number;
  error: FixError;
  context: Answer[];
  location: string | null;
  function: string | null;
  /** Of the project's own frames, innermost first. */
  frames: string[];
  /** A program, a dependency or a script that is not there, and the command that would bring it. */
  missing: string | null;
  /** The diff of what is not committed. */
  uncommitted: string | null;
  hypothesis: string | null;
  query: string | null;
  /** The contract's Markdown around the query. */
  query_markdown: string | null;
  known: KnownSolution[];
  lookup_id: string | null;
  /** What a research program printed. */
  research: string | null;
  /** The same, taken apart. */
  findings: Findings | null;
  /** Addresses that research came from. */
  sources: string[];
  notes: string[];
}

export interface GoingBack {
  /** Before this attempt; 0 is the beginning. */
  attempt: number;
  command: string;
}

export interface LoopRecord {
  state: FixState;
  outlook: FixOutlook;
  /** Relative to the project, with `/`. */
  folder: string;
  insight: Insight | null;
  /** Addresses that the research came from. */
  sources: string[];
  goingBack: GoingBack[];
  /** Said first: what follows is from an earlier call, and a human has to decide; null where something was done now. */
  earlier: string | null;
  /** What all fixes changed, without secrets; empty where the loop goes on. */
  diff: string;
  /** The end of what the last attempt printed, without secrets. */
  output: string;
  notes: string[];
}
