/**
 * Manifests, licenses and the built program of the published packages. packages.full.test.ts packs and installs them.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const manifestOf = (folder: string) => JSON.parse(read(join(folder, 'package.json')));

test('start loads no file before the compile cache and no file that only re-exports', () => {
  const dist = 'packages/mcp/dist';
  const files = readdirSync(join(root, dist)).filter((name) => name.endsWith('.mjs'));
  const texts = files.map((file) => ({ file, text: read(join(dist, file)) }));
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
  const whole = read('LICENSE');
  expect(whole).toMatch(/^MIT License\n/u);
  for (const folder of ['npm/engine', 'packages/mcp', 'packages/pytest-argus'])
    expect(read(`${folder}/LICENSE`)).toBe(whole);
  for (const folder of ['.', 'npm/engine', 'packages/mcp']) expect(manifestOf(folder).license).toBe('MIT');
});

test('pytest plugin has the version of its program', () => {
  const { version } = manifestOf('packages/mcp');
  expect(read('packages/pytest-argus/pytest_argus.py')).toContain(`__version__ = "${version}"`);
});

test.each([
  ['npm/engine', ['fs-native-extensions']],
  // `pg` is loaded only by a server on PostgreSQL.
  ['packages/mcp', ['fs-native-extensions', 'pg']],
])('%s has only optional dependencies: %s', (folder, optional) => {
  const { dependencies = {}, optionalDependencies, scripts } = manifestOf(folder);
  expect(dependencies).toEqual({});
  expect(Object.keys(optionalDependencies)).toEqual(optional);
  expect(scripts).not.toHaveProperty('install');
  expect(scripts).not.toHaveProperty('postinstall');
});
