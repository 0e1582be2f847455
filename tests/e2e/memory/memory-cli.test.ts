/**
 * The debug memory on the command line: the commands of its tools, and import, export and search. The tests of the
 * tools check the contract, because both use the same handlers. `crates/engine/src/tests/memory/bulk.rs` has the unit
 * tests of import.
 */

import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus, type Invocation, startArgus } from '../argus.ts';
import { createProject, createUser } from '../harness.ts';

const MODULE_ERROR = 'Error: Cannot find module "./pricing" imported from src/cart/total.ts';
const ENVIRONMENT_ARGS = ['--env', 'os=linux', '--env', 'language=ts'];

const parseJson = (text: string) => JSON.parse(text);
const parseJsonLines = (text: string) => text.trim().split('\n').map(parseJson);
const formatJsonLines = (objects: object[]) => objects.map((it) => `${JSON.stringify(it)}\n`).join('');

/** Returns functions that run commands in an empty folder as a user without a memory. */
function createShell() {
  const at = { env: createUser(), cwd: createProject() };
  return {
    ...at,
    run: (...args: string[]) => argus(args, at),
    feed: (input: string, ...args: string[]) => argus(args, { ...at, input }),
    start: (args: string[], more: Invocation = {}) => startArgus(args, { ...at, ...more }),
    file(name: string, text: string): string {
      writeFileSync(path.join(at.cwd, name), text);
      return name;
    },
  };
}

test('a session with the user’s memory', async () => {
  const { run } = createShell();
  const at = ENVIRONMENT_ARGS;
  const none = await run('solutions', MODULE_ERROR, ...at);
  expect(none.status).toBe(0);
  expect(none.stdout).toMatch(/No similar incident found\..*lookup lkp-.*next: No relevant incidents found/su);

  const steps = 'Add the extension to the import.';
  const details = ['--error', MODULE_ERROR, '--tag', 'esm', 'ts', '--notes', 'n'];
  const added = await run('add-incident', MODULE_ERROR, steps, 'worked', ...details, ...at);
  expect(added.stdout).toMatch(/^inc-\S+ added with sol-\S+ and out-\S+, for os_family=linux;language=typescript/u);
  const [incident = '', solution = ''] = added.stdout.match(/(?:inc|sol)-[^\s,]+/gu) ?? [];
  expect((await run('add-incident', MODULE_ERROR, 'x', 'failed', ...at)).stdout).toContain(
    `already known: ${incident}`,
  );
  expect((await run('add-incident', MODULE_ERROR, 'x', 'failed', '--force', ...at)).stdout).toMatch(/^inc-\S+ added/u);

  const found = await run('solutions', MODULE_ERROR, ...at);
  expect(found.stdout).toMatch(
    new RegExp(`^${solution} {2}worked 1 of 1 time, last on [^\\n]*\\n[^\\n]* the same text\\n`, 'u'),
  );
  expect(found.stdout).toContain(steps);
  const lookup = /lkp-\S+/u.exec(found.stdout)?.[0] ?? '';
  // The beginning of an id is enough.
  const outcome = await run('outcome', solution.slice(0, 22), 'failed', '--lookup', lookup, ...at);
  expect(outcome.stdout).toMatch(/^out-\S+ recorded on sol-.*worked 1 time, failed 1 time, reliability \d+ %/su);
  const another = ['add-solution', incident.slice(0, 22), 'Use a bundler.', ...at];
  expect((await run(...another, '--lookup', lookup)).stdout).toMatch(/^sol-\S+ added, for/u);
  expect((await run(...another)).stdout).toMatch(/^sol-\S+ already existed/u);
});

test('--json prints the answers of the tools, and - reads an error from stdin', async () => {
  const { run, feed } = createShell();
  const added = parseJson((await run('add-incident', MODULE_ERROR, 'x', 'worked', '--json')).stdout);
  expect(added).toMatchObject({ created: true, next_action: { type: 'DONE_OR_ADD_ENV_VARIANT' } });
  const found = await feed(`${MODULE_ERROR}\n    at load (node:x)\n`, 'solutions', '-', '--limit', '1', '--json');
  expect(parseJson(found.stdout)).toMatchObject({ recommended_solution: { solution_id: added.solution_id } });
  const unknown = await run('outcome', 'sol-nope', 'worked', '--json');
  expect(unknown.status).toBe(2);
  expect(parseJson(unknown.stdout)).toEqual({ error: { code: 'SOLUTION_NOT_FOUND', message: expect.any(String) } });
  expect(await run('outcome', 'sol-nope', 'worked')).toMatchObject({ status: 2, stdout: '' });
});

const SOLVED_INCIDENT = {
  steps: 'Send the header.',
  env: { os: 'linux' },
  outcomes: [{ worked: true, env: {}, notes: 'done' }],
};
const IMPORT_LINES = [
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
    solutions: [SOLVED_INCIDENT],
  },
];

