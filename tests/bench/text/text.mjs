// Measures normalize, classify, sign and redact over the corpus: the engine in wasm, the same code compiled natively,
// and plain JavaScript. `node tests/bench/text/text.mjs [MEGABYTES] [ROUNDS]`
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { _batch } from '../../../npm/engine/dist/node.mjs';
import {
  cpuSeconds,
  formatGoal,
  formatRatio,
  formatTable,
  measureInterleaved,
  OUT,
  ROOT,
  writeReport,
} from '../measure.mjs';
import * as baseline from './baseline.mjs';
import { generateCorpus, packTexts } from './corpus.mjs';

const CASE = 'tests/orders.test.ts > orders > creates one';
const NATIVE_PROGRAM = join(ROOT, 'target', 'release', 'examples', 'bench_text');
const megabytes = Number(process.argv[2] ?? 50);
const rounds = Number(process.argv[3] ?? 7);

const texts = generateCorpus(megabytes * 1e6);
const batches = splitIntoBatches(texts, 1e6).map(packTexts);
const bytes = batches.reduce((sum, batch) => sum + batch.bytes.length, 0);
const file = join(OUT, 'corpus.txt');
mkdirSync(OUT, { recursive: true });
writeFileSync(file, texts.join('\0'));

/** Splits texts into batches of about a megabyte, as a pipe delivers them. */
function splitIntoBatches(all, size) {
  const out = [[]];
  let filled = 0;
  for (const text of all) {
    if (filled > size) {
      out.push([]);
      filled = 0;
    }
    out.at(-1).push(text);
    filled += text.length;
  }
  return out;
}

function timeWork(work) {
  const start = cpuSeconds();
  work();
  return cpuSeconds() - start;
}

const javaScriptCandidate = (step) => () =>
  timeWork(() => {
    let size = 0;
    for (const text of texts) size += step(text).length;
    return size;
  });
const wasmCandidate = (step) => () =>
  timeWork(() => {
    for (const batch of batches) step(batch.bytes, batch.ends);
  });
const nativeCandidate = (step) => () => Number(execFileSync(NATIVE_PROGRAM, [file, step], { encoding: 'utf8' }));

const STEPS = {
  normalize: { js: javaScriptCandidate(baseline.normalize), wasm: wasmCandidate(_batch.normalize), goal: 3 },
  classify: { js: javaScriptCandidate(baseline.classify), wasm: wasmCandidate(_batch.classify), goal: 3 },
  sign: {
    title: 'normalize + classify + sign',
    js: javaScriptCandidate((text) => baseline.sign(text, CASE)),
    wasm: wasmCandidate((all, ends) => _batch.sign(all, ends, CASE)),
    goal: 2,
  },
  redact: { wasm: wasmCandidate(_batch.redact) },
};

const candidates = {};
for (const [name, step] of Object.entries(STEPS)) {
  if (step.js) candidates[`${name} js`] = step.js;
  candidates[`${name} wasm`] = step.wasm;
  candidates[`${name} native`] = nativeCandidate(name);
}
candidates['hash native'] = nativeCandidate('hash');
// This round does not count. It lets compilers warm up and memory grow to its final size.
await measureInterleaved(candidates, 1);
const measured = await measureInterleaved(candidates, rounds);
const speed = (name) => (measured.has(name) ? bytes / 1e6 / measured.seconds(name) : undefined);
const shown = (value) => (value === undefined ? '-' : value.toFixed(0));

const rows = [['step', 'plain JS, MB/s', 'wasm, MB/s', 'native, MB/s', 'wasm : JS', 'goal', 'wasm : native', 'goal']];
for (const [name, step] of Object.entries(STEPS)) {
  const [theirs, ours, same] = [`${name} js`, `${name} wasm`, `${name} native`];
  const faster = measured.has(theirs) ? measured.ratio(theirs, ours) : undefined;
  const share = measured.ratio(same, ours);
  rows.push([
    step.title ?? name,
    shown(speed(theirs)),
    shown(speed(ours)),
    shown(speed(same)),
    faster === undefined ? '-' : formatRatio(faster),
    faster === undefined ? '-' : formatGoal(faster, '>=', step.goal),
    formatRatio(share),
    // Signing has no goal, because native hashing uses instructions that wasm does not have.
    name === 'sign' ? '-' : formatGoal(share, '>=', 0.6),
  ]);
}
writeReport(
  'text',
  'Text',
  `${texts.length} texts, ${(bytes / 1e6).toFixed(1)} MB; medians of ${rounds} interleaved rounds, also of their ratios, seconds of the measuring thread on a CPU. Plain JS gets strings, the engine gets UTF-8 as it comes from a pipe or a file. SHA-256 alone, native: ${shown(speed('hash native'))} MB/s.`,
  formatTable(rows),
);
