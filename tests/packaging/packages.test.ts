/**
 * Manifests, licenses and the built program of the published packages. packages.full.test.ts packs and installs the
 * packages.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const readProjectFile = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
const readManifest = (folder: string) => JSON.parse(readProjectFile(join(folder, 'package.json')));

test('the start loads no file before the compile cache, and no file that only re-exports', () => {
  const dist = 'packages/mcp/dist';
  const files = readdirSync(join(projectRoot, dist)).filter((name) => name.endsWith('.mjs'));
  const texts = files.map((file) => ({ file, text: readProjectFile(join(dist, file)) }));
  const importsOf = (name: string | undefined) => {
    const { text = '' } = texts.find(({ file }) => file === name) ?? {};
    const found = text.matchAll(/(?:^|[;}])(?:import|export)(?:\{[^}]*\}from)?"\.\/([^"]+)"/gmu);
    return [...found].map(([, imported]) => imported);
  };
  const start = files.find((name) => /^start-.{8}\.mjs$/u.test(name));
  const [cli] = texts.filter(({ file }) => file === 'cli.mjs');
  expect(cli?.text, 'it imports where a failure is caught').toMatch(new RegExp(`import\\(["'\`]\\./${start}`, 'u'));
  expect([importsOf('cli.mjs'), importsOf(start)]).toEqual([[], []]);
  expect(texts.filter(({ text }) => /^export\{[^}]*\}from"[^"]+";\s*$/u.test(text))).toEqual([]);
});

test('all packages have the same license', () => {
  const whole = readProjectFile('LICENSE');
  expect(whole).toMatch(/^MIT License\n/u);
  for (const folder of ['npm/engine', 'packages/mcp', 'packages/pytest-argus'])
    expect(readProjectFile(`${folder}/LICENSE`)).toBe(whole);
  for (const folder of ['.', 'npm/engine', 'packages/mcp']) expect(readManifest(folder).license).toBe('MIT');
});

test('the pytest plugin has the version of its program', () => {
  const { version } = readManifest('packages/mcp');
  expect(readProjectFile('packages/pytest-argus/pytest_argus.py')).toContain(`__version__ = "${version}"`);
});

test.each([
  ['npm/engine', ['fs-native-extensions']],
  // Only a server on PostgreSQL loads `pg`.
  ['packages/mcp', ['fs-native-extensions', 'pg']],
])('%s has only optional dependencies: %s', (folder, optional) => {
  const { dependencies = {}, optionalDependencies, scripts } = readManifest(folder);
  expect(dependencies).toEqual({});
  expect(Object.keys(optionalDependencies)).toEqual(optional);
  expect(scripts).not.toHaveProperty('install');
  expect(scripts).not.toHaveProperty('postinstall');
});
