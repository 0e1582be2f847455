/** argus_init names a missing runner, and detects `node --test`. Detection of the other runners: runners.ts. */

import { expect, test } from 'vitest';
import { environment, project } from '../e2e/harness.ts';
import { Product } from './product.ts';

function initOf(files: Record<string, string>) {
  const product = new Product(project(files), environment(), () => Promise.reject(new Error('nothing is run')));
  return product.init().finally(() => product.close());
}

test('a project is opened with a warning where its runner is not installed', async () => {
  const manifest = { scripts: { test: 'vitest' }, devDependencies: { vitest: '4' } };
  expect((await initOf({ 'package.json': JSON.stringify(manifest) })).warnings).toEqual([
    "vitest is not installed: run 'npm install'.",
  ]);
  const { devDependencies: _, ...elsewhere } = manifest;
  expect((await initOf({ 'package.json': JSON.stringify(elsewhere) })).warnings).toBeUndefined();
});

test('node --test is detected without a script', async () => {
  const files = { 'package.json': '{ "type": "module" }', 'test/sum.js': "import { test } from 'node:test';\n" };
  expect(await initOf(files)).toMatchObject({ testCommand: 'node --test', runner: 'node:test' });
});
