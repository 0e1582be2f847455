/**
 * argus_init names a missing runner, and detects `node --test`. runners.ts tests the detection of the other runners.
 */

import { expect, test } from 'vitest';
import { createEnvironment, createProject } from '../e2e/harness.ts';
import { ToolCaller } from './product.ts';

function initializeProject(files: Record<string, string>) {
  const product = new ToolCaller(createProject(files), createEnvironment(), () =>
    Promise.reject(new Error('nothing is run')),
  );
  return product.init().finally(() => product.close());
}

test('a project whose runner is not installed is opened with a warning', async () => {
  const manifest = { scripts: { test: 'vitest' }, devDependencies: { vitest: '4' } };
  expect((await initializeProject({ 'package.json': JSON.stringify(manifest) })).warnings).toEqual([
    "vitest is not installed: run 'npm install'.",
  ]);
  const { devDependencies: _, ...elsewhere } = manifest;
  expect((await initializeProject({ 'package.json': JSON.stringify(elsewhere) })).warnings).toBeUndefined();
});

test('node --test is detected without a script', async () => {
  const files = { 'package.json': '{ "type": "module" }', 'test/sum.js': "import { test } from 'node:test';\n" };
  expect(await initializeProject(files)).toMatchObject({ testCommand: 'node --test', runner: 'node:test' });
});
