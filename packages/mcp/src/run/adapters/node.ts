/** The adapters of runners for Node, Bun and Deno. Runners that `reporters.ts` covers need no settings for a report. */

import path from 'node:path';
import { readProjectFile } from '../../system/files/project-file.ts';
import { getField, readManifest } from '../planning/scripts.ts';
import {
  type Adapter,
  type AdapterContext,
  escapePattern,
  findIndexAfterSubcommand,
  getProgramName,
  REJECTED_ARGUMENT,
  type ReportSource,
  recognizeProgram,
} from './adapter.ts';

export const vitest: Adapter = {
  name: 'vitest',
  filterOptions: ['-t', '--testNamePattern'],
  filterIsPattern: true,
  failsWithoutTests: true,
  rejectedOption: /^CACError: Unknown option `(-[^`]+)`.*$/mu,
  recognize: recognizeProgram('vitest'),
  filter: (name) => ['-t', name],
};

export const jest: Adapter = {
  name: 'jest',
  filterOptions: ['-t', '--testNamePattern'],
  filterIsPattern: true,
  failsWithoutTests: true,
  rejectedOption: /^● Unrecognized CLI Parameters?:\s+Unrecognized option "([^"]+)".*$/mu,
  recognize: recognizeProgram('jest'),
  filter: (name) => ['-t', name],
};

export const playwright: Adapter = {
  name: 'playwright',
  filterOptions: ['-g', '--grep'],
  filterIsPattern: true,
  failsWithoutTests: true,
  rejectedOption: REJECTED_ARGUMENT,
  recognize: (words) => findIndexAfterSubcommand(words, recognizeProgram('playwright')(words), 'test'),
  filter: (name) => ['-g', name],
};

export const mocha: Adapter = {
  name: 'mocha',
  filterOptions: ['-g', '--grep', '-f', '--fgrep'],
  filterIsPattern: true,
  recognize: recognizeProgram('mocha', '_mocha'),
  filter: (name) => ['--grep', name],
};

export const nodeTest: Adapter = {
  name: 'node:test',
  filterOptions: ['--test-name-pattern'],
  filterIsPattern: true,
  rejectedOption: REJECTED_ARGUMENT,
  recognize: (words) => (getProgramName(words[0]) === 'node' && words.includes('--test') ? 1 : undefined),
  filter: (name) => [`--test-name-pattern=${name}`],
  insertsArgsFirst: true,
};

export const bun: Adapter = {
  name: 'bun',
  filterOptions: ['-t', '--test-name-pattern'],
  filterIsPattern: true,
  failsWithoutTests: true,
  recognize: (words) => (getProgramName(words[0]) === 'bun' && words[1] === 'test' ? 2 : undefined),
  filter: (name) => ['-t', name],
  createReportSettings({ dir }) {
    const file = path.join(dir, 'bun.xml');
    const args = ['--reporter=junit', `--reporter-outfile=${file}`];
    return { args, reports: [{ kind: 'file', path: file, format: 'junit' }] };
  },
};

export const deno: Adapter = {
  name: 'deno',
  filterOptions: ['--filter'],
  failsWithoutTests: true,
  recognize: (words) => (getProgramName(words[0]) === 'deno' && words[1] === 'test' ? 2 : undefined),
  // Uses only the test in a case name, because a step cannot run alone.
  filter: (name) => [`--filter=${name.includes(' > ') ? name.split(' > ')[1] : name}`],
  takesCaseNames: true,
  insertsArgsFirst: true,
  createReportSettings({ dir }) {
    const file = path.join(dir, 'deno.xml');
    return { args: [`--junit-path=${file}`], reports: [{ kind: 'file', path: file, format: 'junit' }] };
  },
};

export const ava: Adapter = {
  name: 'ava',
  filterOptions: ['-m', '--match'],
  failsWithoutTests: true,
  recognize: recognizeProgram('ava'),
  filter: (name) => [`--match=*${name}*`],
};

export const jasmine: Adapter = {
  name: 'jasmine',
  filterOptions: ['--filter'],
  filterIsPattern: true,
  failsWithoutTests: true,
  recognize: recognizeProgram('jasmine'),
  filter: (name) => [`--filter=${name}`],
};

export const qunit: Adapter = {
  name: 'qunit',
  filterOptions: ['-f', '--filter'],
  failsWithoutTests: true,
  recognize: recognizeProgram('qunit'),
  filter: (name) => ['--filter', escapeQunitName(name)],
};

/**
 * Escapes a name that starts with `!`, which would select all other tests, and a name between slashes, which would be a
 * pattern: https://qunitjs.com/api/config/filter/
 */
function escapeQunitName(name: string): string {
  return /^!|^\/.*\/i?$/su.test(name) ? `/${escapePattern(name).replaceAll('/', '\\/')}/` : name;
}

/** Has no filter, because its command line accepts no test names. */
export const webTestRunner: Adapter = {
  name: 'web-test-runner',
  recognize: recognizeProgram('wtr', 'web-test-runner'),
};

/** Has no filter, because its command line accepts patterns of files but no test names. */
export const uvu: Adapter = {
  name: 'uvu',
  recognize: recognizeProgram('uvu'),
};

/** node-tap prints TAP to a pipe. If a reporter is set, it writes TAP to a separate file. */
export const tap: Adapter = {
  name: 'tap',
  filterOptions: ['-g', '--grep'],
  filterIsPattern: true,
  recognize: (words) => {
    const index = recognizeProgram('tap')(words);
    return index !== undefined && /^(?:list|plugin|report|dump-config|versions|help|build)$/u.test(words[index] ?? '')
      ? undefined
      : index;
  },
  filter: (name) => [`--grep=/${name}/`],
  createReportSettings({ dir, root, words, env }) {
    const file = path.join(dir, 'tap.tap');
    const reports: ReportSource[] = [{ kind: 'file', path: file, format: 'tap' }];
    return printsTap(root, words, env) ? { translate: 'copy', reports } : { env: { TAP_OUTPUT_FILE: file }, reports };
  },
};

function printsTap(root: string, words: readonly string[], env: AdapterContext['env']): boolean {
  const hasReporter = words.some((word) => /^(?:-R|--reporter\b)/u.test(word)) || env.TAP_REPORTER !== undefined;
  const settings = readProjectFile(root, '.taprc') ?? '';
  return (
    !hasReporter &&
    !/^reporter:/mu.test(settings) &&
    getField(getField(readManifest(root), 'tap'), 'reporter') === undefined
  );
}

/** tape prints only TAP. */
export const tape: Adapter = {
  name: 'tape',
  recognize: recognizeProgram('tape'),
  createReportSettings({ dir }) {
    const file = path.join(dir, 'tape.tap');
    return { translate: 'copy', reports: [{ kind: 'file', path: file, format: 'tap' }] };
  },
};
