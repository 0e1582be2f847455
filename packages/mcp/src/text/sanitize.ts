/**
 * The last step before a text leaves the process in an answer, an error or a notification. Removes invisible
 * characters, then redacts secrets. The engine cleans its texts before it stores them. Paths, messages and notes of
 * this package are cleaned here. `Session.sanitize` also uses the patterns of a project.
 */

import { createFixLoop, type FixLoop } from 'argus-engine';
import { mapStringsDeep, removeInvisibleCharacters } from './untrusted-text.ts';

let fixLoop: FixLoop | undefined;

export function sanitize(text: string): string {
  fixLoop ??= createFixLoop();
  return fixLoop.redact(removeInvisibleCharacters(text));
}

/** Like `sanitize`, for every string and key in plain data. */
export function sanitizeDeep<T>(value: T): T {
  return mapStringsDeep(value, sanitize);
}
