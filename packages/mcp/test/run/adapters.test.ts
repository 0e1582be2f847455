/** Each runner is named in every place that CONTRIBUTING lists. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ADAPTERS } from '../../src/run/adapters.ts';

const read = (file: string) => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8').toLowerCase();

/** Names in the documentation that differ from the name in a run. */
const WRITTEN: Readonly<Record<string, string>> = { nextest: 'cargo nextest', 'web-test-runner': 'web test runner' };

test.each([...new Set(ADAPTERS.map(({ name }) => name))])('%s is documented, planned and run', (name) => {
  const [list = ''] = read('docs/manual/failures.md').match(/^argus recognizes these runners[\s\S]*?\.\s/mu) ?? [];
  expect(list.replaceAll('\n', ' ')).toContain(WRITTEN[name] ?? name);
  expect(read('packages/mcp/test/run/plan.test.ts')).toContain(name);
  expect(read('tests/runners/runners.ts')).toContain(`runner: '${name}'`);
});
