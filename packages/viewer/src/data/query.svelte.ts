/**
 * Requests of the page: a query that is repeated when its dependencies change, and a change by a person. Results are
 * not cached, and failed requests are not retried.
 */

import { untrack } from 'svelte';
import { session } from './session.svelte.ts';
import { type Problem, toProblem } from './source.ts';

let pendingRequests = $state(0);

/** `now` is true while any request of the page is pending. */
export const pendingState = {
  get now(): boolean {
    return pendingRequests > 0;
  },
};

export class Query<T> {
  /** The newest result. The previous result stays until a new result arrives, so that the page does not flicker. */
  value = $state.raw<T>();
  problem = $state.raw<Problem>();
  loading = $state(true);

  /**
   * `request` must read its dependencies before its first await. If it returns undefined, nothing is requested. Queries
   * can be created only while a component is created.
   */
  constructor(request: () => Promise<T> | undefined) {
    $effect(() => {
      void session.version;
      const asked = request();
      if (!asked) {
        this.#settle(undefined, undefined);
        return;
      }
      let wanted = true;
      const end = () => {
        if (wanted) pendingRequests -= 1;
        wanted = false;
      };
      this.loading = true;
      untrack(() => {
        pendingRequests += 1;
      });
      asked
        .then(
          (value) => wanted && this.#settle(value, undefined),
          (thrown) => wanted && this.#settle(undefined, toProblem(thrown)),
        )
        .finally(end);
      return end;
    });
  }

  #settle(value: T | undefined, problem: Problem | undefined): void {
    this.value = value;
    this.problem = problem;
    this.loading = false;
  }
}

/** A change by a person, and its error. A second change is ignored while the first is being stored. */
export class EditRequest {
  problem = $state.raw<Problem>();
  busy = $state(false);

  async make(change: () => Promise<void>): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.problem = undefined;
    try {
      await change();
    } catch (thrown) {
      this.problem = toProblem(thrown);
    } finally {
      this.busy = false;
    }
  }
}
