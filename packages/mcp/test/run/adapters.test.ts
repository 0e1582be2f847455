/** Checks that each runner is named in every place that lists the runners. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ADAPTERS, findRejectedOption } from '../../src/run/adapters.ts';

const readLowerCase = (file: string) =>
  readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8').toLowerCase();

/** Names in the documentation, if they differ from the name in a run. */
const NAMES_IN_MANUAL: Readonly<Record<string, string>> = {
  nextest: 'cargo nextest',
  'web-test-runner': 'web test runner',
};

test.each([...new Set(ADAPTERS.map(({ name }) => name))])(
  '%s is in the manual, in the tests of plans and in the runner tests',
  (name) => {
    const [list = ''] =
      readLowerCase('docs/manual/failures.md').match(/^argus recognizes these runners[\s\S]*?\.\s/mu) ?? [];
    expect(list.replaceAll('\n', ' ')).toContain(NAMES_IN_MANUAL[name] ?? name);
    expect(readLowerCase('packages/mcp/test/run/plan.test.ts')).toContain(name);
    expect(readLowerCase('tests/runners/runners.ts')).toContain(`runner: '${name}'`);
  },
);

test.each([
  [
    'vitest',
    'vitest --nosuch',
    'CACError: Unknown option `--nosuch`\n    at Command.checkUnknownOptions',
    '`--nosuch`',
  ],
  ['jest', 'jest --nosuch', '● Unrecognized CLI Parameter:\n\n  Unrecognized option "nosuch".', '"nosuch".'],
  ['playwright', 'playwright test --nosuch', "error: unknown option '--nosuch'", "'--nosuch'"],
  ['node:test', 'node --test --nosuch', 'node: bad option: --nosuch', '--nosuch'],
  ['pytest', 'pytest --nosuch', 'ERROR: usage: pytest\npytest: error: unrecognized arguments: --nosuch', '--nosuch'],
  [
    'unittest',
    'python -m unittest --nosuch',
    'python -m unittest: error: unrecognized arguments: --nosuch',
    '--nosuch',
  ],
  ['cargo test', 'cargo test --nosuch', "error: unexpected argument '--nosuch' found", 'found'],
  ['cargo test', 'cargo test -- --nosuch', "error: Unrecognized option: 'nosuch'\nerror: test failed", "'nosuch'"],
  ['go test', 'go test -skip X', 'flag provided but not defined: -skip\nUsage of /tmp/x.test:', '-skip'],
  ['go test', 'go test -count x', 'invalid value "x" for flag -count: parse error', 'parse error'],
  ['rspec', 'rspec --nosuch', 'invalid option: --nosuch\n\nPlease use --help', '--nosuch'],
  ['phpunit', 'phpunit --nosuch', 'Unknown option "--nosuch"', '"--nosuch"'],
])('%s rejects an option of "%s"', (runner, command, output, end) => {
  expect(findRejectedOption(runner, command, output)?.endsWith(end)).toBe(true);
});

test.each([
  ['an option that the configuration sets', 'pytest', 'pytest', 'pytest: error: unrecognized arguments: --cov'],
  ['a package that ran', 'go test', 'go test ./... -update', 'ok  \ta\t0.1s\nflag provided but not defined: -update'],
  ['a message of a test', 'vitest', 'vitest', "Error: unknown option '--nosuch'"],
  ['another runner', null, 'make test', 'pytest: error: unrecognized arguments: test'],
])('%s is no mistake in the command', (_, runner, command, output) => {
  expect(findRejectedOption(runner, command, output)).toBeUndefined();
});
