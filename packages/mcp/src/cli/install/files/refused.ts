/** Thrown for a file that is left unchanged. The message is the reason, without a full stop. */
export class Refused extends Error {}

/** Returns line and column of an offset, counted from 1 as in editors. */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `${line}:${offset - (before.lastIndexOf('\n') + 1) + 1}`;
}
