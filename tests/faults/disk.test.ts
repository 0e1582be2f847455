/** Tests damaged database files, files without the needed permissions, and full disks. */
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
import {
  createFailedProject,
  createFolder,
  openTestEngine,
  recordFailure,
  resultCode,
  runSql,
  startWorker,
  sumOccurrences,
  test,
} from './setup.ts';

const NOBODY_UID = 65534;
const isRootUser = process.getuid?.() === 0;

test.each([
  ['a text', 'DATABASE_CORRUPT', (path: string) => writeFileSync(path, 'not a database\n'.repeat(1000))],
  ['half a header', 'DATABASE_CORRUPT', (path: string) => writeFileSync(path, 'SQLite format 3\0'.padEnd(90, 'x'))],
  ['a database of another program', 'DATABASE_CORRUPT', (path: string) => runSql(path, 'CREATE TABLE a (b)')],
  ['a folder', 'DATABASE_UNAVAILABLE', (path: string) => mkdirSync(path)],
])('%s is refused and not changed', async (_, code, make) => {
  const path = join(createFolder(), 'argus.db');
  make(path);
  const bytes = () => (statSync(path).isDirectory() ? '' : readFileSync(path, 'base64'));
  const before = bytes();
  expect(await resultCode(openTestEngine(path).then((engine) => engine.checkWrite()))).toBe(code);
  expect(bytes()).toBe(before);
});

test.each([
  ['deleted with its folder', (database: string) => rmSync(dirname(database), { recursive: true })],
  ['moved away', (database: string) => renameSync(dirname(database), `${dirname(database)}.old`)],
])('after the open file was %s, the next write creates a new file', async (_, away) => {
  const { database } = await createFailedProject(2);
  const engine = await openTestEngine(database);
  expect(await engine.history()).toMatchObject({ total: 2 });
  away(database);
  expect(await engine.history()).toMatchObject({ total: 0 });
  await recordFailure(engine, 'job-c');
  expect(await (await openTestEngine(database)).history()).toMatchObject({ total: 1 });
});

test.each([
  ['a read', (engine: Engine) => engine.history(), 4],
  ['a write', (engine: Engine) => recordFailure(engine, 'job-y'), 5],
])(
  'after another process created the open file again, %s and later calls use the new file',
  async (_, first, total) => {
    const { root, database } = await createFailedProject(2);
    const engine = await openTestEngine(database);
    await engine.checkWrite();
    rmSync(dirname(database), { recursive: true });
    await createFailedProject(3, root);
    await first(engine);
    await recordFailure(engine, 'job-z');
    for (const one of [engine, await openTestEngine(database)]) expect(await one.history()).toMatchObject({ total });
    expect(runSql(database, 'PRAGMA integrity_check')).toBe('ok');
  },
);

test('a truncated database is DATABASE_CORRUPT and is not written', async () => {
  const { database, failures } = await createFailedProject(4);
  truncateSync(database, Math.floor(statSync(database).size / 2 / 4096) * 4096);
  const before = readFileSync(database, 'base64');
  const use = async () => {
    const engine = await openTestEngine(database);
    for (const failure of failures) await engine.diagnose(failure);
    await recordFailure(engine, 'job-z');
  };
  expect(await resultCode(use())).toBe('DATABASE_CORRUPT');
  expect(readFileSync(database, 'base64')).toBe(before);
});

test('a database with random bytes in any page is DATABASE_CORRUPT or still answers', async () => {
  const { database, failure } = await createFailedProject();
  const original = readFileSync(database);
  const copy = join(createFolder(), 'argus.db');
  cpSync(`${database}.lockmode`, `${copy}.lockmode`);
  const pageBytes = Number(runSql(database, 'PRAGMA page_size'));
  const codes = new Set<string>();
  for (let start = 0; start < original.length; start += pageBytes) {
    const damaged = Buffer.from(original);
    damaged.fill(0xa5, start, start + pageBytes);
    writeFileSync(copy, damaged);
    codes.add(await resultCode(openTestEngine(copy).then((engine) => engine.diagnose(failure))));
  }
  expect([...codes].sort()).toEqual(['DATABASE_CORRUPT', 'stored']);
});

describe.runIf(isRootUser)('as a user without rights', () => {
  test('a failure is diagnosed without counting it if the database is read-only', async () => {
    const { root, database, failure } = await createFailedProject();
    chmodSync(root, 0o755);
    chmodSync(dirname(database), 0o555);
    for (const file of [database, `${database}-journal`]) chmodSync(file, 0o444);
    const reader = startWorker(database, failure, 1, { uid: NOBODY_UID });
    // The worker treats the warning as an error.
    expect(await reader.done).toBe(3);
    expect(reader.lines[0]).toBe('ready');
    expect(reader.lines.at(-1)).toMatch(/counted|stored|written/);
    expect(sumOccurrences(database)).toBe(0);
  });

  test('an unreadable database is DATABASE_UNAVAILABLE with the reason', async () => {
    const { root, database, failure } = await createFailedProject();
    chmodSync(root, 0o755);
    chmodSync(database, 0o600);
    const reader = startWorker(database, failure, 1, { uid: NOBODY_UID });
    expect(await reader.done).toBe(3);
    expect(JSON.parse(reader.lines.at(-1) ?? '')).toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringContaining('EACCES'),
    });
  });
});

test('opening a database read-only does not change it', async () => {
  const { database, failure } = await createFailedProject();
  const before = readFileSync(database, 'base64');
  const engine = await openTestEngine(database, { readOnly: true });
  expect((await engine.diagnose(failure)).warnings).not.toEqual([]);
  expect(await resultCode(recordFailure(engine, 'job'))).toBe('DATABASE_READ_ONLY');
  expect(readFileSync(database, 'base64')).toBe(before);
});

/** Mounts a disk of the given size in KiB. Returns undefined if this user may not mount. */
function mountSmallDisk(kibibytes: number): string | undefined {
  const path = createFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path]));
  return path;
}

test('a full disk is DATABASE_FULL, stored runs stay, and writes work again once there is space', async ({ skip }) => {
  const disk = mountSmallDisk(2048);
  if (disk === undefined) return skip('a small disk cannot be mounted here');
  const { database, failure } = await createFailedProject(1, disk);
  const engine = await openTestEngine(database);
  await engine.diagnose(failure);
  const outcomes: string[] = [];
  while (outcomes.length < 40 && outcomes.slice(-4).join() !== Array(4).fill('DATABASE_FULL').join()) {
    outcomes.push(await resultCode(recordFailure(engine, `${'long '.repeat(10_000)}${outcomes.length}`)));
  }
  expect([...new Set(outcomes)]).toEqual(['stored', 'DATABASE_FULL']);
  expect((await engine.diagnose(failure)).category).toBe('UNKNOWN');
  const stored = outcomes.filter((outcome) => outcome === 'stored').length;
  execFileSync('mount', ['-o', 'remount,size=8192k', disk], { stdio: 'ignore' });
  const { pattern } = await engine.diagnose(failure);
  expect(pattern?.occurrences).toBeGreaterThanOrEqual(2);
  await recordFailure(engine, 'after');
  expect(await engine.history()).toMatchObject({ total: stored + 2 });
  expect(runSql(database, 'PRAGMA integrity_check')).toBe('ok');
});
