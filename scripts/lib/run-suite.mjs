// Runs the steps of a suite, reports failures, and writes the duration of all steps.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, writeLog } from './exec.mjs';
import { runInLanes } from './schedule.mjs';
import { forget, hashOf, recall, remember } from './step-cache.mjs';
import { bold, dim, runStep, StepFailed } from './steps.mjs';

/**
 * Number of lines of a failed runner's output that are shown, which is enough to act on. The log contains all lines.
 */
const TAIL_LINES = 80;
/** Matches a passed test in the output of Vitest (`✓ name 12ms`) and cargo (`test name ... ok`). */
const PASSED = /^\s*✓ |^test .* \.\.\. ok$/;
const MAX_SLOWEST = 30;

/**
 * @param name of the suite, for the file with its counts
 * @param steps `{ name, lane, after?, inputs?, isDone?, work(onLine, all) }`. `work` resolves to nothing if a step only
 * prepares others, otherwise to `{ code, output }`; tests add counts, notes and times. A step is skipped if `isDone()`
 * returns true or its `inputs` are unchanged since it passed.
 * @param all also runs steps that passed on the same inputs
 * @returns the exit code
 */
export async function runSuite(name, steps, all = false) {
  const results = [];
  const leftOut = await runInLanes(steps, async (one) => {
    const result = await runSuiteStep(one, all);
    results.push(result);
    return result.failed === 0;
  });
  for (const left of leftOut)
    results.push({ name: left, ...EMPTY_COUNTS, failed: 1, notes: ['not run: a step before it failed'] });
  writeTimings(results);
  return reportResults(name, results);
}

const EMPTY_COUNTS = { passed: 0, failed: 0, skipped: 0, ms: 0, times: [], notes: [] };

async function runSuiteStep({ name, inputs, isDone, work }, all) {
  if (isDone?.()) return { ...EMPTY_COUNTS, name };
  const key = `passed-${name.replace(/\W+/g, '-')}`;
  const hash = inputs && hashOf(inputs, process.versions.node, process.platform);
  const known = all || hash === undefined ? null : recall(key, hash);
  if (known) return { ...EMPTY_COUNTS, ...known, name, cached: true };
  forget(key);
  const start = Date.now();
  try {
    const outcome = await runStep(name, async (onLine) => {
      const ended = countOutcome(await work(onLine, all));
      if (ended.code !== 0) throw new RunnerError(name, ended);
      return ended;
    });
    const { passed, failed, skipped, notes, times } = outcome;
    for (const note of notes) console.log(`   ${note}`);
    if (hash !== undefined) remember(key, hash, { passed, failed, skipped });
    return { name, passed, failed, skipped, notes, times, ms: Date.now() - start };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.log(error.message);
    const counts = error instanceof RunnerError ? error.counts : { failed: 1 };
    return { ...EMPTY_COUNTS, ...counts, name, ms: Date.now() - start };
  }
}

/**
 * Returns the counts of a step. A step without tests counts as one test. A step that only prepares other steps does not
 * count.
 */
function countOutcome(outcome) {
  if (outcome === undefined) return { ...EMPTY_COUNTS, code: 0, output: '' };
  const isPassed = outcome.code === 0;
  return { ...EMPTY_COUNTS, passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, ...outcome };
}

class RunnerError extends StepFailed {
  constructor(name, { output, passed, failed, skipped, notes, times }) {
    const log = writeLog(name, output);
    const lines = output.trimEnd().split('\n');
    const telling = lines.filter((line) => !PASSED.test(line));
    super([...telling.slice(-TAIL_LINES), `all ${lines.length} lines: ${log}`].join('\n'));
    this.counts = { passed, failed, skipped, notes, times };
  }
}

function reportResults(name, results) {
  const cached = results.filter((it) => it.cached);
  if (cached.length > 0) {
    console.log(dim(`unchanged since they passed (--all runs them again): ${cached.map((it) => it.name).join(', ')}`));
  }
  for (const note of new Set(results.flatMap(({ notes }) => notes.filter((it) => it.startsWith('skipped: ')))))
    console.log(note);
  const bad = results.filter((it) => it.failed > 0).map((it) => it.name);
  if (bad.length > 0) console.log(bold(`failed: ${bad.join(', ')}`));
  const sum = (key) => results.reduce((total, it) => total + it[key], 0);
  const counts = { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
  writeLogFile(`counts-${name}.json`, JSON.stringify(counts));
  console.log(formatSummary(counts));
  return bad.length === 0 ? 0 : 1;
}

export function formatSummary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** Writes the duration of each step and the slowest tests as Markdown tables. */
function writeTimings(results) {
  const steps = results.filter(({ ms }) => ms > 0).toSorted((left, right) => right.ms - left.ms);
  const tests = results.flatMap(({ times }) => times).toSorted((left, right) => right.ms - left.ms);
  const row = ({ name, ms }) => `| ${(ms / 1_000).toFixed(1)} | ${name.replaceAll('|', '\\|')} |`;
  const table = (title, rows) => [`## ${title}`, '', '| s | |', '|--:|---|', ...rows.map(row), ''];
  const text = ['# Timings', '', ...table('Steps', steps), ...table('Slowest tests', tests.slice(0, MAX_SLOWEST))];
  writeLogFile('timings.md', text.join('\n'));
}

function writeLogFile(file, text) {
  const folder = join(root, 'target', 'logs');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), text);
}
