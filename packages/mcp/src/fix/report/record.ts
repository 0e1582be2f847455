/**
 * The state of a loop at a point in time. Reports, briefs and answers are written from it. state/loop-files.ts reads
 * it.
 */

import type { FixError, FixOutlook, FixState } from 'argus-engine';
import type { Findings } from '../context/findings.ts';
import type { Answer } from '../context/gather-context.ts';

/** A solution that helped with a similar error before. */
export interface KnownSolution {
  solution_id: string;
  title: string;
  steps: string;
  why: string;
}

/** The knowledge about an error. `insight.json` keeps it until the next error. */
export interface Insight {
  /** The attempt that failed with this error. 0 for an error that the caller gave. */
  attempt: number;
  error: FixError;
  context: Answer[];
  location: string | null;
  function: string | null;
  /** Frames in the project, the innermost first. */
  frames: string[];
  /** A missing program, dependency or script, and the command that installs it. */
  missing: string | null;
  /** Diff of the uncommitted changes. */
  uncommitted: string | null;
  hypothesis: string | null;
  query: string | null;
  /** The contract's Markdown around the query. */
  query_markdown: string | null;
  known: KnownSolution[];
  lookup_id: string | null;
  /** Output of a research program. */
  research: string | null;
  /** The research, split into its parts. */
  findings: Findings | null;
  /** Addresses in the research. */
  sources: string[];
  notes: string[];
}

export interface GoingBack {
  /** The command restores the state before this attempt. 0 is the beginning of the loop. */
  attempt: number;
  command: string;
}

export interface LoopRecord {
  state: FixState;
  outlook: FixOutlook;
  /** Path relative to the project, with `/`. */
  folder: string;
  insight: Insight | null;
  /** Addresses in the research. */
  sources: string[];
  goingBack: GoingBack[];
  /**
   * A sentence to print first: the result is from an earlier call, and a human must decide. Null if this call ran
   * something.
   */
  earlier: string | null;
  /** Diff of all fixes, without secrets. Empty while the loop continues. */
  diff: string;
  /** End of the last attempt's output, without secrets. */
  output: string;
  notes: string[];
}
