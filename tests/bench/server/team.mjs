// Compares the team server on PostgreSQL with the local store: each call over a network with a round trip of 0, 1 and
// 20 ms, with few patterns and with a million; and the calls per second of many machines at once, on one server and on
// several servers.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openEngine } from '../../../npm/engine/dist/node.mjs';
import { startPostgres } from '../../../scripts/lib/postgres.mjs';
import { formatGoal, formatTable, OUT, quantile, ROOT, writeReport } from '../measure.mjs';

const NETWORKS_MS = [0, 1, 20];
const ROUNDS = Number(process.argv[2] ?? 60);
const SECONDS = Number(process.argv[3] ?? 8);
const PATTERNS = Number(process.argv[4] ?? 1_000_000);
const CALLS_PER_SECOND = 150;
const cliPath = join(ROOT, 'packages', 'mcp', 'dist', 'cli.mjs');
/** The PostgreSQL driver that the server uses. */
const pg = createRequire(cliPath)('pg');

const RUN = { command: 'job', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
const ENV = { os: 'linux' };

/** The calls of an agent in order. Each call receives the answers to the earlier calls. */
const CALLS = [
  ['recordRun', () => ({ ...RUN, outputTail: 'SomethingBroke: the job could not be done' })],
  ['diagnose', (so) => ({ runId: so.recordRun.runId, caseName: so.recordRun.failures[0].caseName })],
  ['reportFix', (so) => ({ ...so.failure, fixDescription: 'Oil it.', success: true })],
  ['patterns', () => ({})],
  ['rankedSolutions', () => ({ query_text: 'The boiler is cold', env: ENV })],
  ['recordOutcome', (so) => ({ solution_id: so.solution, worked: true, env: ENV })],
];

async function makeCallsInOrder(call) {
  const incident = {
    title: 'The boiler is cold',
    steps: 'Relight the pilot flame.',
    worked: true,
    env: ENV,
    force: true,
  };
  const { solution_id: solution } = await call('addIncident', incident);
  const took = Object.fromEntries(CALLS.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const so = { solution };
    for (const [name, params] of CALLS) {
      const began = performance.now();
      so[name] = await call(name, params(so));
      took[name].push(performance.now() - began);
      if (name === 'diagnose') so.failure = { runId: so.recordRun.runId, caseName: so.recordRun.failures[0].caseName };
    }
  }
  return took;
}

/** Starts a proxy that delays bytes by half of `milliseconds` in each direction. */
async function startDelayingProxy(port, milliseconds) {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const hand = (from, to) => {
      from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), milliseconds / 2));
      from.on('close', () => setTimeout(() => to.destroy(), milliseconds / 2));
      from.on('error', () => to.destroy());
    };
    hand(near, far);
    hand(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, close: () => server.close() };
}

/**
 * SQL that creates patterns like those that diagnoses create: random signatures, and one in a hundred is similar to the
 * existing pattern.
 */
const CREATE_PATTERNS = `
INSERT INTO patterns (id, source, category, recipe, signature, family, case_name, normalized, description, occurrences,
  resolutions, first_seen_at, last_seen_at, updated_at)
SELECT 'pat-' || lpad(to_hex(i), 32, '0'), 'learned', 'UNKNOWN',
  (SELECT recipe FROM patterns WHERE source = 'learned' LIMIT 1), md5(i || 'a') || md5(i || 'b'),
  md5(i || 'c') || md5(i || 'd'), 'tests/f' || i % 5000 || '.test.ts > case ' || i,
  'TypeError: cannot read <VALUE> of case ' || i || ' at step <NUMBER>', 'TypeError: cannot read it', 1 + i % 50, 0,
  1767225600000, 1767225600000 + i, 1767225600000 + i FROM generate_series(1, $1::bigint) i;
INSERT INTO pattern_bands SELECT (band << 32) | (random() * 4294967295)::bigint, key
  FROM patterns, generate_series(0, 3) band WHERE id LIKE 'pat-0000%' ON CONFLICT DO NOTHING;
WITH likes AS MATERIALIZED (SELECT band FROM pattern_bands
  WHERE pattern_key = (SELECT MIN(key) FROM patterns WHERE source = 'learned'))
INSERT INTO pattern_bands SELECT band, key FROM patterns, likes WHERE id LIKE 'pat-0000%' AND key % 100 = 0
  ON CONFLICT DO NOTHING;
UPDATE pattern_counts SET learned = learned + $1::bigint WHERE category = 'UNKNOWN';
ANALYZE`;

async function fillProject(database, project) {
  const client = new pg.Client(database);
  await client.connect();
  await client.query(`SET search_path = "argus_${project}"`);
  for (const sql of CREATE_PATTERNS.split(';')) await client.query(sql.replaceAll('$1', PATTERNS));
  await client.end();
}

