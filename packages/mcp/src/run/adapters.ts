/**
 * The runners Argus knows: how each is recognised, filtered, and made to write a report beside what it prints. Running
 * a command: execute.ts. Reading reports: crates/report.
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

/** In the order they are tried; the first that recognises a command has it. */
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

/** Whether the runner ends well without a test too, so that only its report tells. */
export function maySucceedEmpty(runner: string): boolean {
  return ADAPTERS.find(({ name }) => name === runner)?.failsWithoutTests !== true;
}
