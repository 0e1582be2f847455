/** A wrong clock during a run. crates/engine/src/tests/runs/retention.rs tests its effect on retention. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { createProject } from '../../e2e/harness.ts';
import { formatJunit } from '../../e2e/runs/reports.ts';

test('runs are recorded if the clock is before 1970 or after 9999', async () => {
  const root = createProject({ 'a.xml': formatJunit([{ name: 'passes' }]) });
  onTestFinished(() => void vi.useRealTimers());
  for (const now of [-1, -86_400_000_000, 8.64e15, 253_402_300_800_000]) {
    // The engine reads the clock of its process.
    vi.useFakeTimers({ toFake: ['Date'], now });
    const { status, stderr } = await argus(['import', 'a.xml', '--project', root]);
    expect({ now, status, stderr }).toEqual({ now, status: 0, stderr: '' });
  }
  vi.useRealTimers();
  const { runs } = JSON.parse((await argus(['history', '--project', root, '--json'])).stdout).data;
  const years = runs.map(({ timestamp }: { timestamp: string }) => timestamp.slice(0, 5)).sort();
  expect(years).toEqual(['1970-', '1970-', '9999-', '9999-']);
});
