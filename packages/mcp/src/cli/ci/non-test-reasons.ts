/**
 * Finds reasons other than failing tests why a test command failed: a coverage threshold, an error outside of all
 * tests, a crashed program, or a linter or compiler that runs with the tests. The output of the command contains these
 * reasons, but reports do not.
 */

import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { ArgusError, getErrorMessage } from '../../errors.ts';
import { readBytes, tryReadText } from '../../system/files/read.ts';
import { toAbsolutePath } from '../../system/io.ts';

const MAX_LOG_BYTES = 256 * 1024 * 1024;
const MAX_CONFIG_BYTES = 1024 * 1024;

/** Messages of Istanbul (nyc, c8, Karma, Vitest), Jest, pytest-cov, coverage.py, SimpleCov and JaCoCo. */
const COVERAGE_MESSAGE =
  /^.*coverage.*(?:does not meet|not met|not reached|below the expected|less than fail-under|have not been met).*$/imu;
/** Messages of Vitest and Mocha about errors that no test caught. */
const UNHANDLED_ERROR_MESSAGE =
  /^.*(?:caught \d+ unhandled errors? during the test run|⎯ Unhandled (?:Errors?|Rejection) ⎯).*$/imu;
/**
 * Messages of V8, a shell, pytest, sanitizers and Go's race detector when a program crashed. A shell prints `Killed`
 * alone, or after a line number and a process id.
 */
const CRASH_MESSAGE =
  /^(?:FATAL ERROR: .+|.*\bSegmentation fault\b.*|(?:.*[:\d][ \t]+)?(?:Killed|Bus error|Aborted|Illegal instruction|Floating point exception)(?: *\(core dumped\)|[ \t]{2,}.*)?|INTERNALERROR> .+|==\d+==\s?ERROR: \w+Sanitizer: .+|WARNING: (?:DATA RACE|ThreadSanitizer: .+))$/mu;
/** Messages of a shell or npm that did not find a program or script. */
const COMMAND_NOT_FOUND_MESSAGE =
  /^(?:\S*sh: (?:line )?(?:\d+: )?.+: (?:command )?not found|npm (?:ERR!|error) (?:Missing script: .+|code E(?!LIFECYCLE)[A-Z]+))$/mu;
/** Errors of compilers and linters with a place in the code: gcc, javac, mypy, Flake8, Ruff. */
const COMPILER_MESSAGE =
  /^(?:\S+:\d+(?::\d+)?:? (?:fatal )?error: .+|\S+\.pyi?:\d+:\d+: [A-Z]{1,4}\d{2,4} .+|error\[E\d+\]: .+|error: could not compile .+)$/mu;
/** Errors of TypeScript and .NET, and the totals of other compilers, linters, formatters and checks. */
const OTHER_TOOL_MESSAGE = new RegExp(
  [
    /\berror (?:TS|CS|FS|MSB|NU|NETSDK)\d+: /u, // TypeScript, .NET
    /✖ \d+ problems? \([1-9]\d* errors?/u, // ESLint, Stylelint
    /^Found [1-9]\d* errors?\b/u, // TypeScript, mypy, Ruff, Biome
    /^Found \d+ warnings? and [1-9]\d* errors?\b/u, // oxlint
    /\bCode style issues (?:found )?in\b/u, // Prettier
    /^[1-9]\d* files? would be reformatted\b/u, // Black, Ruff
    /\b[1-9]\d* offenses? detected\b/u, // RuboCop
    /^ *\[ERROR\] Found [1-9]\d* errors?\b/u, // PHPStan
    /^Unused (?:files|dependencies|devDependencies|exports|types) \([1-9]/u, // Knip
    /\bsize limit has exceeded\b/u, // Size Limit
    /^Execution failed for task '(?![^']*[tT]est)/u, // Gradle
    /^\[ERROR\] Failed to execute goal (?!\S*(?:surefire|failsafe))/u, // Maven
  ]
    .map(({ source }) => `(?:${source.startsWith('^') ? source : `^.*${source}`}.*$)`)
    .join('|'),
  'mu',
);

/** Project files that may set a coverage threshold, with a pattern that finds the setting. */
const COVERAGE_THRESHOLD_SETTINGS: readonly [file: string, set: RegExp][] = [
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

/**
 * Returns messages about reasons that the log contains. Without a log, looks for a coverage threshold in the
 * configuration of the project.
 */
export function findNonTestReasons(root: string, log: string | undefined): string[] {
  if (log !== undefined) return findReasonsInOutput(readLog(toAbsolutePath(log)));
  const file = COVERAGE_THRESHOLD_SETTINGS.find(([name, set]) => set.test(readConfigText(root, name)))?.[0];
  const advice = 'pass the output of the tests with --log, because reports do not contain the result of the threshold';
  return file === undefined ? [] : [`${file} sets a coverage threshold: ${advice}.`];
}

function findReasonsInOutput(text: string): string[] {
  const lines = [
    COVERAGE_MESSAGE,
    UNHANDLED_ERROR_MESSAGE,
    CRASH_MESSAGE,
    COMMAND_NOT_FOUND_MESSAGE,
    COMPILER_MESSAGE,
    OTHER_TOOL_MESSAGE,
  ].map((pattern) => pattern.exec(text)?.[0].trim());
  const found = new Set(lines.filter((line) => line !== undefined));
  return [...found].map((line) => `The tests printed: ${line.slice(0, 300)}`);
}

function readLog(file: string): string {
  try {
    return stripVTControlCharacters(decodeText(readBytes(file, { maxBytes: MAX_LOG_BYTES })));
  } catch (thrown) {
    throw new ArgusError('INVALID_INPUT', `The log ${file} cannot be read: ${getErrorMessage(thrown)}.`, {
      cause: thrown,
    });
  }
}

/** Decodes UTF-16 as well, which Windows PowerShell writes with `>` and `Tee-Object`. */
function decodeText(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return bytes.toString('utf8');
}

function readConfigText(root: string, name: string): string {
  return tryReadText(path.join(root, name), { maxBytes: MAX_CONFIG_BYTES, links: { within: root } }) ?? '';
}
