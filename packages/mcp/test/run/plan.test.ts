import path from 'node:path';
import { expect, test } from 'vitest';
import { planRun } from '../../src/run/planning/plan.ts';
import { replaceRerunCommand } from '../../src/run/planning/test-command-location.ts';
import { quoteArgument, splitQuotedWords } from '../../src/system/command-line.ts';
import { createFolder } from '../project.ts';

const scripts = (entries: Record<string, string>) =>
  createFolder({ 'package.json': JSON.stringify({ scripts: entries }) });

function plan(command: string, root = createFolder(), filter?: string) {
  const { command: run, displayCommand, runner, reporting } = planRun({ command, root, dir: '/r', env: {}, filter });
  return {
    run,
    shown: displayCommand,
    runner,
    env: reporting.env,
    reports: reporting.reports.length,
    notes: reporting.notes,
  };
}

test.each([
  ['npx vitest run', 'vitest', 'npx vitest run'],
  ['vitest --reporter=dot', 'vitest', 'vitest --reporter=dot'],
  ['tsc && jest -i', 'jest', 'tsc && jest -i'],
  ['node ./node_modules/jest/bin/jest.js', 'jest', 'node ./node_modules/jest/bin/jest.js'],
  ['CI=1 mocha test', 'mocha', 'CI=1 mocha test'],
  ['npx playwright test', 'playwright', 'npx playwright test'],
  ['python -m pytest -x', 'pytest', 'python -m pytest -x'],
  ['uv run pytest', 'pytest', 'uv run pytest'],
  [
    'cargo nextest run -- --nocapture',
    'nextest',
    'cargo nextest run --tool-config-file argus:/r/argus-nextest.toml -- --nocapture',
  ],
  ['cargo +nightly test', 'cargo test', 'cargo +nightly test'],
  ['go test ./...', 'go test', 'go test -json ./...'],
  ['./mvnw -q test', 'maven', './mvnw -q test'],
  ['./gradlew test', 'gradle', './gradlew test'],
  ['bundle exec rspec -fd', 'rspec', 'bundle exec rspec -fd'],
  ['ruby -Itest test/test_sum.rb', 'minitest', 'ruby -Itest test/test_sum.rb'],
  ['bin/rails test', 'minitest', 'bin/rails test'],
  ['php -d memory_limit=-1 vendor/bin/phpunit', 'phpunit', 'php -d memory_limit=-1 vendor/bin/phpunit'],
  [
    'cmake --build b && ctest --test-dir b',
    'ctest',
    'cmake --build b && ctest --test-dir b --output-junit /r/ctest.xml',
  ],
  ['bats test', 'bats', 'bats test --report-formatter junit --output /r'],
  ['bats -p test', 'bats', 'bats -p test --report-formatter tap --output /r'],
  ['coverage run -m unittest', 'unittest', 'coverage run -m unittest'],
  ['npx uvu tests', 'uvu', 'npx uvu tests'],
  ['npx jasmine', 'jasmine', 'npx jasmine'],
  ['npx qunit test', 'qunit', 'npx qunit test'],
  ['wtr test/*.js', 'web-test-runner', 'wtr test/*.js'],
  ['c8 ava', 'ava', 'c8 ava'],
  ['npx tap', 'tap', 'npx tap'],
  ['npx tape test/*.js', 'tape', 'npx tape test/*.js'],
  ['node --test test/', 'node:test', 'node --test test/'],
])('recognizes %s as %s', (command, runner, run) => {
  expect(plan(command)).toMatchObject({ runner, run, shown: command });
});

test.each([
  'make',
  'python tool.py -m unittest',
  'tap report',
  'ruby lib/tool.rb',
  'rake build',
  'eslint .',
  'tsc -p vitest',
  'vitest run | tee log',
  'npm test',
  'cargo build',
  'npx cowsay jest',
])('does not change %s', (command) => {
  expect(plan(command)).toMatchObject({ run: command, shown: command, runner: null });
});

