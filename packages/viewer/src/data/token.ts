/**
 * The token of a running server: comes in the address's fragment, which no server and no referrer sees, and is taken
 * out of it at once; the tab keeps it for a reload. Does not: send it; `live` does.
 */

import { kept } from '../lib/kept.ts';

const FRAGMENT = /^#token=([\w.~-]+)(?:&(.*))?$/;

/** The token, and what remains of the fragment. */
export function splitToken(hash: string): { token: string; rest: string } | undefined {
  const given = FRAGMENT.exec(hash);
  return given?.[1] === undefined ? undefined : { token: given[1], rest: given[2] === undefined ? '' : `#${given[2]}` };
}

function take(): string | undefined {
  const held = kept('argus-token', () => sessionStorage);
  const given = splitToken(location.hash);
  if (!given) return held.value;
  held.value = given.token;
  history.replaceState(null, '', given.rest || location.pathname);
  return given.token;
}

export const token: string | undefined = take();
