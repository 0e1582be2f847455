/**
 * Reasons for which a test command fails although no test does: a coverage threshold that is not met, an error outside of
 * any test, a program that crashed, or a linter or compiler beside the tests. No report has them; what the command printed
 * does.
 */

import path from 'node:path';
import { ArgusError, messageOf } from '../../errors.ts';
import { readText, textOf } from '../../system/files/read.ts';
import { absolutePath } from '../../system/io.ts';

const MAX_LOG_BYTES = 256 * 1024 * 1024;
const MAX_CONFIG_BYTES = 1024 * 1024;

/** As Istanbul (nyc, c8, Karma, Vitest), Jest, pytest-cov, coverage.py, SimpleCov and JaCoCo print it. */
const COVERAGE_FAILED =
  /^.*coverage.*(?:does not meet|not met|not reached|below the expected|less than fail-under|have not been met).*$/imu;
/** As Vitest and Mocha print errors that no test has caught. */
const UNHANDLED = /^.*(?:caught \d+ unhandled errors? during the test run|⎯ Unhandled (?:Errors?|Rejection) ⎯).*$/imu;
/** As V8, a shell and pytest print that the program that ran the tests is gone. */
const CRASHED = /^(?:FATAL ERROR: .+|.*\bSegmentation fault\b.*|INTERNALERROR> .+)$/mu;
/** As TypeScript prints an error, and ESLint its sum. */
const OTHER_TOOL = /^.*(?:\berror TS\d+: |✖ \d+ problems? \([1-9]\d* errors?).*$/mu;

/** Files of a project that may set a threshold, and how each writes it. */
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

/** Sentences; none where the printed text, or the configuration where no text is given, shows no such reason. */
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
