/**
 * The token of a running server: comes in the address's fragment, which no server and no referrer sees, and is taken
 * out of it at once; the tab keeps it for a reload. Sending it: live.ts.
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
  /** Of the address, or of this tab before a reload. */
  get value(): string | undefined {
    return current;
  },
  set value(given: string | undefined) {
    current = given;
    held.value = given;
  },
};
