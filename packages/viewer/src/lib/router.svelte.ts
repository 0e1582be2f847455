/** The page's place as reactive state, kept in step with the address. Does not: know what stands at a place. */

import { parseHash, type QueryPatch, type Route, withQuery } from './route.ts';

let current = $state.raw<Route>(parseHash(location.hash));

export const router = {
  get route(): Route {
    return current;
  },

  /** Another query at the same place. Typing replaces the entry of the history, a click adds one. */
  query(patch: QueryPatch, { replace = false } = {}): void {
    this.go(withQuery(current, patch), { replace });
  },

  go(hash: string, { replace = false } = {}): void {
    if (hash === location.hash) return;
    if (replace) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
    current = parseHash(hash);
  },
};

window.addEventListener('popstate', () => {
  // Another server's address was opened in this tab.
  if (location.hash.startsWith('#token=')) location.reload();
  current = parseHash(location.hash);
});
