import { describe, expect, test } from 'vitest';
import { runnerProject } from '../harness.ts';
import { hasGradleOffline, hasMavenOffline } from '../setup.mjs';
import { has } from './installed.ts';
import { agent, opened } from './runners-agent.ts';

describe.each([
  { folder: 'vitest', filter: 'subtracts' },
  { folder: 'mocha', filter: 'subtracts' },
  { folder: 'node-test', filter: 'subtracts', command: 'node --test sum.js' },
  { folder: 'unittest', filter: 'subtracts' },
  // It ends badly, and says why.
  { folder: 'ava', filter: 'subtracts', failed: 1 },
  { folder: 'rspec', filter: 'subtracts', missing: () => !has('rspec') },
  { folder: 'minitest', filter: 'subtracts', missing: () => !has('rake') },
  { folder: 'phpunit', filter: 'subtracts', missing: () => !has('phpunit') },
  { folder: 'ctest', filter: 'subtracts', missing: () => !has('ctest') },
  { folder: 'busted', filter: 'subtracts', missing: () => !has('busted') },
  { folder: 'bats', filter: 'subtracts', missing: () => !has('bats') },
])('no test of $folder', ({ folder, filter, command, missing, failed = 0 }) => {
  test.skipIf(missing?.())('is no success', async () => {
    const { root } = await opened(runnerProject(folder));
    await agent.data('argus_run', { projectPath: root });
    const given = command === undefined ? {} : { command };
    const run = await agent.data('argus_run', { projectPath: root, filter, ...given });
    expect(run).toMatchObject({ status: 'failed', totals: { passed: 0, failed } });
    expect(run.notes).toEqual([expect.stringMatching(/^NO_TESTS_RAN: .*adds/u)]);
  });
});

test.each([
  { folder: 'pytest', command: 'python -m pytest -k subtracts' },
  {
    folder: 'pytest',
    command: 'python -m pytest test_none.py',
    said: 'ERROR: file or directory not found: test_none.py',
  },
  { folder: 'vitest', command: 'vitest -t subtracts' },
  { folder: 'jest', command: 'npm test -- -t subtracts' },
  { folder: 'vitest', command: 'vitest none.test.js', said: 'No test files found, exiting with code 1' },
  { folder: 'unittest', command: 'python -m unittest discover -s tests -k subtracts' },
])('$command, which names no test, is no success', async ({ folder, command, said }) => {
  const { root } = await opened(runnerProject(folder));
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({ status: 'failed', totals: { passed: 0 } });
  expect(run.notes).toEqual([expect.stringMatching(/^NO_TESTS_RAN/u)]);
  expect(run.failures).toMatchObject(said === undefined ? [] : [{ headline: said }]);
});

test('no test of a runner that another program starts is no success', async () => {
  const { root } = await opened(runnerProject('mocha'));
  const command = 'sh -c "mocha sum.js -g subtracts"';
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({
    status: 'failed',
    totals: { passed: 0 },
    notes: [expect.stringMatching(/^NO_TESTS_RAN/u)],
  });
});

describe.each([
  { folder: 'maven', missing: !hasMavenOffline() },
  { folder: 'gradle', missing: !hasGradleOffline() },
])('a filter of $folder', ({ folder, missing }) => {
  test.skipIf(missing)('may leave modules without a test; where it leaves all so, that is said', async () => {
    const { root } = await opened(runnerProject(folder));
    const one = await agent.data('argus_run', { projectPath: root, filter: 'shop.SumTest > adds' });
    expect(one).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0, skipped: 0 }, notes: [] });
    const none = await agent.data('argus_run', { projectPath: root, filter: 'subtracts' });
    expect(none).toMatchObject({ status: 'failed', notes: [expect.stringMatching(/^NO_TESTS_RAN: /u)] });
  });
});
