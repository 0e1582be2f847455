/**
 * The runners that Argus knows: how each is recognized, filtered, and made to write a report. execute.ts runs a
 * command, and crates/report reads reports.
 */

import type { Adapter } from './adapters/adapter.ts';
import { gradle, maven } from './adapters/jvm.ts';
import { cargoTest, ctest, goTest, nextest } from './adapters/native.ts';
import {
  ava,
  bun,
  deno,
  jasmine,
  jest,
  mocha,
  nodeTest,
  playwright,
  qunit,
  tap,
  tape,
  uvu,
  vitest,
  webTestRunner,
} from './adapters/node.ts';
import { pytest, unittest } from './adapters/python.ts';
import { bats, busted, minitest, phpunit, rakeTest, rspec } from './adapters/scripting.ts';

/** Adapters in the order in which they are tried. The first that recognizes a command is used. */
export const ADAPTERS: readonly Adapter[] = [
  vitest,
  jest,
  playwright,
  mocha,
  ava,
  uvu,
  jasmine,
  qunit,
  webTestRunner,
  tap,
  tape,
  nodeTest,
  bun,
  deno,
  pytest,
  unittest,
  nextest,
  cargoTest,
  goTest,
  maven,
  gradle,
  rspec,
  minitest,
  rakeTest,
  phpunit,
  busted,
  ctest,
  bats,
];

/** Matches output of Go for a package or a test that ran, although another package rejected an option. */
const RAN_TESTS = /^\s*--- |^ok\s/mu;

/**
 * Returns the line with which the runner rejected an option of the command, so that no test ran. An option that a script
 * or a configuration file sets is not a mistake in the command.
 */
export function findRejectedOption(runner: string | null, command: string, output: string): string | undefined {
  const [line, option] = ADAPTERS.find(({ name }) => name === runner)?.rejectedOption?.exec(output) ?? [];
  const isInCommand = option !== undefined && command.includes(option) && !RAN_TESTS.test(output);
  return isInCommand ? line : undefined;
}

/**
 * Returns true if the runner may exit with code 0 without running a test. For such a runner, only the report shows
 * whether tests ran.
 */
export function canSucceedWithoutTests(runner: string): boolean {
  return ADAPTERS.find(({ name }) => name === runner)?.failsWithoutTests !== true;
}
