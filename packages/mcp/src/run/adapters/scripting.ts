/** The adapters of runners for Ruby, PHP, Lua and the shell. `reporters.ts` adds the reporters for Ruby and PHP. */

import path from 'node:path';
import { REPORTERS_FOLDER } from '../reporters.ts';
import {
  type Adapter,
  findIndexAfterSubcommand,
  getProgramName,
  hasOption,
  REJECTED_ARGUMENT,
  recognizeProgram,
} from './adapter.ts';

export const rspec: Adapter = {
  name: 'rspec',
  rejectedOption: REJECTED_ARGUMENT,
  filterOptions: ['-e', '--example'],
  recognize: recognizeProgram('rspec'),
  filter: (name) => ['-e', name],
};

export const minitest: Adapter = {
  name: 'minitest',
  filterOptions: ['-n', '--name', 'TESTOPTS'],
  filterIsPattern: true,
  recognize(words) {
    const program = words.find((word) => !/^(?:bundle|exec|-S)$/u.test(word));
    if (getProgramName(program) === 'rails')
      return findIndexAfterSubcommand(words, words.indexOf(program ?? '') + 1, 'test');
    const isRuby = getProgramName(program) === 'ruby' && !words.includes('-S');
    return isRuby && words.some((word) => /(?:^|[\\/])(?:test_[^\\/]*|[^\\/]*_test|tests?|all)\.rb$/u.test(word))
      ? words.length
      : undefined;
  },
  filter: (name) => ['-n', createMinitestPattern(name)],
};

/** Passes the filter in a variable, because rake passes its value to the tests. */
export const rakeTest: Adapter = {
  name: 'minitest',
  filterOptions: ['-n', '--name', 'TESTOPTS'],
  filterIsPattern: true,
  recognize(words) {
    const index = recognizeProgram('rake')(words);
    return index !== undefined && words.slice(index).includes('test') ? words.length : undefined;
  },
  filter: (name) => [`TESTOPTS=--name='${createMinitestPattern(name)}'`],
};

function createMinitestPattern(name: string): string {
  return `/${name.replaceAll('/', '\\/').replaceAll(/[ ']/gu, '.')}/`;
}

export const phpunit: Adapter = {
  name: 'phpunit',
  rejectedOption: REJECTED_ARGUMENT,
  filterOptions: ['--filter'],
  filterIsPattern: true,
  recognize: recognizeProgram('phpunit', 'pest', 'paratest', 'simple-phpunit'),
  filter: (name) => ['--filter', escapePhpunitName(name)],
};

/**
 * Escapes `#` and `@` in the name of a data set, because at the end of a filter they select data sets (`#2`, `@one`).
 */
function escapePhpunitName(name: string): string {
  return name.includes(' with data set ') ? name.replaceAll(/[#@]/gu, '[$&]') : name;
}

/**
 * The reporter is a Lua statement that busted runs first, because an output handler would replace the project's own
 * handler. The statement contains no quotes: if settings name a different Lua, a shell reads the arguments again
 * without their quotes.
 */
export const busted: Adapter = {
  name: 'busted',
  filterOptions: ['--filter'],
  recognize: recognizeProgram('busted'),
  // Without letters or digits, the filter would select every test.
  filter: (name) =>
    /[\p{L}\p{N}]/u.test(name) ? createBustedPatterns(name).flatMap((one) => ['--filter', one]) : undefined,
  takesCaseNames: true,
  createReportSettings: () => ({
    args: ['-e', `dofile[[${REPORTERS_FOLDER.replaceAll('\\', '/')}/lua/argus_busted.lua]]`],
    reports: [],
  }),
};

/**
 * Returns Lua patterns for a name. busted searches them in the joined names from the outermost suite to the test. If
 * the text may be a name or a pattern, both patterns are used, unless Lua cannot read the text as a pattern or a shell
 * would interpret it.
 */
function createBustedPatterns(filter: string): string[] {
  const names = filter.split(' > ');
  const escapeName = (name: string) => name.replaceAll(/[\s!-/:-@[-^`{-~]/gu, '.');
  if (names.length > 1) {
    const fullName = names.filter((name, index) => index > 0 || !/\.\w+$/u.test(name)).join(' ');
    return [`^${escapeName(fullName)}$`];
  }
  if (/^[\p{L}\p{N}_]+$/u.test(filter)) return [filter];
  return /^-|%$|\[[^\]]*$|[\s()'"`;&|<>\\{}]/u.test(filter) ? [escapeName(filter)] : [escapeName(filter), filter];
}

/** Uses the JUnit report, because it names files and TAP does not. The times that it adds to the output are removed. */
export const bats: Adapter = {
  name: 'bats',
  filterOptions: ['-f', '--filter'],
  filterIsPattern: true,
  recognize: recognizeProgram('bats'),
  filter: (name) => ['-f', name],
  createReportSettings({ dir, words }) {
    if (hasOption(words, '--report-formatter')) return { reports: [] };
    const printsTap = !words.some((word) => /^(?:-p|--pretty|-F|--formatter)$/u.test(word));
    const printsTimes = words.includes('-T') || words.includes('--timing');
    const format = printsTap || printsTimes ? 'junit' : 'tap';
    return {
      args: ['--report-formatter', format, '--output', dir],
      reports: [{ kind: 'file', path: path.join(dir, format === 'junit' ? 'report.xml' : 'report.tap'), format }],
      ...(format === 'junit' && !printsTimes ? { translate: 'bats-times' } : {}),
    };
  },
};
