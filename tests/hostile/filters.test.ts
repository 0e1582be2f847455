/** Filters are names from a project's files, so no runner may read a filter as an option or as a file of arguments. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ADAPTERS } from '../../packages/mcp/src/run/adapters.ts';
import { planRun } from '../../packages/mcp/src/run/planning/plan.ts';
import { replaceRerunCommand } from '../../packages/mcp/src/run/planning/test-command-location.ts';
import { splitQuotedWords } from '../../packages/mcp/src/system/command-line.ts';
import { argus } from '../e2e/argus.ts';
import { createProject } from '../e2e/harness.ts';
import { QUICK_NAMES, testHostileName } from './filters.ts';

/**
 * Each runner's command, and its arguments for the names `--config=x`, `@x` and `-`. With null, the name is refused.
 */
type FilterArguments = readonly string[] | null;
const FILTER_ARGUMENTS: [
  runner: string,
  command: string,
  option: FilterArguments,
  file: FilterArguments,
  dash: FilterArguments,
][] = [
  ['vitest', 'npx vitest run', ['-t', '[-]-config=x'], ['-t', '[@]x'], ['-t', '[-]']],
  ['jest', 'npx jest', ['-t', '[-]-config=x'], ['-t', '[@]x'], ['-t', '[-]']],
  ['playwright', 'npx playwright test', ['-g', '[-]-config=x'], ['-g', '[@]x'], ['-g', '[-]']],
  ['mocha', 'npx mocha', ['--grep', '[-]-config=x'], ['--grep', '[@]x'], ['--grep', '[-]']],
  ['ava', 'npx ava', ['--match=*--config=x*'], ['--match=*@x*'], ['--match=*-*']],
  ['uvu', 'npx uvu', null, null, null],
  ['jasmine', 'npx jasmine', ['--filter=[-]-config=x'], ['--filter=[@]x'], ['--filter=[-]']],
  ['qunit', 'npx qunit', ['--filter', '--config=x'], ['--filter', '@x'], ['--filter', '-']],
  ['web-test-runner', 'npx wtr', null, null, null],
  ['tap', 'npx tap', ['--grep=/[-]-config=x/'], ['--grep=/[@]x/'], ['--grep=/[-]/']],
  ['tape', 'npx tape', null, null, null],
  [
    'node:test',
    'node --test',
    ['--test-name-pattern=[-]-config=x'],
    ['--test-name-pattern=[@]x'],
    ['--test-name-pattern=[-]'],
  ],
  ['bun', 'bun test', ['-t', '[-]-config=x'], ['-t', '[@]x'], ['-t', '[-]']],
  ['deno', 'deno test', ['--filter=--config=x'], ['--filter=@x'], ['--filter=-']],
  ['pytest', 'pytest', ['-k', '(--config and x)'], ['-k', 'x'], ['-k', '(-)']],
  ['unittest', 'python -m unittest', ['-k', '[-]-config=x'], ['-k', '[@]x'], ['-k', '[-]']],
  ['nextest', 'cargo nextest run', null, null, null],
  ['cargo test', 'cargo test', null, null, null],
  ['go test', 'go test ./...', ['-run', '[-]-config=x'], ['-run', '[@]x'], ['-run', '[-]']],
  ['maven', 'mvn test', ['-Dtest=--config=x'], ['-Dtest=@x'], ['-Dtest=-']],
  ['gradle', 'gradle test', null, null, null],
  ['rspec', 'rspec', ['-e', '--config=x'], ['-e', '@x'], ['-e', '-']],
  ['minitest', 'ruby test/test_a.rb', ['-n', '/[-]-config=x/'], ['-n', '/[@]x/'], ['-n', '/[-]/']],
  [
    'minitest',
    'rake test',
    ["TESTOPTS=--name='/[-]-config=x/'"],
    ["TESTOPTS=--name='/[@]x/'"],
    ["TESTOPTS=--name='/[-]/'"],
  ],
  ['phpunit', 'phpunit', ['--filter', '[-]-config=x'], ['--filter', '[@]x'], ['--filter', '[-]']],
  ['busted', 'busted', ['--filter', '..config.x'], ['--filter', '.x', '--filter', '@x'], null],
  ['ctest', 'ctest', ['-R', '[-]-config=x'], ['-R', '[@]x'], ['-R', '[-]']],
  ['bats', 'bats test', ['-f', '[-]-config=x'], ['-f', '[@]x'], ['-f', '[-]']],
];

test('the table contains every runner', () => {
  expect(FILTER_ARGUMENTS.map(([runner]) => runner)).toEqual(ADAPTERS.map(({ name }) => name));
});

describe.each(FILTER_ARGUMENTS)('%s', (_runner, command, option, file, dash) => {
  const root = createProject();
  const words = (filter?: string) =>
    splitQuotedWords(planRun({ command, root, dir: '/r', env: {}, filter }).displayCommand).words;

  test.each([
    ['--config=x', option],
    ['@x', file],
    ['-', dash],
  ] as const)('treats %s as a name', (name, args) => {
    if (args === null) {
      expect(() => words(name)).toThrow(/cannot be passed to|filter does not work/u);
      return;
    }
    const [before, after] = [words(), words(name)];
    expect(after.filter((word) => !before.includes(word))).toEqual(args);
  });

  test.each(['', '  ', 'a\0b'])('refuses %j', (name) => {
    expect(() => words(name)).toThrow(/cannot be passed to|filter does not work/u);
  });
});

test('a name of only punctuation is refused for pytest, because an empty expression would run all tests', () => {
  expect(() => planRun({ command: 'pytest', root: createProject(), dir: '/r', env: {}, filter: '!?' })).toThrow(
    'cannot be passed to pytest',
  );
});

test('the command line accepts a filter that begins with a dash', async () => {
  const root = createProject({ 'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\n' });
  for (const name of ['--json', '--config', '-']) {
    const { stdout } = await argus(['run', '--filter', name, '--project', root, '--json', '--', 'cargo test']);
    expect(JSON.parse(stdout).error.message).toContain(`'${name}' cannot be passed to cargo test`);
  }
});

test('the suggested command enters a package whose folder begins with a dash', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'argus-names-'));
  const write = (file: string, content: object) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), JSON.stringify(content));
  };
  write('package.json', { workspaces: ['*'], scripts: { test: 'npm test --workspaces' } });
  write('-P/package.json', { scripts: { test: 'node --test a.js' } });
  write('b/package.json', { scripts: { test: 'mocha' } });
  const place = { project: { root, top: root, home: root }, testPlace: { root, command: 'npm test' } };
  const { settle } = replaceRerunCommand(
    { settle: "Run it: argus run --filter '--config=x'" },
    '-P/a.js > --config=x',
    place,
  );
  expect(settle).toMatch(/^Run it: argus run 'cd \.\/-P && npm run test/u);
});

for (const hostile of QUICK_NAMES) testHostileName(hostile);
