// Seeded random values: the same seed gives the same texts on every machine.

const HEX = '0123456789abcdef';

/** Checkout folders of developers and CI services. */
const CHECKOUTS = [
  '/home/runner/work/shop/shop',
  '/builds/acme/shop',
  '/var/lib/jenkins/workspace/shop_main',
  '/Users/ada/src/shop',
  '/home/grace/code/shop',
  '/root/project',
];

/** The mulberry32 generator. */
export class Chance {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  below(limit) {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  between(low, high) {
    return low + this.below(high - low);
  }

  of(list) {
    return list[this.below(list.length)];
  }

  hex(length) {
    return Array.from({ length }, () => HEX[this.below(16)]).join('');
  }

  shuffled(list) {
    const shuffled = [...list];
    for (let at = shuffled.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1);
      [shuffled[at], shuffled[other]] = [shuffled[other], shuffled[at]];
    }
    return shuffled;
  }

  uuid() {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-a${this.hex(3)}-${this.hex(12)}`;
  }
}

const two = (number) => String(number).padStart(2, '0');

/**
 * Draws the values that change between two occurrences of a failure. `lines` is the number of lines by which source code
 * moved down since the failure was written.
 */
export function circumstances(chance) {
  const [month, day, hour, minute, second] = [12, 28, 24, 60, 60].map((limit) => chance.below(limit));
  const date = `2026-${two(month + 1)}-${two(day + 1)}`;
  const clock = `${two(hour)}:${two(minute)}:${two(second)}`;
  const hex8 = chance.hex(8);
  return {
    root: chance.of(CHECKOUTS),
    lines: chance.below(7),
    values: {
      port: chance.between(30_000, 60_000),
      ip: `10.${chance.below(250)}.${chance.below(250)}.${chance.between(2, 250)}`,
      uuid: chance.uuid(),
      hex8,
      hex12: chance.hex(12),
      hex16: chance.hex(16),
      sha: chance.hex(40),
      ms: chance.between(12, 9_000),
      seconds: `${chance.between(1, 30)}.${chance.between(10, 99)}`,
      date,
      clock,
      time: `${date}T${clock}.${chance.between(100, 999)}Z`,
      pid: chance.between(300, 32_000),
      id: chance.between(1_000, 90_000),
      size: chance.between(2_000, 900_000),
      address: `0x7f${chance.hex(10)}`,
      tmp: `/tmp/shop-${hex8}`,
    },
  };
}
