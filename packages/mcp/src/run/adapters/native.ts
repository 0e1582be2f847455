/** The adapters of runners for compiled languages: Rust, Go, and CTest. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { GoOutputOptions } from '../reports/go-json.ts';
import {
  type Adapter,
  findIndexAfterSubcommand,
  getProgramName,
  mayBeReadAsOption,
  REJECTED_ARGUMENT,
  type ReportSource,
  recognizeProgram,
} from './adapter.ts';

export const nextest: Adapter = {
  name: 'nextest',
  failsWithoutTests: true,
  rejectedOption: REJECTED_ARGUMENT,
  recognize: (words) => findIndexAfterSubcommand(words, findIndexAfterCargoSubcommand(words, 'nextest'), 'run'),
  filter: createCargoFilter,
  insertsArgsFirst: true,
  createReportSettings({ command, dir, root }) {
    const file = path.join(dir, 'nextest.xml');
    const isOnlyProgram = existsSync(path.join(root, 'src/main.rs')) && !existsSync(path.join(root, 'src/lib.rs'));
    const mayMissDoctests = !isOnlyProgram && !command.includes('cargo test --doc');
    return {
      notes: !mayMissDoctests
        ? []
        : ['nextest does not run doctests. To run them, call argus_run with command "cargo test --doc".'],
      args: ['--tool-config-file', `argus:${path.join(dir, 'argus-nextest.toml')}`],
      // nextest before 0.9.143 does not report skipped tests, and warns about the unknown key.
      files: {
        'argus-nextest.toml': `[profile.default.junit]\npath = ${JSON.stringify(file)}\nreport-skipped = "all"\n`,
      },
      reports: [{ kind: 'file', path: file, format: 'junit' }],
    };
  },
};

/** cargo test writes no report, so its output is parsed, even if a script starts cargo. */
export const cargoTest: Adapter = {
  name: 'cargo test',
  rejectedOption: REJECTED_ARGUMENT,
  recognize: (words) => findIndexAfterCargoSubcommand(words, 'test') ?? findIndexAfterCargoSubcommand(words, 't'),
  filter: createCargoFilter,
};

/**
 * Passes the name as a separate word. Refuses names that start with `-` or `@`, even though they would follow `--`,
 * because cargo reads options in them (`--config` can name a program to start) and rustdoc reads arguments from a file
 * after `@`. No path of a Rust test starts with these characters.
 */
function createCargoFilter(name: string): string[] | undefined {
  return mayBeReadAsOption(name) ? undefined : [name];
}

export const goTest: Adapter = {
  name: 'go test',
  filterOptions: ['-run'],
  rejectedOption: /^(?:flag provided but not defined:|invalid value ".*" for flag) (-[\w.]+).*$/mu,
  filterIsPattern: true,
  recognize: (words) => (getProgramName(words[0]) === 'go' && words[1] === 'test' ? 2 : undefined),
  filter: (name) => ['-run', name],
  insertsArgsFirst: true,
  createReportSettings({ dir, words }) {
    if (words.includes('-json')) return { reports: [] };
    const file = path.join(dir, 'go-test.json');
    const reports: ReportSource[] = [{ kind: 'file', path: file, format: 'go-test' }];
    return { args: ['-json'], reports, translate: 'go-json', goOutputOptions: parseGoOutputOptions(words) };
  },
};

/** Options without a value, from `go help test` and `go help testflag`. Any other option takes the next word. */
const GO_SWITCHES = new Set(
  'a asan benchmem buildvcs c cover failfast fullpath i json linkshared modcacherw msan n race short trimpath v work x'.split(
    ' ',
  ),
);

function parseGoOutputOptions(words: readonly string[]): GoOutputOptions {
  const options = new Map<string, string>();
  let namesPackages = false;
  const remainingWords = words.slice(words.indexOf('test') + 1).values();
  for (const word of remainingWords) {
    const [, name, value] = /^--?(?:test\.)?(\w+)(?:=(.*))?$/su.exec(word) ?? [];
    if (name === 'args') break;
    if (name === undefined) namesPackages = true;
    else options.set(name, value ?? (GO_SWITCHES.has(name) ? 'true' : (remainingWords.next().value ?? '')));
  }
  const isVerbose = (options.get('v') ?? 'false') !== 'false';
  return {
    isVerbose,
    printsPassedOutput: !namesPackages || options.has('bench'),
    printsFinalResult: namesPackages && !options.has('fuzz'),
  };
}

/** https://cmake.org/cmake/help/latest/manual/ctest.1.html */
export const ctest: Adapter = {
  name: 'ctest',
  filterOptions: ['-R', '--tests-regex'],
  filterIsPattern: true,
  recognize: recognizeProgram('ctest'),
  filter: (name) => ['-R', name],
  createReportSettings({ dir, words }) {
    if (words.some((word) => /^(?:-N|--show-only|--build-and-test|--print-labels|--help)/u.test(word))) {
      return { reports: [] };
    }
    const file = path.join(dir, 'ctest.xml');
    return { args: ['--output-junit', file], reports: [{ kind: 'file', path: file, format: 'junit' }] };
  },
};

/** Returns the index after the subcommand, also with a toolchain as in `cargo +nightly test`. */
function findIndexAfterCargoSubcommand(words: readonly string[], subcommand: string): number | undefined {
  if (getProgramName(words[0]) !== 'cargo') return undefined;
  const index = words[1]?.startsWith('+') ? 2 : 1;
  return words[index] === subcommand ? index + 1 : undefined;
}
