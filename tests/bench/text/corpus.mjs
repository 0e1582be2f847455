// Generates the texts for the text benchmarks: failures and logs of many ecosystems, from the project's own templates.
// The same seed gives the same bytes. Nothing comes from real data.
import { TEMPLATES } from './templates.mjs';

/** A small generator with a seed (xorshift32), because the corpus must not change between runs or machines. */
class SeededGenerator {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0 || 1;
  }

  below(limit) {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state % limit;
  }

  of(list) {
    return list[this.below(list.length)];
  }

  letters(alphabet, count) {
    let out = '';
    for (let index = 0; index < count; index += 1) out += alphabet[this.below(alphabet.length)];
    return out;
  }
}

const HEX = '0123456789abcdef';
const NAMES = ['orders', 'billing', 'users', 'search', 'cart', 'payments', 'inventory', 'gateway', 'auth', 'reports'];
const WORDS = ['create', 'update', 'resolve', 'handle', 'render', 'flush', 'commit', 'parse', 'load', 'retry'];
const TYPES = ['Order', 'User', 'Invoice', 'Session', 'Cart', 'Report', 'Shipment', 'Ledger', 'Token', 'Profile'];
const HOSTS = ['db.internal', 'cache-1.prod.example', 'api.example.com', 'queue.svc.cluster.local', 'localhost'];

const twoDigits = (value) => String(value).padStart(2, '0');

/** Values that replace `{name}` in a template. */
const PLACEHOLDER_VALUES = {
  uuid: (chance) => [8, 4, 4, 4, 12].map((count) => chance.letters(HEX, count)).join('-'),
  hex8: (chance) => chance.letters(HEX, 8),
  hex16: (chance) => chance.letters(HEX, 16),
  sha: (chance) => chance.letters(HEX, 40),
  digest: (chance) => chance.letters(HEX, 64),
  ptr: (chance) => `0x${chance.letters(HEX, 12)}`,
  ts: (chance) =>
    `2026-${twoDigits(1 + chance.below(12))}-${twoDigits(1 + chance.below(28))}T${formatClock(chance)}.${String(chance.below(1000)).padStart(3, '0')}Z`,
  day: (chance) => `2026-${twoDigits(1 + chance.below(12))}-${twoDigits(1 + chance.below(28))}`,
  clock: formatClock,
  ip: (chance) => [10, chance.below(256), chance.below(256), 1 + chance.below(254)].join('.'),
  port: (chance) => String(1024 + chance.below(60000)),
  line: (chance) => String(1 + chance.below(900)),
  col: (chance) => String(1 + chance.below(80)),
  ms: (chance) => String(1 + chance.below(9000)),
  num: (chance) => String(chance.below(100000)),
  id: (chance) => String(1 + chance.below(99999)),
  small: (chance) => String(1 + chance.below(30)),
  pid: (chance) => String(100 + chance.below(32000)),
  status5: (chance) => chance.of(['500', '502', '503', '504']),
  status4: (chance) => chance.of(['400', '401', '403', '404', '409', '422', '429']),
  name: (chance) => chance.of(NAMES),
  word: (chance) => chance.of(WORDS),
  type: (chance) => chance.of(TYPES),
  host: (chance) => chance.of(HOSTS),
};

function formatClock(chance) {
  return `${twoDigits(chance.below(24))}:${twoDigits(chance.below(60))}:${twoDigits(chance.below(60))}`;
}

function fillTemplate(template, chance) {
  return template.replace(/\{(\w+)\}/g, (whole, name) => PLACEHOLDER_VALUES[name]?.(chance) ?? whole);
}

/** Generates texts with a total length of at least `bytes`. */
export function generateCorpus(bytes, seed = 20260101) {
  const chance = new SeededGenerator(seed);
  const texts = [];
  let size = 0;
  while (size < bytes) {
    const { head, body, lines } = chance.of(TEMPLATES);
    const count = lines[0] + chance.below(lines[1] - lines[0] + 1);
    const parts = [fillTemplate(head, chance)];
    for (let index = 0; index < count; index += 1) parts.push(fillTemplate(chance.of(body), chance));
    const text = parts.join('\n');
    texts.push(text);
    size += Buffer.byteLength(text);
  }
  return texts;
}

/**
 * Returns all texts concatenated as UTF-8, and the end of each text. This is the format of the engine's batch
 * functions.
 */
export function packTexts(texts) {
  const parts = texts.map((text) => Buffer.from(text));
  const ends = new Uint32Array(texts.length);
  let end = 0;
  parts.forEach((part, index) => {
    end += part.length;
    ends[index] = end;
  });
  return { bytes: new Uint8Array(Buffer.concat(parts)), ends };
}
