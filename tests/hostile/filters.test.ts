/** Filters are names from a project's files, so no runner may read a filter as an option or as a file of arguments. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ADAPTERS } from '../../packages/mcp/src/run/adapters.ts';
import { planRun } from '../../packages/mcp/src/run/planning/plan.ts';
import { settledHere } from '../../packages/mcp/src/run/planning/settling.ts';
import { quotedWords } from '../../packages/mcp/src/system/words.ts';
import { argus } from '../e2e/argus.ts';
import { project } from '../e2e/harness.ts';
import { QUICK, testHostileName } from './filters.ts';

/** Each runner's command, and its arguments for the names `--config=x`, `@x` and `-`; null: the name is refused. */
type Arguments = readonly string[] | null;
const TABLE: [runner: string, command: string, option: Arguments, file: Arguments, dash: Arguments][] = [
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

test('the table has every runner', () => {
  expect(TABLE.map(([runner]) => runner)).toEqual(ADAPTERS.map(({ name }) => name));
});

describe.each(TABLE)('%s', (_runner, command, option, file, dash) => {
  const root = project();
  const words = (filter?: string) => quotedWords(planRun({ command, root, dir: '/r', env: {}, filter }).shown).words;

  test.each([
    ['--config=x', option],
    ['@x', file],
    ['-', dash],
  ] as const)('treats %s as a name', (name, args) => {
    if (args === null) {
      expect(() => words(name)).toThrow(/cannot be given to|filter is not possible/u);
      return;
    }
    const [before, after] = [words(), words(name)];
    expect(after.filter((word) => !before.includes(word))).toEqual(args);
  });

  test.each(['', '  ', 'a\0b'])('refuses %j', (name) => {
    expect(() => words(name)).toThrow(/cannot be given to|filter is not possible/u);
  });
});

test('refuses a name of only punctuation for pytest, because an empty expression would run all tests', () => {
  expect(() => planRun({ command: 'pytest', root: project(), dir: '/r', env: {}, filter: '!?' })).toThrow(
    'cannot be given to pytest',
  );
});

test('the command line accepts a filter that begins with a dash', async () => {
  const root = project({ 'Cargo.toml': '[package]\nname = "a"\nversion = "0.1.0"\n' });
  for (const name of ['--json', '--config', '-']) {
    const { stdout } = await argus(['run', '--filter', name, '--project', root, '--json', '--', 'cargo test']);
    expect(JSON.parse(stdout).error.message).toContain(`'${name}' cannot be given to cargo test`);
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
  const { settle } = settledHere({ settle: "Run it: argus run --filter '--config=x'" }, '-P/a.js > --config=x', place);
  expect(settle).toMatch(/^Run it: argus run 'cd \.\/-P && npm run test/u);
});

for (const hostile of QUICK) testHostileName(hostile);
