import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isExpired, parseQuarantine } from '../../src/config/quarantine.ts';
import { quarantineVersions } from '../../src/config/quarantine-versions.ts';
import { baseRevision } from '../../src/git/base-revision.ts';

const FILE = 'argus-quarantine.yaml';
const ENTRY = { case: 'a > b', reason: 'waits', owner: 'ada', until: '2026-02-03' };

test('parses files with and without entries', async () => {
  const text = 'version: 1\ncases:\n  - { case: a > b, reason: waits, owner: ada, until: 2026-02-03 }\n';
  expect(await parseQuarantine(text, FILE)).toEqual([ENTRY]);
  expect(await parseQuarantine('cases: []\n', FILE)).toEqual([]);
  expect([isExpired(ENTRY, '2026-02-03'), isExpired(ENTRY, '2026-02-04')]).toEqual([false, true]);
});

test.each([
  ['nothing', '', `${FILE}:1: cases: `],
  ['no owner', 'cases:\n  - case: x\n    reason: y\n    until: 2026-01-01\n', `${FILE}:2: cases.0.owner: `],
  ['no day', 'cases:\n  - { case: x, reason: y, owner: z, until: soon }\n', `${FILE}:2: cases.0.until: `],
  ['no such day', 'cases:\n  - { case: x, reason: y, owner: z, until: 2026-02-30 }\n', `${FILE}:2: cases.0.until: `],
  ['a key too many', 'cases: []\nall: true\n', `${FILE}:2: all: unknown key; see argus-quarantine.schema.json`],
  ['an alias bomb', `a: &a [x]\n${'b: [*a]\n'.repeat(3)}`, `${FILE}:`],
])('rejects a file with %s', async (_, text, message) => {
  await expect(parseQuarantine(text, FILE)).rejects.toThrow(message);
});

test('uses the local file without git, but not in CI', async () => {
  const top = mkdtempSync(path.join(tmpdir(), 'argus-quarantine-'));
  const versions = async (isInCi: boolean) =>
    quarantineVersions({ top }, await baseRevision(top, { base: null, isInCi, isOfBase: false }));
  expect(await versions(false)).toMatchObject({ from: 'this folder', counting: [], problem: null, notes: [] });
  writeFileSync(path.join(top, FILE), `cases: [${JSON.stringify(ENTRY)}]\n`);
  expect(await versions(false)).toMatchObject({ counting: [ENTRY], change: { added: [], changed: [], removed: [] } });
  expect(await versions(true)).toMatchObject({ from: null, counting: [], notes: [expect.stringContaining('no git')] });
});

test('does not read a link or a folder in place of the file', async () => {
  const top = mkdtempSync(path.join(tmpdir(), 'argus-quarantine-'));
  symlinkSync('/dev/zero', path.join(top, FILE));
  const here = await quarantineVersions({ top }, undefined);
  expect(here).toMatchObject({ counting: [], problem: `${FILE} cannot be read: it is no regular file.` });
  const folder = mkdtempSync(path.join(tmpdir(), 'argus-quarantine-'));
  mkdirSync(path.join(folder, FILE));
  const other = await quarantineVersions({ top: folder }, undefined);
  expect(other.problem).toBe(`${FILE} cannot be read: it is no regular file.`);
});
