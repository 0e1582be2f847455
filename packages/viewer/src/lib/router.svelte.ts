/** The page's place as reactive state, kept in step with the address. */

import { href, parseHash, type QueryPatch, type Route, withQuery } from './route.ts';

/** The last address of each list, so that the way back from a detail keeps its filters. */
const lists = new Map<string, string>();

/** The detail that was left for its list, so that the reader finds the row again. */
let left: Route | undefined;
let fromTop = false;

let current = $state.raw<Route>(parseHash(location.hash));

export const router = {
  get route(): Route {
    return current;
  },

  /** Where the reader was in a list. */
  list(place: string): string {
    return lists.get(place) ?? href([place]);
  },

  /** Whether the reader has just come from there; asked by the row that leads there, once. */
  comesFrom(hash: string): boolean {
    const [place, id] = parseHash(hash).path;
    if (id === undefined || left?.path[0] !== place || left?.path[1] !== id) return false;
    left = undefined;
    return true;
  },

  /** The reader wants the list from its beginning. */
  startOver(): void {
    left = undefined;
    fromTop = true;
  },

  /** Another query at the same place. Typing replaces the entry of the history, a click adds one. */
  query(patch: QueryPatch, { replace = false } = {}): void {
    this.go(withQuery(current, patch), { replace });
  },

  go(hash: string, { replace = false } = {}): void {
    if (hash === location.hash) return;
    if (replace) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
    arrive(hash);
  },
};

function arrive(hash: string): void {
  left = fromTop ? undefined : current;
  fromTop = false;
  current = parseHash(hash);
  const [place, id] = current.path;
  if (place !== undefined && id === undefined) lists.set(place, hash);
}

window.addEventListener('popstate', () => {
  // Another server's address was opened in this tab.
  if (location.hash.startsWith('#token=')) location.reload();
  arrive(location.hash);
});

arrive(location.hash);