test('passes arguments to the runner through scripts', () => {
  const root = scripts({ test: 'npm run unit', unit: 'tsc && vitest run' });
  // Two `--`, because each of the two npm commands consumes a `--`.
  expect(plan('npm test', root, 'adds').run).toBe('npm test -- -- -t adds');
  expect(plan('pnpm run unit', root, 'adds').run).toBe('pnpm run unit -t adds');
  expect(plan('npm run unit -- --bail', root, 'adds').run).toBe('npm run unit -- --bail -t adds');
});

function workspace(...tests: string[]): string {
  const packages = tests.map((test, index) => [
    `packages/p${index}/package.json`,
    JSON.stringify({ scripts: { test } }),
  ]);
  const manifest = { workspaces: ['packages/*'], scripts: { test: 'npm test --workspaces', all: 'pnpm -r test' } };
  return createFolder({ 'package.json': JSON.stringify(manifest), ...Object.fromEntries(packages) });
}

test.each([
  ['npm test --workspaces', 'npm test --workspaces -- -t adds'],
  ['npm -ws run test', 'npm -ws run test -- -t adds'],
  ['npm test', 'npm test -- -- -t adds'],
  ['pnpm -r test', 'pnpm -r test -t adds'],
  ['pnpm run all', 'pnpm run all -t adds'],
  ['yarn workspaces foreach -A run test', 'yarn workspaces foreach -A run test -t adds'],
  ['npx turbo run test', 'npx turbo run test -- -t adds'],
])('passes the filter of %s to the packages', (command, run) => {
  expect(plan(command, workspace('vitest run', 'tsc && vitest run'), 'adds')).toMatchObject({ run, runner: 'vitest' });
});

test('refuses a filter if packages have different runners, and shows a command for one package', () => {
  const root = workspace('node build.js', 'node --test', 'vitest run');
  expect(plan('npm test', root).runner).toBeNull();
  expect(() => plan('npm test', root, 'adds')).toThrow(
    /for example cd packages\/p1 && npm run test -- --test-name-pattern=adds$/u,
  );
});

test('shows a command for the package that contains the case', () => {
  const root = workspace('jest', 'mocha', 'node --test test/');
  const input = { command: 'npm test', root, dir: '/r', env: {} };
  const packageExample = /for example cd packages\/p1 && npm run test -- --grep adds$/u;
  expect(() => planRun({ ...input, filter: 'packages/p1/test/sum.js > sum > adds' })).toThrow(packageExample);
  expect(() => planRun({ ...input, filter: 'adds', caseName: 'packages/p1/test/sum.js > sum > adds' })).toThrow(
    packageExample,
  );
  expect(() => planRun({ ...input, filter: 'adds', caseName: 'test/sum.js > adds' })).toThrow(/cd packages\/p0 /u);
  expect(() => planRun({ ...input, filter: 'packages/p2/test/a.js > adds' })).toThrow(
    /cd packages\/p2 && npm run test$/u,
  );
});

test('suggests a rerun in the package of the case if packages have different runners', () => {
  const settle = (command: string, caseName: string, root = workspace('jest', 'mocha')) => {
    const verdict = { settle: "Run it: argus run --at c0ffee --filter 'it'\\''s added'" };
    const project = { root, top: path.dirname(root), home: root };
    return replaceRerunCommand(verdict, caseName, { project, testPlace: { root, command } }).settle;
  };
  const [packageCase, rootCase] = ["orchard/packages/p1/sum.js > it's added", "orchard/sum.js > it's added"];
  expect(settle('npm test', packageCase)).toBe(
    `Run it: argus run --at c0ffee ${quoteArgument(`cd packages/p1 && npm run test -- --grep ${quoteArgument("it's added")}`)}`,
  );
  const filtered = expect.stringMatching(/argus run --at c0ffee --filter 'it'\\''s added'$/u);
  expect(settle('npm test', rootCase)).toEqual(filtered);
  expect(settle('npm test', packageCase, workspace('mocha', 'mocha'))).toEqual(filtered);
  expect(settle('make', packageCase)).toEqual(filtered);
});

test('adds no report file to a command that runs several packages', () => {
  expect(plan('pnpm -r test', workspace('bun test', 'bun test'))).toMatchObject({ run: 'pnpm -r test', runner: 'bun' });
});

test("distinguishes bun's runner from scripts, and reads deno's tasks", () => {
  expect(plan('bun run test', scripts({ test: 'bun test' }))).toMatchObject({ runner: 'bun' });
  expect(plan('bun test', scripts({ test: 'vitest run' }))).toMatchObject({ runner: 'bun' });
  const root = createFolder({ 'deno.json': '{ "tasks": { "test": "deno test -A" } }' });
  const { run, shown } = plan('deno task test', root, 'src/a_test.ts > sums > adds');
  expect(run).toBe('deno task test --junit-path=/r/deno.xml --filter=sums');
  expect(shown).toBe('deno task test --filter=sums');
});

test('passes busted a Lua statement without quotes', () => {
  const busted = plan('busted -v spec');
  expect(busted).toMatchObject({ runner: 'busted', shown: 'busted -v spec' });
  expect(busted.run).toMatch(/^busted -v spec -e '?dofile\[\[[^"'()]*\/lua\/argus_busted\.lua\]\]'?$/u);
});

