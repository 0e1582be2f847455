/**
 * The place in the page as given by its address: `#/patterns/pat-1?sort=confidence`. `router.svelte.ts` keeps it in
 * sync with the browser.
 */

export interface Route {
  /** Decoded segments. Empty for the start page, which shows the current failures. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** New values of query parameters. Null, undefined, false and the empty string remove a parameter. */
export type QueryPatch = Readonly<Record<string, string | number | boolean | null | undefined>>;

export function parseHash(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const query = Object.fromEntries(new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)));
  return { path: path.split('/').filter(Boolean).map(decodeSegment), query };
}

/** Returns the address of a place. An id may contain any character. */
export function href(path: readonly string[], query: QueryPatch = {}): string {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (isSet(value)) words.set(key, String(value));
  const tail = words.size > 0 ? `?${words}` : '';
  return `#/${path.map(encodeURIComponent).join('/')}${tail}`;
}

/** Returns the address of the same place with some query parameters changed. */
export function withQuery(route: Route, patch: QueryPatch): string {
  return href(route.path, { ...route.query, ...patch });
}

/** Parses an integer of the query and limits it to the bounds. */
export function parseInteger(text: string | undefined, fallback: number, least = 0, most = 1_000_000_000): number {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) ? Math.min(most, Math.max(least, value)) : fallback;
}

/** Returns the text if it is a known word, otherwise undefined. */
export function findKnownWord<T extends string>(text: string | undefined, known: readonly T[]): T | undefined {
  return known.find((word) => word === text);
}

function isSet(value: QueryPatch[string]): boolean {
  return value !== null && value !== undefined && value !== '' && value !== false;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
