/**
 * Removes the times from the TAP output of bats, which prints them when a JUnit report is requested. Only result lines
 * are changed.
 */

/** Matches `not ok 2 subtracts # in 4 ms`. After `# skip` without a reason, only the space before the time remains. */
const TIME = /^((?:not )?ok \d+ .*?)(?: # in \d+ ms|(?<=# skip) )$/u;

/** Accepts the output in chunks. Incomplete lines are held back. */
export class BatsTimes {
  #rest = '';

  add(piece: string): string {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map((line) => `${line.replace(TIME, '$1')}\n`).join('');
  }

  end(): string {
    const rest = this.#rest.replace(TIME, '$1');
    this.#rest = '';
    return rest;
  }
}
