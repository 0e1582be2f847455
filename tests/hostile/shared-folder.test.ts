/** A folder `.argus-shared` with unusually many files: no answer waits for it, and answers report skipped files. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LIMITS } from 'argus-engine';
import { expect, test } from 'vitest';
import { readSharedFiles, readSharedFolderState } from '../../packages/mcp/src/owner/shared-files.ts';
import { argus } from '../e2e/argus.ts';
import { createProject } from '../e2e/harness.ts';
import { type Clone, createBareRepository, createClone, createCloneWithSharedFix } from '../e2e/share/clones.ts';

/** Creates a clone with a single shared fix. */
async function createCloneWithOneFix(): Promise<{ bob: Clone; fixId: string }> {
  const origin = createBareRepository();
  const bob = createClone(origin);
  const { clone: ann, fixId } = await createCloneWithSharedFix(origin);
  ann.push();
  bob.pull();
  return { bob, fixId };
}

/** Adds copies of a valid file, each with a different id. */
function addSharedFiles({ root }: Clone, fixId: string, count: number): void {
  const folder = path.join(root, '.argus-shared', 'fixes');
  const text = readFileSync(path.join(folder, `${fixId}.json`), 'utf8');
  for (let at = 0; at < count; at += 1) {
    const id = `fix-copy-${at}`;
    writeFileSync(path.join(folder, `${id}.json`), text.replaceAll(fixId, id));
  }
}

async function createCrowdedClone(count: number): Promise<Clone> {
  const { bob, fixId } = await createCloneWithOneFix();
  addSharedFiles(bob, fixId, count);
  return bob;
}

const readSharedFixes = async (one: Clone) => ({
  shared: [],
  ...JSON.parse(JSON.stringify(await one.data('fixes'))).data,
});

test('many shared files are read after the answer, and the answer reports that', async () => {
  const { bob, fixId } = await createCloneWithOneFix();
  await bob.run({ ready: false, of: 'bob' });
  // Asks without a run in between, because a run would give the other process time to end.
  addSharedFiles(bob, fixId, 80);
  const first = await readSharedFixes(bob);
  expect(first.shared.length).toBeLessThan(81);
  expect(first.warnings).toEqual([expect.stringContaining('81 files of .argus-shared are being imported')]);
  await expect.poll(async () => (await readSharedFixes(bob)).shared.length).toBe(81);
  expect((await readSharedFixes(bob)).warnings).toBeUndefined();
});

test('take-shared creates only the requested copy', async () => {
  const { root: top, env } = await createCrowdedClone(80);
  const folder = createProject();
  const opening = { projectRoot: top, rules: [], secrets: [] };
  const taken = () => argus(['take-shared'], { env, input: JSON.stringify({ top, folder, opening }) });
  expect(await taken()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  const made = readdirSync(folder);
  expect(made).toEqual([expect.stringMatching(/^shared-[0-9a-f]{16}-[0-9a-f]{16}\.db$/u)]);
  await taken();
  expect(readdirSync(folder)).toEqual(made);
});

test('a few shared files are in the first answer', async () => {
  const bob = await createCrowdedClone(10);
  await bob.run({ ready: false, of: 'bob' });
  expect((await readSharedFixes(bob)).shared).toHaveLength(11);
});

test.each([
  ['files', LIMITS.MAX_SHARED_FILES + 50, 10, LIMITS.MAX_SHARED_FILES],
  ['bytes', 200, 60_000, Math.floor(LIMITS.MAX_SHARED_BYTES / 60_000)],
])('no more %s than the limit are read, and the check reports that', async (_, count, bytes, taken) => {
  const root = createProject();
  const folder = path.join(root, '.argus-shared', 'fixes');
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < count; at += 1) writeFileSync(path.join(folder, `fix-${at}.json`), 'x'.repeat(bytes));
  const { files, faults } = readSharedFiles(root);
  expect(files).toHaveLength(taken);
  expect(faults).toEqual([
    { path: '.argus-shared', message: expect.stringContaining('all files after it by name are skipped') },
  ]);
  expect(readSharedFolderState(root)).toMatchObject({
    files: taken,
    bytes: taken * bytes,
    leftOut: faults[0]?.message,
  });
});

test('an answer reports that the shared memory is incomplete', async () => {
  const bob = await createCrowdedClone(1);
  const folder = path.join(bob.root, '.argus-shared', 'incidents');
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < 200; at += 1) writeFileSync(path.join(folder, `inc-${at}.json`), 'x'.repeat(60_000));
  await bob.run({ ready: false, of: 'bob' });
  expect((await readSharedFixes(bob)).warnings).toContainEqual(
    expect.stringContaining('are missing: it has more than'),
  );
});
