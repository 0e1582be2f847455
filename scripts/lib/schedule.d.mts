/** Types of schedule.mjs. */

interface Step {
  name: string;
  lane: string;
  after?: readonly string[];
}

export declare function runInLanes<S extends Step>(
  steps: readonly S[],
  perform: (step: S) => Promise<boolean>,
): Promise<string[]>;
