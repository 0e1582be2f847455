/**
 * Calls return the same answers through each driver: SQLite, PostgreSQL through `pg`, and PGlite.
 * crates/engine/src/tests/databases/every_call.rs tests every call with every parameter, without these drivers.
 */

import { PGlite } from '@electric-sql/pglite';
import {
  openEngine,
  openProjectServer,
  SqlError,
  type SqlPool,
  type SqlStatement,
  type TEAM_CALLS,
} from 'argus-engine';
import { expect, onTestFinished } from 'vitest';
import { PostgresPool } from '../../../packages/mcp/src/team/server/storage/postgres-pool.ts';
import type { Data } from '../harness.ts';
import { getPostgres, testOnPostgres } from './postgres.ts';

type Method = (typeof TEAM_CALLS)[number];

const START_MS = Date.UTC(2026, 1, 26, 10);

/**
 * OIDs of PostgreSQL types that PGlite parses. They stay text here, because the engine reads the server's text form.
 */
const OIDS_KEPT_AS_TEXT = [16, 17, 20, 21, 23, 25, 700, 701, 1700];
const KEEP_TEXT_PARSERS = Object.fromEntries(OIDS_KEPT_AS_TEXT.map((type) => [type, (text: string) => text]));

/** A pool on PGlite, which has a single connection. A single connection suffices, because the calls are sequential. */
class PGlitePool implements SqlPool {
  readonly #database = new PGlite();

  async connect() {
    const send = async (statements: readonly SqlStatement[]) => {
      const answers = [];
      for (const statement of statements) answers.push(await this.#ask(statement));
      return answers;
    };
    return { send, release: () => {} };
  }

  async #ask({ sql, params }: SqlStatement) {
    try {
      const options = { rowMode: 'array', parsers: KEEP_TEXT_PARSERS } as const;
      const answer = await this.#database.query<(string | null)[]>(sql, [...params], options);
      const { rows, fields, affectedRows = 0 } = answer;
      return {
        types: fields.map(({ dataTypeID }) => dataTypeID),
        rows,
        tag: sql === 'COMMIT' ? sql : `DONE ${affectedRows}`,
      };
    } catch (thrown) {
      const { code = '', message = '' } = thrown as { code?: string; message?: string };
      throw new SqlError(code, message);
    }
  }

  close() {
    return this.#database.close();
  }
}

const testRecorder = { by: 'a test', from: 'here' };

type MakeCall = (method: Method, params: Data, callId: string, now: number) => Promise<unknown>;

async function openSqlite(): Promise<MakeCall> {
  const file = await openEngine({ databasePath: ':memory:', projectRoot: '/', locale: 'en', withoutFiles: true });
  onTestFinished(() => file.close());
  return (method, params, callId, now) =>
    file.callOnce(method, params as never, { callId, now, recorder: testRecorder });
}

async function openServer(pool: SqlPool): Promise<MakeCall> {
  const server = openProjectServer({ pool, log: (line) => expect(line).toBe('') });
  onTestFinished(() => server.close());
  await server.migrate();
  const shop = server.project('shop');
  return (method, params, callId, now) =>
    shop.callOnce(method, params as never, { callId, now, recorder: testRecorder });
}

/** Makes each call on all drivers. Resolves with the first driver's answer, which the other answers must equal. */
async function callOnAllDrivers() {
  const memories: [string, MakeCall][] = [
    ['SQLite', await openSqlite()],
    ['PostgreSQL', await openServer(new PostgresPool(getPostgres().url))],
    ['PGlite', await openServer(new PGlitePool())],
  ];
  let made = 0;
  return async (method: Method, params: Data): Promise<Data> => {
    made += 1;
    const id = `018f0000-0000-7000-8000-${String(made).padStart(12, '0')}`;
    const answers: unknown[] = [];
    for (const [name, call] of memories) {
      const answer = await call(method, params, id, START_MS + made * 1_000).catch((thrown: unknown) => {
        const { code, message } = thrown as { code?: string; message?: string };
        return { refused: code, message };
      });
      if (answers.length > 0) expect({ method, name, answer }).toEqual({ method, name, answer: answers[0] });
      answers.push(answer);
    }
    return answers[0] as Data;
  };
}

const TEST_CASE = { file: 'till.test.ts', suite: ['Till ÄÖ'], flaky: false, attempts: 1 };

const createRun = (...errors: string[]) => ({
  command: 'npm test',
  exitCode: errors.length > 0 ? 1 : 0,
  timedOut: false,
  reports: [],
  containers: [],
  notes: [],
  cases: [
    ...errors.map((error, at) => ({ ...TEST_CASE, name: `case ${at}`, status: 'failed', error })),
    { ...TEST_CASE, name: 'opens', status: 'passed', durationMs: 2.5 },
  ],
});

testOnPostgres('runs, fixes and incidents have the same answers through each driver', async () => {
  const call = await callOnAllDrivers();
  expect(await call('overview', {})).toEqual({ knownPatterns: 6, latestRunId: null });
  const errors = ['Error: the drawer is stuck at 17 mm', "AssertionError: expected 'a\u0000b' to be 'c'"];
  const { runId } = await call('recordRun', createRun(...errors));
  for (const [at] of errors.entries()) {
    const failure = { runId, caseName: `till.test.ts > Till ÄÖ > case ${at}` };
    expect(await call('diagnose', failure)).toHaveProperty('category');
    const fix = { ...failure, fixDescription: `Oil slide ${at}.`, success: at === 0, env: { os: 'linux' } };
    expect(await call('reportFix', fix)).toHaveProperty('patternId');
  }
  await call('recordRun', createRun());
  const { runId: head } = await call('recordRun', createRun(...errors));
  expect(await call('diagnose', { runId: head, caseName: 'none' })).toHaveProperty('refused');
  const { lines } = await call('patternsExport', {});
  expect(lines).toContain('"type":"pattern"');
  await call('patternsImport', { lines, from: 'another' });
  for (const [method, params] of [
    ['patterns', { source: 'learned' }],
    ['viewPatterns', { sort: 'lastSeen', descending: true }],
    ['viewRun', { id: head, text: 'TILL' }],
    ['viewComparison', { base: runId, head }],
    ['viewGrid', {}],
    ['health', {}],
    ['history', {}],
  ] as const) {
    expect(await call(method, params), method).not.toHaveProperty('refused');
  }

  const solutions = [];
  for (const [at, thing] of ['boiler', 'valve', 'pump', 'meter'].entries()) {
    const incident = {
      title: `The ${thing} is cold`,
      steps: 'Turn it on.',
      worked: at % 2 === 0,
      env: { os: 'linux' },
    };
    solutions.push((await call('addIncident', incident)).solution_id);
  }
  const found = await call('rankedSolutions', { query_text: 'the boiler is cold', env: { os: 'linux' } });
  expect(found.incidents).not.toHaveLength(0);
  const outcome = { solution_id: solutions[0], worked: true, env: { os: 'linux' }, lookup_id: found.lookup_id };
  expect(await call('recordOutcome', outcome)).toMatchObject({ ok: true });
  expect((await call('memoryExport', { limit: 3 })).lines).toContain('boiler');
});
