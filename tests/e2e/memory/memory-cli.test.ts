/**
 * The debug memory on the command line: twins of the tools, and import, export and search. The contract is tested with
 * the tools, whose handlers these are.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { BUNDLE, environment, project, someUser } from '../harness.ts';

const ERROR = 'Error: Cannot find module "./pricing" imported from src/cart/total.ts';
const AT = ['--env', 'os=linux', '--env', 'language=ts'];

let root: string;
let env: ReturnType<typeof someUser>;
beforeEach(() => {
  root = project();
  env = someUser();
});

const json = (text: string) => JSON.parse(text);
const run = (...args: string[]) => argus(args, { env, cwd: root });
const jsonl = (objects: object[]) => objects.map((it) => `${JSON.stringify(it)}\n`).join('');

test.each([
  ['the user’s memory', () => []],
  ['the memory of a project', () => ['--project', root]],
])('a session with %s', async (_name, place) => {
  const at = [...place(), ...AT];
  const none = await run('solutions', ERROR, ...at);
  expect(none.status).toBe(0);
  expect(none.stdout).toMatch(/nothing like it is known.*lookup lkp-.*next: No relevant incidents found/su);

  const steps = 'Add the extension to the import.';
  const added = await run(
    'add-incident',
    ERROR,
    steps,
    'worked',
    '--error',
    ERROR,
    '--tag',
    'esm',
    'ts',
    '--notes',
    'n',
    ...at,
  );
  expect(added.stdout).toMatch(/^inc-\S+ added with sol-\S+ and out-\S+, for os_family=linux;language=typescript/u);
  const [incident = '', solution = ''] = added.stdout.match(/(?:inc|sol)-[^\s,]+/gu) ?? [];
  expect((await run('add-incident', ERROR, 'x', 'failed', ...at)).stdout).toContain(`known already: ${incident}`);
  expect((await run('add-incident', ERROR, 'x', 'failed', '--force', ...at)).stdout).toMatch(/^inc-\S+ added/u);

  const found = await run('solutions', ERROR, ...at);
  expect(found.stdout).toMatch(new RegExp(`^${solution} {2}\\d+ %`, 'u'));
  expect(found.stdout).toContain(steps);
  const lookup = /lkp-\S+/u.exec(found.stdout)?.[0] ?? '';
  const outcome = await run('outcome', solution, 'failed', '--lookup', lookup, ...at);
  expect(outcome.stdout).toMatch(/^out-\S+ recorded on sol-.*worked 1 time, failed 1 time, reliability \d+ %/su);
  expect((await run('add-solution', incident, 'Use a bundler.', '--lookup', lookup, ...at)).stdout).toMatch(
    /^sol-\S+ added, for/u,
  );
  expect((await run('add-solution', incident, 'Use a bundler.', ...at)).stdout).toMatch(/^sol-\S+ was there already/u);
});

test('--json prints what the tools answer', async () => {
  const added = json((await run('add-incident', ERROR, 'x', 'worked', '--json')).stdout);
  expect(added).toMatchObject({ created: true, next_action: { type: 'DONE_OR_ADD_ENV_VARIANT' } });
  const found = json((await run('solutions', ERROR, '--limit', '1', '--json')).stdout);
  expect(found).toMatchObject({ recommended_solution: { solution_id: added.solution_id } });
  const unknown = await run('outcome', 'sol-nope', 'worked', '--json');
  expect(unknown.status).toBe(2);
  expect(json(unknown.stdout)).toEqual({ error: { code: 'SOLUTION_NOT_FOUND', message: expect.any(String) } });
  expect(await run('outcome', 'sol-nope', 'worked')).toMatchObject({ status: 2, stdout: '' });
});

test('a stack trace from stdin', async () => {
  await run('add-incident', ERROR, 'x', 'worked');
  const { stdout } = await argus(['solutions', '-', '--json'], {
    env,
    cwd: root,
    input: `${ERROR}\n    at load (node:x)\n`,
  });
  expect(json(stdout).incidents).toHaveLength(1);
});

test.each([
  [['outcome', 'sol-1'], /missing required argument/u],
  [['outcome', 'sol-1', 'maybe'], /Allowed choices are worked, failed/u],
  [['solutions', 'x', '--env', 'linux'], /field=value/u],
  [['memory', 'search', '--jsonl', '--threshold', '2'], /0 to 1/u],
  [['memory', 'import', '/does/not/exist'], /INVALID_INPUT: .*cannot be read/u],
])('wrong usage: %j', async (args, message) => {
  const { status, stdout, stderr } = await run(...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

test.each([
  'solutions',
  'outcome',
  'add-solution',
  'add-incident',
  'memory',
  'memory import',
  'memory export',
  'memory search',
])('%s --help', async (command) => {
  const { status, stdout } = await run(...command.split(' '), '--help');
  expect(status).toBe(0);
  expect(stdout).toContain(`Usage: argus ${command}`);
});

const LINES = [
  {
    type: 'incident',
    id: 'pool',
    title: 'TimeoutError: connection pool exhausted after 30 s',
    summary: 'Leaked clients',
  },
  {
    type: 'incident',
    id: 'cors',
    title: 'Access to fetch blocked by CORS policy: no Access-Control-Allow-Origin header',
    tags: ['browser'],
    solutions: [
      { steps: 'Send the header.', env: { os: 'linux' }, outcomes: [{ worked: true, env: {}, notes: 'done' }] },
    ],
  },
];

test('import: new, seen before, refused', async () => {
  const file = path.join(root, 'incidents.jsonl');
  writeFileSync(file, jsonl(LINES));
  const at = ['--project', root];
  expect(await run('memory', 'import', file, ...at)).toMatchObject({
    status: 0,
    stdout: '2 incidents added, 0 updated, 1 new solution, 1 new outcome\n',
    stderr: '',
  });
  writeFileSync(file, `${jsonl(LINES)}not json\n\n{"type":"incident"}\n{"title":"no id, and a last line without end"}`);
  const again = await run('memory', 'import', file, '--json', ...at);
  expect(again.status).toBe(1);
  expect(json(again.stdout)).toMatchObject({ added: 1, updated: 2, solutions: 0, outcomes: 0 });
  expect(json(again.stdout).refused.map(({ line }: { line: number }) => line)).toEqual([3, 5]);
});

test('import in many transactions, from stdin', async () => {
  const lines = Array.from({ length: 2_500 }, (_, index) => ({ id: `i${index}`, title: `widget${index} is broken` }));
  const input = `${jsonl(lines)}oops\n`;
  const { status, stdout } = await argus(['memory', 'import', '-', '--json'], { env, cwd: root, input });
  expect(status).toBe(1);
  expect(json(stdout)).toMatchObject({ added: 2_500, refused: [{ line: 2_501 }] });
  expect(readdirSync(root), 'the user’s own').toEqual([]);
  const exported = (await run('memory', 'export')).stdout.trim().split('\n').map(json);
  expect(exported).toHaveLength(2_500);
});

test.runIf(process.platform === 'linux' && spawnSync('script', ['--version']).status === 0)(
  'import shows how far it is where somebody watches',
  () => {
    const file = path.join(root, 'incidents.jsonl');
    writeFileSync(file, jsonl(LINES));
    const command = [process.execPath, BUNDLE, 'memory', 'import', file, '--project', root].join(' ');
    const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      env: environment(env),
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/importing .*%.*left/u);
    expect(stdout).toContain('2 incidents added');
  },
);

test('export of an empty memory', async () => {
  expect(await run('memory', 'export', '--project', root)).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(readdirSync(root), 'reading creates nothing').toEqual([]);
});

test('search answers every line in its order', async () => {
  writeFileSync(path.join(root, 'incidents.jsonl'), jsonl(LINES));
  await run('memory', 'import', path.join(root, 'incidents.jsonl'), '--project', root);
  const questions = [
    { id: 1, text: 'blocked by CORS policy' },
    { id: 'two', text: 'connection pool exhausted', limit: 1, env: { os: 'linux' } },
    { id: 3, text: 'kubernetes' },
    { id: 4, text: '' },
    { id: 5 },
    { id: 6, text: 'x', limit: 'many' },
  ];
  const input = `${jsonl(questions)}no json\n`;
  const at = { env, cwd: root, input };
  const { status, stdout } = await argus(['memory', 'search', '--jsonl', '--project', root], at);
  expect(status).toBe(0);
  const invalid = { error: { code: 'INVALID_INPUT', message: expect.any(String) } };
  expect(stdout.trim().split('\n').map(json)).toEqual([
    { id: 1, ranked: ['cors'] },
    { id: 'two', ranked: ['pool'] },
    { id: 3, ranked: [] },
    { id: 4, ranked: [] },
    { id: 5, ...invalid },
    { id: 6, ...invalid },
    { id: null, ...invalid },
  ]);
  const strict = await argus(['memory', 'search', '--jsonl', '--threshold', '1', '--project', root], at);
  expect(json(strict.stdout.split('\n')[0] ?? '')).toEqual({ id: 1, ranked: [] });
});

test('search prefers what was solved in the environment asked for', async () => {
  const known = (id: string, env: object) => ({
    id,
    title: ERROR,
    solutions: [{ steps: 'x', env, outcomes: [{ worked: true, env }] }],
  });
  const [linux, windows] = [{ os: 'linux' }, { os: 'windows' }];
  const input = jsonl([known('on-linux', linux), known('on-windows', windows)]);
  await argus(['memory', 'import', '-', '--project', root], { env, cwd: root, input });
  const questions = [linux, windows, ['linux'], { os: { name: 'linux' } }].map((env, id) => ({ id, text: ERROR, env }));
  const at = { env, cwd: root, input: jsonl(questions) };
  const { stdout } = await argus(['memory', 'search', '--jsonl', '--project', root], at);
  const invalid = { error: { code: 'INVALID_INPUT', message: expect.stringContaining('env') } };
  expect(stdout.trim().split('\n').map(json)).toEqual([
    { id: 0, ranked: ['on-linux', 'on-windows'] },
    { id: 1, ranked: ['on-windows', 'on-linux'] },
    { id: 2, ...invalid },
    { id: 3, ...invalid },
  ]);
});

test('search answers before the next question is asked', async () => {
  await run('add-incident', ERROR, 'x', 'worked', '--project', root);
  const child = spawn(process.execPath, [BUNDLE, 'memory', 'search', '--jsonl', '--project', root], {
    env: environment(env),
  });
  for (const id of [1, 2]) {
    child.stdin.write(jsonl([{ id, text: ERROR }]));
    const [answer] = await once(child.stdout, 'data');
    expect(json(String(answer))).toEqual({ id, ranked: [expect.stringMatching(/^inc-/u)] });
  }
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});
