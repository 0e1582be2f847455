/** Files that are not what they should be, and disks that do not take any more. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Engine } from 'argus-engine';
import { describe, expect, onTestFinished, test } from 'vitest';
import { counted, fail, folder, open, project, shell, worker } from './setup.ts';

const NOBODY_UID = 65534;
const isRoot = process.getuid?.() === 0;

describe('what is no database of Argus stays as it is', () => {
  test.each([
    ['a text', 'DATABASE_CORRUPT', (path: string) => writeFileSync(path, 'not a database\n'.repeat(1000))],
    ['half a header', 'DATABASE_CORRUPT', (path: string) => writeFileSync(path, 'SQLite format 3\0'.padEnd(90, 'x'))],
    ['a database of somebody else', 'DATABASE_CORRUPT', (path: string) => shell(path, 'CREATE TABLE a (b)')],
    ['a folder', 'DATABASE_UNAVAILABLE', (path: string) => mkdirSync(path)],
  ])('%s', async (_, code, make) => {
    const path = join(folder(), 'argus.db');
    make(path);
    const before = statSync(path).isDirectory() ? '' : readFileSync(path, 'base64');
    const failed = await open(path)
      .then((engine) => engine.checkWrite())
      .catch((error) => error);
    expect(failed).toMatchObject({ code });
    expect(statSync(path).isDirectory() ? '' : readFileSync(path, 'base64')).toBe(before);
  });

  test('one of a newer version', async () => {
    const { database } = await project();
    shell(database, 'PRAGMA user_version = 9999');
    const before = readFileSync(database, 'base64');
    await expect(open(database)).rejects.toMatchObject({ code: 'DATABASE_NEWER' });
    expect(readFileSync(database, 'base64')).toBe(before);
  });
});

describe('a file that is deleted or replaced while it is open', () => {
  test.each([
    ['deleted with its folder', (database: string) => rmSync(dirname(database), { recursive: true })],
    ['moved away', (database: string) => renameSync(dirname(database), `${dirname(database)}.old`)],
  ])('%s: it is gone, and the next write makes a new one', async (_, away) => {
    const { database } = await project(2);
    const engine = await open(database);
    expect(await engine.history()).toMatchObject({ total: 2 });
    away(database);
    expect(await engine.history()).toMatchObject({ total: 0 });
    await fail(engine, 'job-c');
    expect(await (await open(database)).history()).toMatchObject({ total: 1 });
  });

  test.each([
    ['a read', (engine: Engine) => engine.history()],
    ['a write', (engine: Engine) => fail(engine, 'job-y')],
  ])('made anew by another process: %s finds the new one, and nothing is written beside it', async (kind, first) => {
    const { root, database } = await project(2);
    const engine = await open(database);
    await engine.checkWrite();
    rmSync(dirname(database), { recursive: true });
    await project(3, root);
    await first(engine);
    await fail(engine, 'job-z');
    const total = kind === 'a read' ? 4 : 5;
    expect(await engine.history()).toMatchObject({ total });
    expect(await (await open(database)).history()).toMatchObject({ total });
    expect(shell(database, 'PRAGMA integrity_check').trim()).toBe('ok');
  });
});

describe('a damaged file', () => {
  test('cut in half is DATABASE_CORRUPT, and is not written', async () => {
    const { database, failures } = await project(4);
    truncateSync(database, Math.floor(statSync(database).size / 2 / 4096) * 4096);
    const before = readFileSync(database, 'base64');
    const outcome = await open(database)
      .then(async (engine) => {
        for (const failure of failures) await engine.diagnose(failure);
        await fail(engine, 'job-z');
        return 'stored';
      })
      .catch((error) => error.code);
    expect(outcome).toBe('DATABASE_CORRUPT');
    expect(readFileSync(database, 'base64')).toBe(before);
  });

  test('with pages of noise answers an error with a code, whichever page it is', async () => {
    const { database, failures } = await project(4);
    const original = readFileSync(database);
    const copy = join(folder(), 'argus.db');
    const pages = original.length / 8192;
    for (let page = 0; page < pages; page += 1) {
      const damaged = Buffer.from(original);
      damaged.fill(0xa5, page * 8192, (page + 1) * 8192);
      writeFileSync(copy, damaged);
      cpSync(`${database}.lockmode`, `${copy}.lockmode`);
      const outcome = await open(copy)
        .then(async (engine) => {
          for (const failure of failures) await engine.diagnose(failure);
          return 'fine';
        })
        .catch((error) => error.code);
      expect(['fine', 'DATABASE_CORRUPT']).toContain(outcome);
    }
  });
});

describe.runIf(isRoot)('without the right to write', () => {
  test('a failure is diagnosed, without being counted, and a run is refused with a code', async () => {
    const { root, database, failures } = await project();
    const [failure] = failures;
    if (failure === undefined) throw new Error('one failure was recorded');
    chmodSync(root, 0o755);
    chmodSync(dirname(database), 0o555);
    chmodSync(database, 0o444);
    chmodSync(`${database}-journal`, 0o444);
    const reader = worker(database, failure, 1, { uid: NOBODY_UID });
    // The worker makes an error of the warning.
    expect(await reader.done).toBe(3);
    expect(reader.lines[0]).toBe('ready');
    expect(reader.lines.at(-1)).toMatch(/counted|stored|written/);
    expect(counted(database)).toBe(0);
  });

  test('a file that may not even be read is DATABASE_UNAVAILABLE, and says why', async () => {
    const { root, database, failures } = await project();
    const [failure] = failures;
    if (failure === undefined) throw new Error('one failure was recorded');
    chmodSync(root, 0o755);
    chmodSync(database, 0o600);
    const reader = worker(database, failure, 1, { uid: NOBODY_UID });
    expect(await reader.done).toBe(3);
    expect(JSON.parse(reader.lines.at(-1) ?? '')).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringContaining('EACCES'),
    });
  });
});

test('opened for reading only it never changes, and needs no right to write', async () => {
  const { database, failures } = await project();
  const [failure] = failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  const before = readFileSync(database, 'base64');
  const engine = await open(database, true);
  expect((await engine.diagnose(failure)).warnings).not.toEqual([]);
  await expect(fail(engine, 'job')).rejects.toMatchObject({ code: 'DATABASE_READ_ONLY' });
  expect(readFileSync(database, 'base64')).toBe(before);
});

/** A disk of so many KiB; undefined where this user may not mount one. */
function smallDisk(kibibytes: number): string | undefined {
  const path = folder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', path]);
  });
  return path;
}

