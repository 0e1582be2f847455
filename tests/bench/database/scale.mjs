// Measures how time and memory of the built program grow with the cases of a run and with the runs of a history. A step
// whose time grows faster than its size has a ratio above 10. The history of 1,000 runs takes minutes, so it is measured
// only by `node tests/bench/database/scale.mjs 1000000`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { formatGoal, formatRatio, formatTable, median, OUT, ROOT, writeReport } from '../measure.mjs';
import { createEmptyProject } from '../view/large-project.mjs';

const LARGEST = Number(process.argv[2] ?? 100_000);
const ROUNDS = Number(process.argv[3] ?? 3);
/** Number of cases in all runs together. Each size is ten times the size before it. */
const SIZES = [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= LARGEST);
const CASES_PER_RUN = 1_000;
const HOUR_MS = 3_600_000;

const cliPath = join(ROOT, 'packages', 'mcp', 'dist', 'cli.mjs');
mkdirSync(OUT, { recursive: true });
const benchFolder = mkdtempSync(join(OUT, 'scale-'));
const usagePath = join(benchFolder, 'usage.json');
/** Writes the peak memory of the program when it exits. */
const REPORT_USAGE = `data:text/javascript,import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(${JSON.stringify(usagePath)},JSON.stringify(process.resourceUsage())))`;
const processEnvironment = { ...process.env, XDG_DATA_HOME: join(benchFolder, 'data') };

/** Spells a number in letters, because digits in errors and names are replaced by placeholders. */
const spell = (number) =>
  number.toString(26).replaceAll(/./gu, (digit) => String.fromCharCode(97 + parseInt(digit, 26)));

/** Writes a history in which `failing` cases of each run fail, each with an error of its own. */
function writeHistory(path, runs, cases, failing) {
  const file = openSync(path, 'w');
  for (let run = 0; run < runs; run += 1) {
    const all = Array.from({ length: cases }, (_, index) => createCase(index, (index + 7 * run) % cases < failing));
    const commit = Math.floor(run / 3)
      .toString(16)
      .padStart(40, '0');
    const startedAt = Date.UTC(2026, 0, 1) + run * HOUR_MS;
    const environment = { os: 'linux', node: `20.${Math.floor(run / 50)}` };
    writeSync(file, `${JSON.stringify({ id: `r${run}`, startedAt, commit, environment, cases: all })}\n`);
  }
  closeSync(file);
  return path;
}

function createCase(index, hasFailed) {
  const file = `tests/${spell(Math.floor(index / 100))}.test.ts`;
  const name = `${file} > does ${spell(index)}`;
  if (!hasFailed) return { name, status: 'passed', durationMs: index % 10 };
  const stack = `    at check${spell(index)} (src/${spell(index % 300)}.ts:${index % 200}:20)\n    at ${file}:12:20`;
  return {
    name,
    status: 'failed',
    durationMs: index % 10,
    error: `OrderError: the ${spell(index)} is wrong\n${stack}`,
  };
}

/** Runs the program and returns its seconds and its peak memory in megabytes. */
async function runArgus(project, ...args) {
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', REPORT_USAGE, cliPath, ...args, '--project', project], {
    env: processEnvironment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  const seconds = (performance.now() - start) / 1000;
  if (code !== 0) throw new Error(`argus ${args[0]} ended with exit code ${code}`);
  return { seconds, megabytes: JSON.parse(readFileSync(usagePath, 'utf8')).maxRSS / 1000 };
}

/** Returns the seconds until the viewer's server has answered what the first page asks for. */
async function openFirstPage(project) {
  const child = spawn(process.execPath, [cliPath, 'view', '--project', project, '--json'], {
    env: processEnvironment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const { origin, hash } = new URL(JSON.parse(String(line)).url);
  const headers = { authorization: `Bearer ${hash.slice('#token='.length)}`, 'content-type': 'application/json' };
  const start = performance.now();
  await (await fetch(`${origin}/api/about`, { headers })).json();
  const answer = await fetch(`${origin}/api/viewNow`, { method: 'POST', headers, body: '{}' });
  await answer.json();
  const seconds = (performance.now() - start) / 1000;
  child.kill('SIGINT');
  await once(child, 'close');
  if (!answer.ok) throw new Error(`viewNow was answered with ${answer.status}`);
  return { seconds };
}

/** Imports a history into a new project, and reads it. */
async function measure(history) {
  const project = mkdtempSync(join(benchFolder, 'project-'));
  createEmptyProject(project);
  const imported = await runArgus(project, 'import', '--runs', history);
  const steps = { import: imported, tests: await runArgus(project, 'tests'), view: await openFirstPage(project) };
  rmSync(project, { recursive: true });
  return steps;
}

/** Measures each size and returns the rows of a table. `goals` are for the size `goalSize`. */
async function measureSizes(sizes, write, goalSize, goals) {
  const rows = [];
  let smaller;
  for (const size of sizes) {
    const history = write(size);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure(history));
    const seconds = (step) => median(rounds.map((one) => one[step].seconds));
    const megabytes = median(rounds.map((one) => one.import.megabytes));
    const found = { import: seconds('import'), tests: seconds('tests'), view: seconds('view') };
    const values = { ...found, megabytes };
    const format = (step) =>
      `${found[step].toFixed(2)} s${smaller ? `, ${formatRatio(found[step] / smaller[step])}` : ''}`;
    const judged = Object.entries(size === goalSize ? goals : {});
    const goal = judged.map(([step, limit]) => `${step} ${formatGoal(values[step], '<=', limit)}`).join(', ');
    rows.push([
      size.toLocaleString('en'),
      format('import'),
      `${megabytes.toFixed(0)} MB`,
      format('tests'),
      format('view'),
      goal || '-',
    ]);
    smaller = found;
    rmSync(history);
  }
  return [['cases', 'import', 'its peak memory', 'argus tests', 'first page', 'goals'], ...rows];
}

const historyPath = join(benchFolder, 'history.jsonl');
try {
  const oneRun = await measureSizes(
    SIZES.filter((size) => size <= 100_000),
    (size) => writeHistory(historyPath, 1, size, size),
    100_000,
    { import: 20, megabytes: 400, tests: 1 },
  );
  const manyRuns = await measureSizes(
    SIZES,
    (size) => writeHistory(historyPath, size / CASES_PER_RUN, CASES_PER_RUN, 20),
    1_000_000,
    { import: 120, view: 0.5 },
  );
  writeReport(
    'scale',
    'Large runs and histories',
    `Medians of ${ROUNDS} rounds, each step in its own process, with the ratio to the size before.`,
    'A run in which all cases fail, each with an error of its own:',
    formatTable(oneRun),
    `Runs of ${CASES_PER_RUN.toLocaleString('en')} cases, of which 20 fail, not the same in each run:`,
    formatTable(manyRuns),
  );
} finally {
  rmSync(benchFolder, { recursive: true, force: true });
}
