/** Formats the failures that cost most for the terminal. */

import type { WallEntry, WallsResult } from 'argus-engine';
import { formatCount } from '../../text/count.ts';
import { formatWarnings, indentLines, joinLines, paint, toCommandLineText } from '../terminal.ts';
import { formatDay } from './verdict-text.ts';

export function formatWalls({
  walls,
  total,
  hasMore,
  runs,
  offset = 0,
  warnings,
}: WallsResult & { offset?: number; warnings?: string[] }): string {
  const where = formatCount(runs, 'recorded run');
  return joinLines([
    walls.length === 0 && (runs === 0 ? 'no run is recorded yet' : `no test failed in ${where}`),
    ...walls.map((wall, index) => formatWall(wall, offset + index + 1)),
    walls.length > 0 && paint.dim(`in ${where}; ordered by the ranks of last failure, number of runs and minutes`),
    hasMore && paint.dim(`${walls.length} of ${total}; use --offset for more`),
    ...formatWarnings(warnings),
  ]);
}

function formatWall(wall: WallEntry, number: number): string {
  const { kind, caseNames, tests, headline, isFailing, lastFailedAt, remedy } = wall;
  const [first = ''] = caseNames;
  const others = tests > 1 ? ` and ${formatCount(tests - 1, 'more test')}` : '';
  const state = isFailing ? paint.red('still failing') : `last ${formatDay(lastFailedAt)}`;
  return joinLines([
    `${number}. ${paint.bold(formatCost(wall))}  ${kind}, ${state}`,
    indentLines(`${first}${others}`),
    headline !== null && indentLines(paint.dim(headline)),
    indentLines(`-> ${toCommandLineText(remedy)}`),
  ]);
}

/** Formats the cost: `12 min red, failed in 5 runs, 2 reruns, came back 1 time`. */
function formatCost({ redMinutes, runs, reruns, recurrences }: WallEntry): string {
  const minutes = redMinutes < 1 ? 'less than 1' : Math.round(redMinutes);
  return [
    `${minutes} min red`,
    `failed in ${formatCount(runs, 'run')}`,
    ...(reruns > 0 ? [formatCount(reruns, 'rerun')] : []),
    ...(recurrences > 0 ? [`came back ${formatCount(recurrences, 'time')}`] : []),
  ].join(', ');
}
