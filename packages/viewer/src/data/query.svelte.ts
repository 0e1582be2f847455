/** One question to the source, asked again when what it depends on changes. Nothing is cached or retried. */

import { untrack } from 'svelte';
import { session } from './session.svelte.ts';
import { type Problem, problemOf } from './source.ts';

let unanswered = $state(0);

/** Whether any question of the page waits for its answer. */
export const waiting = {
  get now(): boolean {
    return unanswered > 0;
  },
};

export class Query<T> {
  /** The newest answer; the one before stays until then, so that a page does not flicker. */
  value = $state.raw<T>();
  problem = $state.raw<Problem>();
  loading = $state(true);

  /** `request` reads what it depends on before its first wait; undefined asks nothing. Only while a component is made. */
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
