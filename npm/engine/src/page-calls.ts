/** The calls that a page in a browser may make. */

import { PAGE_CALLS } from './generated/calls.ts';

export type PageCallName = (typeof PAGE_CALLS)[number];

/** Returns true if a name from outside is one of these calls. */
export function isPageCall(name: string): name is PageCallName {
  return PAGE_CALLS.some((call) => call === name);
}
