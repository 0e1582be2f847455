/** The place in the page as reactive state, in sync with the address, and lists whose rows lead to places. */

import { enableRowNavigation as moving } from './keyboard-navigation.ts';
import { href, parseHash, type QueryPatch, type Route, withQuery } from './route.ts';

/** The last address of each list, so that returning from a detail keeps the filters. */
const lastListAddresses = new Map<string, string>();

/** The detail from which the reader returned to its list, so that its row gets the focus. */
let returnedFromRoute: Route | undefined;
let isStartingOver = false;

let currentRoute = $state.raw<Route>(parseHash(location.hash));

export const router = {
  get route(): Route {
    return currentRoute;
  },

  /** Returns the last address of a list. */
  list(place: string): string {
    return lastListAddresses.get(place) ?? href([place]);
  },

  /** Returns true if the reader has just returned from this address, and only in the first call. */
  takeReturnFrom(hash: string): boolean {
    const [place, id] = parseHash(hash).path;
    if (id === undefined || returnedFromRoute?.path[0] !== place || returnedFromRoute?.path[1] !== id) return false;
    returnedFromRoute = undefined;
    return true;
  },

  /** Makes the next list start at its top. */
  startOver(): void {
    returnedFromRoute = undefined;
    isStartingOver = true;
  },

  /** Changes the query of the current place. Typing replaces the history entry, a click adds an entry. */
  query(patch: QueryPatch, { replace = false } = {}): void {
    this.go(withQuery(currentRoute, patch), { replace });
  },

  go(hash: string, { replace = false } = {}): void {
    if (hash === location.hash) return;
    if (replace) history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
    showAddress(hash);
  },
};

function showAddress(hash: string): void {
  returnedFromRoute = isStartingOver ? undefined : currentRoute;
  isStartingOver = false;
  currentRoute = parseHash(hash);
  const [place, id] = currentRoute.path;
  if (place !== undefined && id === undefined) lastListAddresses.set(place, hash);
}

window.addEventListener('popstate', () => {
  // The reader opened the address of another server in this tab.
  if (location.hash.startsWith('#token=')) location.reload();
  showAddress(location.hash);
});

showAddress(location.hash);

/**
 * Makes a list usable with the keyboard. If the reader returns from a detail, focuses the row that leads to the
 * detail.
 */
export function enableRows(list: HTMLElement): () => void {
  [...list.querySelectorAll<HTMLElement>('a.row')]
    .find((link) => router.takeReturnFrom(link.getAttribute('href') ?? ''))
    ?.focus();
  return moving(list);
}
