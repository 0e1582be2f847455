/** What one clone says of two failures, another is shown: by files alone, and without changing what its own memory does. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { git } from '../team/team.ts';
import { viewerOf } from '../viewer/view.ts';
import { bare, CASE, type Clone, clone, FIX, shared, statusOfShared } from './clones.ts';

/** Two errors that are alike, and one that is like neither. */
const APPLES = 'the stock of apples is not ready';
const AGAIN = 'the stock of apples is not ready again';
const SCALE = 'Expected a calibrated scale, found none in drawer seven';

/** The same test, which says why it fails. */
const TEST = `
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
test('the stock is known', () => {
  const { ready, error } = JSON.parse(readFileSync(new URL('../stock.json', import.meta.url), 'utf8'));
  if (!ready) throw new Error(error ?? '${APPLES}');
});
`;

const diagnosis = z.object({
  data: z.object({
    suggestedFix: z.string().nullable(),
    match: z.object({ how: z.string(), patternId: z.string() }),
    related: z.array(
      z.object({
        id: z.string(),
        origin: z.object({ file: z.string(), joinedBy: z.string().optional() }).optional(),
      }),
    ),
  }),
});

/** Lets the test fail so, and diagnoses it; the ids of the shared fixes that are shown, with the file that joins them. */
async function meet(one: Clone, error: string, ...options: string[]) {
  const { runId, failures } = await one.run({ ready: false, error });
  const { data } = diagnosis.parse(await one.data('diagnose', runId, CASE, ...options));
  git(one.root, 'checkout', '--quiet', 'stock.json');
  const offered = data.related.filter(({ origin }) => origin !== undefined);
  const [fix] = offered;
  expect(failures[0]?.shared?.id, 'a run shows the same').toBe(fix?.id);
  return { ...data, fix: fix?.id, joinedBy: fix?.origin?.joinedBy };
}

function decisions({ root }: Clone): string[] {
  const folder = path.join(root, '.argus-shared', 'decisions');
  return readdirSync(folder).map((name) => `.argus-shared/decisions/${name}`);
}

/** Shares it, and lets everybody else pull it. */
async function publish(one: Clone): Promise<void> {
  const { status, stdout } = await one.argus('share');
  expect(status, stdout).toBe(0);
  one.commit('say what is one and what is two');
  one.push();
}

/** A repository whose test says why it fails, with a shared fix, and two clones of it. */
async function clones(): Promise<{ ann: Clone; bob: Clone; fixId: string }> {
  const origin = bare(TEST);
  const { clone: ann, fixId } = await shared(origin);
  ann.push();
  return { ann, bob: clone(origin), fixId };
}

test('who says that one failure is not the other hides the shared fix from it, and from nothing else', async () => {
  const { ann, bob, fixId } = await clones();
  expect(await meet(bob, AGAIN), 'it is alike').toMatchObject({ fix: fixId, suggestedFix: null });

  const known = (await meet(ann, APPLES)).match.patternId;
  const taken = await meet(ann, AGAIN);
  expect([taken.match, taken.suggestedFix], 'it is taken for the other').toMatchObject([
    { how: 'alike', patternId: known },
    FIX,
  ]);
  expect((await meet(ann, AGAIN, '--not-same-as', known)).match.patternId).not.toBe(known);
  await publish(ann);
  const [word = '', ...others] = decisions(ann);
  expect(others).toEqual([]);
  const text = readFileSync(path.join(ann.root, word), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: 2, kind: 'sameness', by: 'ann', same: false });
  for (const hidden of [ann.root, ann.env.HOME ?? '', 'run-']) expect(text).not.toContain(hidden);
  expect((await ann.argus('share')).stdout, 'a second run').toContain('0 files written, 2 there already');

  bob.pull();
  expect((await bob.argus('share', '--check')).status).toBe(0);
  expect((await meet(bob, AGAIN)).fix).toBeUndefined();
  const [apples, again] = [await meet(bob, APPLES), await meet(bob, AGAIN)];
  expect(apples.fix, 'the very failure keeps it').toBe(fixId);
  expect(apples.match.patternId, 'what is one in the own memory stays one').toBe(again.match.patternId);
  expect((await bob.argus('share')).stdout, 'nothing of it is written again').toContain(
    '0 files written, 2 there already',
  );

  git(bob.root, 'rm', '--quiet', word);
  expect((await meet(bob, AGAIN)).fix, 'the file goes, and what it says with it').toBe(fixId);
});

test('who merges two failures shows the shared fix of the one to the other, until the two are parted again', async () => {
  const { ann, bob, fixId } = await clones();
  expect((await meet(bob, SCALE)).fix, 'it is not alike').toBeUndefined();
  const [known, other] = [(await meet(ann, APPLES)).match.patternId, (await meet(ann, SCALE)).match.patternId];
  const say = async (call: string, body: object) => {
    const viewer = await viewerOf(ann.root, [], ann.env);
    expect((await viewer.ask('POST', `/api/${call}`, { body: JSON.stringify(body) })).status).toBe(200);
    await viewer.end();
  };

  await say('mergePatterns', { from: other, into: known });
  await publish(ann);
  bob.pull();
  const [word = ''] = decisions(bob);
  expect(await meet(bob, SCALE)).toMatchObject({ fix: fixId, joinedBy: word, suggestedFix: null });
  const { runId } = await bob.run({ ready: false, error: SCALE });
  const { stdout } = await bob.argus('diagnose', runId, CASE);
  expect(stdout).toContain(`.argus-shared/fixes/${fixId}.json, by ann; one with this failure, as ${word} says`);
  git(bob.root, 'checkout', '--quiet', 'stock.json');

  await say('splitPattern', { pattern: known, part: other });
  await publish(ann);
  bob.pull();
  expect([decisions(bob).length, statusOfShared(bob)], 'each word is a file').toEqual([2, '']);
  expect((await meet(bob, SCALE)).fix, 'the last word counts').toBeUndefined();
  expect((await meet(bob, APPLES)).fix).toBe(fixId);
});
