/** Reports a problem of the hook: in the log, and as a note of `argus doctor` if the project has a memory. */

import { getErrorMessage } from '../errors.ts';
import { logUnexpected } from '../log.ts';
import { io } from '../system/io.ts';
import { sanitize } from '../text/sanitize.ts';
import { clip, toShortLine } from '../text/untrusted-text.ts';
import type { HookLocation } from './hook-location.ts';
import { HookState } from './state.ts';

const MAX_REASON_CHARACTERS = 300;

export async function logHookError(thrown: unknown, place: HookLocation | undefined): Promise<void> {
  try {
    const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    await logUnexpected(sanitize(`hook: ${stack}`));
    if (place === undefined) return;
    const reason = clip(toShortLine(sanitize(getErrorMessage(thrown))), MAX_REASON_CHARACTERS);
    HookState.read(place.folder).append({ t: 'trouble', at: io().now(), reason });
  } catch {
    // If nothing can be written, the problem is dropped, because the hook must not make the agent's command fail.
  }
}
