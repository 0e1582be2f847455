/** A change by a person, with its error. A second change is ignored while the first is being stored. */

import { type Problem, problemOf } from './source.ts';

export class Change {
  problem = $state.raw<Problem>();
  busy = $state(false);

  async make(change: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.problem = undefined;
    try {
      await change();
    } catch (thrown) {
      this.problem = problemOf(thrown);
    } finally {
      this.busy = false;
    }
  }
}
