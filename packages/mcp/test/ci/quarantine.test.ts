import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isExpired, parseQuarantine, readQuarantineVersions } from '../../src/config/quarantine.ts';
import { findBaseRevision } from '../../src/git/base-revision.ts';

const QUARANTINE_FILE = 'argus-quarantine.yaml';
const QUARANTINE_ENTRY = { case: 'a > b', reason: 'waits', owner: 'ada', until: '2026-02-03' };

test('parses files with and without entries', async () => {
  const text = 'version: 1\ncases:\n  - { case: a > b, reason: waits, owner: ada, until: 2026-02-03 }\n';
  expect(await parseQuarantine(text, QUARANTINE_FILE)).toEqual([QUARANTINE_ENTRY]);
  expect(await parseQuarantine('cases: []\n', QUARANTINE_FILE)).toEqual([]);
  expect([isExpired(QUARANTINE_ENTRY, '2026-02-03'), isExpired(QUARANTINE_ENTRY, '2026-02-04')]).toEqual([false, true]);
});

test.each([
  ['nothing', '', `${QUARANTINE_FILE}:1: cases: `],
  ['no owner', 'cases:\n  - case: x\n    reason: y\n    until: 2026-01-01\n', `${QUARANTINE_FILE}:2: cases.0.owner: `],
  ['no day', 'cases:\n  - { case: x, reason: y, owner: z, until: soon }\n', `${QUARANTINE_FILE}:2: cases.0.until: `],
  [
    'no such day',
    'cases:\n  - { case: x, reason: y, owner: z, until: 2026-02-30 }\n',
    `${QUARANTINE_FILE}:2: cases.0.until: `,
  ],
  [
    'a key too many',
    'cases: []\nall: true\n',
    `${QUARANTINE_FILE}:2: all: unknown key; see argus-quarantine.schema.json`,
  ],
  ['an alias bomb', `a: &a [x]\n${'b: [*a]\n'.repeat(3)}`, `${QUARANTINE_FILE}:`],
])('rejects a file with %s', async (_, text, message) => {
  await expect(parseQuarantine(text, QUARANTINE_FILE)).rejects.toThrow(message);
});

test('without git, uses the local file, but not in CI', async () => {
  const top = mkdtempSync(path.join(tmpdir(), 'argus-quarantine-'));
  const versions = async (isInCi: boolean) =>
    readQuarantineVersions({ top }, await findBaseRevision(top, { base: null, isInCi, isBaseBuild: false }));
  expect(await versions(false)).toMatchObject({ from: 'this folder', counting: [], problem: null, notes: [] });
  writeFileSync(path.join(top, QUARANTINE_FILE), `cases: [${JSON.stringify(QUARANTINE_ENTRY)}]\n`);
  expect(await versions(false)).toMatchObject({
    counting: [QUARANTINE_ENTRY],
    change: { added: [], changed: [], removed: [] },
  });
  expect(await versions(true)).toMatchObject({
    from: null,
    counting: [],
    notes: [expect.stringContaining('not a git repository')],
  });
});

test('does not read a link or a folder in place of the quarantine file', async () => {
  const top = mkdtempSync(path.join(tmpdir(), 'argus-quarantine-'));
  symlinkSync('/dev/zero', path.join(top, QUARANTINE_FILE));
  const inRepository = await readQuarantineVersions({ top }, undefined);
  expect(inRepository).toMatchObject({
    counting: [],
    problem: `${QUARANTINE_FILE} cannot be read: it is not a regular file.`,
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'argus-quarantine-'));
  mkdirSync(path.join(folder, QUARANTINE_FILE));
  const inOtherFolder = await readQuarantineVersions({ top: folder }, undefined);
  expect(inOtherFolder.problem).toBe(`${QUARANTINE_FILE} cannot be read: it is not a regular file.`);
});
