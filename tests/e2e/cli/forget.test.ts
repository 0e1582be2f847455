/** Tests argus forget, which shows the files that it would delete, and deletes them with --yes. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import { MIXED_REPORT } from '../runs/reports.ts';

test('forget everything shows the files first, and deletes them with --yes', async () => {
  const cwd = createProject({ 'mixed.xml': MIXED_REPORT });
  expect((await argus(['forget', 'everything'], { cwd })).stdout).toContain('Nothing is recorded');
  await argus(['import', 'mixed.xml'], { cwd });
  const database = path.join(cwd, '.argus', 'argus.db');
  const shown = await argus(['forget', 'everything'], { cwd });
  expect(shown.stdout).toMatch(/^This deletes:\n +\d+ kB +.*argus\.db\n[\s\S]*Nothing was deleted/u);
  expect(existsSync(database)).toBe(true);
  expect((await argus(['forget', 'everything', '--yes'], { cwd })).stdout).toMatch(/^Deleted:/u);
  expect(existsSync(database)).toBe(false);
  expect((await argus(['history'], { cwd })).stdout).toContain('no runs');
  expect((await argus(['forget', 'something'], { cwd })).status).toBe(2);
});
