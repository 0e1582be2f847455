/** The runners of Node, Bun and Deno. Runners that the hook of `reporters.ts` reaches need no settings for a report. */

import path from 'node:path';
import { projectFile } from '../../system/files/project-file.ts';
import { field, readManifest } from '../planning/scripts.ts';
import {
  type Adapter,
  type AdapterContext,
  afterSubcommand,
  basename,
  literalPattern,
  program,
  type ReportSource,
} from './adapter.ts';

export const vitest: Adapter = {
  name: 'vitest',
  filterOptions: ['-t', '--testNamePattern'],
  filterIsPattern: true,
  failsWithoutTests: true,
  recognise: program('vitest'),
  filter: (name) => ['-t', name],
};

export const jest: Adapter = {
  name: 'jest',
  filterOptions: ['-t', '--testNamePattern'],
  filterIsPattern: true,
  failsWithoutTests: true,
  recognise: program('jest'),
  filter: (name) => ['-t', name],
};

export const playwright: Adapter = {
  name: 'playwright',
  filterOptions: ['-g', '--grep'],
  filterIsPattern: true,
  failsWithoutTests: true,
  recognise: (words) => afterSubcommand(words, program('playwright')(words), 'test'),
  filter: (name) => ['-g', name],
};

export const mocha: Adapter = {
  name: 'mocha',
  filterOptions: ['-g', '--grep', '-f', '--fgrep'],
  filterIsPattern: true,
  recognise: program('mocha', '_mocha'),
  filter: (name) => ['--grep', name],
};

export const nodeTest: Adapter = {
  name: 'node:test',
  filterOptions: ['--test-name-pattern'],
  filterIsPattern: true,
  recognise: (words) => (basename(words[0]) === 'node' && words.includes('--test') ? 1 : undefined),
  filter: (name) => [`--test-name-pattern=${name}`],
  argsFirst: true,
};

export const bun: Adapter = {
  name: 'bun',
  filterOptions: ['-t', '--test-name-pattern'],
  filterIsPattern: true,
  failsWithoutTests: true,
  recognise: (words) => (basename(words[0]) === 'bun' && words[1] === 'test' ? 2 : undefined),
  filter: (name) => ['-t', name],
  reporting({ dir }) {
    const file = path.join(dir, 'bun.xml');
    const args = ['--reporter=junit', `--reporter-outfile=${file}`];
    return { args, reports: [{ kind: 'file', path: file, format: 'junit' }] };
  },
};

export const deno: Adapter = {
  name: 'deno',
  filterOptions: ['--filter'],
  failsWithoutTests: true,
  recognise: (words) => (basename(words[0]) === 'deno' && words[1] === 'test' ? 2 : undefined),
  // Uses only the test in a case name, because a step cannot run alone.
  filter: (name) => [`--filter=${name.includes(' > ') ? name.split(' > ')[1] : name}`],
  takesCaseNames: true,
  argsFirst: true,
  reporting({ dir }) {
    const file = path.join(dir, 'deno.xml');
    return { args: [`--junit-path=${file}`], reports: [{ kind: 'file', path: file, format: 'junit' }] };
  },
};

export const ava: Adapter = {
  name: 'ava',
  filterOptions: ['-m', '--match'],
  failsWithoutTests: true,
  recognise: program('ava'),
  filter: (name) => [`--match=*${name}*`],
};

export const jasmine: Adapter = {
  name: 'jasmine',
  filterOptions: ['--filter'],
  filterIsPattern: true,
  failsWithoutTests: true,
  recognise: program('jasmine'),
  filter: (name) => [`--filter=${name}`],
};

export const qunit: Adapter = {
  name: 'qunit',
  filterOptions: ['-f', '--filter'],
  failsWithoutTests: true,
  recognise: program('qunit'),
  filter: (name) => ['--filter', qunitName(name)],
};

/**
 * A leading `!` selects all other tests, and a name between slashes is a pattern:
 * https://qunitjs.com/api/config/filter/
 */
function qunitName(name: string): string {
  return /^!|^\/.*\/i?$/su.test(name) ? `/${literalPattern(name).replaceAll('/', '\\/')}/` : name;
}

/** Its command line accepts no names of tests. */
export const webTestRunner: Adapter = {
  name: 'web-test-runner',
  recognise: program('wtr', 'web-test-runner'),
};

/** Its command line accepts patterns of files but no names of tests. */
export const uvu: Adapter = {
  name: 'uvu',
  recognise: program('uvu'),
};

/** Prints TAP to a pipe. With a reporter, it writes TAP to a separate file. */
export const tap: Adapter = {
  name: 'tap',
  filterOptions: ['-g', '--grep'],
  filterIsPattern: true,
  recognise: (words) => {
    const index = program('tap')(words);
    return index !== undefined && /^(?:list|plugin|report|dump-config|versions|help|build)$/u.test(words[index] ?? '')
      ? undefined
      : index;
  },
  filter: (name) => [`--grep=/${name}/`],
  reporting({ dir, root, words, env }) {
    const file = path.join(dir, 'tap.tap');
    const reports: ReportSource[] = [{ kind: 'file', path: file, format: 'tap' }];
    return printsTap(root, words, env) ? { translate: 'copy', reports } : { env: { TAP_OUTPUT_FILE: file }, reports };
  },
};

function printsTap(root: string, words: readonly string[], env: AdapterContext['env']): boolean {
  const isNamed = words.some((word) => /^(?:-R|--reporter\b)/u.test(word)) || env.TAP_REPORTER !== undefined;
  const settings = projectFile(root, '.taprc') ?? '';
  return (
    !isNamed && !/^reporter:/mu.test(settings) && field(field(readManifest(root), 'tap'), 'reporter') === undefined
  );
}

/** Prints only TAP. */
export const tape: Adapter = {
  name: 'tape',
  recognise: program('tape'),
  reporting({ dir }) {
    const file = path.join(dir, 'tape.tap');
    return { translate: 'copy', reports: [{ kind: 'file', path: file, format: 'tap' }] };
  },
};
