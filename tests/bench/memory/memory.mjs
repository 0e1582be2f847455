// The debug memory: duration of ranked_solutions as the memory grows, speed of an import, bytes per incident on the
// disk, and how often the right incident is found compared with plain full-text search. ../server/stdio.mjs measures
// the protocol.
//
//   node memory.mjs [SIZES]    sizes such as 1000,100000
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openEngine } from '../../../npm/engine/dist/node.mjs';
import { cpuSeconds, formatGoal, formatTable, median, OUT, quantile, ROOT, writeReport } from '../measure.mjs';
import { createFullTextIndex } from './full-text.mjs';
import { createIncident, createQuestion, formatImportLine } from './incidents.mjs';

const SIZES = (process.argv[2] ?? '1000,100000,1000000').split(',').map(Number);
const CALLS = 300;
/** Number of lines in each import transaction. */
const BATCH_LINES = 1000;
/** FTS5 ranks every document that contains any of the words, so larger memories would only confirm the result. */
const MAX_FULL_TEXT_INCIDENTS = 100_000;
const ENVIRONMENT = { os: 'linux', language: 'typescript', node: 20 };
/** Folder with research data that people labeled by hand. The data is not part of the project. */
const DATA_FOLDER = process.env.ARGUS_DATA ?? join(ROOT, '..', 'shared', 'data');

mkdirSync(OUT, { recursive: true });
const benchFolder = mkdtempSync(join(process.env.BENCH_DIR ?? OUT, 'memory-'));

async function timeCalls(calls, ask) {
  const milliseconds = [];
  const cpu = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) {
    const start = performance.now();
    await ask(call);
    milliseconds.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { p50: median(milliseconds), p99: quantile(milliseconds, 0.99), cpu: (user + system) / 1000 / calls };
}

/** Returns numbers that are spread over a memory of this size. */
const pickNumber = (call, size) => (Math.imul(call + 1, 0x9e3779b1) >>> 0) % size;

async function measureSizes() {
  const path = join(benchFolder, 'memory.db');
  const engine = await openEngine({ databasePath: path, projectRoot: benchFolder });
  const plain = await createFullTextIndex();
  const rows = [];
  let size = 0;
  for (const wanted of SIZES) {
    const from = { size, cpu: cpuSeconds() };
    let making = 0;
    while (size < wanted) {
      const start = cpuSeconds();
      const count = Math.min(BATCH_LINES, wanted - size);
      const numbers = Array.from({ length: count }, (_, index) => size + index);
      const lines = numbers.map(formatImportLine).join('\n');
      if (plain !== undefined && wanted <= MAX_FULL_TEXT_INCIDENTS) plain.add(numbers.map(createIncident));
      making += cpuSeconds() - start;
      await engine.memoryImport({ lines });
      size += count;
    }
    const rate = (size - from.size) / (cpuSeconds() - from.cpu - making);
    const questions = Array.from({ length: CALLS }, (_, call) => createQuestion(pickNumber(call, size), call));
    const answers = questions.map((_, call) => createIncident(pickNumber(call, size)).id);
    let found = 0;
    const ask = async (call) => {
      const { incidents } = await engine.rankedSolutions({ query_text: questions[call], env: ENVIRONMENT });
      found += incidents[0]?.incident_id === answers[call] ? 1 : 0;
    };
    await timeCalls(30, ask);
    found = 0;
    const ours = await timeCalls(CALLS, ask);
    const share = found / CALLS;
    const kinds = [];
    for (const kind of [0, 1, 2])
      kinds.push(await timeCalls(CALLS / 3, (call) => engine.memorySearch({ text: questions[call * 3 + kind] })));
    const theirs =
      plain !== undefined && wanted <= MAX_FULL_TEXT_INCIDENTS
        ? (await timeCalls(CALLS, (call) => plain.search(questions[call], 10))).p50
        : undefined;
    rows.push({ size, rate, bytes: statSync(path).size / size, ours, kinds, share, theirs });
    process.stderr.write(`${JSON.stringify(rows.at(-1))}\n`);
  }
  await engine.close();
  plain?.close();
  return rows;
}

function formatSizes(rows) {
  const limits = new Map([
    [1000, 3],
    [1_000_000, 25],
  ]);
  const head = ['incidents', 'p50 ms', 'goal', 'p99 ms', 'CPU ms', 'search alone p50: line / trace / words'];
  const lines = rows.map(({ size, ours, kinds, share, theirs, rate, bytes }) => [
    size.toLocaleString('en'),
    ours.p50.toFixed(2),
    limits.has(size) ? formatGoal(ours.p50, '<=', limits.get(size)) : '-',
    ours.p99.toFixed(1),
    ours.cpu.toFixed(2),
    kinds.map(({ p50 }) => p50.toFixed(1)).join(' / '),
    `${(share * 100).toFixed(0)}%`,
    theirs === undefined ? '-' : theirs.toFixed(1),
    rate.toFixed(0),
    bytes.toFixed(0),
  ]);
  return formatTable([
    [...head, 'right one first', 'FTS5 native, bm25, p50 ms', 'import per CPU second', 'bytes an incident'],
    ...lines,
  ]);
}

/**
 * Returns the share of queries whose incident is first, the share within the first five, and the mean reciprocal rank
 * within ten.
 */
async function measureRecall(queries, search) {
  let [first, five, reciprocal] = [0, 0, 0];
  for (const { text, relevant } of queries) {
    const place = (await search(text)).slice(0, 10).findIndex((id) => relevant.includes(id));
    if (place < 0) continue;
    first += place === 0 ? 1 : 0;
    five += place < 5 ? 1 : 0;
    reciprocal += 1 / (place + 1);
  }
  return [first, five, reciprocal].map((sum) => (sum / queries.length).toFixed(3));
}

async function formatRecall() {
  const file = join(DATA_FOLDER, 'retrieval.jsonl.gz');
  if (!existsSync(file)) return `Recall was not measured: there is no ${file}.`;
  const rows = gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text));
  const queries = rows.filter(({ type }) => type === 'query');
  const incidents = rows
    .filter(({ type }) => type === 'incident')
    .map(({ id, title, error, summary }) => ({ id, title, error_signature: error ?? '', summary: summary ?? '' }));
  const engine = await openEngine({ databasePath: ':memory:', projectRoot: benchFolder });
  await engine.memoryImport({ lines: incidents.map((one) => JSON.stringify(one)).join('\n') });
  const sides = [['Argus', async (text) => (await engine.memorySearch({ text })).ranked]];
  for (const camelCase of [false, true]) {
    const plain = await createFullTextIndex({ camelCase });
    if (plain === undefined) continue;
    plain.add(incidents);
    sides.push([`FTS5 bm25${camelCase ? ', camelCase split' : ''}`, (text) => plain.search(text, 10)]);
  }
  const lines = [];
  for (const [name, search] of sides) lines.push([name, ...(await measureRecall(queries, search))]);
  await engine.close();
  const said = `${incidents.length} incidents, ${queries.length} queries that people tied to one of them.`;
  return `${said}\n\n${formatTable([['side', 'recall@1', 'recall@5', 'MRR@10'], ...lines])}`;
}

const found = await formatRecall();
process.stderr.write(`${found}\n`);
const grown = formatSizes(await measureSizes());
rmSync(benchFolder, { recursive: true, force: true });
writeReport(
  'memory',
  'Debug memory',
  `ranked_solutions, the durable record of the search included; ${CALLS} questions, a third each of one error line, a trace of 35 frames, other words. Imports are ${BATCH_LINES} lines a transaction, each with a solution and two outcomes.`,
  grown,
  found,
);
