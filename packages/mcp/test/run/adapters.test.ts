/** Checks that each runner is named in every place that lists the runners. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ADAPTERS } from '../../src/run/adapters.ts';

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
