/**
 * Processes of the debug memory killed in the middle of their writes: every acknowledged outcome is there, the sums are
 * those of the outcomes, the search knows what is stored, and the file is whole. Writers of runs and patterns:
 * kill.test.ts.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { folder, installed, open, shell } from './setup.ts';

const WORKER = fileURLToPath(new URL('memory-worker.mjs', import.meta.url));
const ROUNDS = 12;
/** Writers of one round, on one solution and with incidents of their own. */
const WRITERS = 4;
/** After the first answer: long enough for some transactions. */
const LONGEST_LIFE_MS = 80;

/** A process that records outcomes and adds incidents until it is killed; what it was answered. */
function writer(database: string, solution: string, seed: string) {
  const args = [WORKER, installed, database, solution, seed];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines: string[] = [];
  let begun = () => {};
  const writing = new Promise<void>((resolve) => {
    begun = resolve;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    begun();
  });
  const done = new Promise((resolve) => child.on('close', resolve));
  return { child, lines, writing: Promise.race([writing, done]), done };
}

test(`${ROUNDS * WRITERS} kills lose no acknowledged outcome and no acknowledged incident`, {
  timeout: 300_000,
}, async () => {
  const database = join(folder(), 'argus.db');
  const engine = await open(database);
  const env = { os: 'linux' };
  const first = await engine.addIncident({ title: 'gyroscope drift', steps: 'Calibrate it.', env, worked: true });
  if (!('solution_id' in first)) throw new Error('the memory was empty');
  const answered = new Set<string>([first.outcome_id, first.incident_id]);
  for (let round = 0; round < ROUNDS; round += 1) {
    const writers = Array.from({ length: WRITERS }, (_, index) =>
      writer(database, first.solution_id, `r${round}w${index}`),
    );
    await Promise.all(
      writers.map(async (it) => {
        await it.writing;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_LIFE_MS));
        it.child.kill('SIGKILL');
        await it.done;
      }),
    );
    for (const id of writers.flatMap((it) => it.lines)) answered.add(id);
    // The next to open rolls back what was half done: in turns, this engine and SQLite's own shell.
    if (round % 2 === 0) await engine.overview();
    expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
  }
  const stored = shell(database, 'SELECT id FROM outcomes UNION ALL SELECT id FROM incidents').split('\n');
  expect([...answered].filter((id) => !stored.includes(id))).toEqual([]);
  expect(stored.length - answered.size, 'committed and not yet answered').toBeLessThanOrEqual(ROUNDS * WRITERS * 2);
  const sums = 'SELECT solution_key, env_bucket, SUM(worked), SUM(1 - worked) FROM outcomes GROUP BY 1, 2';
  const kept = 'SELECT solution_key, env_bucket, worked, failed FROM solution_env_stats';
  expect(shell(database, `SELECT COUNT(*) FROM (${sums} EXCEPT ${kept})`)).toBe('0');
  expect(shell(database, `SELECT COUNT(*) FROM (${kept} EXCEPT ${sums})`)).toBe('0');
  const whole =
    'SELECT COUNT(*) FROM incidents i WHERE NOT EXISTS (SELECT 1 FROM solutions s WHERE s.incident_key = i.key) ' +
    'OR NOT EXISTS (SELECT 1 FROM search_documents d WHERE d.key = i.document AND d.incident_key = i.key)';
  expect(shell(database, whole), 'an incident without its solution or unknown to the search').toBe('0');
  const totals = "SELECT (SELECT total FROM memory_totals WHERE name = 'incidents') - (SELECT COUNT(*) FROM incidents)";
  expect(shell(database, totals)).toBe('0');
  const last = stored.filter((id) => id.startsWith('inc-')).at(-1);
  expect((await engine.incident({ id: String(last) })).solutions).toHaveLength(1);
});