test.each([
  'python -m unittest',
  'CI=1 python3.12 -W error -m unittest discover -s tests',
  'uv run python -munittest -v',
  'python manage.py test shop',
  'poetry run python -X dev site/manage.py test',
  'python -Wd -m django test --settings=tests.settings',
  'django-admin test',
  'coverage run --branch --source . -m unittest',
  'python -m coverage run manage.py test',
])('recognizes unittest in %s and does not change the command', (command) => {
  const unchanged = plan(command);
  expect(unchanged).toMatchObject({ runner: 'unittest', shown: command });
  expect(unchanged.run).toBe(command);
});

test.each([
  ['python -m unittest', 'test_a.A > test_adds', 'python -m unittest -k test_adds'],
  ['rspec', 'spec/a_spec.rb > sum > adds', 'rspec -e adds'],
  ['ruby test/test_a.rb', 'test/test_a.rb > A > test_adds', 'ruby test/test_a.rb -n /test_adds/'],
  ['phpunit', 'tests/ATest.php > ATest > testAdds', 'phpunit --filter testAdds'],
  ['ctest', 'sum.adds', 'ctest -R sum.adds'],
  ['busted', 'spec/a_spec.lua > sum > adds (fast)', "busted --filter '^sum.adds..fast.$'"],
  ['busted spec', 'adds', 'busted spec --filter adds'],
  ['bats test', 'a.bats > adds (fast)', "bats test -f 'adds \\(fast\\)'"],
  ['ava', 'a.js > adds', "ava '--match=*adds*'"],
])('adds a filter to %s', (command, filter, expected) => {
  expect(plan(command, undefined, filter).shown).toBe(expected);
});

