/**
 * Finds the summary line of failed tests, for a command with exit code 0 and without a report. For example, behind a pipe
 * such as `go test ./... | tail -1`, the exit code is that of the last program.
 */

import { stripVTControlCharacters } from 'node:util';

/** Runners print the summary last. Other programs may print such words anywhere. */
const LAST_LINES = 15;

const FAILED: Readonly<Record<string, RegExp>> = {
  go: /^FAIL(?:\t\S+(?:\t[\d.]+s| \[(?:build|setup) failed\]))?$/u,
  cargo: /^test result: FAILED\. \d+ passed; |^error: (?:\d+ targets? failed|(?:doc)?test failed, to rerun pass)/u,
  pytest: /^(?:=+ )?(?:.*, )?[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s/u,
  unittest: /^FAILED \((?:failures|errors)=[1-9]/u,
  jest: /^Tests: +(?:\d+ \w+, )*[1-9]\d* failed, /u,
  vitest: /^ +Tests {2}[1-9]\d* failed(?: \||$| \()/u,
  mocha: /^ {2}[1-9]\d* failing$/u,
  node: /^[#ℹ] fail [1-9]/u,
  rspec: /^\d+ examples?, [1-9]\d* failures?/u,
  phpunit: /^(?:FAILURES|ERRORS)!$/u,
  maven: /^\[(?:INFO|ERROR)\] BUILD FAILURE$/u,
  gradle: /^BUILD FAILED in /u,
};

/** The line, or undefined. */
export function failedSummary(output: string): string | undefined {
  const lines = stripVTControlCharacters(output).trimEnd().split(/\r?\n/u).slice(-LAST_LINES);
  return lines.find((line) => Object.values(FAILED).some((form) => form.test(line)));
}
