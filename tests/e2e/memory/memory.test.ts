/**
 * Tests the contract of the debug memory: every tool, the wording of every next action, every field, and every error.
 * `crates/engine/src/tests/memory` tests the results of a search and their order.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject, type Data } from '../harness.ts';
import { agent } from '../one-agent.ts';

const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const LOOKUP_ID = expect.stringMatching(`^lkp-${UUID_V7}$`);
const INCIDENT_ID = expect.stringMatching(`^inc-${UUID_V7}$`);
const SOLUTION_ID = expect.stringMatching(`^sol-${UUID_V7}$`);
const OUTCOME_ID = expect.stringMatching(`^out-${UUID_V7}$`);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
const ANY_TEXT = expect.stringMatching(/./u);

/** The next actions in the wording of the contract. */
const NEXT_ACTIONS = {
  noMatch: {
    type: 'NO_MATCH_DEBUG_THEN_ADD_INCIDENT',
    instructions:
      'No relevant incidents found. Debug normally. If a fix is found, call add_incident to store the incident + solution + outcome.',
  },
  noSolutions: {
    type: 'NO_SOLUTIONS_ADD_ONE',
    instructions:
      'Incidents were found but no solutions exist. Debug normally. Once you find a fix that works, call add_solution for the best matching incident, then record_outcome.',
  },
  tryIt: {
    type: 'TRY_SOLUTION_AND_RECORD_OUTCOME',
    instructions: 'Try the recommended solution. After attempting it, call record_outcome with worked=true or false.',
  },
  done: {
    type: 'DONE_OR_ADD_ENV_VARIANT',
    instructions:
      'Done. If this fix works in another environment, add_solution to the same incident and then record_outcome.',
  },
  debugFurther: {
    type: 'DEBUG_FURTHER_THEN_ADD_SOLUTION_OR_INCIDENT',
    instructions:
      'Debug further. If you find a new fix for the same incident, call add_solution (then record_outcome). If the root cause is different, call add_incident to create a new incident.',
  },
  recordOutcome: {
    type: 'RECORD_OUTCOME_FOR_NEW_SOLUTION',
    instructions: 'If you try this solution, call record_outcome with solution_id, worked, and env.',
  },
  useAddSolution: {
    type: 'USE_ADD_SOLUTION_FOR_EXISTING_INCIDENT',
    instructions:
      'An incident already exists. Use add_solution with this incident_id, then record_outcome after you try it.',
  },
};

const ENVIRONMENT = {
  os: 'Darwin',
  language: 'py',
  language_version: '3.11.4',
  framework: 'Django',
  framework_version: '4.2',
  runtime: 'docker',
  cuda: '12.1',
};
const ENVIRONMENT_BUCKET =
  'os_family=macos;language=python;language_major=3;framework=django;framework_major=4;runtime=docker;cuda_major=12';

const TRACEBACK = `Traceback (most recent call last):
  File "/srv/app/shop/migrate.py", line 41, in apply_pending
    cursor.execute(statement)
django.db.utils.ProgrammingError: relation "shop_voucher" does not exist`;

const INCIDENT = {
  title: 'relation "shop_voucher" does not exist after deploy',
  error_signature: TRACEBACK,
  summary: 'The voucher table is missing because migrations run after the workers start.',
  tags: ['django', 'postgres'],
  steps: 'Run manage.py migrate in the release phase, before the workers start.',
  env: ENVIRONMENT,
};

const ANY_SCORE = expect.toSatisfy((score: unknown) => typeof score === 'number' && score > 0 && score <= 1);

/** The incident as a search with its error returns it. */
const FOUND_INCIDENT = {
  kind: 'incident',
  title: INCIDENT.title,
  error_signature: INCIDENT.error_signature,
  summary: INCIDENT.summary,
  tags: INCIDENT.tags,
  score: ANY_SCORE,
  because: expect.arrayContaining([ANY_TEXT]),
  memory: 'project',
};

const NO_MATCH_ANSWER = {
  lookup_id: LOOKUP_ID,
  env_bucket: ENVIRONMENT_BUCKET,
  incidents: [],
  ranked_solutions: [],
  recommended_solution: null,
  more: 0,
};