test('a full disk is DATABASE_FULL; what was stored is there, and with space again it goes on', async ({ skip }) => {
  const disk = smallDisk(2048);
  if (disk === undefined) return skip('a small disk cannot be mounted here');
  const { database, failures } = await project(1, disk);
  const [failure] = failures;
  if (failure === undefined) throw new Error('one failure was recorded');
  const engine = await open(database);
  await engine.diagnose(failure);
  const filler = join(disk, 'filler');
  const outcomes = new Set<string>();
  for (let size = 256; size <= 4096; size += 256) {
    try {
      writeFileSync(filler, Buffer.alloc(size * 1024));
    } catch {
      // Full by now, which is what is wanted.
    }
    for (let index = 0; index < 4; index += 1) {
      outcomes.add(
        await fail(engine, `${'long '.repeat(4000)}${size} ${index}`).then(
          () => 'stored',
          (error) => error.code,
        ),
      );
    }
  }
  expect([...outcomes].sort()).toEqual(['DATABASE_FULL', 'stored']);
  expect((await engine.diagnose(failure)).category).toBe('UNKNOWN');
  truncateSync(filler, 0);
  const { pattern } = await engine.diagnose(failure);
  expect(pattern?.occurrences).toBeGreaterThanOrEqual(2);
  await fail(engine, 'after');
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});
