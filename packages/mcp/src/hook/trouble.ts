/** Reports a problem of the hook: a line in the log, and a note for `argus doctor` if the project has a memory. */

import { messageOf } from '../errors.ts';
import { logUnexpected } from '../log.ts';
import { io } from '../system/io.ts';
import { fitToLeave } from '../text/outgoing.ts';
import { clipped, shortLine } from '../text/untrusted.ts';
import type { HookPlace } from './place.ts';
import { HookState } from './state.ts';

const MAX_REASON_CHARACTERS = 300;

export async function noteTrouble(thrown: unknown, place: HookPlace | undefined): Promise<void> {
  try {
    const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    await logUnexpected(fitToLeave(`hook: ${stack}`));
    if (place === undefined) return;
    const reason = clipped(shortLine(fitToLeave(messageOf(thrown))), MAX_REASON_CHARACTERS);
    HookState.read(place.folder).add({ t: 'trouble', at: io().now(), reason });
  } catch {
    // If nothing can be written, the problem is dropped, because a hook must not make the agent's command fail.
  }
}