/** Creates a new project and functions that call the tools on its memory. */
function createMemory() {
  const root = createProject();
  const ask = (tool: string, args: Data) => agent.ask(tool, { projectPath: root, ...args });
  return {
    root,
    ask,
    askError: (tool: string, args: Data) => agent.askError(tool, { projectPath: root, ...args }),
    search: (args: Data = {}) => ask('ranked_solutions', { query_text: TRACEBACK, env: ENVIRONMENT, ...args }),
    add: (args: Data = {}) => ask('add_incident', { ...INCIDENT, worked: true, ...args }),
  };
}

test('ranked_solutions returns NO_MATCH for an unknown error', async () => {
  expect(await createMemory().search()).toEqual({ ...NO_MATCH_ANSWER, next_action: NEXT_ACTIONS.noMatch });
});

test('ranked_solutions asks for a solution of an incident without solutions', async () => {
  const { root, search } = createMemory();
  const { title, error_signature, summary, tags } = INCIDENT;
  const line = JSON.stringify({ type: 'incident', id: 'inc-known', title, error_signature, summary, tags });
  const imported = await argus(['memory', 'import', '-', '--project', root], { input: line });
  expect(imported).toMatchObject({ status: 0, stderr: '' });
  const incidents = [{ ...FOUND_INCIDENT, incident_id: 'inc-known', solution_count: 0 }];
  expect(await search()).toEqual({ ...NO_MATCH_ANSWER, incidents, next_action: NEXT_ACTIONS.noSolutions });
});

test('ranked_solutions recommends the best solution, with its statistics', async () => {
  const { search, add } = createMemory();
  const { incident_id, solution_id } = await add();
  const ranked = {
    solution_id,
    incident_id,
    steps: INCIDENT.steps,
    env: expect.objectContaining({ language: 'py', framework: 'Django' }),
    env_bucket: ENVIRONMENT_BUCKET,
    best_env_bucket_match: ENVIRONMENT_BUCKET,
    env_match_score: 1,
    reliability_score: ANY_SCORE,
    recency_boost: ANY_SCORE,
    final_solution_score: ANY_SCORE,
    why: ANY_TEXT,
    worked: 1,
    failed: 0,
    last_confirmed_at: INSTANT,
    memory: 'project',
  };
  expect(await search()).toEqual({
    lookup_id: LOOKUP_ID,
    env_bucket: ENVIRONMENT_BUCKET,
    incidents: [{ ...FOUND_INCIDENT, incident_id, solution_count: 1 }],
    ranked_solutions: [ranked],
    recommended_solution: ranked,
    more: 0,
    next_action: NEXT_ACTIONS.tryIt,
  });
});

test('record_outcome returns the statistics of the solution for each environment', async () => {
  const { ask, search, add } = createMemory();
  const { solution_id } = await add();
  const { lookup_id } = await search();
  const confirmed = { env_bucket: ENVIRONMENT_BUCKET, worked: 2, failed: 0, last_confirmed_at: INSTANT };
  const outcome = { lookup_id, solution_id, worked: true, env: ENVIRONMENT, notes: 'as described' };
  expect(await ask('record_outcome', outcome)).toEqual({
    ok: true,
    outcome_id: OUTCOME_ID,
    env_bucket: ENVIRONMENT_BUCKET,
    solution_stats: {
      solution_id,
      worked: 2,
      failed: 0,
      success_rate: 1,
      reliability_score: ANY_SCORE,
      last_confirmed_at: INSTANT,
      buckets: [confirmed],
    },
    next_action: NEXT_ACTIONS.done,
  });
  const elsewhere = ENVIRONMENT_BUCKET.replace('macos', 'windows');
  expect(
    await ask('record_outcome', { solution_id, worked: false, env: { ...ENVIRONMENT, os: 'win32' } }),
  ).toMatchObject({
    env_bucket: elsewhere,
    solution_stats: {
      worked: 2,
      failed: 1,
      success_rate: 2 / 3,
      buckets: [confirmed, { env_bucket: elsewhere, worked: 0, failed: 1, last_confirmed_at: null }],
    },
    next_action: NEXT_ACTIONS.debugFurther,
  });
});

