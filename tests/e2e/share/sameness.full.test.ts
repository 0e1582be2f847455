/**
 * A decision that two failures are the same or different reaches other clones as a file. Effects of decisions:
 * crates/engine/src/tests/sharing/sameness.rs.
 */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { git } from '../team/team.ts';
import { viewerOf } from '../viewer/view.ts';
import { bare, CASE, type Clone, clone, FIX, shared } from './clones.ts';

/** APPLES and AGAIN are similar errors; SCALE is different from both. */
const APPLES = 'the stock of apples is not ready';
const AGAIN = 'the stock of apples is not ready again';
const SCALE = 'Expected a calibrated scale, found none in drawer seven';

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

/** Lets the test fail with this error and diagnoses it. `fix` is the id of the shown shared fix. */
async function meet(one: Clone, error: string, ...options: string[]) {
  const { runId, failures } = await one.run({ ready: false, error });
  const { data } = diagnosis.parse(await one.data('diagnose', runId, CASE, ...options));
  git(one.root, 'checkout', '--quiet', 'stock.json');
  const fix = data.related.find(({ origin }) => origin !== undefined);
  expect(failures[0]?.shared?.id, 'a run shows the same').toBe(fix?.id);
  return { ...data, fix: fix?.id, joinedBy: fix?.origin?.joinedBy, runId };
}

function decisions({ root }: Clone): string[] {
  const folder = path.join(root, '.argus-shared', 'decisions');
  return readdirSync(folder).map((name) => `.argus-shared/decisions/${name}`);
}

async function publish(one: Clone): Promise<void> {
  expect((await one.argus('share')).status).toBe(0);
  one.commit('decide what is one failure');
  one.push();
}

// Over 5 s, because two clones record, share and read several runs.
test('a decision to split or merge failures changes which shared fixes another clone shows', async () => {
  const origin = bare();
  const { clone: ann, fixId } = await shared(origin);
  ann.push();
  const bob = clone(origin);
  expect(await meet(bob, AGAIN), 'it is alike').toMatchObject({ fix: fixId, suggestedFix: null });
  expect((await meet(bob, SCALE)).fix, 'it is not alike').toBeUndefined();

  const known = (await meet(ann, APPLES)).match.patternId;
  const alike = { match: { how: 'alike', patternId: known }, suggestedFix: FIX };
  expect(await meet(ann, AGAIN)).toMatchObject(alike);
  expect((await meet(ann, AGAIN, '--not-same-as', known)).match.patternId).not.toBe(known);
  await publish(ann);
  const [parted = ''] = decisions(ann);
  const text = readFileSync(path.join(ann.root, parted), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: 2, kind: 'sameness', by: 'ann', same: false });
  for (const hidden of [ann.root, ann.env.HOME ?? '', 'run-']) expect(text).not.toContain(hidden);
  bob.pull();
  expect((await bob.argus('share', '--check')).status).toBe(0);
  expect((await meet(bob, AGAIN)).fix).toBeUndefined();
  expect((await meet(bob, APPLES)).fix).toBe(fixId);

  const other = (await meet(ann, SCALE)).match.patternId;
  const viewer = await viewerOf(ann.root, [], ann.env);
  const body = JSON.stringify({ from: other, into: known });
  expect((await viewer.ask('POST', '/api/mergePatterns', { body })).status).toBe(200);
  await viewer.end();
  await publish(ann);
  bob.pull();
  const merged = decisions(bob).find((name) => name !== parted);
  const met = await meet(bob, SCALE);
  expect(met).toMatchObject({ fix: fixId, joinedBy: merged, suggestedFix: null });
  const { stdout } = await bob.argus('diagnose', met.runId, CASE);
  expect(stdout).toContain(`.argus-shared/fixes/${fixId}.json, by ann; one with this failure, as ${merged} says`);
  expect((await bob.argus('share')).stdout, "the decisions are Ann's").toContain('0 files written, 3 there already');
});
