/**
 * Parses the token in an address: `#token=…`, and the place after `&`. `token.ts` removes it from the address and keeps
 * it.
 */

const FRAGMENT = /^#token=([\w.~-]+)(?:&(.*))?$/;

/** The token and the rest of the fragment. */
export function splitToken(hash: string): { token: string; rest: string } | undefined {
  const given = FRAGMENT.exec(hash);
  return given?.[1] === undefined ? undefined : { token: given[1], rest: given[2] === undefined ? '' : `#${given[2]}` };
}