test('every tool that writes accepts env_bucket instead of env', async () => {
  const { ask, search, add } = createMemory();
  const { solution_id } = await add();
  const given = { env: {}, env_bucket: 'language=PY;os_family=OSX;language_major=3.12' };
  const canonical = { env_bucket: 'os_family=macos;language=python;language_major=3' };
  expect(await ask('record_outcome', { solution_id, worked: true, ...given })).toMatchObject(canonical);
  const { incident_id } = await search().then(({ incidents }) => Object(incidents)[0]);
  expect(await ask('add_solution', { incident_id, steps: 'x', ...given })).toMatchObject(canonical);
  expect(await add({ force: true, ...given })).toMatchObject(canonical);
});

test('add_solution adds the same solution only once', async () => {
  const { ask, search, add } = createMemory();
  const { incident_id } = await add();
  const { lookup_id } = await search();
  const solution = { incident_id, lookup_id, steps: 'Create the table by hand.', env: ENVIRONMENT };
  const added = await ask('add_solution', solution);
  const expected = {
    solution_id: SOLUTION_ID,
    env_bucket: ENVIRONMENT_BUCKET,
    created: true,
    next_action: NEXT_ACTIONS.recordOutcome,
  };
  expect(added).toEqual(expected);
  expect(await ask('add_solution', solution)).toEqual({ ...added, created: false });
});

test.each([
  { worked: true, next_action: NEXT_ACTIONS.done },
  { worked: false, next_action: NEXT_ACTIONS.debugFurther },
])('add_incident stores an incident whose fix worked: $worked', async ({ worked, next_action }) => {
  const { search, add } = createMemory();
  const { lookup_id } = await search();
  expect(await add({ worked, lookup_id, notes: 'took an hour' })).toEqual({
    created: true,
    incident_id: INCIDENT_ID,
    solution_id: SOLUTION_ID,
    outcome_id: OUTCOME_ID,
    env_bucket: ENVIRONMENT_BUCKET,
    next_action,
  });
  const stats = { worked: worked ? 1 : 0, failed: worked ? 0 : 1 };
  expect(await search()).toMatchObject({ ranked_solutions: [stats] });
});

test('add_incident needs a title, steps, an environment and an outcome', async () => {
  const { ask, search } = createMemory();
  const { title, steps } = INCIDENT;
  expect(await ask('add_incident', { title, steps, env: ENVIRONMENT, worked: true })).toMatchObject({ created: true });
  const texts = { error_signature: null, summary: null, tags: [] };
  expect(await search({ query_text: title })).toMatchObject({ incidents: [texts] });
});

test('add_incident names a similar incident, and adds another incident only with `force`', async () => {
  const { search, add } = createMemory();
  const { incident_id } = await add();
  const again = { title: 'shop_voucher relation does not exist', steps: 'Something else.', summary: undefined };
  expect(await add(again)).toEqual({
    created: false,
    incident_id,
    title: INCIDENT.title,
    similarity: ANY_SCORE,
    next_action: NEXT_ACTIONS.useAddSolution,
  });
  expect(await search(), 'nothing was written').toMatchObject({ ranked_solutions: [{ incident_id }], more: 0 });
  expect(await add({ ...again, force: true })).toMatchObject({ created: true });
  expect((await search()).incidents).toHaveLength(2);
});

test('fields that are missing in env are detected in the project', async () => {
  const { root, ask, search, add } = createMemory();
  const dependencies = { react: '^18.2.0', typescript: '5.4.2' };
  writeFileSync(path.join(root, 'package.json'), JSON.stringify({ dependencies }));
  const detected = {
    os_family: process.platform === 'darwin' ? 'macos' : process.platform,
    language: 'typescript',
    language_major: 5,
    framework: 'react',
    framework_major: 18,
    runtime: `node-${process.versions.node.split('.')[0]}`,
  };
  const env_bucket = Object.entries(detected)
    .map(([field, value]) => `${field}=${value}`)
    .join(';');
  expect(await search({ env: {} })).toMatchObject({ env_bucket, detected_env: detected });
  const { incident_id, solution_id, ...created } = await add({ env: {} });
  expect(created).toMatchObject({ env_bucket, detected_env: detected });
  const { framework: _, framework_major: __, ...rest } = detected;
  const vue = { ...rest, framework: 'vue', framework_major: 3 };
  const outcome = await ask('record_outcome', { solution_id, worked: true, env: vue });
  expect(outcome, 'nothing is left to detect').not.toHaveProperty('detected_env');
  expect(outcome.env_bucket).toBe(env_bucket.replace('react;framework_major=18', 'vue;framework_major=3'));
  const partly = await ask('add_solution', { incident_id, steps: 'Reload.', env: { os: 'linux', react: '18' } });
  expect(partly).toMatchObject({ detected_env: { language: 'typescript' } });
});

