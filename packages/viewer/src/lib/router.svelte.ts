/** The place in the page as reactive state, in sync with the address. */

import { href, parseHash, type QueryPatch, type Route, withQuery } from './route.ts';

/** The last address of each list, so that the way back from a detail keeps its filters. */
const lists = new Map<string, string>();

/** The detail that the reader left for its list, so that its row gets the focus. */
let left: Route | undefined;
let fromTop = false;

let current = $state.raw<Route>(parseHash(location.hash));

export const router = {
  get route(): Route {
    return current;
  },

  /** The last address of a list. */
  list(place: string): string {
    return lists.get(place) ?? href([place]);
  },

  /** True if the reader has just come back from this address. Returns true only once. */
  comesFrom(hash: string): boolean {
    const [place, id] = parseHash(hash).path;
    if (id === undefined || left?.path[0] !== place || left?.path[1] !== id) return false;
    left = undefined;
    return true;
  },

  /** Makes the next list start at its top. */
  startOver(): void {
    left = undefined;
    fromTop = true;
  },

  /** Changes the query of the current place. Typing replaces the history entry, a click adds an entry. */
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
  // The address of another server was opened in this tab.
  if (location.hash.startsWith('#token=')) location.reload();
  arrive(location.hash);
});

arrive(location.hash);
