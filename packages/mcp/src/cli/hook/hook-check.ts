/** The check of doctor for the hook. Returns nothing if the hook was never called. */

import type { Check } from '../../format/project/doctor-text.ts';
import { stateOf } from '../../hook/place.ts';
import { scoreOf } from '../../hook/score.ts';
import type { Session } from '../../sessions/session.ts';
import { io } from '../../system/io.ts';

/** Older trouble is not mentioned, because the note describes the current state. */
const RECENT_MS = 7 * 24 * 60 * 60 * 1_000;

export async function hookCheck({ project, config }: Pick<Session, 'project' | 'config'>): Promise<Check[]> {
  const name = 'hook';
  if (config.hook === false) return [{ name, state: 'note', detail: 'off: hook is false in argus.yaml' }];
  const state = await stateOf(project).catch(() => undefined);
  if (state === undefined || state.lines.length === 0) return [];
  const { said, used, wrong, precision, muted } = scoreOf(state);
  const kept = `said ${said}, used ${used}, wrong ${wrong}`;
  const share = precision === null ? '' : `, precision ${precision.toFixed(2)}`;
  const quiet =
    'it muted itself, for less than half of what it said was right; argus-mcp score --reset lets it speak again';
  const trouble = state.last('trouble');
  const troubled =
    trouble !== undefined && io().now() - trouble.at < RECENT_MS
      ? `; at ${new Date(trouble.at).toISOString()} it failed: ${trouble.reason}`
      : '';
  const isNote = muted || troubled !== '';
  return [{ name, state: isNote ? 'note' : 'ok', detail: `${kept}${share}${muted ? `; ${quiet}` : ''}${troubled}` }];
}