test('an unknown id is an error that names the id and ranked_solutions, and nothing is written', async () => {
  const { askError, search, add } = createMemory();
  const { solution_id, incident_id } = await add();
  const outcome = { solution_id, worked: true, env: ENVIRONMENT };
  const unknown: [string, string, Data][] = [
    ['SOLUTION_NOT_FOUND', 'record_outcome', { ...outcome, solution_id: 'sol-nope' }],
    ['LOOKUP_NOT_FOUND', 'record_outcome', { ...outcome, lookup_id: 'lkp-nope' }],
    ['INCIDENT_NOT_FOUND', 'add_solution', { incident_id: 'inc-nope', steps: 'x', env: ENVIRONMENT }],
    ['LOOKUP_NOT_FOUND', 'add_solution', { incident_id, lookup_id: 'lkp-nope', steps: 'x', env: ENVIRONMENT }],
    ['LOOKUP_NOT_FOUND', 'add_incident', { ...INCIDENT, title: 'Another', worked: true, lookup_id: 'lkp-nope' }],
  ];
  for (const [code, tool, args] of unknown) {
    expect(await askError(tool, args)).toEqual({ code, message: expect.stringMatching(/-nope.*ranked_solutions/su) });
  }
  expect(await search()).toMatchObject({ more: 0, ranked_solutions: [{ worked: 1, failed: 0 }] });
});

test('an incident is a resource that lists every outcome and the search that led to it', async () => {
  const { root, ask, search, add } = createMemory();
  const { incident_id, solution_id, outcome_id } = await add({ notes: 'took an hour' });
  const { lookup_id } = await search();
  const later = await ask('record_outcome', { lookup_id, solution_id, worked: false, env: ENVIRONMENT });
  await agent.data('argus_init', { projectPath: root });
  const uri = 'argus://incident/{id}';
  const id = String(incident_id);
  expect(await agent.complete(uri, id.slice(0, -1))).toEqual([id]);
  expect(await agent.complete(uri, 'inc-zzz')).toEqual([]);
  const { title, error_signature, summary, tags, steps } = INCIDENT;
  const recorded = { recorded_by: 'argus-e2e 1.0.0', recorded_from: hostname() };
  const tried = { env_bucket: ENVIRONMENT_BUCKET, created_at: INSTANT, ...recorded };
  expect(await agent.read(`argus://incident/${id}`)).toEqual({
    incident_id,
    title,
    error_signature,
    summary,
    tags,
    memory: 'project',
    created_at: INSTANT,
    updated_at: INSTANT,
    solutions: [
      {
        solution_id,
        steps,
        env: expect.objectContaining({ framework: 'Django' }),
        env_bucket: ENVIRONMENT_BUCKET,
        created_at: INSTANT,
        ...recorded,
        worked: 1,
        failed: 1,
        buckets: [{ env_bucket: ENVIRONMENT_BUCKET, worked: 1, failed: 1, last_confirmed_at: INSTANT }],
        outcomes: [
          { outcome_id: later.outcome_id, worked: false, notes: null, lookup_id, ...tried },
          { outcome_id, worked: true, notes: 'took an hour', lookup_id: null, ...tried },
        ],
      },
    ],
    more: 0,
  });
  await expect(agent.read('argus://incident/inc-nope')).rejects.toThrow(/Not found.*ranked_solutions finds/su);
});

test('the tools need no session, and neither do the projects to which they write', async () => {
  const { root, search } = createMemory();
  expect((await agent.error('argus_history', { projectPath: root })).code).toBe('SESSION_NOT_FOUND');
  expect(existsSync(path.join(root, '.argus'))).toBe(false);
  await search();
  expect(existsSync(path.join(root, '.argus', 'argus.db'))).toBe(true);
  expect(await agent.data('argus_history', { projectPath: root })).toMatchObject({ total: 0 });
});

