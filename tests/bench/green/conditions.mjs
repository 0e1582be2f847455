// The conditions that are compared: each turns what it knows about a failure into an ordered list of locations to try,
// and the text that an agent would receive.
import { parseDiff } from './code.mjs';

const BM25 = { k1: 1.2, b: 0.75 };
/** Number of commits that the search returns. */
const BM25_RESULTS = 3;
const MAX_QUERY_CHARACTERS = 4000;
const MAX_NOTES_BYTES = 8192;
/** Notes are used from this share of common words on. */
const MIN_NOTE_SIMILARITY = 0.5;

/** Splits a text into lower-case words, also at capital letters and underscores. */
export function toWords(text) {
  const split = text.replace(/([a-z0-9])([A-Z])/gu, '$1 $2').toLowerCase();
  return split.match(/[\p{L}\p{N}]{2,}/gu) ?? [];
}

/** Ranks documents (`{text}`) for a query with Okapi BM25. Documents without a common word are left out. */
export function rankBm25(documents, query) {
  const counted = documents.map((document) => {
    const counts = new Map();
    const words = toWords(document.text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { document, counts, length: words.length };
  });
  const average = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const frequencies = new Map();
  for (const { counts } of counted)
    for (const word of counts.keys()) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const weigh = (word) => {
    const frequency = frequencies.get(word) ?? 0;
    return Math.log(1 + (documents.length - frequency + 0.5) / (frequency + 0.5));
  };
  const words = [...new Set(toWords(query))].filter((word) => frequencies.has(word));
  const score = ({ counts, length }) =>
    words.reduce((sum, word) => {
      const count = counts.get(word) ?? 0;
      const norm = BM25.k1 * (1 - BM25.b + (BM25.b * length) / average);
      return sum + (weigh(word) * count * (BM25.k1 + 1)) / (count + norm);
    }, 0);
  const ranked = counted.map((one) => ({ document: one.document, score: score(one) })).filter((one) => one.score > 0);
  return ranked.sort((a, b) => b.score - a.score).map(({ document }) => document);
}

/** Reads the log of `git log -p -U0 --format=@@@%H%n%s`. */
export function parseLog(log, isSource) {
  return log
    .split(/^@@@/mu)
    .slice(1)
    .map((text) => {
      const [commit, subject] = text.split('\n', 2);
      const locations = parseDiff(text).filter(({ file }) => isSource(file));
      return { commit, subject, text: text.slice(commit.length), locations };
    });
}

/** Keeps the first location of each file. */
export function keepFirstOfFiles(locations) {
  return locations.filter(({ file }, index) => locations.findIndex((one) => one.file === file) === index);
}

const formatLocations = (locations) => locations.map(({ file, symbol }) => `${file} ${symbol ?? ''}`.trim()).join(', ');

/** No memory: the innermost frames, then the files that were changed last. */
export function fromNothing({ frames, log }) {
  return { locations: keepFirstOfFiles([...frames, ...log.flatMap(({ locations }) => locations)]), text: '' };
}

export function fromBm25({ log, caseNames, output }) {
  const query = `${caseNames.slice(0, 3).join(' ')} ${output.slice(-MAX_QUERY_CHARACTERS)}`;
  const found = rankBm25(
    log.filter(({ locations }) => locations.length > 0),
    query,
  ).slice(0, BM25_RESULTS);
  const locations = keepFirstOfFiles(found.flatMap((one) => one.locations));
  const text = found
    .map((one) => `${one.commit.slice(0, 12)} ${one.subject}: ${formatLocations(one.locations)}`)
    .join('\n');
  return { locations, text };
}

/** Formats the notes, one line per recorded pair, newest first, cut at whole lines. */
export function formatNotes(recorded) {
  const lines = [];
  let bytes = 0;
  for (const { caseNames, error, truth } of [...recorded].reverse()) {
    const line = JSON.stringify({ test: caseNames[0], error: error.slice(0, 300), fix: truth });
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > MAX_NOTES_BYTES) break;
    lines.push(line);
  }
  return lines;
}

/** Reads the notes as a person would: the same test first, then the same error, then similar texts. */
export function fromNotes({ recorded, caseNames, error }) {
  const lines = formatNotes(recorded);
  const similarity = (one, other) => {
    const [left, right] = [new Set(toWords(one)), new Set(toWords(other))];
    const common = [...left].filter((word) => right.has(word)).length;
    return common / Math.max(1, left.size + right.size - common);
  };
  const rate = (note) => {
    if (caseNames.includes(note.test)) return 3;
    if (note.error === error.slice(0, 300)) return 2;
    return similarity(`${note.test} ${note.error}`, `${caseNames[0]} ${error}`);
  };
  const notes = lines.map((line) => JSON.parse(line)).map((note) => ({ note, rating: rate(note) }));
  const used = notes.filter(({ rating }) => rating >= MIN_NOTE_SIMILARITY).sort((a, b) => b.rating - a.rating);
  return { locations: keepFirstOfFiles(used.flatMap(({ note }) => note.fix)), text: lines.join('\n') };
}

/** Argus' hook: the files of its message, each with the first of the message's symbols that the file defines. */
export function fromHook({ text, seconds }, definesSymbol) {
  const fixes = [...text.matchAll(/files: (.*)(?:\n\s*symbols: (.*))?/gu)];
  const locations = fixes.flatMap(([, files, symbols = '']) =>
    files.split(', ').map((file) => ({ file, symbol: symbols.split(', ').find((name) => definesSymbol(file, name)) })),
  );
  return { locations: keepFirstOfFiles(locations), text, seconds };
}

/** Argus' diagnosis: the change that fixed this failure before, then fix commits of the same test or function. */
export function fromDiagnosis({ data, seconds }, readCommit) {
  const { mendedBefore: { files = [], commit } = {}, changedBefore = [] } = data;
  const fixed = [...files.map((file) => ({ file })), ...(commit === undefined ? [] : readCommit(commit))];
  const related = changedBefore.flatMap(({ sources }) => sources);
  const locations = [...fixed, ...related.map(({ file, symbols: [symbol] }) => ({ file, symbol }))];
  return { locations: keepFirstOfFiles(locations), text: JSON.stringify(data), seconds };
}
