/**
 * The token of a running server. It arrives in the fragment of the address, which servers and referrers do not see, and
 * is removed from the address at once. The tab keeps it for a reload. `live.ts` sends it.
 */

import { kept } from '../../lib/kept.ts';
import { splitToken } from './fragment.ts';

const held = kept('argus-token', () => sessionStorage);

function take(): string | undefined {
  const given = splitToken(location.hash);
  if (!given) return held.value;
  held.value = given.token;
  history.replaceState(null, '', given.rest || location.pathname);
  return given.token;
}

let current = take();

export const token = {
  /** The token from the address, or from this tab before a reload. */
  get value(): string | undefined {
    return current;
  },
  set value(given: string | undefined) {
    current = given;
    held.value = given;
  },
};
