/** The real wait for a database that another program holds. With a short wait: bad-input.test.ts. */

import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../argus.ts';
import { holdDatabase } from '../database-lock.ts';
import { project } from '../harness.ts';
import { ALL_PASSED } from '../runs/reports.ts';

/** SQLite's wait for a lock, minus a tolerance because timers may fire early. */
const LEAST_WAIT_MS = 7_000;

test('a command waits about eight seconds for a locked database', async () => {
  const root = project({ 'report.xml': ALL_PASSED });
  const imported = () => argus(['import', 'report.xml', '--json', '--project', root]);
  await imported();
  onTestFinished(holdDatabase(`${root}/.argus/argus.db`));
  const began = performance.now();
  expect(JSON.parse((await imported()).stdout)).toMatchObject({ data: { queued: true, code: 'DATABASE_LOCKED' } });
  expect(performance.now() - began).toBeGreaterThan(LEAST_WAIT_MS);
});
