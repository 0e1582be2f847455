/** Damaged database files, files without the needed rights, and full disks. */
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
import { describe, expect, onTestFinished } from 'vitest';
import { codeOf, counted, fail, folder, open, project, shell, test, worker } from './setup.ts';

const NOBODY_UID = 65534;
const isRoot = process.getuid?.() === 0;

test.each([
  ['a text', 'DATABASE_CORRUPT', (path: string) => writeFileSync(path, 'not a database\n'.repeat(1000))],
  ['half a header', 'DATABASE_CORRUPT', (path: string) => writeFileSync(path, 'SQLite format 3\0'.padEnd(90, 'x'))],
  ['a database of another program', 'DATABASE_CORRUPT', (path: string) => shell(path, 'CREATE TABLE a (b)')],
  ['a folder', 'DATABASE_UNAVAILABLE', (path: string) => mkdirSync(path)],
])('%s is refused and not changed', async (_, code, make) => {
  const path = join(folder(), 'argus.db');
  make(path);
  const bytes = () => (statSync(path).isDirectory() ? '' : readFileSync(path, 'base64'));
  const before = bytes();
  expect(await codeOf(open(path).then((engine) => engine.checkWrite()))).toBe(code);
  expect(bytes()).toBe(before);
});

test.each([
  ['deleted with its folder', (database: string) => rmSync(dirname(database), { recursive: true })],
  ['moved away', (database: string) => renameSync(dirname(database), `${dirname(database)}.old`)],
])('after the open file was %s, the next write makes a new file', async (_, away) => {
  const { database } = await project(2);
  const engine = await open(database);
  expect(await engine.history()).toMatchObject({ total: 2 });
  away(database);
  expect(await engine.history()).toMatchObject({ total: 0 });
  await fail(engine, 'job-c');
  expect(await (await open(database)).history()).toMatchObject({ total: 1 });
});

test.each([
  ['a read', (engine: Engine) => engine.history(), 4],
  ['a write', (engine: Engine) => fail(engine, 'job-y'), 5],
])('after another process made the open file again, %s and later calls use the new one', async (_, first, total) => {
  const { root, database } = await project(2);
  const engine = await open(database);
  await engine.checkWrite();
  rmSync(dirname(database), { recursive: true });
  await project(3, root);
  await first(engine);
  await fail(engine, 'job-z');
  for (const one of [engine, await open(database)]) expect(await one.history()).toMatchObject({ total });
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});

test('a truncated file is DATABASE_CORRUPT and is not written', async () => {
  const { database, failures } = await project(4);
  truncateSync(database, Math.floor(statSync(database).size / 2 / 4096) * 4096);
  const before = readFileSync(database, 'base64');
  const use = async () => {
    const engine = await open(database);
    for (const failure of failures) await engine.diagnose(failure);
    await fail(engine, 'job-z');
  };
  expect(await codeOf(use())).toBe('DATABASE_CORRUPT');
  expect(readFileSync(database, 'base64')).toBe(before);
});

test('a file with random bytes in any page is DATABASE_CORRUPT or still answers', async () => {
  const { database, failure } = await project();
  const original = readFileSync(database);
  const copy = join(folder(), 'argus.db');
  cpSync(`${database}.lockmode`, `${copy}.lockmode`);
  const pageBytes = Number(shell(database, 'PRAGMA page_size'));
  const codes = new Set<string>();
  for (let start = 0; start < original.length; start += pageBytes) {
    const damaged = Buffer.from(original);
    damaged.fill(0xa5, start, start + pageBytes);
    writeFileSync(copy, damaged);
    codes.add(await codeOf(open(copy).then((engine) => engine.diagnose(failure))));
  }
  expect([...codes].sort()).toEqual(['DATABASE_CORRUPT', 'stored']);
});

describe.runIf(isRoot)('as a user without rights', () => {
  test('diagnoses a failure without counting it when the database is read-only', async () => {
    const { root, database, failure } = await project();
    chmodSync(root, 0o755);
    chmodSync(dirname(database), 0o555);
    for (const file of [database, `${database}-journal`]) chmodSync(file, 0o444);
    const reader = worker(database, failure, 1, { uid: NOBODY_UID });
    // The worker turns the warning into an error.
    expect(await reader.done).toBe(3);
    expect(reader.lines[0]).toBe('ready');
    expect(reader.lines.at(-1)).toMatch(/counted|stored|written/);
    expect(counted(database)).toBe(0);
  });

  test('an unreadable file is DATABASE_UNAVAILABLE with the reason', async () => {
    const { root, database, failure } = await project();
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

test('opening a file read-only does not change it', async () => {
  const { database, failure } = await project();
  const before = readFileSync(database, 'base64');
  const engine = await open(database, { readOnly: true });
  expect((await engine.diagnose(failure)).warnings).not.toEqual([]);
  expect(await codeOf(fail(engine, 'job'))).toBe('DATABASE_READ_ONLY');
  expect(readFileSync(database, 'base64')).toBe(before);
});

/** Mounts a disk of the given size in KiB. Returns undefined when this user may not mount. */
function smallDisk(kibibytes: number): string | undefined {
  const path = folder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path]));
  return path;
}

test('a full disk is DATABASE_FULL; stored runs stay, and writes work again once there is space', async ({ skip }) => {
  const disk = smallDisk(2048);
  if (disk === undefined) return skip('a small disk cannot be mounted here');
  const { database, failure } = await project(1, disk);
  const engine = await open(database);
  await engine.diagnose(failure);
  const outcomes: string[] = [];
  while (outcomes.length < 40 && outcomes.slice(-4).join() !== Array(4).fill('DATABASE_FULL').join()) {
    outcomes.push(await codeOf(fail(engine, `${'long '.repeat(10_000)}${outcomes.length}`)));
  }
  expect([...new Set(outcomes)]).toEqual(['stored', 'DATABASE_FULL']);
  expect((await engine.diagnose(failure)).category).toBe('UNKNOWN');
  const stored = outcomes.filter((outcome) => outcome === 'stored').length;
  execFileSync('mount', ['-o', 'remount,size=8192k', disk], { stdio: 'ignore' });
  const { pattern } = await engine.diagnose(failure);
  expect(pattern?.occurrences).toBeGreaterThanOrEqual(2);
  await fail(engine, 'after');
  expect(await engine.history()).toMatchObject({ total: stored + 2 });
  expect(shell(database, 'PRAGMA integrity_check')).toBe('ok');
});