const MAX_ERROR_CHARACTERS = 2_000;

const SMALL_ENVIRONMENT = { os: 'linux', language: 'go', language_major: 1 };
const SMALL_INCIDENT = {
  title: 'dial tcp: lookup redis: no such host',
  error_signature: 'panic: dial tcp: lookup redis on 10.0.0.2:53: no such host',
  steps: 'Start the redis service before the tests.',
  env: SMALL_ENVIRONMENT,
  worked: true,
};
const LONG_TEXT = 'x'.repeat(1_000_000);

/** Valid arguments for each tool. */
const TOOL_ARGUMENTS: Record<string, Data> = {
  ranked_solutions: { query_text: 'Error: x', env: {} },
  record_outcome: { solution_id: 'sol-x', worked: true, env: SMALL_ENVIRONMENT },
  add_solution: { incident_id: 'inc-x', steps: 'x', env: SMALL_ENVIRONMENT },
  add_incident: SMALL_INCIDENT,
};

test.each<[name: string, tool: string, wrong: Data, message: RegExp]>([
  ['an empty query', 'ranked_solutions', { query_text: ' \n\t' }, /query_text.*is empty/u],
  ['a limit of 0', 'ranked_solutions', { limit: 0 }, /limit/u],
  ['a limit of 51', 'ranked_solutions', { limit: 51 }, /limit/u],
  ['a limit that is not a whole number', 'ranked_solutions', { limit: 1.5 }, /limit/u],
  ['a long limit', 'ranked_solutions', { limit: LONG_TEXT }, /limit/u],
  ['an unknown argument', 'ranked_solutions', { querytext: 'y' }, /querytext.*Arguments of/su],
  ['a long unknown argument', 'ranked_solutions', { [LONG_TEXT]: 1 }, /Unrecognized key/u],
  ['a relative project', 'ranked_solutions', { projectPath: 'here' }, /absolute/u],
  ['a project that does not exist', 'ranked_solutions', { projectPath: '/does/not/exist' }, /does not exist/u],
  ['a long project', 'ranked_solutions', { projectPath: `/${LONG_TEXT}` }, /absolute path/u],
  ['a list as env', 'ranked_solutions', { env: ['linux'] }, /env/u],
  ['a nested env', 'ranked_solutions', { env: { os: { name: 'linux' } } }, /env/u],
  ['a long name in env', 'ranked_solutions', { env: { [LONG_TEXT]: [] } }, /env/u],
  ['no worked', 'record_outcome', { worked: undefined }, /worked/u],
  ['an env_bucket without a known field', 'record_outcome', { env_bucket: 'whatever' }, /env_bucket/u],
  ['notes of 1 MB', 'record_outcome', { notes: LONG_TEXT }, /notes.*10 KB/u],
  ['an env_bucket without a known field', 'add_solution', { env_bucket: 'whatever' }, /env_bucket/u],
  ['steps of 1 MB', 'add_solution', { steps: LONG_TEXT }, /steps.*100 KB/u],
  ['worked as a text', 'add_incident', { worked: 'yes' }, /worked/u],
  ['empty steps', 'add_incident', { steps: ' \n' }, /steps.*is empty/u],
  ['an empty title', 'add_incident', { title: ' ' }, /title.*is empty/u],
  ['10,000 tags', 'add_incident', { tags: Array(10_000).fill('tag') }, /tags.*50/u],
  ...Object.keys(TOOL_ARGUMENTS).map((tool): [string, string, Data, RegExp] => [
    'no env',
    tool,
    { env: undefined },
    /env/u,
  ]),
])('%s of %s is INVALID_INPUT', async (_name, tool, wrong, message) => {
  const error = await agent.askError(tool, { projectPath: createProject(), ...TOOL_ARGUMENTS[tool], ...wrong });
  expect(error).toEqual({ code: 'INVALID_INPUT', message: expect.stringMatching(message) });
  expect(error.message.length).toBeLessThan(MAX_ERROR_CHARACTERS);
});
