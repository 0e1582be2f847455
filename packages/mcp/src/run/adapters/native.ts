/** The runners of compiled languages: Rust, Go, and CTest. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { GoPrinting } from '../reports/go-json.ts';
import { type Adapter, afterSubcommand, basename, isReadAsOption, program, type ReportSource } from './adapter.ts';

export const nextest: Adapter = {
  name: 'nextest',
  failsWithoutTests: true,
  recognise: (words) => afterSubcommand(words, cargoSubcommand(words, 'nextest'), 'run'),
  filter: cargoFilter,
  argsFirst: true,
  reporting({ dir, root }) {
    const file = path.join(dir, 'nextest.xml');
    const onlyProgram = existsSync(path.join(root, 'src/main.rs')) && !existsSync(path.join(root, 'src/lib.rs'));
    return {
      notes: onlyProgram ? [] : ['nextest runs no doctests; argus_run with command "cargo test --doc" does.'],
      args: ['--tool-config-file', `argus:${path.join(dir, 'argus-nextest.toml')}`],
      // Before 0.9.143, nextest does not report skipped tests and warns about the unknown key.
      files: {
        'argus-nextest.toml': `[profile.default.junit]\npath = ${JSON.stringify(file)}\nreport-skipped = "all"\n`,
      },
      reports: [{ kind: 'file', path: file, format: 'junit' }],
    };
  },
};

/** The output is the report, also through scripts. */
export const cargoTest: Adapter = {
  name: 'cargo test',
  recognise: (words) => cargoSubcommand(words, 'test') ?? cargoSubcommand(words, 't'),
  filter: cargoFilter,
};

/**
 * Passes the name as a separate word. Words with these starts are refused even after `--`, because cargo reads options
 * in them (`--config` can name a program to start) and rustdoc reads arguments from a file after `@`. No path of a Rust
 * test starts like that.
 */
function cargoFilter(name: string): string[] | undefined {
  return isReadAsOption(name) ? undefined : [name];
}

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
    const reports: ReportSource[] = [{ kind: 'file', path: file, format: 'go-test' }];
    return { args: ['-json'], reports, translate: 'go-json', goPrinting: goPrinting(words) };
  },
};

/** Options without a value, from `go help test` and `go help testflag`. Any other option takes the next word. */
const GO_SWITCHES = new Set(
  'a asan benchmem buildvcs c cover failfast fullpath i json linkshared modcacherw msan n race short trimpath v work x'.split(
    ' ',
  ),
);

function goPrinting(words: readonly string[]): GoPrinting {
  const options = new Map<string, string>();
  let namesPackages = false;
  const given = words.slice(words.indexOf('test') + 1).values();
  for (const word of given) {
    const [, name, value] = /^--?(?:test\.)?(\w+)(?:=(.*))?$/su.exec(word) ?? [];
    if (name === 'args') break;
    if (name === undefined) namesPackages = true;
    else options.set(name, value ?? (GO_SWITCHES.has(name) ? 'true' : (given.next().value ?? '')));
  }
  const isVerbose = (options.get('v') ?? 'false') !== 'false';
  return {
    isVerbose,
    isWhole: !namesPackages || options.has('bench'),
    endsWithResult: namesPackages && !options.has('fuzz'),
  };
}

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

/** Handles a toolchain, for example `cargo +nightly test`. */
function cargoSubcommand(words: readonly string[], subcommand: string): number | undefined {
  if (basename(words[0]) !== 'cargo') return undefined;
  const index = words[1]?.startsWith('+') ? 2 : 1;
  return words[index] === subcommand ? index + 1 : undefined;
}
