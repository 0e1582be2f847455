/**
 * A decision that two failures are the same or different reaches other clones as a file.
 * crates/engine/src/tests/sharing/sameness.rs tests the effects of decisions.
 */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runGit } from '../team/team.ts';
import { startTestViewer } from '../viewer/view.ts';
import {
  CASE_NAME,
  type Clone,
  createBareRepository,
  createClone,
  createCloneWithSharedFix,
  FIX_STEPS,
} from './clones.ts';

/** APPLES_ERROR and SIMILAR_ERROR are similar; SCALE_ERROR is different from both. */
const APPLES_ERROR = 'the stock of apples is not ready';
const SIMILAR_ERROR = 'the stock of apples is not ready again';
const SCALE_ERROR = 'Expected a calibrated scale, found none in drawer seven';

const diagnosisSchema = z.object({
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

/**
 * Makes the test fail with this error and diagnoses the failure. `fix` is the id of the shared fix that the diagnosis
 * shows.
 */
async function diagnoseError(one: Clone, error: string, ...options: string[]) {
  const { runId, failures } = await one.run({ ready: false, error });
  const { data } = diagnosisSchema.parse(await one.data('diagnose', runId, CASE_NAME, ...options));
  runGit(one.root, 'checkout', '--quiet', 'stock.json');
  const fix = data.related.find(({ origin }) => origin !== undefined);
  expect(failures[0]?.shared?.id, 'a run shows the same').toBe(fix?.id);
  return { ...data, fix: fix?.id, joinedBy: fix?.origin?.joinedBy, runId };
}

function listDecisionFiles({ root }: Clone): string[] {
  const folder = path.join(root, '.argus-shared', 'decisions');
  return readdirSync(folder).map((name) => `.argus-shared/decisions/${name}`);
}

async function commitAndPush(one: Clone): Promise<void> {
  expect((await one.argus('share')).status).toBe(0);
  one.commit('decide what is one failure');
  one.push();
}

// Takes over 5 s, because two clones record, share and read several runs.
test('a decision to split or merge failures changes which shared fixes another clone shows', async () => {
  const origin = createBareRepository();
  const { clone: ann, fixId } = await createCloneWithSharedFix(origin);
  ann.push();
  const bob = createClone(origin);
  expect(await diagnoseError(bob, SIMILAR_ERROR), 'it is alike').toMatchObject({ fix: fixId, suggestedFix: null });
  expect((await diagnoseError(bob, SCALE_ERROR)).fix, 'it is not alike').toBeUndefined();

  const known = (await diagnoseError(ann, APPLES_ERROR)).match.patternId;
  const alike = { match: { how: 'alike', patternId: known }, suggestedFix: FIX_STEPS };
  expect(await diagnoseError(ann, SIMILAR_ERROR)).toMatchObject(alike);
  expect((await diagnoseError(ann, SIMILAR_ERROR, '--not-same-as', known)).match.patternId).not.toBe(known);
  await commitAndPush(ann);
  const [parted = ''] = listDecisionFiles(ann);
  const text = readFileSync(path.join(ann.root, parted), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: 2, kind: 'sameness', by: 'ann', same: false });
  for (const hidden of [ann.root, ann.env.HOME ?? '', 'run-']) expect(text).not.toContain(hidden);
  bob.pull();
  expect((await bob.argus('share', '--check')).status).toBe(0);
  expect((await diagnoseError(bob, SIMILAR_ERROR)).fix).toBeUndefined();
  expect((await diagnoseError(bob, APPLES_ERROR)).fix).toBe(fixId);

  const other = (await diagnoseError(ann, SCALE_ERROR)).match.patternId;
  const viewer = await startTestViewer(ann.root, [], ann.env);
  const body = JSON.stringify({ from: other, into: known });
  expect((await viewer.ask('POST', '/api/mergePatterns', { body })).status).toBe(200);
  await viewer.end();
  await commitAndPush(ann);
  bob.pull();
  const merged = listDecisionFiles(bob).find((name) => name !== parted);
  const met = await diagnoseError(bob, SCALE_ERROR);
  expect(met).toMatchObject({ fix: fixId, joinedBy: merged, suggestedFix: null });
  const { stdout } = await bob.argus('diagnose', met.runId, CASE_NAME);
  expect(stdout).toContain(`.argus-shared/fixes/${fixId}.json, by ann; same failure according to ${merged}`);
  expect((await bob.argus('share')).stdout, "the decisions are Ann's").toContain('0 files written, 3 already there');
});
