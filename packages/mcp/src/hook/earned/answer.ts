/** Checks with the engine's signatures whether something is known about the failures of a run. */

import { loadConfig } from '../../config/load.ts';
import { temporaryFolder } from '../../system/files/temporary.ts';
import type { HookPlace } from '../place.ts';
import { type Ended, runOf } from '../run-of.ts';
import { type Earned, HookState } from '../state.ts';
import { message, tokensOf } from './lines.ts';
import { matching } from './matching.ts';
import { signing } from './signing.ts';

export interface Matched {
  text: string;
  family: string;
  kind: Earned['kind'];
  tokens: number;
}

/** `isCurrent` states that nothing was recorded since the last search for known facts. */
export async function matchOf(place: HookPlace, ended: Ended, isCurrent: boolean): Promise<Matched | undefined> {
  if (!isCurrent) await lookAgain(place, ended.recognised.folder);
  const entries = HookState.read(place.folder).last('earned')?.entries ?? [];
  if (entries.length === 0) return undefined;
  const { project } = place;
  const { config } = await loadConfig(project);
  const dir = temporaryFolder('hook');
  try {
    const run = runOf(ended, project, null, dir.path);
    const { errors } = await signing(config, project.top, (signer) => signer.runErrors(run));
    for (const error of errors) {
      const found = matching(entries, error);
      const text = message(found);
      const [first] = found;
      if (text !== undefined && first !== undefined) {
        return { text, family: error.family, kind: first.kind, tokens: tokensOf(text) };
      }
    }
    return undefined;
  } finally {
    dir.remove();
  }
}

/** Opens the project as for a recording, which most answers do not need. */
async function lookAgain(place: HookPlace, folder: string): Promise<void> {
  const { getReady, withSession } = await import('../work.ts');
  await withSession(folder, async (session) => {
    if (await session.hasMemory()) await getReady(session, place);
  });
}
