/** A clock that is wrong for one run: the history stays, and so does the server. */
import { expect, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { project } from '../../e2e/harness.ts';
import { junit } from '../../e2e/runs/reports.ts';

const CLOCK = new URL('clock.mjs', import.meta.url).href;

const at = (moment: string | number) => ({
  NODE_OPTIONS: `--import=${CLOCK}`,
  ARGUS_TEST_CLOCK: String(typeof moment === 'number' ? moment : Date.parse(moment)),
});

const importAt = async (root: string, moment: string | number) =>
  JSON.parse((await argus(['import', 'a.xml', '--project', root, '--json'], { env: at(moment) })).stdout);

const history = async (root: string) =>
  JSON.parse((await argus(['history', '--project', root, '--limit', '100', '--json'])).stdout).data;

const withRetention = (retention: string) =>
  project({ 'a.xml': junit([{ name: 'passes' }]), 'argus.yaml': `history: { retention: ${retention} }\n` });

test('one run of 2039 deletes no other', async () => {
  const root = withRetention('{ maxAge: 90d, minRuns: 1 }');
  for (const day of [1, 2, 3, 4]) await importAt(root, `2026-03-0${day}`);
  expect((await importAt(root, '2039-01-01')).success).toBe(true);
  expect((await history(root)).total).toBe(5);
  await importAt(root, '2026-03-05');
  expect((await history(root)).total).toBe(6);
});

test('what is old goes, but for the newest runs', async () => {
  const root = withRetention('{ maxAge: 30d, minRuns: 3 }');
  for (const day of [1, 2, 3, 4]) await importAt(root, `2026-01-0${day}`);
  expect((await history(root)).total).toBe(4);
  // Two of five runs could be a wrong clock; three are not.
  for (const day of [1, 2]) await importAt(root, `2026-06-0${day}`);
  expect((await history(root)).total).toBe(6);
  await importAt(root, '2026-06-03');
  expect((await history(root)).total).toBe(3);
});

test('a clock before 1970 and one after 9999 record a run each', async () => {
  const root = withRetention('{ maxAge: 30d }');
  for (const moment of [-1, -86_400_000_000, 8.64e15, 253_402_300_800_000]) {
    expect(await importAt(root, moment), String(moment)).toMatchObject({ success: true });
  }
  const { runs } = await history(root);
  const years = runs.map((run: { timestamp: string }) => run.timestamp.slice(0, 5)).sort();
  expect(years).toEqual(['1970-', '1970-', '9999-', '9999-']);
});
