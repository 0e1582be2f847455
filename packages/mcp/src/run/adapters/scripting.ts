/** The runners of Ruby, PHP, Lua and the shell. Runners of Ruby and PHP get their reporter from `reporters.ts`. */

import path from 'node:path';
import { REPORTERS } from '../reporters.ts';
import { type Adapter, afterSubcommand, basename, hasOption, program } from './adapter.ts';

export const rspec: Adapter = {
  name: 'rspec',
  filterOptions: ['-e', '--example'],
  recognise: program('rspec'),
  filter: (name) => ['-e', name],
};

export const minitest: Adapter = {
  name: 'minitest',
  filterOptions: ['-n', '--name', 'TESTOPTS'],
  filterIsPattern: true,
  recognise(words) {
    const program = words.find((word) => !/^(?:bundle|exec|-S)$/u.test(word));
    if (basename(program) === 'rails') return afterSubcommand(words, words.indexOf(program ?? '') + 1, 'test');
    const isRuby = basename(program) === 'ruby' && !words.includes('-S');
    return isRuby && words.some((word) => /(?:^|[\\/])(?:test_[^\\/]*|[^\\/]*_test|tests?|all)\.rb$/u.test(word))
      ? words.length
      : undefined;
  },
  filter: (name) => ['-n', minitestName(name)],
};

/** Rake passes the value of a variable to its tests. */
export const rakeTest: Adapter = {
  name: 'minitest',
  filterOptions: ['-n', '--name', 'TESTOPTS'],
  filterIsPattern: true,
  recognise(words) {
    const index = program('rake')(words);
    return index !== undefined && words.slice(index).includes('test') ? words.length : undefined;
  },
  filter: (name) => [`TESTOPTS=--name='${minitestName(name)}'`],
};

function minitestName(name: string): string {
  return `/${name.replaceAll('/', '\\/').replaceAll(/[ ']/gu, '.')}/`;
}

export const phpunit: Adapter = {
  name: 'phpunit',
  filterOptions: ['--filter'],
  filterIsPattern: true,
  recognise: program('phpunit', 'pest', 'paratest', 'simple-phpunit'),
  filter: (name) => ['--filter', phpunitName(name)],
};

/** Escapes `#` and `@` in names of data sets, because at the end of a filter they select data sets (`#2`, `@one`). */
function phpunitName(name: string): string {
  return name.includes(' with data set ') ? name.replaceAll(/[#@]/gu, '[$&]') : name;
}

/**
 * The reporter is a Lua statement that busted runs first, because an output handler would replace the project's
 * handler. If settings name a different Lua, a shell reads the arguments again without their quotes.
 */
export const busted: Adapter = {
  name: 'busted',
  filterOptions: ['--filter'],
  recognise: program('busted'),
  // A name without letters or digits would select every test.
  filter: (name) => (/[\p{L}\p{N}]/u.test(name) ? bustedNames(name).flatMap((one) => ['--filter', one]) : undefined),
  takesCaseNames: true,
  reporting: () => ({
    args: ['-e', `dofile[[${REPORTERS.replaceAll('\\', '/')}/lua/argus_busted.lua]]`],
    reports: [],
  }),
};

/**
 * Lua patterns for a name. busted searches them in the joined names down to the test. If the text may be a name or a
 * pattern, both are used, unless Lua cannot read it as a pattern or a shell would interpret it.
 */
function bustedNames(filter: string): string[] {
  const names = filter.split(' > ');
  const literal = (name: string) => name.replaceAll(/[\s!-/:-@[-^`{-~]/gu, '.');
  if (names.length > 1) {
    const own = names.filter((name, index) => index > 0 || !/\.\w+$/u.test(name)).join(' ');
    return [`^${literal(own)}$`];
  }
  if (/^[\p{L}\p{N}_]+$/u.test(filter)) return [filter];
  return /^-|%$|\[[^\]]*$|[\s()'"`;&|<>\\{}]/u.test(filter) ? [literal(filter)] : [literal(filter), filter];
}

/** The JUnit report names files, which TAP does not, but it adds times to the output. */
export const bats: Adapter = {
  name: 'bats',
  filterOptions: ['-f', '--filter'],
  filterIsPattern: true,
  recognise: program('bats'),
  filter: (name) => ['-f', name],
  reporting({ dir, words }) {
    if (hasOption(words, '--report-formatter')) return { reports: [] };
    const printsTap = !words.some((word) => /^(?:-p|--pretty|-F|--formatter)$/u.test(word));
    const isTimed = words.includes('-T') || words.includes('--timing');
    const format = printsTap || isTimed ? 'junit' : 'tap';
    return {
      args: ['--report-formatter', format, '--output', dir],
      reports: [{ kind: 'file', path: path.join(dir, format === 'junit' ? 'report.xml' : 'report.tap'), format }],
      ...(format === 'junit' && !isTimed ? { translate: 'bats-times' } : {}),
    };
  },
};
