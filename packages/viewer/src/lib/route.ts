/**
 * Where the page is, as its address says it: `#/patterns/pat-1?sort=confidence`. Keeping it in step with the browser:
 * router.svelte.ts.
 */

export interface Route {
  /** Decoded segments; empty where the page opens, which is what is wrong now. */
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** What a part of the query becomes; nothing and the empty text take it away. */
export type QueryPatch = Readonly<Record<string, string | number | boolean | null | undefined>>;

export function parseHash(hash: string): Route {
  const text = hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const query = Object.fromEntries(new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)));
  return { path: path.split('/').filter(Boolean).map(decode), query };
}

/** The address of a place; an id may hold anything. */
export function href(path: readonly string[], query: QueryPatch = {}): string {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (isSet(value)) words.set(key, String(value));
  const tail = words.size > 0 ? `?${words}` : '';
  return `#/${path.map(encodeURIComponent).join('/')}${tail}`;
}

/** The same place with another query. */
export function withQuery(route: Route, patch: QueryPatch): string {
  return href(route.path, { ...route.query, ...patch });
}

/** A whole number of the query within its bounds. */
export function numberOf(text: string | undefined, fallback: number, least = 0, most = 1_000_000_000): number {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) ? Math.min(most, Math.max(least, value)) : fallback;
}

/** One of the known words of the query. */
export function wordOf<T extends string>(text: string | undefined, known: readonly T[]): T | undefined {
  return known.find((word) => word === text);
}

function isSet(value: QueryPatch[string]): boolean {
  return value !== null && value !== undefined && value !== '' && value !== false;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
