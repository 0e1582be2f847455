/**
 * The last thing that happens to a text before it leaves the process in an answer, an error or a notification: what no
 * reader can see is taken out, then secrets are. What the engine answers went through this before it was stored; paths,
 * messages and notes of this package go through it here. The patterns of a project: `Session.fitToLeave`.
 */

import { createFixLoop, type FixLoop } from 'argus-engine';
import { mapTexts, visible } from './untrusted.ts';

let rules: FixLoop | undefined;

export function fitToLeave(text: string): string {
  rules ??= createFixLoop();
  return rules.redact(visible(text));
}

/** The same for every string in a value made of plain data, names too. */
export function fitToLeaveDeep<T>(value: T): T {
  return mapTexts(value, fitToLeave);
}
