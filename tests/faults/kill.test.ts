/** Processes killed in the middle of their writes: what was acknowledged is there, and the file is whole. */
import { expect, test } from 'vitest';
import { open, project, shell, worker } from './setup.ts';

const KILLS = 200;
/** Writers of one round, each on a failure of its own; all are killed, each at a moment of its own. */
const WRITERS = 4;
/** After the first answer: long enough for some transactions. */
const LONGEST_LIFE_MS = 60;

test(`${KILLS} kills at random moments lose no acknowledged write and leave no damage`, {
  timeout: 600_000,
}, async () => {
  const { database, failures } = await project(WRITERS);
  const acknowledged = failures.map(() => 0);
  let inFlight = 0;
  for (let round = 0; round < KILLS / WRITERS; round += 1) {
    const workers = failures.map((failure) => worker(database, failure, 0));
    await Promise.all(
      workers.map(async (it) => {
        await it.counting;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_LIFE_MS));
        it.process.kill('SIGKILL');
        await it.done;
      }),
    );
    expect(workers.flatMap((it) => it.lines.filter((line) => line.startsWith('{')))).toEqual([]);
    workers.forEach((it, index) => {
      acknowledged[index] = Math.max(acknowledged[index] ?? 0, it.acknowledged);
    });
    // The next to open rolls back what was half done: in turns, this engine and SQLite's own shell.
    if (round % 2 === 0) await (await open(database)).overview();
    expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
    const stored = shell(database, "SELECT case_name || '=' || occurrences FROM patterns WHERE id LIKE 'pat-%'");
    const counts = new Map(stored.split('\n').map((line) => [line.split('=')[0], Number(line.split('=')[1])]));
    failures.forEach(({ caseName }, index) => {
      const count = counts.get(caseName) ?? 0;
      // One more may have been committed and not yet answered when the process was killed.
      expect(count).toBeGreaterThanOrEqual(acknowledged[index] ?? 0);
      expect(count).toBeLessThanOrEqual((acknowledged[index] ?? 0) + 1);
      if (count > (acknowledged[index] ?? 0)) inFlight += 1;
      acknowledged[index] = count;
    });
  }
  const writes = acknowledged.reduce((sum, it) => sum + it, 0);
  console.log(`${writes} writes, ${inFlight} killed between commit and answer`);
  // Every life has its first; that some came further is what makes the moments random.
  expect(writes).toBeGreaterThan(KILLS);
});
