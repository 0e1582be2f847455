/**
 * Limits the texts of one call, because the engine runs on one thread and all other calls wait for it. The cases of a
 * run are limited only by the size of the request, because a finished run cannot be made smaller.
 */

import { Refused } from '../../http/responses.ts';
import type { TeamCallName } from '../protocol.ts';

/** Characters of all names and texts. The engine redacts a whole text before it keeps 64 KiB of it. */
const MAX_CHARACTERS = 512 * 1024;

/** The limit for lists of incidents or patterns, which clients send in batches, and for a run without its cases. */
const MAX_LIST_CHARACTERS = 2 * 1024 * 1024;

const LISTS: readonly TeamCallName[] = ['memoryImport', 'patternsImport'];
const RUNS: readonly TeamCallName[] = ['recordRun', 'importRun'];

/** Throws `Refused` (413) for params above the limit. */
export function requireBounded(method: TeamCallName, params: Readonly<Record<string, unknown>>): void {
  const { cases: _, ...others } = params;
  const bounded = RUNS.includes(method) ? others : params;
  const most = LISTS.includes(method) || RUNS.includes(method) ? MAX_LIST_CHARACTERS : MAX_CHARACTERS;
  if (charactersOf(bounded) <= most) return;
  throw new Refused(413, 'INVALID_INPUT', `${method} takes at most ${most} characters; shorten its texts.`);
}

/** Counts a number as one character. Recursion is safe because json-body.ts limits the nesting. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + charactersOf(item), 1);
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + charactersOf(item), 1);
}
