// Generates incidents and questions about them, always the same for a number. Words follow a Zipf distribution as in
// real languages (the word of rank r occurs 1/r times as often as the first), with unique identifiers and a stack.
// Nothing was recorded from real data.

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zan ber cor del fin gor hel'.split(' ');
const TYPES = ['TimeoutError', 'ValueError', 'TypeError', 'IllegalStateException', 'KeyError', 'ConnectionError'];
/** Size of the vocabulary. */
const WORDS = 200_000;

/** Numbers in [0, 1) that depend on the seed (mulberry32). */
function chance(seed) {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Converts a rank to a word. Different ranks give different words. */
function word(rank) {
  let out = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    out += SYLLABLES[rest % SYLLABLES.length];
  return out;
}

const some = (next) => word(Math.floor(WORDS ** next()) - 1);
const words = (next, count) => Array.from({ length: count }, () => some(next)).join(' ');
const capital = (text) => text[0].toUpperCase() + text.slice(1);

function stack(next, depth) {
  const frames = [];
  for (let frame = 0; frame < depth; frame += 1) {
    const [file, name] = [some(next), some(next)];
    frames.push(`    at ${capital(file)}.${name} (src/${file}/${name}.ts:${Math.floor(next() * 900)}:7)`);
  }
  return frames.join('\n');
}

/** The incident with this number. */
export function incident(number) {
  const next = chance(number);
  const name = `${some(next)}${capital(some(next))}`;
  const type = TYPES[Math.floor(next() * TYPES.length)];
  const message = `${type}: ${words(next, 6)} '${name}' ${words(next, 3)}`;
  return {
    id: `inc-${String(number).padStart(7, '0')}`,
    title: `${capital(words(next, 5))} in ${name}`,
    error_signature: `${message}\n${stack(next, 5)}`,
    summary: words(next, 35),
    message,
  };
}

/** The incident as a line of an import, with a solution that was tried twice. */
export function line(number) {
  const { message: _, ...texts } = incident(number);
  const env = { os: ['linux', 'darwin', 'windows'][number % 3], language: 'typescript', node: 18 + (number % 3) * 2 };
  const outcomes = [{ worked: true }, { worked: number % 4 > 0 }];
  const solutions = [{ steps: `Change the ${incident(number).title} as it was before.`, env, outcomes }];
  return JSON.stringify({ type: 'incident', ...texts, solutions });
}

/**
 * A question about the incident with this number. It alternates between one error line, a long trace, and other words
 * for the problem.
 */
export function question(number, turn) {
  const { title, message, error_signature, summary } = incident(number);
  const next = chance(number + 0x5eed_0000);
  if (turn % 3 === 0) return `E   ${message} after ${Math.floor(next() * 1000)} ms`;
  if (turn % 3 === 1) return `Uncaught ${error_signature}\n${stack(next, 30)}`;
  return `${title.toLowerCase()}: ${summary.split(' ').slice(5, 15).join(' ')} ${words(next, 4)}`;
}
