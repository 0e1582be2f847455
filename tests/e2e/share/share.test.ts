/**
 * A memory in git: a clone shows the proved fixes of another clone as foreign, and proves or refutes them by its runs.
 */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runGit, startAgent } from '../team/team.ts';
import {
  CASE_NAME,
  type Clone,
  createBareRepository,
  createClone,
  createCloneWithSharedFix,
  FIX_STEPS,
  readSharedFixes,
  readSharedStatus,
} from './clones.ts';

function listSharedFiles({ root }: Clone): string[] {
  const names = readdirSync(path.join(root, '.argus-shared'), { recursive: true }).map(String);
  return names.filter((name) => name.endsWith('.json')).sort();
}

// Takes over 5 s, because two clones record, share and read several runs.
test('a clone shares a proved fix, and the runs of another clone refute it', async () => {
  const origin = createBareRepository();
  const bob = createClone(origin);
  const { clone: ann, fixId } = await createCloneWithSharedFix(origin);
  ann.push();
  expect((await bob.run({ ready: false })).failures[0]?.shared, 'nothing is shared yet').toBeUndefined();
  await bob.argus('share');
  runGit(bob.root, 'checkout', '--quiet', '.');
  bob.pull();
  expect(listSharedFiles(bob)).toEqual([path.join('fixes', `${fixId}.json`)]);

  const failed = await bob.run({ ready: false, of: 'bob' });
  const file = `.argus-shared/fixes/${fixId}.json`;
  expect(failed.failures[0]?.shared).toMatchObject({
    id: fixId,
    suggestedFix: FIX_STEPS,
    memory: 'foreign',
    origin: { file, by: 'ann', state: 'claimed' },
  });
  const agent = await startAgent(bob.root, bob.env);
  const failure = { projectPath: bob.root, runId: failed.runId, caseName: CASE_NAME };
  const known = await agent.data('argus_diagnose', failure);
  expect(known).toMatchObject({ suggestedFix: null, related: [{ id: fixId, memory: 'foreign', origin: { file } }] });
  expect(JSON.stringify(known)).toContain('never instructions');
  await agent.data('argus_report_fix', { ...failure, fixDescription: `Did ${fixId}`, success: true });
  expect(await readSharedFixes(bob)).toMatchObject([{ fixId, origin: { state: 'claimed' } }]);

  const again = await bob.run({ ready: false, of: 'bob', tried: true });
  expect(await readSharedFixes(bob)).toMatchObject([{ fixId, origin: { state: 'refuted', decidedBy: again.runId } }]);
  expect(again.failures[0]?.shared).toMatchObject({ origin: { state: 'refuted' } });
  expect((await bob.argus('diagnose', again.runId, CASE_NAME)).stdout).toContain(`${again.runId} refutes it`);
  expect((await bob.argus('fixes')).stdout).toMatch(/^foreign, the failure came back +fix-\S+ /mu);

  runGit(bob.root, 'checkout', '--quiet', 'stock.json');
  expect((await bob.argus('share', '--as', 'bob')).status).toBe(0);
  expect(listSharedFiles(bob).map((name) => path.dirname(name))).toEqual(['fixes', 'outcomes']);
  bob.commit('say that it did not help');
  bob.push();
  ann.pull();
  expect(await readSharedFixes(ann)).toMatchObject([{ fixId, own: true, origin: { elsewhere: { failed: 1 } } }]);
  expect((await ann.argus('share')).stdout, 'nothing of it is written again').toContain(
    '0 files written, 2 already there',
  );
});

test('two branches that share fixes merge without a conflict', async () => {
  const origin = createBareRepository();
  const [{ clone: ann }, { clone: bob }] = [
    await createCloneWithSharedFix(origin, 'ann'),
    await createCloneWithSharedFix(origin, 'bob'),
  ];
  await ann.argus('add-incident', 'The apples rot', 'Cool them', 'worked', '--error', 'RotError: brown');
  await ann.argus('share');
  ann.commit('one more');
  ann.push();
  bob.pull();
  expect(readSharedStatus(bob)).toBe('');
  const names = listSharedFiles(bob);
  expect(names.filter((name) => name.startsWith('fixes'))).toHaveLength(2);
  expect(names.filter((name) => name.startsWith('incidents'))).toHaveLength(1);
  expect((await bob.argus('share', '--check')).status).toBe(0);
});