test('import counts new and known entries, and names refused lines', async () => {
  const { run, file } = createShell();
  const at = ['--project', '.'];
  expect(await run('memory', 'import', file('incidents.jsonl', formatJsonLines(IMPORT_LINES)), ...at)).toEqual({
    status: 0,
    stdout: '2 incidents added, 0 updated, 1 new solution, 1 new outcome\n',
    stderr: '',
  });
  const wrong = `${formatJsonLines(IMPORT_LINES)}not json\n\n{"type":"incident"}\n{"title":"no id, and a last line without end"}`;
  const again = await run('memory', 'import', file('wrong.jsonl', wrong), '--json', ...at);
  expect(again.status).toBe(1);
  expect(parseJson(again.stdout)).toMatchObject({ added: 1, updated: 2, solutions: 0, outcomes: 0 });
  expect(parseJson(again.stdout).refused.map(({ line }: { line: number }) => line)).toEqual([3, 5]);
});

test('import accepts more lines than fit into a transaction, and export returns them in pages', async () => {
  const { run, feed, cwd } = createShell();
  const lines = Array.from({ length: 1_001 }, (_, index) => ({ id: `i${index}`, title: `widget${index} is broken` }));
  const { status, stdout } = await feed(`${formatJsonLines(lines)}oops\n`, 'memory', 'import', '-', '--json');
  expect(status).toBe(1);
  expect(parseJson(stdout)).toMatchObject({ added: 1_001, refused: [{ line: 1_002 }] });
  expect(readdirSync(cwd), 'it is the user’s own memory').toEqual([]);
  expect(parseJsonLines((await run('memory', 'export')).stdout)).toHaveLength(1_001);
});

test('an import shows its progress at a terminal', async () => {
  const { start, file } = createShell();
  const running = start(['memory', 'import', file('incidents.jsonl', formatJsonLines(IMPORT_LINES))], {
    isTerminal: true,
  });
  const { status, stdout, stderr } = await running.done;
  expect(status).toBe(0);
  expect(stderr).toMatch(/importing .*%.*left/u);
  expect(stdout).toContain('2 incidents added');
});

test('importing an exported memory restores the same memory', async () => {
  const [from, to] = [createShell(), createShell()];
  expect(await from.run('memory', 'export', '--project', '.')).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(readdirSync(from.cwd), 'reading creates nothing').toEqual([]);
  const added = await from.run(
    'add-incident',
    MODULE_ERROR,
    'Add the extension.',
    'worked',
    '--notes',
    'n',
    ...ENVIRONMENT_ARGS,
  );
  const [incident = '', solution = ''] = added.stdout.match(/(?:inc|sol)-[^\s,]+/gu) ?? [];
  await from.run('add-solution', incident, 'Use a bundler.', ...ENVIRONMENT_ARGS);
  await from.run('outcome', solution, 'failed', ...ENVIRONMENT_ARGS);
  const exported = (await from.run('memory', 'export')).stdout;
  for (const counts of [
    { added: 1, updated: 0, solutions: 2, outcomes: 2, refused: [] },
    { added: 0, updated: 1, solutions: 0, outcomes: 0, refused: [] },
  ]) {
    expect(parseJson((await to.feed(exported, 'memory', 'import', '-', '--json')).stdout)).toEqual(counts);
    expect((await to.run('memory', 'export')).stdout).toBe(exported);
  }
  const [here, there] = [from, to].map(({ run }) => run('solutions', MODULE_ERROR, '--json', ...ENVIRONMENT_ARGS));
  const { lookup_id: _, ...answer } = parseJson((await here)?.stdout ?? '');
  expect(parseJson((await there)?.stdout ?? '')).toMatchObject(answer);
});

test('search answers all lines in order', async () => {
  const { feed } = createShell();
  await feed(formatJsonLines(IMPORT_LINES), 'memory', 'import', '-');
  const questions = [
    { id: 1, text: 'blocked by CORS policy' },
    { id: 'two', text: 'connection pool exhausted', limit: 1, env: { os: 'linux' } },
    { id: 3, text: 'kubernetes' },
    { id: 4, text: '' },
    { id: 5 },
    { id: 6, text: 'x', limit: 'many' },
    { id: 7, text: 'x', env: ['linux'] },
    { id: 8, text: 'x', env: { os: { name: 'linux' } } },
  ];
  const input = `${formatJsonLines(questions)}no json\n`;
  const { status, stdout } = await feed(input, 'memory', 'search', '--jsonl');
  expect(status).toBe(0);
  const invalid = { error: { code: 'INVALID_INPUT', message: expect.any(String) } };
  expect(parseJsonLines(stdout)).toEqual([
    { id: 1, ranked: ['cors'] },
    { id: 'two', ranked: ['pool'] },
    { id: 3, ranked: [] },
    { id: 4, ranked: [] },
    ...[5, 6, 7, 8, null].map((id) => ({ id, ...invalid })),
  ]);
  const strict = await feed(input, 'memory', 'search', '--jsonl', '--threshold', '1');
  expect(parseJsonLines(strict.stdout)[0]).toEqual({ id: 1, ranked: [] });
});

test('search answers each line before the next line arrives', async () => {
  const { run, start } = createShell();
  await run('add-incident', MODULE_ERROR, 'x', 'worked');
  const searching = start(['memory', 'search', '--jsonl']);
  for (const id of [1, 2]) {
    searching.stdin.write(formatJsonLines([{ id, text: MODULE_ERROR }]));
    await searching.prints(new RegExp(`"id":${id},"ranked":\\["inc-`, 'u'));
  }
  searching.stdin.end();
  expect(await searching.done).toMatchObject({ status: 0, stderr: '' });
});