test('quotes the filter for the command that rake runs', () => {
  const { shown } = plan('rake test', undefined, "test/test_a.rb > A > test_it's added");
  expect(shown.replaceAll(/['\\]/gu, '')).toBe('rake test TESTOPTS=--name=/test_it.s.added/');
});

test('refuses a filter for uvu', () => {
  expect(() => plan('npx uvu', undefined, 'adds')).toThrow(/filter does not work with 'npx uvu'/u);
});

test('passes arguments only to Composer scripts with one step', () => {
  const composer = (steps: unknown) => createFolder({ 'composer.json': JSON.stringify({ scripts: { test: steps } }) });
  expect(plan('composer test', composer('@php vendor/bin/phpunit'))).toMatchObject({
    runner: 'phpunit',
    run: 'composer test',
  });
  expect(plan('composer test', composer(['@putenv XDEBUG_MODE=off', 'phpunit'])).runner).toBe('phpunit');
  expect(plan('composer test', composer(['phpcs', 'phpunit'])).runner).toBeNull();
});

test('stops at a script that calls itself', () => {
  expect(plan('npm test', scripts({ test: 'npm test' })).runner).toBeNull();
});

test.each([
  ['npm test', { test: 'node --test' }, 'npm test -- --test-name-pattern=adds'],
  // node reads no options after file names, so the filter is inserted into the command of the script.
  ['npm test', { test: 'node --test test/*.js' }, 'node --test-name-pattern=adds --test test/*.js'],
  ['CI=1 npm run unit', { unit: 'A=1 node --test a.js' }, 'CI=1 A=1 node --test-name-pattern=adds --test a.js'],
  ['npm t', { test: 'npm run unit', unit: 'node --test a.js' }, 'node --test-name-pattern=adds --test a.js'],
])('filters node:test in the script of %s', (command, all, run) => {
  expect(plan(command, scripts(all), 'adds').run).toBe(run);
});

test.each([
  ['npm test', { pretest: 'tsc', test: 'node --test test/*.js' }],
  ['npm test', { test: 'npm run unit', unit: 'node --test a.js', postunit: 'rm a.js' }],
  ['npm test -- b.js', { test: 'node --test a.js' }],
])('refuses a filter for %s if the command of its script does something else', (command, all) => {
  expect(() => plan(command, scripts(all), 'adds')).toThrow(/put the filter option of the runner into command/u);
});

test('notes that nextest runs no doctests if the project may have doctests', () => {
  const getNotes = (root: string) => plan('cargo nextest run', root).notes;
  expect(getNotes(createFolder({ 'src/lib.rs': '' }))).toEqual([expect.stringContaining('cargo test --doc')]);
  expect(getNotes(createFolder({ 'src/main.rs': '' }))).toEqual([]);
  const withDoctests = 'cargo test --doc && cargo nextest run';
  expect(plan(withDoctests, createFolder({ 'src/lib.rs': '' })).notes).toEqual([]);
  // The filter is for the last command.
  expect(plan(`cargo build && ${withDoctests}`, undefined, 'adds').shown).toBe('cargo build && cargo nextest run adds');
});

test('the shown command contains the filter but no report options', () => {
  const { shown, run } = plan('npx vitest run', undefined, 'adds');
  expect(shown).toBe('npx vitest run -t adds');
  expect(run).toBe(shown);
});

test('reduces a full case name to an escaped test name', () => {
  const { shown } = plan('npx vitest run', undefined, 'src/a.test.ts > math > adds (fast)');
  expect(shown).toBe("npx vitest run -t 'adds \\(fast\\)'");
});

const NAME_WITH_PUNCTUATION = 'price is $5 [net] + tax?';

test.each([
  ['npx vitest run', 4],
  ['node --test', 1],
  ['go test ./...', 3],
])('a filter for %s matches as a name and as a pattern', (command, wordIndex) => {
  const createPattern = (filter: string) => {
    const argument = splitQuotedWords(plan(command, undefined, filter).shown).words[wordIndex] ?? '';
    return new RegExp(argument.replace('--test-name-pattern=', ''));
  };
  for (const name of [NAME_WITH_PUNCTUATION, 'adds (fast)', 'a [b', 'C++', 'is it ok?', '^start', '(a|b)', 'x\\d']) {
    expect(`cart ${name} of all`, name).toMatch(createPattern(name));
  }
  for (const [filter, name] of [
    ['adds|lists', 'lists all'],
    ['^adds (one|two)$', 'adds two'],
    ['v\\d+', 'v12'],
  ]) {
    expect(name, filter).toMatch(createPattern(filter ?? ''));
  }
  expect('adds slow').not.toMatch(createPattern('adds (fast)'));
  expect('price is 5').not.toMatch(createPattern(NAME_WITH_PUNCTUATION));
});

test.each([
  ['adds', 'adds'],
  ['adds and not slow', 'adds and not slow'],
  ['(adds or lists) and not (slow)', '(adds or lists) and not (slow)'],
  ['test_adds[1-2]', 'test_adds[1-2]'],
  ['test_price[$5 net]', 'test_price[ and 5 and net]'],
  ['tests/test_a.py > test_ask[this or that?]', 'test_ask[this and that'],
])('converts the filter %s for pytest', (filter, expression) => {
  expect(splitQuotedWords(plan('pytest', undefined, filter).shown).words).toEqual(['pytest', '-k', expression]);
});

test.each([
  ['busted', 'adds (fast)', 'busted --filter adds..fast.'],
  ['busted', 'a-b', 'busted --filter a.b --filter a-b'],
  ['phpunit', 'testAdds with data set #0', "phpunit --filter 'testAdds with data set [#]0'"],
  ['phpunit', 'testAdds#0', "phpunit --filter 'testAdds#0'"],
  ['rspec', NAME_WITH_PUNCTUATION, `rspec -e '${NAME_WITH_PUNCTUATION}'`],
  ['cargo test', NAME_WITH_PUNCTUATION, `cargo test '${NAME_WITH_PUNCTUATION}'`],
  ['npx ava', NAME_WITH_PUNCTUATION, `npx ava '--match=*${NAME_WITH_PUNCTUATION}*'`],
])('escapes a name for %s: %s', (command, filter, expected) => {
  expect(plan(command, undefined, filter).shown).toBe(expected);
});

test.each([
  ['adds', '*#adds', '*.adds'],
  ['adds(int)[1]', '*#adds*', '*.adds*'],
  ['adds two, or more', '*#adds*two*or*more', '*.adds*two*or*more'],
  ['SumTest', 'SumTest', 'SumTest'],
  ['SumTest#adds', 'SumTest#adds', 'SumTest.adds'],
  ['shop.SumTest.adds', 'shop.SumTest#adds', 'shop.SumTest.adds'],
  ['*Sum*', '*Sum*', '*Sum*'],
  ['shop.SumTest > adds', 'shop.SumTest#adds', 'shop.SumTest.adds'],
  ['shop.SumTest > adds()', 'shop.SumTest#adds', 'shop.SumTest.adds'],
  ['shop.SumTest > adds(int)[1]', 'shop.SumTest#adds*', 'shop.SumTest.adds*'],
  ['shop.SumTest > adds two, or more', 'shop.SumTest#adds*two*or*more', 'shop.SumTest.adds*two*or*more'],
  ['shop.SumTest > [1] 2', 'shop.SumTest', 'shop.SumTest'],
  ['sums of all kinds > adds', '*#adds', '*.adds'],
])('converts the filter %s for Maven and Gradle', (filter, maven, gradle) => {
  const removeQuotes = (command: string) => command.replaceAll("'", '');
  expect(removeQuotes(plan('mvn test', undefined, filter).run)).toBe(`mvn test -Dtest=${maven}`);
  expect(removeQuotes(plan('gradle test', undefined, filter).run)).toBe(`gradle test --tests ${gradle}`);
});

test('does not fail modules without the filtered test', () => {
  const maven = createFolder({ 'pom.xml': '<modules><module>a</module></modules>' });
  expect(plan('mvn test', maven, 'adds').run).toMatch(/^mvn test -DfailIfNoTests=false \S+ '?-Dtest=/u);
  expect(plan('mvn test', maven).run).toBe('mvn test');
  const gradle = createFolder({ 'settings.gradle.kts': 'rootProject.name = "x"\ninclude("a")\n' });
  expect(plan('gradle test', gradle, 'adds').run).toMatch(/^gradle test --init-script \/r\/argus\.gradle --tests/u);
});

test('refuses a filter for an unknown runner', () => {
  expect(() => plan('make check', undefined, 'x')).toThrow(/filter does not work with 'make check'/u);
});

test.each([
  ['pnpm test', 'pnpm run test -t adds'],
  ['pnpm run test', 'pnpm run test -t adds'],
  ['CI=1 pnpm test', 'CI=1 pnpm run test -t adds'],
  ['yarn test', 'yarn test -t adds'],
])('passes arguments to the script that %s runs', (command, run) => {
  const root = scripts({ test: 'vitest run' });
  expect(plan(command, root, 'adds')).toMatchObject({ run, shown: run });
});

test('adds nothing if the project configures reports', () => {
  expect(planRun({ command: 'vitest run', root: '/', dir: '/r', env: {}, hasConfiguredReports: true }).command).toBe(
    'vitest run',
  );
});
