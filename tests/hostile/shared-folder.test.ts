/** A folder `.argus-shared` with unusually many files: no answer waits for it, and answers report skipped files. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LIMITS } from 'argus-engine';
import { expect, test } from 'vitest';
import { readShared, sharedState } from '../../packages/mcp/src/owner/shared-files.ts';
import { argus } from '../e2e/argus.ts';
import { project } from '../e2e/harness.ts';
import { bare, type Clone, clone, shared } from '../e2e/share/clones.ts';

/** Creates a clone with a single shared fix. */
async function withOneFix(): Promise<{ bob: Clone; fixId: string }> {
  const origin = bare();
  const bob = clone(origin);
  const { clone: ann, fixId } = await shared(origin);
  ann.push();
  bob.pull();
  return { bob, fixId };
}

/** Adds copies of a valid file, each with a different id. */
function crowd({ root }: Clone, fixId: string, count: number): void {
  const folder = path.join(root, '.argus-shared', 'fixes');
  const text = readFileSync(path.join(folder, `${fixId}.json`), 'utf8');
  for (let at = 0; at < count; at += 1) {
    const id = `fix-copy-${at}`;
    writeFileSync(path.join(folder, `${id}.json`), text.replaceAll(fixId, id));
  }
}

async function crowded(count: number): Promise<Clone> {
  const { bob, fixId } = await withOneFix();
  crowd(bob, fixId, count);
  return bob;
}

const sharedOf = async (one: Clone) => ({ shared: [], ...JSON.parse(JSON.stringify(await one.data('fixes'))).data });

test('many files are read after the answer, which reports that', async () => {
  const { bob, fixId } = await withOneFix();
  await bob.run({ ready: false, of: 'bob' });
  // Asks without a run in between, because a run would give the other process time to end.
  crowd(bob, fixId, 80);
  const first = await sharedOf(bob);
  expect(first.shared.length).toBeLessThan(81);
  expect(first.warnings).toEqual([expect.stringContaining('81 files of .argus-shared are being taken in')]);
  await expect.poll(async () => (await sharedOf(bob)).shared.length).toBe(81);
  expect((await sharedOf(bob)).warnings).toBeUndefined();
});

test('take-shared makes the copy that it is asked for, and leaves nothing else', async () => {
  const { root: top, env } = await crowded(80);
  const folder = project();
  const opening = { projectRoot: top, rules: [], secrets: [] };
  const taken = () => argus(['take-shared'], { env, input: JSON.stringify({ top, folder, opening }) });
  expect(await taken()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  const made = readdirSync(folder);
  expect(made).toEqual([expect.stringMatching(/^shared-[0-9a-f]{16}-[0-9a-f]{16}\.db$/u)]);
  await taken();
  expect(readdirSync(folder)).toEqual(made);
});

test('a few files are in the first answer', async () => {
  const bob = await crowded(10);
  await bob.run({ ready: false, of: 'bob' });
  expect((await sharedOf(bob)).shared).toHaveLength(11);
});

test.each([
  ['files', LIMITS.MAX_SHARED_FILES + 50, 10, LIMITS.MAX_SHARED_FILES],
  ['bytes', 200, 60_000, Math.floor(LIMITS.MAX_SHARED_BYTES / 60_000)],
])('no more %s than the limit are read, and the check says so', async (_, count, bytes, taken) => {
  const root = project();
  const folder = path.join(root, '.argus-shared', 'fixes');
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < count; at += 1) writeFileSync(path.join(folder, `fix-${at}.json`), 'x'.repeat(bytes));
  const { files, faults } = readShared(root);
  expect(files).toHaveLength(taken);
  expect(faults).toEqual([
    { path: '.argus-shared', message: expect.stringContaining('what follows by name is left out') },
  ]);
  expect(sharedState(root)).toMatchObject({ files: taken, bytes: taken * bytes, leftOut: faults[0]?.message });
});

test('an answer reports that the memory is incomplete', async () => {
  const bob = await crowded(1);
  const folder = path.join(bob.root, '.argus-shared', 'incidents');
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < 200; at += 1) writeFileSync(path.join(folder, `inc-${at}.json`), 'x'.repeat(60_000));
  await bob.run({ ready: false, of: 'bob' });
  expect((await sharedOf(bob)).warnings).toContainEqual(
    expect.stringContaining('not all is known: it holds more than'),
  );
});
