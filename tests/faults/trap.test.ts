/** A trap of the engine during a write: the call fails, the next call works, and no data is lost. */
import { _trapAtWrite, createInspector } from 'argus-engine';
import { expect } from 'vitest';
import {
  createFailedProject,
  createFolder,
  openTestEngine,
  recordFailure,
  resultCode,
  runSql,
  sumOccurrences,
  test,
} from './setup.ts';

test('a trap at any write undoes the transaction, and the next call works', async () => {
  const { database, failure } = await createFailedProject();
  const log: string[] = [];
  const engine = await openTestEngine(database, { log: (line) => log.push(line) });
  await engine.diagnose(failure);
  let traps = 0;
  for (let code = ''; code !== 'stored'; ) {
    const before = sumOccurrences(database);
    _trapAtWrite(traps + 1);
    code = await resultCode(engine.diagnose(failure));
    _trapAtWrite(0);
    expect(code).toMatch(/^(?:stored|INTERNAL_ERROR)$/);
    if (code === 'INTERNAL_ERROR') traps += 1;
    const { pattern } = await engine.diagnose(failure);
    // The last writes only clear the journal after the commit. If one of them traps, the call fails, but the new count
    // is already stored.
    const after = pattern?.occurrences ?? 0;
    expect([before + 1, before + 2]).toContain(after);
    if (code === 'stored') expect(after).toBe(before + 2);
  }
  expect(traps).toBeGreaterThan(3);
  expect(log.filter((line) => line.includes('a test requested this trap'))).toHaveLength(traps);
  expect(runSql(database, 'PRAGMA integrity_check')).toBe('ok');
});

test('other engines and inspectors of the process still work after a trap', async () => {
  const [first, second] = [await createFailedProject(), await createFailedProject()];
  const engine = await openTestEngine(first.database);
  const others = [await openTestEngine(second.database), await openTestEngine(':memory:')];
  const inspector = createInspector();
  _trapAtWrite(1);
  expect(await resultCode(engine.diagnose(first.failure))).toBe('INTERNAL_ERROR');
  expect(inspector.inspect({ text: 'boom' }).category).toBe('UNKNOWN');
  for (const one of [engine, ...others]) expect((await one.overview()).knownPatterns).toBe(6);
});

test('a database can be created after a trap during an earlier creation', async () => {
  const database = `${createFolder()}/.argus/argus.db`;
  const engine = await openTestEngine(database);
  _trapAtWrite(3);
  expect(await resultCode(recordFailure(engine, 'job'))).toBe('INTERNAL_ERROR');
  const failure = await recordFailure(engine, 'job');
  expect((await engine.diagnose(failure)).isNewPattern).toBe(true);
  expect(runSql(database, 'PRAGMA integrity_check')).toBe('ok');
});
