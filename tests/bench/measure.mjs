// Rounds, medians, intervals and Markdown tables for all benchmarks.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const OUT = join(ROOT, '.bench');

/** The durations of each candidate in seconds, round by round. */
class Rounds {
  #seconds;

  constructor(seconds) {
    this.#seconds = seconds;
  }

  has(name) {
    return this.#seconds.has(name);
  }

  /** Returns the median over all rounds. */
  seconds(name) {
    return median(this.#seconds.get(name));
  }

  /**
   * Returns the ratio of a candidate's time to another candidate's time. It is the median of the ratios per round,
   * because within a round both run in nearly the same state of the machine. Separate medians may come from different
   * states.
   */
  ratio(name, other) {
    const others = this.#seconds.get(other);
    return median(this.#seconds.get(name).map((seconds, round) => seconds / others[round]));
  }
}

/**
 * Runs every candidate once per round, in turn, so that a slow phase of the machine affects all of them. A candidate
 * returns its duration in seconds, or nothing; then it is timed from outside.
 */
export async function measureInterleaved(candidates, rounds) {
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
 * Returns the CPU seconds of this thread, so that other load and helper threads do not count. Falls back to the clock
 * if the system does not report them.
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

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Returns Wilson's score interval of 95 % for `hits` of `count`. */
export function wilsonInterval(hits, count) {
  if (count === 0) return [0, 1];
  const [share, square] = [hits / count, 1.96 ** 2];
  const middle = (share + square / (2 * count)) / (1 + square / count);
  const half = Math.sqrt((square * share * (1 - share)) / count + (square / (2 * count)) ** 2) / (1 + square / count);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Returns the 95 % bootstrap interval of the mean. Whole groups are drawn, because values of a group are alike. */
export function bootstrapInterval(groups, next, resamples = 1000) {
  const draw = () => groups[Math.floor(next() * groups.length)];
  const means = Array.from({ length: resamples }, () => mean(groups.flatMap(draw)));
  return [quantile(means, 0.025), quantile(means, 0.975)];
}

/**
 * Imports a package that may be missing, because its native part could not be built on this machine. It is listed in
 * tests/bench/package.json.
 */
export async function importOptional(name) {
  try {
    return await import(name);
  } catch (error) {
    process.stderr.write(`${name} is not available: ${error.message.split('\n')[0]}\n`);
    return undefined;
  }
}

/** Formats a Markdown table. The first row is the head of the table. */
export function formatTable(rows) {
  const [head, ...rest] = rows.map((row) => `| ${row.join(' | ')} |`);
  return [head, `|${rows[0].map(() => '---').join('|')}|`, ...rest].join('\n');
}

/** Stores a part of the report as `.bench/NAME.md` and prints it. */
export function writeReport(name, title, ...parts) {
  const text = `## ${title}\n\n${parts.join('\n\n')}\n`;
  mkdirSync(OUT, { recursive: true });
  writeFileSync(join(OUT, `${name}.md`), text);
  process.stdout.write(`\n${text}`);
}

export const formatRatio = (value) => `${value.toFixed(2)}x`;
/** Formats a minimum (`>=`) or maximum (`<=`) as a goal, together with the result. */
export const formatGoal = (value, sign, limit) =>
  `${sign} ${limit}: ${(sign === '>=' ? value >= limit : value <= limit) ? 'met' : '**missed**'}`;
