/** What went wrong in a hook: a line of the log, and where the project has a memory a note for `argus doctor`. */

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
    // Where nothing can be written there is nobody to tell: an agent's command is none of a hook's to fail.
  }
}
