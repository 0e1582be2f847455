/** A trap of the engine in the middle of a write: that call fails, the next call works, and no data is lost. */
import { _trapAtWrite, createInspector } from 'argus-engine';
import { expect } from 'vitest';
import { codeOf, counted, fail, folder, open, project, shell, test } from './setup.ts';

test('a trap at any write undoes the transaction, and the next call works', async () => {
  const { database, failure } = await project();
  const log: string[] = [];
  const engine = await open(database, { log: (line) => log.push(line) });
  await engine.diagnose(failure);
  let traps = 0;
  for (let code = ''; code !== 'stored'; ) {
    const before = counted(database);
    _trapAtWrite(traps + 1);
    code = await codeOf(engine.diagnose(failure));
    _trapAtWrite(0);
    expect(code).toMatch(/^(?:stored|INTERNAL_ERROR)$/);
    if (code === 'INTERNAL_ERROR') traps += 1;
    const { pattern } = await engine.diagnose(failure);
    // The last writes clear the journal after the commit, so a trap there may keep the count.
    const after = pattern?.occurrences ?? 0;
    expect([before + 1, before + 2]).toContain(after);
    if (code === 'stored') expect(after).toBe(before + 2);
  }
  expect(traps).toBeGreaterThan(3);
  expect(log.filter((line) => line.includes('a test wanted this trap'))).toHaveLength(traps);
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});

test('other engines and inspectors of the process keep working', async () => {
  const [first, second] = [await project(), await project()];
  const engine = await open(first.database);
  const others = [await open(second.database), await open(':memory:')];
  const inspector = createInspector();
  _trapAtWrite(1);
  expect(await codeOf(engine.diagnose(first.failure))).toBe('INTERNAL_ERROR');
  expect(inspector.inspect({ text: 'boom' }).category).toBe('UNKNOWN');
  for (const one of [engine, ...others]) expect((await one.overview()).knownPatterns).toBe(6);
});

test('a database can still be created after a trap during its creation', async () => {
  const database = `${folder()}/.argus/argus.db`;
  const engine = await open(database);
  _trapAtWrite(3);
  expect(await codeOf(fail(engine, 'job'))).toBe('INTERNAL_ERROR');
  const failure = await fail(engine, 'job');
  expect((await engine.diagnose(failure)).isNewPattern).toBe(true);
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});
