// Rounds, medians and Markdown tables for every benchmark.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const OUT = join(ROOT, '.bench');

/** The seconds that each candidate took, round by round. */
class Rounds {
  #seconds;

  constructor(seconds) {
    this.#seconds = seconds;
  }

  has(name) {
    return this.#seconds.has(name);
  }

  /** The median of all rounds. */
  seconds(name) {
    return median(this.#seconds.get(name));
  }

  /**
   * How many times as long as the other one a candidate took: the median of what each round says, in which both met
   * the machine in nearly the same state. Medians of each alone may come from different states.
   */
  ratio(name, other) {
    const others = this.#seconds.get(other);
    return median(this.#seconds.get(name).map((seconds, round) => seconds / others[round]));
  }
}

/**
 * Runs every candidate once per round, in turn, so that a slow minute of the machine meets all of them.
 * A candidate answers the seconds it took, or nothing and is timed from outside.
 */
export async function interleaved(candidates, rounds) {
  const seconds = new Map(Object.keys(candidates).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(candidates)) {
      const start = performance.now();
      const own = await run();
      seconds.get(name).push(typeof own === 'number' ? own : (performance.now() - start) / 1000);
    }
  }
  return new Rounds(seconds);
}

/**
 * Seconds this thread was on a CPU, so that neither a busy machine nor helper threads count; the clock where the
 * system does not tell.
 */
export function cpuSeconds() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e9;
  } catch {
    return performance.now() / 1000;
  }
}

export const median = (values) => quantile(values, 0.5);

export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** A package that may be missing: one of tests/bench/package.json whose native part did not build here. */
export async function optional(name) {
  try {
    return await import(name);
  } catch (error) {
    process.stderr.write(`${name} is not available: ${error.message.split('\n')[0]}\n`);
    return undefined;
  }
}

/** A Markdown table; the first row is its head. */
export function table(rows) {
  const [head, ...rest] = rows.map((row) => `| ${row.join(' | ')} |`);
  return [head, `|${rows[0].map(() => '---').join('|')}|`, ...rest].join('\n');
}

/** Keeps a part of the report as `.bench/NAME.md` and shows it. */
export function report(name, title, ...parts) {
  const text = `## ${title}\n\n${parts.join('\n\n')}\n`;
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, `${name}.md`), text);
  process.stdout.write(`\n${text}`);
}

export const times = (value) => `${value.toFixed(2)}x`;
/** A goal that is a least (`>=`) or a most (`<=`), met or not. */
export const goal = (value, sign, limit) =>
  `${sign} ${limit}: ${(sign === '>=' ? value >= limit : value <= limit) ? 'met' : '**missed**'}`;
