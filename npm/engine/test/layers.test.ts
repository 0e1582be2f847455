/**
 * The browser entry uses all files outside `src/node`, so only the Node entry and that folder may import Node modules.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('shared code imports no Node module', () => {
  const src = new URL('../src/', import.meta.url);
  const shared = readdirSync(src).filter((name) => name.endsWith('.ts') && name !== 'node.ts');
  expect(shared).toContain('engine.ts');
  for (const name of shared)
    expect(readFileSync(new URL(name, src), 'utf8'), name).not.toMatch(/from '(node:|\.\/node)/);
});
