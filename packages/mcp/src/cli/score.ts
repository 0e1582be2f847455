/**
 * The command `score`: shows how many hints of the hook were right in this project. With `--mine`, replays the
 * project's history and shows the score that the hook would have had.
 */

import { type ReplayResult, replayHistory } from '../hook/hints/replay.ts';
import { readHookState } from '../hook/hook-location.ts';
import { computeScore, type Score } from '../hook/score.ts';
import { io } from '../system/io.ts';
import { formatCount } from '../text/count.ts';
import { type GlobalOptions, runProjectCommand } from './terminal/output.ts';

export interface ScoreOptions extends GlobalOptions {
  mine?: boolean;
  reset?: boolean;
}

export async function printScore(options: ScoreOptions): Promise<void> {
  if (options.mine) {
    await runProjectCommand(options, ({ session }) => replayHistory(session), formatReplay);
    return;
  }
  await runProjectCommand(
    options,
    async ({ session }) => {
      const state = await readHookState(session.project);
      if (options.reset && state.lines.length > 0) state.append({ t: 'reset', at: io().now() });
      return computeScore(state);
    },
    formatScore,
  );
}

function formatScore({ said, used, wrong, tokens, precision, muted }: Score): string {
  const precisionText = precision === null ? 'not judged yet' : `precision ${precision.toFixed(2)} of the newest 20`;
  const line = `${formatCount(said, 'hint')}, ${used} used, ${wrong} wrong, ${formatCount(tokens, 'token')}; ${precisionText}`;
  return muted ? `${line}\nmuted, because it was wrong too often; argus score --reset unmutes it` : line;
}

function formatReplay({ runs, failed, spoken, right, wrong, open, tokens, precision }: ReplayResult): string {
  const precisionText = precision === null ? '' : `, precision ${precision.toFixed(2)}`;
  return [
    `${formatCount(runs, 'run')}, ${failed} failed`,
    `the hook would have given ${formatCount(spoken, 'hint')}: ${right} right, ${wrong} wrong, ${open} not decided by a later run${precisionText}`,
    `${formatCount(tokens, 'token')} in all`,
  ].join('\n');
}
