/**
 * Waits as long as a user does for a database that another program has locked. bad-input.test.ts tests a short wait.
 */

import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../argus.ts';
import { lockDatabase } from '../database-lock.ts';
import { createProject } from '../harness.ts';
import { PASSED_REPORT } from '../runs/reports.ts';

/** SQLite's wait for a lock, minus a tolerance because timers may fire early. */
const MIN_WAIT_MS = 7_000;

test('a command waits about eight seconds for a locked database', async () => {
  const root = createProject({ 'report.xml': PASSED_REPORT });
  const imported = () => argus(['import', 'report.xml', '--json', '--project', root]);
  await imported();
  onTestFinished(lockDatabase(`${root}/.argus/argus.db`));
  const began = performance.now();
  expect(JSON.parse((await imported()).stdout)).toMatchObject({ data: { queued: true, code: 'DATABASE_LOCKED' } });
  expect(performance.now() - began).toBeGreaterThan(MIN_WAIT_MS);
});
