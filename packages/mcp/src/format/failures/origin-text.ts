/** Formats the origin of a shared fix for the terminal. */

import type { Related, SharedOrigin } from 'argus-engine';
import { indented, lines, paint } from '../terminal.ts';

/** `.argus-shared/fixes/fix-….json, by ann; elsewhere 2 worked, 1 failed`. */
export function originText({ file, by, joinedBy, decidedBy, elsewhere }: SharedOrigin): string {
  const worked = (elsewhere?.proved ?? 0) + (elsewhere?.claimed ?? 0);
  const failed = elsewhere?.failed ?? 0;
  return [
    `${file}${by === undefined ? '' : `, by ${by}`}`,
    ...(joinedBy === undefined ? [] : [`one with this failure, as ${joinedBy} says`]),
    ...(decidedBy === undefined ? [] : [`decided here by ${decidedBy}`]),
    ...(worked + failed > 0 ? [`elsewhere ${worked} worked, ${failed} failed`] : []),
  ].join('; ');
}

/** Returns the result of runs in this project, or undefined while they have no result. */
export function decidedHere(origin: SharedOrigin | undefined): string | undefined {
  return origin?.state === 'proved' || origin?.state === 'refuted' ? `${origin.state} here` : undefined;
}

/** Formats a shared fix of a failure of a run. */
export function formatSharedFix({ id, suggestedFix, origin }: Related): string {
  return lines([
    `foreign, ${decidedHere(origin) ?? 'only claimed'}: ${suggestedFix ?? ''}`,
    origin && indented(paint.dim(`${id}  ${originText(origin)}`)),
  ]);
}
