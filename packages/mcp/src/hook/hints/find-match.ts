/** Checks by the engine's signatures whether something is known about the failures of a run. */

import { loadConfig } from '../../config/load.ts';
import { describePresence, findFixPresence } from '../../git/fix-presence.ts';
import { createTemporaryFolder } from '../../system/files/temporary.ts';
import { createCommandRun, type EndedCommand, withSigner } from '../command-run.ts';
import type { HookLocation } from '../hook-location.ts';
import { type Hint, HookState, selectMatchingHints } from '../state.ts';
import { estimateTokens, formatMessage } from './format-message.ts';

interface HintMatch {
  text: string;
  family: string;
  kind: Hint['kind'];
  tokens: number;
}

/** `isCurrent` means that nothing was recorded since the last search for known facts. */
export async function findMatchingHint(
  place: HookLocation,
  ended: EndedCommand,
  isCurrent: boolean,
): Promise<HintMatch | undefined> {
  if (!isCurrent) await openAndRefreshHints(place, ended.recognized.folder);
  const entries = HookState.read(place.folder).findLast('earned')?.entries ?? [];
  if (entries.length === 0) return undefined;
  const { project } = place;
  const { config } = await loadConfig(project);
  const dir = createTemporaryFolder('hook');
  try {
    const run = createCommandRun(ended, project, null, dir.path);
    const { errors } = await withSigner(config, project.top, (signer) => signer.runErrors(run));
    for (const error of errors) {
      const matching = selectMatchingHints(entries, error);
      const found = await Promise.all(matching.map((hint) => addPresence(project.top, hint)));
      const text = formatMessage(found);
      const [first] = found;
      if (text !== undefined && first !== undefined) {
        return { text, family: error.family, kind: first.kind, tokens: estimateTokens(text) };
      }
    }
    return undefined;
  } finally {
    dir.remove();
  }
}

/** Adds whether the change that fixed the failure is still in the work tree. */
async function addPresence(top: string, hint: Hint): Promise<Hint> {
  if (hint.commit === undefined || hint.kind !== 'proved') return hint;
  const presence = await findFixPresence(top, { commit: hint.commit, commits: 1 });
  if (presence === undefined) return hint;
  const reapply = presence.reapply === undefined ? [] : [`reapply: ${presence.reapply}`];
  return {
    ...hint,
    lines: [...hint.lines, describePresence(presence, (commit) => `commit ${commit.slice(0, 12)}`), ...reapply],
  };
}

/** Opens the project and searches for known facts again, which most answers do not need. */
async function openAndRefreshHints(place: HookLocation, folder: string): Promise<void> {
  const { refreshHints, withHookSession } = await import('../background-job.ts');
  await withHookSession(folder, async (session) => {
    if (await session.hasMemory()) await refreshHints(session, place);
  });
}