function runArgus(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cliPath, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

async function startServer(database) {
  const child = spawn(
    process.execPath,
    [cliPath, 'serve', '--database', database, '--port', '0', '--rate-limit', '100000'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: child.stdout });
  const [first] = await once(lines, 'line');
  // The following lines are the log. They must be read, because a full pipe would block the server.
  lines.on('line', () => {});
  return { port: Number(new URL(JSON.parse(first).url).port), stop: () => child.kill() };
}

function createCaller(port, token, project) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const call = (method, params) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ protocol: 1, callId: randomUUID(), now: Date.now(), method, params });
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const path = `/v1/projects/${project}/call`;
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, async (response) => {
        let text = '';
        for await (const part of response) text += part;
        const { result, error } = JSON.parse(text);
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
      sent.on('error', reject).end(body);
    });
  return { call, close: () => agent.destroy() };
}

/** Lets many machines diagnose the same failure at once; each waits for its answer. */
async function measureThroughput(ports, token, clients) {
  const project = `load-${clients}-${ports.length}`;
  const first = createCaller(ports[0], token, project);
  const run = await first.call('recordRun', { ...RUN, outputTail: 'SomethingBroke: the job could not be done' });
  const failure = { runId: run.runId, caseName: run.failures[0].caseName };
  await first.call('diagnose', failure);
  await first.call('reportFix', { ...failure, fixDescription: 'Oil it.', success: true });
  const until = performance.now() + SECONDS * 1_000;
  let made = 0;
  const work = async (at) => {
    const { call, close } = createCaller(ports[at % ports.length], token, project);
    for (; performance.now() < until; made += 1) await call('diagnose', failure);
    close();
  };
  await Promise.all(Array.from({ length: clients }, (_, at) => work(at)));
  first.close();
  return made / SECONDS;
}

mkdirSync(OUT, { recursive: true });
const benchFolder = mkdtempSync(join(OUT, 'team-'));
const postgres = await startPostgres();
const servers = [];
try {
  const database = await postgres.newDatabase();
  runArgus('migrate', '--database', database);
  const { token } = JSON.parse(runArgus('token', 'create', 'bench', '--database', database, '--json'));
  const local = await openEngine({ databasePath: join(benchFolder, 'argus.db'), projectRoot: '/', locale: 'en' });
  const columns = [['local store', await makeCallsInOrder((name, params) => local.call(name, params))]];
  await local.close();
  servers.push(await startServer(database));
  for (const milliseconds of NETWORKS_MS) {
    const way = await startDelayingProxy(servers[0].port, milliseconds);
    const { call, close } = createCaller(way.port, token, `network-${milliseconds}`);
    columns.push([`${milliseconds} ms`, await makeCallsInOrder(call)]);
    close();
    way.close();
  }
  const { call, close } = createCaller(servers[0].port, token, 'network-0');
  await fillProject(database, 'network-0');
  columns.push([`0 ms, ${PATTERNS.toLocaleString('en')} patterns`, await makeCallsInOrder(call)]);
  close();
  const shown = (took) => `${quantile(took, 0.5).toFixed(1)} / ${quantile(took, 0.99).toFixed(1)}`;
  const rows = CALLS.map(([name]) => [name, ...columns.map(([, took]) => shown(took[name]))]);
  const speeds = [];
  for (const processes of [1, 4]) {
    while (servers.length < processes) servers.push(await startServer(database));
    const ways = await Promise.all(servers.map(({ port }) => startDelayingProxy(port, 20)));
    const ports = ways.map(({ port }) => port);
    for (const clients of [8, 32]) speeds.push([processes, clients, await measureThroughput(ports, token, clients)]);
    for (const way of ways) way.close();
  }
  const wanted = (processes, clients) => processes === 1 && clients === 8;
  const shownSpeed = ([processes, clients, speed]) => {
    const met = wanted(processes, clients) ? formatGoal(Math.round(speed), '>=', CALLS_PER_SECOND) : '-';
    return [processes, clients, speed.toFixed(0), met];
  };
  writeReport(
    'team',
    'A team on PostgreSQL',
    `p50 / p99 of ${ROUNDS} calls in ms, one client; the network there and back. PostgreSQL on the same machine.`,
    formatTable([['call', ...columns.map(([name]) => name)], ...rows]),
    `Diagnoses of one failure by several clients at once over 20 ms, ${SECONDS} s each:`,
    formatTable([['servers', 'clients', 'calls/s', 'goal'], ...speeds.map(shownSpeed)]),
  );
} finally {
  for (const { stop } of servers) stop();
  await postgres.stop();
  rmSync(benchFolder, { recursive: true, force: true });
}
