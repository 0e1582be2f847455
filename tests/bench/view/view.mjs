// Measures the viewer with a large memory in a real browser: the time until the first table, the next page and a search
// result appear, both for a served memory and for a file that is opened in the page, and the memory that an opened file
// needs.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { formatGoal, formatTable, median, OUT, ROOT, writeReport } from '../measure.mjs';
import { CASES_PER_RUN, createEmptyProject, createLargeProject, OWNER_ENVIRONMENT } from './large-project.mjs';

const PATTERN_COUNT = Number(process.argv[2] ?? 100_000);
const RUN_COUNT = Number(process.argv[3] ?? 1_000);
const ROUNDS = Number(process.argv[4] ?? 5);
const BROWSER_PATH = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
/** A page of the viewer should appear within a second. */
const GOAL_MS = 1_000;
const MAX_WAIT_MS = 120_000;

if (BROWSER_PATH === undefined) throw new Error('there is no Chromium; install with: apt-get install -y chromium');
const { project, database } = await createLargeProject(PATTERN_COUNT, RUN_COUNT);

/** Starts the server and returns it. */
async function startServer(root) {
  const cli = join(ROOT, 'packages/mcp/dist/cli.mjs');
  const child = spawn(process.execPath, [cli, 'view', '--project', root, '--json'], {
    env: { ...process.env, ...OWNER_ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: JSON.parse(String(line)).url, end: () => child.kill('SIGINT') };
}

/** Returns the milliseconds until the text appears in the page. */
async function timeUntilText(page, act, words) {
  const start = performance.now();
  await act();
  await page.getByText(words).first().waitFor();
  return performance.now() - start;
}

async function measureViews(page, load) {
  const go = (hash) => () => page.evaluate((place) => Object.assign(location, { hash: place }), hash);
  const search = page.locator('[data-search]');
  return {
    'first table': await timeUntilText(page, load, /\d patterns?$/),
    'next 100': await timeUntilText(page, () => page.getByRole('button', { name: 'Next' }).click(), /^101–200/),
    'sorted by confidence': await timeUntilText(page, go('/patterns?sort=confidence&offset=100'), /^101–200/),
    search: await timeUntilText(page, () => search.fill('thing 77'), /^\d[\d,]* patterns?$/),
    'runs and trend': await timeUntilText(page, go('/runs'), /\d runs?$/),
    'tests x runs': await timeUntilText(page, go('/tests'), /\d tests?$/),
  };
}

/** Returns the memory of the largest renderer process, in MiB. */
function rendererMemory() {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,rss=,args='], { encoding: 'utf8' }).trim().split('\n');
  const family = new Set([process.pid]);
  let largest = 0;
  // Sorted by process id, because a child process has a higher id than its parent.
  for (const row of rows.map((line) => line.trim().split(/\s+/)).sort(([a], [b]) => a - b)) {
    const [pid, parent, kilobytes] = row.map(Number);
    if (!family.has(parent)) continue;
    family.add(pid);
    if (row.includes('--type=renderer')) largest = Math.max(largest, kilobytes);
  }
  return largest / 1024;
}

async function measure(way, round) {
  const profile = join(OUT, `view-profile-${process.pid}-${round}-${way}`);
  const server = await startServer(way === 'live' ? project : empty);
  const options = { executablePath: BROWSER_PATH, args: ['--no-sandbox'], locale: 'en-US' };
  const context = await chromium.launchPersistentContext(profile, options);
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(MAX_WAIT_MS);
    if (way === 'live')
      return { times: await measureViews(page, () => page.goto(server.url)), memory: rendererMemory() };
    await page.goto(server.url);
    const pick = page.getByLabel('Choose a file');
    return { times: await measureViews(page, () => pick.setInputFiles(database)), memory: rendererMemory() };
  } finally {
    await context.close();
    server.end();
    rmSync(profile, { recursive: true, force: true });
  }
}

const rounds = { live: [], dropped: [] };
const empty = join(OUT, 'view-empty');
createEmptyProject(empty);
for (let round = 0; round < ROUNDS; round += 1) {
  for (const way of ['live', 'dropped']) rounds[way].push(await measure(way, round));
}

const steps = Object.keys(rounds.live[0].times);
const memory = median(rounds.dropped.map((one) => one.memory));
const of = (way, step) => median(rounds[way].map((one) => one.times[step]));
writeReport(
  'view',
  'Viewer',
  `Milliseconds until a person sees it, median of ${ROUNDS} rounds with a fresh browser; ${PATTERN_COUNT} patterns, ${RUN_COUNT} runs of ${CASES_PER_RUN} cases, ${Math.round(statSync(database).size / 2 ** 20)} MiB. A dropped file is read by the engine in the page, which takes ${memory.toFixed(0)} MiB then.`,
  formatTable([
    ['view', 'live', 'dropped file', 'goal'],
    ...steps.map((step) => [
      step,
      of('live', step).toFixed(0),
      of('dropped', step).toFixed(0),
      formatGoal(Math.max(of('live', step), of('dropped', step)), '<=', GOAL_MS),
    ]),
  ]),
);
