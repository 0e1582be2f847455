// Generates incidents and questions about them; a number always gives the same incident. Words follow a Zipf
// distribution as in real languages (the word of rank r occurs 1/r times as often as the most frequent word), with
// unique identifiers and a stack trace. Nothing comes from real data.

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zan ber cor del fin gor hel'.split(' ');
const TYPES = ['TimeoutError', 'ValueError', 'TypeError', 'IllegalStateException', 'KeyError', 'ConnectionError'];
/** Number of different words. */
const VOCABULARY_SIZE = 200_000;

/** Returns a generator of pseudorandom numbers in [0, 1) that depend on the seed (mulberry32). */
export function createGenerator(seed) {
  let state = (seed * 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Converts a rank to a word. Different ranks give different words. */
function wordOfRank(rank) {
  let out = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    out += SYLLABLES[rest % SYLLABLES.length];
  return out;
}

const drawWord = (next) => wordOfRank(Math.floor(VOCABULARY_SIZE ** next()) - 1);
const drawWords = (next, count) => Array.from({ length: count }, () => drawWord(next)).join(' ');
const capitalize = (text) => text[0].toUpperCase() + text.slice(1);

function createStack(next, depth) {
  const frames = [];
  for (let frame = 0; frame < depth; frame += 1) {
    const [file, name] = [drawWord(next), drawWord(next)];
    frames.push(`    at ${capitalize(file)}.${name} (src/${file}/${name}.ts:${Math.floor(next() * 900)}:7)`);
  }
  return frames.join('\n');
}

/** Creates the incident with this number. */
export function createIncident(number) {
  const next = createGenerator(number);
  const name = `${drawWord(next)}${capitalize(drawWord(next))}`;
  const type = TYPES[Math.floor(next() * TYPES.length)];
  const message = `${type}: ${drawWords(next, 6)} '${name}' ${drawWords(next, 3)}`;
  return {
    id: `inc-${String(number).padStart(7, '0')}`,
    title: `${capitalize(drawWords(next, 5))} in ${name}`,
    error_signature: `${message}\n${createStack(next, 5)}`,
    summary: drawWords(next, 35),
    message,
  };
}

/** Formats the incident as a line of an import, with a solution that was tried twice. */
export function formatImportLine(number) {
  const { message: _, ...texts } = createIncident(number);
  const env = { os: ['linux', 'darwin', 'windows'][number % 3], language: 'typescript', node: 18 + (number % 3) * 2 };
  const outcomes = [{ worked: true }, { worked: number % 4 > 0 }];
  const solutions = [{ steps: `Change the ${createIncident(number).title} as it was before.`, env, outcomes }];
  return JSON.stringify({ type: 'incident', ...texts, solutions });
}

/**
 * Creates a question about the incident with this number: depending on `turn`, one error line, a long trace, or other
 * words for the problem.
 */
export function createQuestion(number, turn) {
  const { title, message, error_signature, summary } = createIncident(number);
  const next = createGenerator(number + 0x5eed_0000);
  if (turn % 3 === 0) return `E   ${message} after ${Math.floor(next() * 1000)} ms`;
  if (turn % 3 === 1) return `Uncaught ${error_signature}\n${createStack(next, 30)}`;
  return `${title.toLowerCase()}: ${summary.split(' ').slice(5, 15).join(' ')} ${drawWords(next, 4)}`;
}
