/** Whether the failures of a run are ones that something was earned for: by the engine's own signatures, nothing less. */

import { temporaryFolder } from '../../system/temporary.ts';
import type { Place } from '../place.ts';
import { type Ended, runOf } from '../run-of.ts';
import { type Earned, HookState } from '../state.ts';
import { getReady, withSession } from '../work.ts';
import { errorsOf } from './errors-of-run.ts';
import { message, tokensOf } from './lines.ts';
import { matching } from './matching.ts';

export interface Matched {
  text: string;
  family: string;
  kind: Earned['kind'];
  tokens: number;
}

/** `isCurrent`: what was earned was looked for since anything was recorded. */
export async function matchOf(place: Place, ended: Ended, isCurrent: boolean): Promise<Matched | undefined> {
  const dir = temporaryFolder('hook');
  try {
    return await withSession(ended.recognised.folder, async (session) => {
      if (!isCurrent) {
        if (!(await session.hasMemory())) return undefined;
        await getReady(session, place);
      }
      const entries = HookState.read(place.folder).last('earned')?.entries ?? [];
      if (entries.length === 0) return undefined;
      const run = runOf(ended, session.project, null, dir.path);
      const errors = await errorsOf(run, session.config, session.project.top, dir.path);
      for (const error of errors) {
        const found = matching(entries, error);
        const text = message(found);
        const [first] = found;
        if (text !== undefined && first !== undefined) {
          return { text, family: error.family, kind: first.kind, tokens: tokensOf(text) };
        }
      }
      return undefined;
    });
  } finally {
    dir.remove();
  }
}
