/**
 * Finds reasons why a test command fails although no test fails: a coverage threshold, an error outside of any test, a
 * crashed program, or a linter or compiler that runs with the tests. Reports do not contain these reasons, but the
 * output of the command does.
 */

import path from 'node:path';
import { ArgusError, messageOf } from '../../errors.ts';
import { readText, textOf } from '../../system/files/read.ts';
import { absolutePath } from '../../system/io.ts';

const MAX_LOG_BYTES = 256 * 1024 * 1024;
const MAX_CONFIG_BYTES = 1024 * 1024;

/** Messages of Istanbul (nyc, c8, Karma, Vitest), Jest, pytest-cov, coverage.py, SimpleCov and JaCoCo. */
const COVERAGE_FAILED =
  /^.*coverage.*(?:does not meet|not met|not reached|below the expected|less than fail-under|have not been met).*$/imu;
/** Messages of Vitest and Mocha about errors that no test caught. */
const UNHANDLED = /^.*(?:caught \d+ unhandled errors? during the test run|⎯ Unhandled (?:Errors?|Rejection) ⎯).*$/imu;
/** Messages of V8, a shell and pytest when the program that ran the tests crashed. */
const CRASHED = /^(?:FATAL ERROR: .+|.*\bSegmentation fault\b.*|INTERNALERROR> .+)$/mu;
/** An error of TypeScript, and the total of ESLint. */
const OTHER_TOOL = /^.*(?:\berror TS\d+: |✖ \d+ problems? \([1-9]\d* errors?).*$/mu;

/** Files of a project that may set a coverage threshold, and the syntax in each of them. */
const THRESHOLDS: readonly [file: string, set: RegExp][] = [
  [
    'package.json',
    /"coverageThreshold"|"check-coverage":\s*true|--check-coverage|--coverage\.thresholds|--cov-fail-under/u,
  ],
  ...['js', 'cjs', 'mjs', 'ts', 'json'].map((ending): [string, RegExp] => [
    `jest.config.${ending}`,
    /coverageThreshold/u,
  ]),
  ...['vitest.config', 'vite.config'].flatMap((name) =>
    ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((ending): [string, RegExp] => [
      `${name}.${ending}`,
      /\bthresholds\b/u,
    ]),
  ),
  ...['.nycrc', '.nycrc.json', '.c8rc', '.c8rc.json'].map((name): [string, RegExp] => [
    name,
    /"check-coverage":\s*true/u,
  ]),
  ...['pyproject.toml', 'setup.cfg', 'tox.ini', 'pytest.ini', '.coveragerc'].map((name): [string, RegExp] => [
    name,
    /\bfail_under\s*=|--cov-fail-under/u,
  ]),
];

/** Returns sentences about such reasons in the log, or in the configuration if no log is given. */
export function otherReasons(root: string, log: string | undefined): string[] {
  if (log !== undefined) return reasonsIn(readLog(absolutePath(log)));
  const file = THRESHOLDS.find(([name, set]) => set.test(configOf(root, name)))?.[0];
  const advice = 'pass what the tests printed with --log, because no report says whether it was met';
  return file === undefined ? [] : [`${file} sets a threshold of coverage: ${advice}.`];
}

function reasonsIn(text: string): string[] {
  const lines = [COVERAGE_FAILED, UNHANDLED, CRASHED, OTHER_TOOL].map((pattern) => pattern.exec(text)?.[0].trim());
  return lines.filter((line) => line !== undefined).map((line) => `The tests printed: ${line.slice(0, 300)}`);
}

function readLog(file: string): string {
  try {
    return readText(file, { maxBytes: MAX_LOG_BYTES });
  } catch (thrown) {
    throw new ArgusError('INVALID_INPUT', `The log ${file} cannot be read: ${messageOf(thrown)}.`, { cause: thrown });
  }
}

function configOf(root: string, name: string): string {
  return textOf(path.join(root, name), { maxBytes: MAX_CONFIG_BYTES, links: { within: root } }) ?? '';
}