test('argus share writes no path of the machine, changes nothing in a second call, and writes nothing in a dry run', async () => {
  const one = createClone(createBareRepository());
  expect((await one.argus('share')).stdout, 'nothing is recorded').toContain('0 files written');
  expect(existsSync(path.join(one.root, '.argus'))).toBe(false);
  const { runId } = await one.run({ ready: false });
  await one.argus('report-fix', runId, CASE_NAME, `${FIX_STEPS}, in ${one.root}/stock.json of ${one.env.HOME}`);
  await one.run({ ready: true });
  expect((await one.argus('share', '--dry-run')).stdout, 'what git could not forget').toContain(
    `${FIX_STEPS}, in stock.json of `,
  );
  expect(existsSync(path.join(one.root, '.argus-shared'))).toBe(false);
  await one.argus('share');
  const [name = ''] = listSharedFiles(one);
  const file = path.join(one.root, '.argus-shared', name);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(`${FIX_STEPS}, in stock.json of `);
  for (const hidden of [one.root, one.env.HOME ?? '', 'recordedFrom', 'run-']) expect(text).not.toContain(hidden);
  expect(JSON.parse(text)).toMatchObject({ version: 1, kind: 'fix' });
  expect(JSON.parse(text).by).toBeUndefined();
  expect((await one.argus('share')).stdout).toContain('0 files written, 1 already there; anonymous');
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a fix that was found in a commit is shared only if a person names it', async () => {
  const one = createClone(createBareRepository());
  for (let runs = 0; runs < 3; runs += 1) await one.run({ ready: true });
  writeFileSync(path.join(one.root, 'stock.json'), '{"ready":false}\n');
  one.commit('break it');
  for (let runs = 0; runs < 2; runs += 1) await one.run({ ready: false });
  writeFileSync(path.join(one.root, 'stock.json'), '{"ready":true}\n');
  one.commit('make the stock ready');
  await one.run({ ready: true });
  expect((await one.argus('share')).stdout).toContain('0 files written');
  const found = z.object({ data: z.object({ fixes: z.array(z.object({ fixId: z.string() })) }) });
  const [fix] = found.parse(await one.data('fixes')).data.fixes;
  const { status, stdout, stderr } = await one.argus('share', '--fix', fix?.fixId ?? '');
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toContain(`.argus-shared/fixes/${fix?.fixId}.json`);
  const text = readFileSync(path.join(one.root, '.argus-shared', 'fixes', `${fix?.fixId}.json`), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    fix: expect.stringContaining('make the stock ready'),
    commit: expect.any(String),
  });
  expect((await one.argus('share', '--fix', 'fix-none')).status).toBe(2);
});

test('a running server sees pulled files and reports them as a change of the project', async () => {
  const origin = createBareRepository();
  const { clone: ann, fixId } = await createCloneWithSharedFix(origin);
  const bob = createClone(origin);
  const { runId } = await bob.run({ ready: false });
  const agent = await startAgent(bob.root, bob.env);
  const related = async () => {
    const known = await agent.data('argus_diagnose', { projectPath: bob.root, runId, caseName: CASE_NAME });
    return known.related;
  };
  expect(await related()).toEqual([]);
  ann.push();
  runGit(bob.root, 'checkout', '--quiet', '.');
  bob.pull();
  expect(await related()).toMatchObject([{ id: fixId }]);
  await bob.run({ ready: true });
  runGit(bob.root, 'checkout', '--quiet', '.');
  await bob.run({ ready: true });
  rmSync(path.join(bob.root, '.argus-shared'), { recursive: true });
  expect(await related()).toEqual([]);
  await bob.run({ ready: true });
  const runs = z.object({ data: z.object({ runs: z.array(z.object({ dirty: z.boolean().nullish() })) }) });
  const [after, before] = runs.parse(await bob.data('history')).data.runs;
  expect([before?.dirty, after?.dirty]).toEqual([false, true]);
});
