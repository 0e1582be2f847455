/**
 * score: shows how many messages of the hook were right in this project. With `--mine`, replays the project's history
 * and shows the score that the hook would have had.
 */

import { type Replay, replay } from '../../hook/earned/replay.ts';
import { stateOf } from '../../hook/place.ts';
import { type Score, scoreOf } from '../../hook/score.ts';
import { io } from '../../system/io.ts';
import { count } from '../../text/count.ts';
import { answer, type GlobalOptions } from '../terminal/output.ts';

export interface ScoreOptions extends GlobalOptions {
  mine?: boolean;
  reset?: boolean;
}

export async function score(options: ScoreOptions): Promise<void> {
  if (options.mine) {
    await answer(options, ({ session }) => replay(session), formatReplay);
    return;
  }
  await answer(
    options,
    async ({ session }) => {
      const state = await stateOf(session.project);
      if (options.reset && state.lines.length > 0) state.add({ t: 'reset', at: io().now() });
      return scoreOf(state);
    },
    formatScore,
  );
}

export function formatScore({ said, used, wrong, tokens, precision, muted }: Score): string {
  const kept =
    precision === null ? 'nothing to judge it by yet' : `precision ${precision.toFixed(2)} over the newest 20`;
  const line = `said ${said}, used ${used}, wrong ${wrong}, ${count(tokens, 'token')}; ${kept}`;
  return muted ? `${line}\nmuted: it was wrong too often; argus score --reset lets it speak again` : line;
}

function formatReplay({ runs, failed, spoken, right, wrong, open, tokens, precision }: Replay): string {
  const share = precision === null ? '' : `, precision ${precision.toFixed(2)}`;
  return [
    `${count(runs, 'run')}, ${failed} failed`,
    `the hook would have spoken ${count(spoken, 'time')}: right ${right}, wrong ${wrong}, not told by a later run ${open}${share}`,
    `${count(tokens, 'token')} in all`,
  ].join('\n');
}
