/**
 * A request to the source that is repeated when its dependencies change. Results are not cached and errors are not
 * retried.
 */

import { untrack } from 'svelte';
import { session } from './session.svelte.ts';
import { type Problem, problemOf } from './source.ts';

let unanswered = $state(0);

/** True while any request of the page is pending. */
export const waiting = {
  get now(): boolean {
    return unanswered > 0;
  },
};

export class Query<T> {
  /** The newest result. The previous result stays until then, so that the page does not flicker. */
  value = $state.raw<T>();
  problem = $state.raw<Problem>();
  loading = $state(true);

  /**
   * `request` must read its dependencies before its first await, and returns undefined to request nothing. A query can
   * only be created while a component is created.
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
        if (wanted) unanswered -= 1;
        wanted = false;
      };
      this.loading = true;
      untrack(() => {
        unanswered += 1;
      });
      asked
        .then(
          (value) => wanted && this.#settle(value, undefined),
          (thrown) => wanted && this.#settle(undefined, problemOf(thrown)),
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
