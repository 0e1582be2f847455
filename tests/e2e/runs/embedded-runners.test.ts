/** Runners that another program starts, and runners that are started in another way than by their own command. */

import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Agent, connect, project, runnerProject } from '../harness.ts';
import { PATH } from './installed.ts';

let agent: Agent;
beforeAll(async () => {
  agent = await connect('2026-07-28', { PATH });
});
afterAll(() => agent?.close());

const totals = { passed: 1, failed: 1, skipped: 1, flaky: 0 };
const JEST = "const jest = require('jest');\n";

test.each([
  ['vitest', 'node --expose-gc ./node_modules/vitest/dist/cli.js --run', undefined],
  ['jest', 'node run.cjs --ci', `${JEST}jest.run(process.argv.slice(2));\n`],
  [
    'jest',
    'node run.cjs',
    `${JEST}jest.runCLI({ $0: '', _: [] }, [__dirname]).then(({ results }) => process.exit(results.numFailedTests));\n`,
  ],
])('%s is read when it is started by %s', async (folder, command, program) => {
  const root = runnerProject(folder);
  if (program !== undefined) writeFileSync(path.join(root, 'run.cjs'), program);
  await agent.data('argus_init', { projectPath: root });
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({ status: 'failed', totals, notes: [] });
  expect(run.failures).toMatchObject([
    { caseName: 'sum.test.js > sum > is wrong', testPlace: expect.stringMatching(/^sum\.test\.js:\d+$/u) },
  ]);
});

test('what processes the results of a Jest project goes on doing so, and a list of its tests is no run of them', async () => {
  const root = runnerProject('jest');
  const [processor, config] = [path.join(root, 'processor.cjs'), path.join(root, 'jest.config.cjs')];
  writeFileSync(
    processor,
    "module.exports = (results) => { require('node:fs').writeFileSync('own.json', '{}'); return results; };\n",
  );
  writeFileSync(config, "module.exports = { testResultsProcessor: './processor.cjs', reporters: ['default'] };\n");
  await agent.data('argus_init', { projectPath: root });
  const run = await agent.data('argus_run', { projectPath: root, command: 'npx jest' });
  expect(run).toMatchObject({ status: 'failed', totals, notes: [] });
  expect(existsSync(path.join(root, 'own.json'))).toBe(true);
  const list = await agent.data('argus_run', { projectPath: root, command: 'npx jest --listTests' });
  expect(list).toMatchObject({ status: 'passed' });
});

test('what a task runner replays from its cache is said', async () => {
  const root = project({
    'package.json': JSON.stringify({ private: true, packageManager: 'npm@10.0.0', workspaces: ['packages/*'] }),
    'package-lock.json': JSON.stringify({
      lockfileVersion: 3,
      packages: { '': { workspaces: ['packages/*'] }, 'packages/one': {} },
    }),
    'turbo.json': '{"tasks":{"test":{}}}',
    '.gitignore': '.turbo\n',
    'packages/one/package.json': JSON.stringify({ name: 'one', version: '1.0.0', scripts: { test: 'node --test' } }),
    'packages/one/test/a.test.js': "require('node:test')('adds', () => {});\n",
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  await agent.data('argus_init', { projectPath: root });
  const run = () => agent.data('argus_run', { projectPath: root, command: 'turbo run test' });
  expect(await run()).toMatchObject({ status: 'passed', totals: { passed: 1 }, notes: [] });
  const again = await run();
  expect(again.notes, JSON.stringify(again)).toEqual([
    'Turbo replayed the tests of one package from its cache: their cases are not in this run. Add --force to run them.',
  ]);
});
