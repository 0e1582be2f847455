/**
 * The calls of a team on SQLite, on PostgreSQL and on PGlite: the same calls, by the same names at the same moments,
 * answer the same, whatever keeps the memory.
 */

import { PGlite } from '@electric-sql/pglite';
import { openEngine, openProjectServer, SqlError, type SqlPool, type TEAM_CALLS } from 'argus-engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres } from '../../../.scripts/lib/postgres.mjs';
import { PostgresPool } from '../../../packages/mcp/src/team/server/storage/postgres-pool.ts';
import type { Data } from '../harness.ts';

const START = Date.UTC(2026, 1, 26, 10);

/** Types that are no texts; the engine reads all as the server writes them. */
const TYPES = [16, 17, 20, 21, 23, 25, 700, 701, 1700];

/** PostgreSQL inside this process has one connection, for one at a time. */
class PGlitePool implements SqlPool {
  readonly #database = new PGlite();
  #free: Promise<void> = Promise.resolve();

  async connect() {
    const before = this.#free;
    let release = () => {};
    this.#free = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    const parsers = Object.fromEntries(TYPES.map((type) => [type, (text: string) => text]));
    return {
      send: async (statements: readonly { sql: string; params: readonly (string | Uint8Array | null)[] }[]) => {
        const answers = [];
        for (const { sql, params } of statements) {
          try {
            const { rows, fields, affectedRows } = await this.#database.query<(string | null)[]>(sql, [...params], {
              rowMode: 'array',
              parsers,
            });
            const types = fields.map(({ dataTypeID }) => dataTypeID);
            answers.push({ types, rows, tag: sql === 'COMMIT' ? sql : `DONE ${affectedRows ?? 0}` });
          } catch (thrown) {
            const { code = '', message = '' } = thrown as { code?: string; message?: string };
            throw new SqlError(code, message);
          }
        }
        return answers;
      },
      release: () => release(),
    };
  }

  close() {
    return this.#database.close();
  }
}

interface Memory {
  name: string;
  call(method: (typeof TEAM_CALLS)[number], params: Data, callId: string, now: number): Promise<unknown>;
  close(): Promise<void>;
}

const memories: Memory[] = [];
let postgres: Awaited<ReturnType<typeof startPostgres>>;

const recorder = { by: 'a test', from: 'here' };

async function onServer(name: string, pool: SqlPool): Promise<Memory> {
  const server = openProjectServer({ pool, locale: 'en', log: (line) => expect(line).toBe('') });
  await server.migrate();
  return {
    name,
    call: (method, params, callId, now) =>
      server.project('shop').callOnce(method, params as never, { callId, now, recorder }),
    close: () => server.close(),
  };
}

beforeAll(async () => {
  postgres = await startPostgres();
  const file = await openEngine({ databasePath: ':memory:', projectRoot: '/', locale: 'en', withoutFiles: true });
  memories.push({
    name: 'SQLite',
    call: (method, params, callId, now) => file.callOnce(method, params as never, { callId, now, recorder }),
    close: () => file.close(),
  });
  memories.push(await onServer('PostgreSQL', new PostgresPool(postgres.url)));
  memories.push(await onServer('PGlite', new PGlitePool()));
});

afterAll(async () => {
  await Promise.allSettled(memories.map((memory) => memory.close()));
  await postgres.stop();
});

let made = 0;

/** Made on all: the answer of the first, which is that of the others. */
async function same(method: (typeof TEAM_CALLS)[number], params: Data, callId?: string): Promise<Data> {
  const answer = await asked(method, params, callId);
  expect(answer).not.toMatchObject({ refused: expect.any(String) });
  return answer;
}

async function asked(method: (typeof TEAM_CALLS)[number], params: Data, callId?: string): Promise<Data> {
  made += 1;
  const id = callId ?? `018f0000-0000-7000-8000-${String(made).padStart(12, '0')}`;
  const answers = [];
  for (const memory of memories) {
    const answer = await memory.call(method, params, id, START + made * 1_000).catch((thrown: unknown) => {
      const { code, message } = thrown as { code?: string; message?: string };
      return { refused: code, message };
    });
    answers.push({ on: memory.name, answer });
  }
  const [first, ...others] = answers;
  for (const other of others) expect({ method, ...other }).toEqual({ method, on: other.on, answer: first?.answer });
  return first?.answer as Data;
}

const run = (...errors: string[]) => ({
  command: 'npm test',
  exitCode: errors.length > 0 ? 1 : 0,
  timedOut: false,
  reports: [],
  containers: [],
  notes: [],
  cases: [
    ...errors.map((error, at) => ({
      file: 'till.test.ts',
      suite: ['till'],
      name: `case ${at}`,
      status: 'failed',
      flaky: false,
      attempts: 1,
      error,
    })),
    {
      file: 'till.test.ts',
      suite: ['Till ÄÖ'],
      name: 'opens',
      status: 'passed',
      flaky: false,
      attempts: 1,
      durationMs: 2.5,
    },
  ],
});

