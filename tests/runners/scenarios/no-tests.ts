/** A run without a test is no success, whatever its exit code. */

import { expect } from 'vitest';
import type { Scenario } from '../scenario.ts';

const NO_TESTS = expect.stringMatching(/^NO_TESTS_RAN/u);

interface Filtered {
  folder: string;
  programs: Scenario['programs'];
  command?: string;
  failed?: number;
}

const FILTERED: Filtered[] = [
  { folder: 'vitest', programs: ['vitest'] },
  { folder: 'mocha', programs: ['mocha'] },
  { folder: 'node-test', programs: ['node'], command: 'node --test sum.js' },
  { folder: 'unittest', programs: ['python'] },
  // It fails, and tells why.
  { folder: 'ava', programs: ['ava'], failed: 1 },
  { folder: 'rspec', programs: ['rspec'] },
  { folder: 'minitest', programs: ['minitest', 'rake'] },
  { folder: 'phpunit', programs: ['phpunit'] },
  {
    folder: 'ctest',
    programs: ['ctest'],
    // The detected command configures only a project that was not configured before.
    command: 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure',
  },
  { folder: 'busted', programs: ['busted'] },
  { folder: 'bats', programs: ['bats'] },
];

const withoutFit: Scenario[] = FILTERED.map(({ folder, programs, command, failed = 0 }) => ({
  name: `a filter of ${folder} that fits no test is no success, and names a test that there is`,
  recording: `no-tests-${folder}`,
  programs,
  folder,
  async play(stage) {
    await stage.run();
    const run = await stage.run({ filter: 'subtracts', ...(command === undefined ? {} : { command }) });
    expect(run).toMatchObject({ status: 'failed', totals: { passed: 0, failed } });
    expect(run.notes).toEqual([expect.stringMatching(/^NO_TESTS_RAN: .*adds/u)]);
  },
}));

interface Typed {
  recording: string;
  folder: string;
  programs: Scenario['programs'];
  command: string;
  headline?: string;
}

const TYPED: Typed[] = [
  { recording: 'pytest-k', folder: 'pytest', programs: ['pytest'], command: 'python -m pytest -k subtracts' },
  {
    recording: 'pytest-file',
    folder: 'pytest',
    programs: ['pytest'],
    command: 'python -m pytest test_none.py',
    headline: 'ERROR: file or directory not found: test_none.py',
  },
  { recording: 'vitest-t', folder: 'vitest', programs: ['vitest'], command: 'vitest -t subtracts' },
  { recording: 'jest-t', folder: 'jest', programs: ['jest'], command: 'npm test -- -t subtracts' },
  {
    recording: 'vitest-file',
    folder: 'vitest',
    programs: ['vitest'],
    command: 'vitest none.test.js',
    headline: 'No test files found, exiting with code 1',
  },
  {
    recording: 'unittest-k',
    folder: 'unittest',
    programs: ['python'],
    command: 'python -m unittest discover -s tests -k subtracts',
  },
  {
    recording: 'mocha-g',
    folder: 'mocha',
    programs: ['mocha'],
    command: 'sh -c "mocha sum.js -g subtracts"',
  },
];

const typed: Scenario[] = TYPED.map(({ recording, folder, programs, command, headline }) => ({
  name: `${command}, which names no test, is no success`,
  recording: `no-tests-${recording}`,
  programs,
  folder,
  async play(stage) {
    const run = await stage.run({ command });
    expect(run).toMatchObject({ status: 'failed', totals: { passed: 0 }, notes: [NO_TESTS] });
    expect(run.failures).toMatchObject(headline === undefined ? [] : [{ headline }]);
  },
}));

const inModules: Scenario[] = (['maven', 'gradle'] as const).map((folder) => ({
  name: `a filter of ${folder} may leave modules without a test, but not all of them`,
  recording: `no-tests-${folder}`,
  programs: [folder],
  folder,
  async play(stage) {
    const one = await stage.run({ filter: 'shop.SumTest > adds' });
    expect(one).toMatchObject({ status: 'passed', totals: { passed: 1, failed: 0, skipped: 0 }, notes: [] });
    const none = await stage.run({ filter: 'subtracts' });
    expect(none).toMatchObject({ status: 'failed', notes: [expect.stringMatching(/^NO_TESTS_RAN: /u)] });
  },
}));

export const NO_TESTS_RAN: Scenario[] = [...withoutFit, ...typed, ...inModules];
