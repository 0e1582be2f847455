/** The token in an address: `#token=…`, and behind `&` the place. Taking it out and keeping it: token.ts. */

const FRAGMENT = /^#token=([\w.~-]+)(?:&(.*))?$/;

/** The token, and what remains of the fragment. */
export function splitToken(hash: string): { token: string; rest: string } | undefined {
  const given = FRAGMENT.exec(hash);
  return given?.[1] === undefined ? undefined : { token: given[1], rest: given[2] === undefined ? '' : `#${given[2]}` };
}
