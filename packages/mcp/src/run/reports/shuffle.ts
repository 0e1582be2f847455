/**
 * Detects in the output whether a runner shuffled its tests, and how to repeat the order. Without such output, the
 * runner is assumed to use its usual order.
 */

import { stripVTControlCharacters } from 'node:util';
import type { Shuffle } from 'argus-engine';

interface SeedLine {
  /** Matches the line with the seed. */
  line: RegExp;
  /** Returns the options that repeat the order. */
  option: (seed: string) => string;
  /** Set if any program may print such a line. The line then counts only for this runner. */
  runner?: string;
}

/** The first pattern that matches a line counts. */
const SEED_LINES: readonly SeedLine[] = [
  // pytest-randomly and pytest-random-order.
  { line: /^Using --randomly-seed=(\d+)$/u, option: (seed) => `--randomly-seed=${seed}` },
  { line: /^Using --random-order-seed=(\d+)$/u, option: (seed) => `--random-order-seed=${seed}` },
  { line: /^\s*Running tests with seed "(-?\d+)"$/u, option: (seed) => `--sequence.shuffle --sequence.seed=${seed}` },
  { line: /^Seed:\s+(-?\d+)$/u, option: (seed) => `--randomize --seed=${seed}`, runner: 'jest' },
  { line: /^Randomized with seed (\d+) \(jasmine /u, option: (seed) => `--random=true --seed=${seed}` },
  // RSpec and older ExUnit, minitest, and newer ExUnit.
  { line: /^Randomized with seed (\d+)$/u, option: (seed) => `--seed ${seed}` },
  { line: /^Run options: (?:.* )?--seed (\d+)\b/u, option: (seed) => `--seed ${seed}` },
  { line: /^Running ExUnit with seed: (\d+)\b/u, option: (seed) => `--seed ${seed}` },
  { line: /^Random Seed:\s+(\d+)$/u, option: (seed) => `--order-by=random --random-order-seed=${seed}` },
  { line: /^-test\.shuffle (\d+)$/u, option: (seed) => `-shuffle=${seed}` },
  {
    line: /^running \d+ tests? \(shuffle seed: (\d+)\)$/u,
    option: (seed) => `-- -Z unstable-options --shuffle-seed ${seed}`,
  },
  { line: /-D(surefire\.runOrder\.random\.seed=-?\d+)/u, option: (seed) => `-Dsurefire.runOrder=random -D${seed}` },
  {
    line: /\b(?:Method|Class)Orderer\b.* default seed: (-?\d+)/u,
    option: (seed) => `-Djunit.jupiter.execution.order.random.seed=${seed}`,
  },
  {
    line: /^Note: Randomizing tests' orders with a seed of (\d+)\b/u,
    option: (seed) => `--gtest_shuffle --gtest_random_seed=${seed}`,
  },
];

/** Matches a part that every line with a seed contains. */
const MAY_CONTAIN_SEED = /seed|-test\.shuffle/iu;

/** Maximum length of a line with a seed. */
const MAX_LINE_CHARS = 400;

/** Accepts the output in chunks. */
export class ShuffleDetector {
  readonly #optionsBySeed = new Map<string, string>();
  readonly #lines: readonly SeedLine[];
  #incompleteLine = '';

  /** `runner` is the runner that was recognized in the command. */
  constructor(runner: string | null) {
    this.#lines = SEED_LINES.filter((one) => one.runner === undefined || one.runner === runner);
  }

  add(text: string): void {
    const lines = (this.#incompleteLine + text).split('\n');
    this.#incompleteLine = (lines.pop() ?? '').slice(-MAX_LINE_CHARS);
    for (const line of lines) this.#readLine(line);
  }

  /**
   * Returns null if no line had a seed. For several seeds, returns no option, because they belong to several orders,
   * for example of Go packages, which a single option cannot repeat.
   */
  end(): Shuffle | null {
    this.#readLine(this.#incompleteLine);
    const [first, ...others] = this.#optionsBySeed;
    if (first === undefined) return null;
    const [seed, option] = first;
    return others.length > 0 ? {} : { seed: /-?\d+$/u.exec(seed)?.[0] ?? seed, option };
  }

  #readLine(raw: string): void {
    if (raw.length > MAX_LINE_CHARS || !MAY_CONTAIN_SEED.test(raw)) return;
    const text = stripVTControlCharacters(raw).trimEnd();
    for (const { line, option } of this.#lines) {
      const seed = line.exec(text)?.[1];
      if (seed === undefined) continue;
      this.#optionsBySeed.set(seed, option(seed));
      return;
    }
  }
}
