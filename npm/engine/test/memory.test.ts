/** The debug memory through the wasm that is published, alone and with a second memory. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine, EngineError, openEngine } from 'argus-engine';
import { expect, onTestFinished, test } from 'vitest';
import { folder, open as openAny } from './setup.ts';

const POOL = 'sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out';
const env = { os: 'Linux', language: 'python', python: '3.12' };
const pool = {
  title: 'Connection pool exhausted under load',
  error_signature: POOL,
  steps: 'Close the session before the mail is sent',
  env,
  worked: true,
};

async function open(
  databasePath: string,
  secondaryPath?: string,
  home: 'project' | 'user' = 'project',
): Promise<Engine> {
  return openAny({ databasePath, memory: { home }, ...(secondaryPath === undefined ? {} : { secondaryPath }) });
}

/** The incident was new. */
async function added(engine: Engine) {
  const answer = await engine.addIncident(pool);
  if (!('solution_id' in answer)) throw new Error('it was there already');
  return answer;
}

test('a problem is met, solved, met again', async () => {
  const engine = await open(join(folder(), 'argus.db'));
  const unknown = await engine.rankedSolutions({ query_text: POOL, env });
  expect(unknown).toMatchObject({ incidents: [], recommended_solution: null, more: 0 });
  expect(unknown.next_action.type).toBe('NO_MATCH_DEBUG_THEN_ADD_INCIDENT');
  const { incident_id, solution_id, ...rest } = await engine
    .addIncident({ ...pool, lookup_id: unknown.lookup_id })
    .then((answer) => {
      if (!('solution_id' in answer)) throw new Error('it was there already');
      return answer;
    });
  expect(rest).toMatchObject({ created: true, env_bucket: 'os_family=linux;language=python;language_major=3' });
  expect('detected_env' in rest).toBe(false);
  const known = await engine.rankedSolutions({ query_text: `E   ${POOL}, timeout 30.00`, env, limit: 1 });
  expect(known.recommended_solution).toMatchObject({ solution_id, incident_id, env, worked: 1, failed: 0 });
  expect(known.next_action.type).toBe('TRY_SOLUTION_AND_RECORD_OUTCOME');
  const { lookup_id } = known;
  const outcome = await engine.recordOutcome({ lookup_id, solution_id, worked: false, env, notes: 'no' });
  expect(outcome.solution_stats).toMatchObject({ worked: 1, failed: 1, success_rate: 0.5 });
  const variant = await engine.addSolution({
    incident_id,
    steps: 'Raise pool_size',
    env: {},
    detected_env: { os: 'darwin' },
  });
  expect(variant).toMatchObject({ created: true, env_bucket: 'os_family=macos', detected_env: { os_family: 'macos' } });
  expect(await engine.addIncident(pool)).toMatchObject({ created: false, incident_id, similarity: 1 });
});

test('an error has a code and names the next step', async () => {
  const engine = await open(':memory:');
  const codes = [];
  for (const call of [
    () => engine.rankedSolutions({ query_text: '', env }),
    () => engine.rankedSolutions({ query_text: 'x', env: { os: {} } }),
    () => engine.rankedSolutions({ query_text: 'x', env, limit: 1e30 }),
    () => engine.recordOutcome({ solution_id: 'sol-none', worked: true, env }),
    () => engine.recordOutcome({ solution_id: 'sol-none', worked: true, env, lookup_id: 'lkp-none' }),
    () => engine.addSolution({ incident_id: 'inc-none', steps: 'x', env }),
  ]) {
    const error = await call().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    codes.push(error instanceof EngineError ? error.code : error);
  }
  const input = 'INVALID_INPUT';
  expect(codes).toEqual([input, input, input, 'SOLUTION_NOT_FOUND', 'LOOKUP_NOT_FOUND', 'INCIDENT_NOT_FOUND']);
});

test('the two memories are one to a search, and each keeps its own', async () => {
  const [project, user] = [join(folder(), 'argus.db'), join(folder(), 'memory.db')];
  const own = await open(user, project, 'user');
  expect((await own.rankedSolutions({ query_text: POOL, env })).incidents).toEqual([]);
  expect(existsSync(project)).toBe(false);
  const { incident_id, solution_id } = await added(own);
  const work = await open(project, user);
  const found = await work.rankedSolutions({ query_text: POOL, env });
  expect(found.incidents).toMatchObject([{ incident_id, memory: 'user', kind: 'incident' }]);
  await work.recordOutcome({ lookup_id: found.lookup_id, solution_id, worked: true, env });
  expect(await work.addIncident(pool)).toMatchObject({ created: false, incident_id });
  const { lines } = await own.memoryExport();
  expect(JSON.parse(lines).solutions[0].outcomes).toHaveLength(2);
  expect((await work.memoryExport()).lines).toBe('');
});

test('what is exported is taken in again as it was', async () => {
  const [from, to] = [await open(':memory:'), await open(join(folder(), 'argus.db'))];
  await added(from);
  const lines = Array.from({ length: 300 }, (_, n) => JSON.stringify({ title: `Widget${n} breaks the frob${n % 7}` }));
  expect(await from.memoryImport({ lines: lines.join('\n') })).toMatchObject({ added: 300, refused: [] });
  let page = await from.memoryExport({ limit: 250 });
  let all = page.lines;
  while (page.next !== null) {
    page = await from.memoryExport({ limit: 250, after: page.next });
    all += page.lines;
  }
  expect(await to.memoryImport({ lines: all })).toMatchObject({ added: 301, solutions: 1, outcomes: 1 });
  expect(await to.memoryImport({ lines: all })).toMatchObject({ added: 0, updated: 301, solutions: 0, outcomes: 0 });
  const { ranked, scores } = await to.memorySearch({ text: 'frob3 widget171', limit: 3 });
  expect([ranked.length, scores.length]).toEqual([3, 3]);
  expect(ranked).toEqual((await from.memorySearch({ text: 'frob3 widget171', limit: 3 })).ranked);
});

test('a memory beside that is not the one that was meant is left out', async () => {
  const secondaryPath = join(folder(), 'beside.db');
  const theirs = await openEngine({ databasePath: secondaryPath, projectRoot: '/', memoryId: 'mem-a', create: true });
  await added(theirs);
  await theirs.close();
  for (const [secondaryMemoryId, found] of [
    ['mem-a', 1],
    ['mem-b', 0],
  ] as const) {
    const databasePath = join(folder(), 'argus.db');
    const memory = { home: 'user' } as const;
    const engine = await openEngine({ databasePath, projectRoot: '/', memory, secondaryPath, secondaryMemoryId });
    onTestFinished(() => engine.close());
    const { incidents } = await engine.rankedSolutions({ query_text: POOL, env });
    expect(incidents, secondaryMemoryId).toHaveLength(found);
  }
});
