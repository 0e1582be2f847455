/**
 * The debug memory's contract: every tool, every next step to the letter, every field, every error, with both clients.
 * What is good to find: the engine's own tests and scores.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { type Agent, connect, type Data, ERAS, project, someUser } from '../harness.ts';

const UUID_V7 = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const LOOKUP_ID = expect.stringMatching(`^lkp-${UUID_V7}$`);
const INCIDENT_ID = expect.stringMatching(`^inc-${UUID_V7}$`);
const SOLUTION_ID = expect.stringMatching(`^sol-${UUID_V7}$`);
const OUTCOME_ID = expect.stringMatching(`^out-${UUID_V7}$`);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
const TEXT = expect.stringMatching(/./u);

/** The contract's words. */
const NEXT = {
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

const ENV = {
  os: 'Darwin',
  language: 'py',
  language_version: '3.11.4',
  framework: 'Django',
  framework_version: '4.2',
  runtime: 'docker',
  cuda: '12.1',
};
const BUCKET =
  'os_family=macos;language=python;language_major=3;framework=django;framework_major=4;runtime=docker;cuda_major=12';

const ERROR = `Traceback (most recent call last):
  File "/srv/app/shop/migrate.py", line 41, in apply_pending
    cursor.execute(statement)
django.db.utils.ProgrammingError: relation "shop_voucher" does not exist`;

const INCIDENT = {
  title: 'relation "shop_voucher" does not exist after deploy',
  error_signature: ERROR,
  summary: 'The voucher table is missing because migrations run after the workers start.',
  tags: ['django', 'postgres'],
  steps: 'Run manage.py migrate in the release phase, before the workers start.',
  env: ENV,
};

describe.each(ERAS)('%s', (era) => {
  let agent: Agent;
  let root: string;
  const env = someUser();
  beforeAll(async () => {
    agent = await connect(era, env);
  });
  afterAll(() => agent.close());
  beforeEach(() => {
    root = project();
  });

  const ask = (tool: string, args: Data) => agent.ask(tool, { projectPath: root, ...args });
  const askError = (tool: string, args: Data) => agent.askError(tool, { projectPath: root, ...args });
  const search = (args: Data = {}) => ask('ranked_solutions', { query_text: ERROR, env: ENV, ...args });
  const add = (args: Data = {}) => ask('add_incident', { ...INCIDENT, worked: true, ...args });

  describe('ranked_solutions', () => {
    test('nothing is known', async () => {
      expect(await search()).toEqual({
        lookup_id: LOOKUP_ID,
        env_bucket: BUCKET,
        incidents: [],
        ranked_solutions: [],
        recommended_solution: null,
        more: 0,
        next_action: NEXT.noMatch,
      });
    });

    test('a genuinely new problem is not answered with an old one', async () => {
      await add();
      const answer = await search({
        query_text: 'error[E0382]: borrow of moved value: `buffer` in src/codec/frame.rs',
      });
      expect(answer).toMatchObject({ incidents: [], recommended_solution: null, next_action: NEXT.noMatch });
    });

    test('an incident without solutions', async () => {
      const { title, error_signature, summary, tags } = INCIDENT;
      const line = { type: 'incident', id: 'inc-known', title, error_signature, summary, tags };
      writeFileSync(path.join(root, 'incidents.jsonl'), JSON.stringify(line));
      expect(
        (await argus(['memory', 'import', path.join(root, 'incidents.jsonl'), '--project', root], { env })).status,
      ).toBe(0);
      expect(await search()).toEqual({
        lookup_id: LOOKUP_ID,
        env_bucket: BUCKET,
        incidents: [{ ...found, incident_id: 'inc-known', solution_count: 0 }],
        ranked_solutions: [],
        recommended_solution: null,
        more: 0,
        next_action: NEXT.noSolutions,
      });
    });

    test('a solution', async () => {
      const { incident_id, solution_id } = await add();
      const ranked = {
        solution_id,
        incident_id,
        steps: INCIDENT.steps,
        env: expect.objectContaining({ language: 'py', framework: 'Django' }),
        env_bucket: BUCKET,
        best_env_bucket_match: BUCKET,
        env_match_score: 1,
        reliability_score: SCORE,
        recency_boost: SCORE,
        final_solution_score: SCORE,
        why: TEXT,
        worked: 1,
        failed: 0,
        last_confirmed_at: INSTANT,
        memory: 'project',
      };
      expect(await search()).toEqual({
        lookup_id: LOOKUP_ID,
        env_bucket: BUCKET,
        incidents: [{ ...found, incident_id, solution_count: 1 }],
        ranked_solutions: [ranked],
        recommended_solution: ranked,
        more: 0,
        next_action: NEXT.tryIt,
      });
    });

    test('limit and more', async () => {
      const { incident_id } = await add();
      for (const steps of ['Create the table by hand.', 'Restore yesterday’s dump.']) {
        await ask('add_solution', { incident_id, steps, env: ENV });
      }
      const one = await search({ limit: 1 });
      expect(one).toMatchObject({ more: 2, recommended_solution: { steps: INCIDENT.steps } });
      expect(one.ranked_solutions).toEqual([one.recommended_solution]);
      const all = await search({ limit: 50 });
      expect(all).toMatchObject({ more: 0 });
      expect(all.ranked_solutions).toHaveLength(3);
    });

    test('five where no limit is given', async () => {
      const { incident_id } = await add();
      for (let number = 1; number <= 6; number += 1) {
        await ask('add_solution', { incident_id, steps: `Try number ${number}.`, env: ENV });
      }
      const answer = await search();
      expect(answer).toMatchObject({ more: 2 });
      expect(answer.ranked_solutions).toHaveLength(5);
    });

    test('one of one does not beat nine of ten', async () => {
      const { incident_id, solution_id } = await add();
      const proven = await ask('add_solution', { incident_id, steps: 'Create the table by hand.', env: ENV });
      for (let number = 0; number < 10; number += 1) {
        await ask('record_outcome', { solution_id: proven.solution_id, worked: number !== 3, env: ENV });
      }
      expect(await search()).toMatchObject({
        ranked_solutions: [
          {
            solution_id: proven.solution_id,
            worked: 9,
            failed: 1,
            why: expect.stringContaining('worked 9 of 10 times'),
          },
          { solution_id, worked: 1, failed: 0 },
        ],
      });
    });

    test('what failed in this environment comes after what is untried', async () => {
      const { incident_id, solution_id } = await add({ env: { ...ENV, os: 'linux' } });
      const untried = await ask('add_solution', { incident_id, steps: 'Create the table by hand.', env: ENV });
      expect(await search()).toMatchObject({ recommended_solution: { solution_id } });
      await ask('record_outcome', { solution_id, worked: false, env: ENV });
      expect(await search()).toMatchObject({
        ranked_solutions: [{ solution_id: untried.solution_id }, { solution_id }],
      });
    });
  });

  describe('record_outcome', () => {
    test('it worked', async () => {
      const { solution_id } = await add();
      const { lookup_id } = await search();
      const answer = await ask('record_outcome', { lookup_id, solution_id, worked: true, env: ENV, notes: 'as told' });
      expect(answer).toEqual({
        ok: true,
        outcome_id: OUTCOME_ID,
        env_bucket: BUCKET,
        solution_stats: {
          solution_id,
          worked: 2,
          failed: 0,
          success_rate: 1,
          reliability_score: SCORE,
          last_confirmed_at: INSTANT,
          buckets: [{ env_bucket: BUCKET, worked: 2, failed: 0, last_confirmed_at: INSTANT }],
        },
        next_action: NEXT.done,
      });
    });

    test('it failed, elsewhere', async () => {
      const { solution_id } = await add();
      const answer = await ask('record_outcome', { solution_id, worked: false, env: { ...ENV, os: 'win32' } });
      const elsewhere = BUCKET.replace('macos', 'windows');
      expect(answer).toMatchObject({
        env_bucket: elsewhere,
        solution_stats: { worked: 1, failed: 1, success_rate: 0.5, last_confirmed_at: INSTANT },
        next_action: NEXT.debugFurther,
      });
      expect(answer.solution_stats).toHaveProperty(
        'buckets',
        expect.arrayContaining([
          { env_bucket: BUCKET, worked: 1, failed: 0, last_confirmed_at: INSTANT },
          { env_bucket: elsewhere, worked: 0, failed: 1, last_confirmed_at: null },
        ]),
      );
    });

    test('a bucket is canonicalised, and stands in for the environment', async () => {
      const { solution_id } = await add();
      const env_bucket = 'language=PY;os_family=OSX;language_major=3.12';
      const canonical = { env_bucket: 'os_family=macos;language=python;language_major=3' };
      const given = { env: {}, env_bucket };
      expect(await ask('record_outcome', { solution_id, worked: true, ...given })).toMatchObject(canonical);
      const { incident_id } = await search().then(({ incidents }) => Object(incidents)[0]);
      expect(await ask('add_solution', { incident_id, steps: 'x', ...given })).toMatchObject(canonical);
      expect(await add({ force: true, ...given })).toMatchObject(canonical);
    });
  });

  describe('add_solution', () => {
    test('a new one, and again', async () => {
      const { incident_id } = await add();
      const { lookup_id } = await search();
      const solution = { incident_id, lookup_id, steps: 'Create the table by hand.', env: ENV };
      const added = await ask('add_solution', solution);
      expect(added).toEqual({
        solution_id: SOLUTION_ID,
        env_bucket: BUCKET,
        created: true,
        next_action: NEXT.recordOutcome,
      });
      expect(await ask('add_solution', solution)).toEqual({ ...added, created: false });
    });

    test('the same steps for another environment', async () => {
      const { incident_id, solution_id } = await add();
      const { steps } = INCIDENT;
      const variant = await ask('add_solution', { incident_id, steps, env: { ...ENV, os: 'linux' } });
      expect(variant).toMatchObject({ created: true, env_bucket: BUCKET.replace('macos', 'linux') });
      expect(variant.solution_id).not.toBe(solution_id);
    });
  });

  describe('add_incident', () => {
    test.each([
      [true, NEXT.done],
      [false, NEXT.debugFurther],
    ])('worked: %s', async (worked, next_action) => {
      const { lookup_id } = await search();
      expect(await add({ worked, lookup_id, notes: 'took an hour' })).toEqual({
        created: true,
        incident_id: INCIDENT_ID,
        solution_id: SOLUTION_ID,
        outcome_id: OUTCOME_ID,
        env_bucket: BUCKET,
        next_action,
      });
      const stats = { worked: worked ? 1 : 0, failed: worked ? 0 : 1 };
      expect(await search()).toMatchObject({ ranked_solutions: [stats] });
    });

    test('title, steps and outcome are enough', async () => {
      const { title, steps } = INCIDENT;
      const minimal = await ask('add_incident', { title, steps, env: ENV, worked: true });
      expect(minimal).toMatchObject({ created: true });
      const texts = { error_signature: null, summary: null, tags: [] };
      expect(await search({ query_text: title })).toMatchObject({ incidents: [texts] });
    });

    test('one like it exists', async () => {
      const { incident_id } = await add();
      const again = { title: 'shop_voucher relation does not exist', steps: 'Something else.', summary: undefined };
      expect(await add(again)).toEqual({
        created: false,
        incident_id,
        title: INCIDENT.title,
        similarity: SCORE,
        next_action: NEXT.useAddSolution,
      });
      expect(await search(), 'nothing was written').toMatchObject({ ranked_solutions: [{ incident_id }], more: 0 });
      expect(await add({ ...again, force: true })).toMatchObject({ created: true });
      const { incidents } = await search();
      expect(incidents).toHaveLength(2);
    });
  });

  test('an environment is detected where it is not given', async () => {
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
    const created = await add({ env: {} });
    expect(created).toMatchObject({ env_bucket, detected_env: detected });
    const { incident_id, solution_id } = created;
    const { framework, framework_major, ...rest } = detected;
    const vue = { framework: 'vue', framework_major: 3 };
    const outcome = await ask('record_outcome', { solution_id, worked: true, env: { ...rest, ...vue } });
    expect(outcome, 'the caller knows better').not.toHaveProperty('detected_env');
    expect(outcome.env_bucket).toBe(
      env_bucket.replace(`${framework};framework_major=${framework_major}`, 'vue;framework_major=3'),
    );
    const partly = await ask('add_solution', { incident_id, steps: 'Reload.', env: { os: 'linux', react: '18' } });
    expect(partly).toMatchObject({ detected_env: { language: 'typescript' } });
  });

  test('unknown ids', async () => {
    const { solution_id, incident_id } = await add();
    const outcome = { solution_id, worked: true, env: ENV };
    const unknown = [
      await askError('record_outcome', { ...outcome, solution_id: 'sol-nope' }),
      await askError('record_outcome', { ...outcome, lookup_id: 'lkp-nope' }),
      await askError('add_solution', { incident_id: 'inc-nope', steps: 'x', env: ENV }),
      await askError('add_solution', { incident_id, lookup_id: 'lkp-nope', steps: 'x', env: ENV }),
      await askError('add_incident', { ...INCIDENT, title: 'Another', worked: true, lookup_id: 'lkp-nope' }),
    ];
    const codes = ['SOLUTION', 'LOOKUP', 'INCIDENT', 'LOOKUP', 'LOOKUP'].map((what) => `${what}_NOT_FOUND`);
    expect(unknown.map(({ code }) => code)).toEqual(codes);
    for (const { message } of unknown) expect(message, 'the next step').toMatch(/-nope.*ranked_solutions/su);
    expect(await search()).toMatchObject({ more: 0, ranked_solutions: [{ worked: 1, failed: 0 }] });
  });

  test('an incident is a resource, with what led to each outcome', async () => {
    const { incident_id, solution_id, outcome_id } = await add({ notes: 'took an hour' });
    const { lookup_id } = await search();
    const later = await ask('record_outcome', { lookup_id, solution_id, worked: false, env: ENV });
    await agent.data('argus_init', { projectPath: root });
    const uri = 'argus://incident/{id}';
    const id = String(incident_id);
    expect(await agent.complete(uri, id.slice(0, -1))).toEqual([id]);
    expect(await agent.complete(uri, 'inc-zzz')).toEqual([]);
    const { title, error_signature, summary, tags, steps } = INCIDENT;
    const recorded = { recorded_by: 'argus-e2e 1.0.0', recorded_from: hostname() };
    const tried = { env_bucket: BUCKET, created_at: INSTANT, ...recorded };
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
          env_bucket: BUCKET,
          created_at: INSTANT,
          ...recorded,
          worked: 1,
          failed: 1,
          buckets: [{ env_bucket: BUCKET, worked: 1, failed: 1, last_confirmed_at: INSTANT }],
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

  test('no session is needed, and a project that was written to has a memory that needs none either', async () => {
    expect(existsSync(path.join(root, '.argus'))).toBe(false);
    const { code } = await agent.error('argus_history', { projectPath: root });
    expect(code).toBe('SESSION_NOT_FOUND');
    await search();
    expect(existsSync(path.join(root, '.argus', 'argus.db'))).toBe(true);
    expect(await agent.data('argus_history', { projectPath: root })).toMatchObject({ total: 0 });
  });
});

const SCORE = expect.toSatisfy((score: unknown) => typeof score === 'number' && score > 0 && score <= 1);

/** As the incident is found by its own error. */
const found = {
  kind: 'incident',
  title: INCIDENT.title,
  error_signature: INCIDENT.error_signature,
  summary: INCIDENT.summary,
  tags: INCIDENT.tags,
  score: SCORE,
  because: expect.arrayContaining([TEXT]),
  memory: 'project',
};
