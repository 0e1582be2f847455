/** The session of `npm start` on a project of the reader's own. The sample session checks itself; the rest: demo.full.test.ts. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { environment, project } from '../harness.ts';

const SESSION = fileURLToPath(new URL('../../demo/session.mjs', import.meta.url));

test('the session runs and diagnoses a project, whatever folder npm was called in', () => {
  const broken = "import test from 'node:test';\ntest('adds', () => { throw new TypeError('no cucumbers left'); });\n";
  const root = project({ 'package.json': '{ "scripts": { "test": "node --test" } }', 'shop.test.mjs': broken });
  const env = environment({ INIT_CWD: path.dirname(root) });
  const args = [SESSION, '--project', path.basename(root)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const part of [root, 'argus_run', 'argus_diagnose', 'no cucumbers left']) expect(stdout).toContain(part);
  expect(existsSync(path.join(root, '.argus', 'argus.db'))).toBe(true);
});
