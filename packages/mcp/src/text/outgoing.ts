/**
 * The last step before a text leaves the process in an answer, an error or a notification: removes invisible
 * characters, then redacts secrets. Texts of the engine were cleaned before they were stored. Paths, messages and notes
 * of this package are cleaned here. `Session.fitToLeave` adds the patterns of a project.
 */

import { createFixLoop, type FixLoop } from 'argus-engine';
import { mapTexts, visible } from './untrusted.ts';

let rules: FixLoop | undefined;

export function fitToLeave(text: string): string {
  rules ??= createFixLoop();
  return rules.redact(visible(text));
}

/** Like `fitToLeave` for every string and key in plain data. */
export function fitToLeaveDeep<T>(value: T): T {
  return mapTexts(value, fitToLeave);
}
