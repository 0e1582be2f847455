/** A trap of the engine in the middle of a write: that call fails, the next one works, nothing is lost. */
import { _trapAtWrite, createInspector, openEngine } from 'argus-engine';
import { expect, test } from 'vitest';
import { counted, fail, folder, open, project, shell } from './setup.ts';

test('wherever it traps, the transaction is undone and the next call works', async () => {
  const { root, database, failures } = await project();
  const [failure] = failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  const log: string[] = [];
  const engine = await openEngine({ databasePath: database, projectRoot: root, log: (line) => log.push(line) });
  await engine.diagnose(failure);
  let traps = 0;
  for (let write = 1; write <= 24; write += 1) {
    const before = counted(database);
    _trapAtWrite(write);
    const outcome = await engine.diagnose(failure).then(
      () => 'counted',
      (error) => error.code,
    );
    _trapAtWrite(0);
    if (outcome === 'INTERNAL_ERROR') traps += 1;
    const { pattern } = await engine.diagnose(failure);
    // The last writes clear the journal, after the commit: a trap there may leave the count done.
    const after = pattern?.occurrences ?? 0;
    expect([before + 1, before + 2]).toContain(after);
    if (outcome === 'counted') expect(after).toBe(before + 2);
  }
  expect(traps).toBeGreaterThan(3);
  expect(log.filter((line) => line.includes('a test wanted this trap'))).toHaveLength(traps);
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
  await engine.close();
});

test('other engines and inspectors of the process go on', async () => {
  const [first, second] = [await project(), await project()];
  const engines = [await open(first.database), await open(second.database), await open(':memory:')];
  const inspector = createInspector();
  const [failure] = first.failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  _trapAtWrite(1);
  await expect(engines[0]?.diagnose(failure)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  expect(inspector.inspect({ text: 'boom' }).category).toBe('UNKNOWN');
  for (const engine of engines) expect((await engine.overview()).knownPatterns).toBe(6);
});

test('a trap on a database that is being made leaves one that can be made', async () => {
  const database = `${folder()}/.argus/argus.db`;
  const engine = await open(database);
  _trapAtWrite(3);
  await expect(fail(engine, 'job')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
  const failure = await fail(engine, 'job');
  expect((await engine.diagnose(failure)).isNewPattern).toBe(true);
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});