test('a memory is learned, asked, edited and looked through alike', async () => {
  expect(await same('overview', {})).toEqual({ knownPatterns: 6, latestRunId: null });
  const errors = [
    'Error: the drawer is stuck at 17 mm',
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
    'Error: the drawer is stuck at 18 mm',
    "AssertionError: expected 'a\u0000b' to be 'c'",
  ];
  const { runId } = await same('recordRun', run(...errors));
  for (let at = 0; at < errors.length; at += 1) {
    await same('diagnose', { runId, caseName: `till.test.ts > till > case ${at}` });
    await same('reportFix', {
      runId,
      caseName: `till.test.ts > till > case ${at}`,
      fixDescription: `Oil the slide ${at % 2}.`,
      success: at !== 1,
      env: { os: 'linux' },
    });
  }
  await same('recordRun', run());
  const again = await same('recordRun', run(...errors.slice(0, 2)));
  await same('diagnose', { runId: again.runId, caseName: 'till.test.ts > till > case 0' });
  await asked('diagnose', { runId: again.runId, caseName: 'no such case' });
  const { patterns } = (await same('patterns', { source: 'learned' })) as { patterns: { id: string }[] };
  expect(patterns.length).toBeGreaterThan(1);
  const [one, other] = patterns.map(({ id }) => id);
  await same('pattern', { id: one });
  await same('editPattern', { id: one, description: 'The Drawer sticks', category: 'TIMEOUT' });
  await same('mergePatterns', { from: other, into: one });
  for (const sort of ['confidence', 'occurrences', 'lastSeen']) await same('patterns', { sort });
  for (const by of ['description', 'confidence', 'occurrences', 'resolutions', 'lastSeen']) {
    await same('viewPatterns', { sort: by, descending: by !== 'description' });
  }
  await same('viewPatterns', { text: 'drawer' });
  await same('viewPattern', { id: one });
  await same('viewRuns', {});
  await same('viewRun', { id: again.runId, text: 'TILL' });
  await same('viewRun', { id: again.runId, text: 'case' });
  await same('viewCase', { runId: again.runId, caseName: 'till.test.ts > till > case 0' });
  await same('viewComparison', { base: runId, head: again.runId });
  await same('viewGrid', {});
  await same('viewTrend', {});
  await same('viewNow', {});
  await same('health', {});
  await same('health', { by: 'day', limit: 1 });
  await same('viewOverview', {});
  await same('history', {});
  await same('runDetail', { runId: again.runId });
  await same('completeIds', { kind: 'run', prefix: 'run-' });
  await same('viewInspection', { event: { text: errors[0] } });
});

test('incidents are added, found and ranked alike', async () => {
  const added = [];
  for (let at = 0; at < 90; at += 1) {
    const what = ['boiler', 'valve', 'pump', 'meter'][at % 4];
    const incident = {
      title: `The ${what} ${at} is cold in room ${at % 7}`,
      steps: `Turn the ${what} on.`,
      force: true,
    };
    added.push(await same('addIncident', { ...incident, worked: at % 3 === 0, env: { os: at % 2 ? 'linux' : 'mac' } }));
  }
  const [{ incident_id: id, solution_id: solution } = {}] = added;
  const found = await same('rankedSolutions', { query_text: 'the boiler is cold in room 3', env: { os: 'linux' } });
  expect(found.incidents).not.toHaveLength(0);
  await same('recordOutcome', {
    solution_id: solution,
    worked: true,
    env: { os: 'linux' },
    lookup_id: found.lookup_id,
  });
  await same('addSolution', { incident_id: id, steps: 'Call the plumber.', env: {} });
  await same('incident', { id });
  await same('memorySearch', { text: 'pump 42', limit: 5 });
  await same('memoryExport', { limit: 20 });
  const { lines } = await same('patternsExport', {});
  expect(lines).toContain('"type":"pattern"');
  await same('patternsImport', { lines, from: 'another' });
  await same('patternsExport', {});
  await same('viewIncidents', {});
  await same('viewIncidents', { text: 'valve' });
  await same('viewEnvironments', {});
  await same('overview', {});
});

test('a call that is made again answers what it answered; another one of its name is refused', async () => {
  const id = '018f0000-0000-7000-8000-00000000ffff';
  const incident = { title: 'The bell is silent', steps: 'Wind it.', worked: true, env: {} };
  const first = await same('addIncident', incident, id);
  expect(await same('addIncident', incident, id)).toEqual(first);
  expect(await asked('diagnose', { runId: 'run-x', caseName: 'y' }, id)).toMatchObject({ refused: 'INVALID_INPUT' });
  expect(await asked('addIncident', { title: 5 })).toMatchObject({ refused: 'INVALID_INPUT' });
});
