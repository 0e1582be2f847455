/** A file that is left as it is, with the reason as a sentence without its full stop. */
export class Refused extends Error {}

/** Line and column of an offset, as editors count them. */
export function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `${line}:${offset - (before.lastIndexOf('\n') + 1) + 1}`;
}
