/** Formats a number and a noun: `1 run`, `2 runs`. */
export function formatCount(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : nouns}`;
}
