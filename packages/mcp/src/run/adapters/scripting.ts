/** The runners of Ruby, PHP, Lua and the shell. Those of Ruby and PHP get their reporter from `reporters.ts`. */

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

/** Rake hands its tests what a variable holds. */
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

/** `#2` and `@one` at the end choose data sets, which have both letters in their names too. */
function phpunitName(name: string): string {
  return name.includes(' with data set ') ? name.replaceAll(/[#@]/gu, '[$&]') : name;
}

/**
 * One output handler takes the place of another, so the reporter is a statement of Lua, which it runs first. Where
 * settings name another Lua, a shell reads the arguments once more, without their quotes.
 */
export const busted: Adapter = {
  name: 'busted',
  filterOptions: ['--filter'],
  recognise: program('busted'),
  // Without a letter or a digit, all that is left of a name selects every test.
  filter: (name) => (/[\p{L}\p{N}]/u.test(name) ? bustedNames(name).flatMap((one) => ['--filter', one]) : undefined),
  takesCaseNames: true,
  reporting: () => ({
    args: ['-e', `dofile[[${REPORTERS.replaceAll('\\', '/')}/lua/argus_busted.lua]]`],
    reports: [],
  }),
};

/**
 * A pattern of Lua is looked for in all names down to the test's own, with blanks between them. What may be a name or a
 * pattern of the user's is both, unless Lua cannot read it as one or a shell would read more in it.
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

/** Its JUnit report names files, as TAP does not, but adds times to what is printed. */
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
