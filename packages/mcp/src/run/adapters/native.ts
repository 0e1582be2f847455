/** The runners of compiled languages: Rust, Go, and what CMake builds. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Adapter, afterSubcommand, basename, program } from './adapter.ts';

export const nextest: Adapter = {
  name: 'nextest',
  failsWithoutTests: true,
  recognise: (words) => afterSubcommand(words, cargoSubcommand(words, 'nextest'), 'run'),
  filter: (name) => [name],
  argsFirst: true,
  reporting({ dir, root }) {
    const file = path.join(dir, 'nextest.xml');
    const onlyProgram = existsSync(path.join(root, 'src/main.rs')) && !existsSync(path.join(root, 'src/lib.rs'));
    return {
      notes: onlyProgram ? [] : ['nextest runs no doctests; argus_run with command "cargo test --doc" does.'],
      args: ['--tool-config-file', `argus:${path.join(dir, 'argus-nextest.toml')}`],
      files: { 'argus-nextest.toml': `[profile.default.junit]\npath = ${JSON.stringify(file)}\n` },
      reports: [{ kind: 'file', path: file, format: 'junit' }],
    };
  },
};

/** What it prints is its report, behind scripts too. */
export const cargoTest: Adapter = {
  name: 'cargo test',
  recognise: (words) => cargoSubcommand(words, 'test') ?? cargoSubcommand(words, 't'),
  filter: (name) => [name],
};

export const goTest: Adapter = {
  name: 'go test',
  filterOptions: ['-run'],
  filterIsPattern: true,
  recognise: (words) => (basename(words[0]) === 'go' && words[1] === 'test' ? 2 : undefined),
  filter: (name) => ['-run', name],
  argsFirst: true,
  reporting({ dir, words }) {
    if (words.includes('-json')) return { reports: [] };
    const file = path.join(dir, 'go-test.json');
    return { args: ['-json'], reports: [{ kind: 'file', path: file, format: 'go-test' }], translate: 'go-json' };
  },
};

/** https://cmake.org/cmake/help/latest/manual/ctest.1.html */
export const ctest: Adapter = {
  name: 'ctest',
  filterOptions: ['-R', '--tests-regex'],
  filterIsPattern: true,
  recognise: program('ctest'),
  filter: (name) => ['-R', name],
  reporting({ dir, words }) {
    if (words.some((word) => /^(?:-N|--show-only|--build-and-test|--print-labels|--help)/u.test(word))) {
      return { reports: [] };
    }
    const file = path.join(dir, 'ctest.xml');
    return { args: ['--output-junit', file], reports: [{ kind: 'file', path: file, format: 'junit' }] };
  },
};

/** `cargo +nightly test`. */
function cargoSubcommand(words: readonly string[], subcommand: string): number | undefined {
  if (basename(words[0]) !== 'cargo') return undefined;
  const index = words[1]?.startsWith('+') ? 2 : 1;
  return words[index] === subcommand ? index + 1 : undefined;
}
