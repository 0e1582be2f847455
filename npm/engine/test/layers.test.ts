/** Only the Node entry and its folder know Node: a browser entry stands on the rest. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('shared code imports no module of Node', () => {
  const src = new URL('../src/', import.meta.url);
  const shared = readdirSync(src).filter((name) => name.endsWith('.ts') && name !== 'node.ts');
  expect(shared).toContain('engine.ts');
  for (const name of shared)
    expect(readFileSync(new URL(name, src), 'utf8'), name).not.toMatch(/from '(node:|\.\/node)/);
});
