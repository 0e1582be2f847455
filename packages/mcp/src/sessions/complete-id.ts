/**
 * Completes the beginning of an id of a pattern or a fix. The engine does the same for ids of runs. A text that is not
 * the beginning of any id stays as it is, and the call that uses it reports the problem.
 */

import { EngineError } from 'argus-engine';
import { toShortLine } from '../text/untrusted-text.ts';
import type { Session } from './session.ts';

const MAX_LISTED_IDS = 5;

type EngineSource = Pick<Session, 'withEngine'>;

export async function completePatternId(session: EngineSource, given: string): Promise<string> {
  const { value } = await session.withEngine((engine) => engine.completeIds({ kind: 'pattern', prefix: given }));
  return selectOnlyId(value, given);
}

/** Completes the id of a fix. All fixes are read, because the engine has no call that completes ids of fixes. */
export async function completeFixId(session: EngineSource, given: string): Promise<string> {
  const { value } = await session.withEngine((engine) => engine.fixes());
  const ids = [...value.fixes, ...value.reported, ...(value.shared ?? [])].map(({ fixId }) => fixId);
  return selectOnlyId([...new Set(ids)], given);
}

/** Returns the only id that begins with the text. Throws if there are several. */
export function selectOnlyId(ids: readonly string[], given: string): string {
  const found = ids.filter((id) => id.startsWith(given));
  const [only = given, ...others] = found;
  if (others.length === 0 || found.includes(given)) return found.includes(given) ? given : only;
  const named = `${found.slice(0, MAX_LISTED_IDS).join(', ')}${found.length > MAX_LISTED_IDS ? ' and more' : ''}`;
  const message = `Several ids begin with '${toShortLine(given)}': ${named}. Use more characters of the id.`;
  throw new EngineError('INVALID_INPUT', message);
}
