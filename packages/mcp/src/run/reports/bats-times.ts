/**
 * Takes the times out of bats' TAP, which it prints where a JUnit report is asked for beside it. Only result lines are
 * touched.
 */

/** `not ok 2 subtracts # in 4 ms`; behind `# skip` without a reason stands a space, where a time would follow. */
const TIME = /^((?:not )?ok \d+ .*?)(?: # in \d+ ms|(?<=# skip) )$/u;

/** Takes the stream in pieces; only a result line is held back until it is whole. */
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
