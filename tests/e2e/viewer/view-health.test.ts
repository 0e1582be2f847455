/**
 * The page of a project's health, and verdicts in a comparison, in a real browser: live, exported, by keyboard, in
 * Chinese. That axe finds nothing and no column is cut: view-access.test.ts.
 */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RecordRunParams } from 'argus-engine';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { argus } from '../argus.ts';
import { project } from '../harness.ts';
import { browsing, go, newContext, openPage, settled, watchedPage } from './chromium.ts';
import { inMemoryOf, startViewer, type Viewer, viewerOf } from './view.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RUNS = 16;
const MENDED_AT = 12;
const LONG_NAME = `tests/${'deeply/'.repeat(12)}nested.test.ts`;

type Case = NonNullable<RecordRunParams['cases']>[number];

const hash = (number: number) => number.toString(16).padStart(40, '0');

function caseOf(name: string, error: string | null, durationMs = 3): Case {
  const status = error === null ? 'passed' : 'failed';
  return { file: 'a.test.ts', suite: [], name, status, flaky: false, attempts: 1, durationMs, error };
}

/** The run of a day, on a commit that two runs have: what fails by chance, since a change, and until one. */
function casesOf(run: number): Case[] {
  return [
    caseOf('coin', run % 4 === 1 ? 'Error: the cart wobbles' : null),
    caseOf('breaks', run >= 14 ? "TypeError: Cannot read properties of undefined (reading 'id')" : null),
    caseOf('mended', run >= 8 && run < MENDED_AT ? 'Error: the valve is stuck' : null),
    caseOf('slow', null, run >= 10 ? 2400 : 800),
    { ...caseOf('steady', null, 5000), file: LONG_NAME },
  ];
}

let root: string;
let runs: string[];
let viewer: Viewer;

beforeAll(async () => {
  root = project();
  runs = await inMemoryOf(root, async (engine) => {
    const start = Date.now() - RUNS * DAY_MS;
    const ids: string[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const commit = run >> 1;
      const commits = Array.from({ length: commit + 1 }, (_, at) => commit - at).map((number) => ({
        commit: hash(number),
        parents: number === 0 ? [] : [hash(number - 1)],
      }));
      const { runId } = await engine.recordRun({
        command: 'npm test',
        exitCode: 1,
        timedOut: false,
        startedAt: start + run * DAY_MS,
        durationMs: 8000 + run * 100,
        git: { commit: hash(commit), branch: 'main', dirty: false, tree: `tree of ${commit}`, commits },
        reports: [],
        containers: [],
        notes: [],
        cases: casesOf(run),
      });
      ids.push(runId);
    }
    return ids;
  });
  viewer = await startViewer(root);
  return () => viewer.end();
});

const panel = (page: Page, name: string) => page.getByRole('region', { name });
const rowOf = (page: Page, name: string, words: string) =>
  panel(page, name).getByRole('row').filter({ hasText: words });

browsing('tests that need attention stand with their evidence, and lead to where they failed last', async () => {
  const page = await openPage(viewer.url);
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  await settled(page);
  const coin = rowOf(page, 'Tests that need attention', 'coin');
  expect(await coin.textContent()).toMatch(/Flaky[\s\S]*\d+%[\s\S]*\d+% to \d+%[\s\S]*4 of 16/u);
  const breaks = rowOf(page, 'Tests that need attention', 'breaks');
  expect(await breaks.textContent()).toMatch(/Broken[\s\S]*2 of 16/u);
  await coin.getByRole('link').click();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  expect(page.url()).toContain(`#/runs/${runs[13]}`);
  await page.getByText('the cart wobbles').first().waitFor();
});

browsing('curves stand for days or for runs, and say their numbers', async () => {
  const page = await openPage(viewer.url, '/health');
  const trends = panel(page, 'Over time');
  expect(await trends.locator('canvas').count()).toBe(3);
  expect(await trends.getByRole('button', { name: 'Day' }).getAttribute('aria-pressed')).toBe('true');
  await trends.getByRole('button', { name: 'Run' }).click();
  await expect.poll(() => page.url()).toContain('by=run');
  await expect.poll(() => trends.getByRole('button', { name: 'Run' }).getAttribute('aria-pressed')).toBe('true');
  const table = trends.locator('table').filter({ hasText: 'Flaky outcomes per run' });
  expect(await table.getByRole('row').count()).toBe(RUNS);
  expect(await table.getByRole('cell', { name: '1', exact: true }).count()).toBeGreaterThan(0);
});

browsing('slow tests and those that became slower say both medians', async () => {
  const page = await openPage(viewer.url, '/health');
  const slower = rowOf(page, 'Slower than before', 'slow');
  expect(await slower.textContent()).toMatch(/2\.4 s\s*5 runs\s*800 ms\s*11 runs\s*\+1\.6 s\s*3\.0 times/u);
  await rowOf(page, 'Slowest tests', LONG_NAME).filter({ hasText: '5.0 s' }).waitFor();
  expect(await panel(page, 'Slower than before').getByRole('row').count()).toBe(2);
});

browsing('a fix stands with its commit, its proof and its runs', async () => {
  const page = await openPage(viewer.url, '/health');
  const fix = panel(page, 'Fixes and their proof').getByRole('listitem').filter({ hasText: 'mended' });
  const text = await fix.textContent();
  expect(text).toContain('Proved');
  expect(text).toContain(hash(MENDED_AT >> 1).slice(0, 8));
  expect(text).toMatch(/\d+ pass(?:es)? since/u);
  const link = (name: string) => fix.getByRole('link', { name }).getAttribute('href');
  expect([await link('last failed run'), await link('first passed run')]).toEqual([
    `#/runs/${runs[MENDED_AT - 1]}`,
    `#/runs/${runs[MENDED_AT]}`,
  ]);
});

browsing('a report of a mend that was found stands with it, another by itself', async () => {
  const own = project();
  await inMemoryOf(own, async (engine) => {
    const on = (tree: string) => ({ commit: hash(tree.length), branch: 'main', dirty: false, tree, commits: [] });
    const recorded = (tree: string, ...errors: (string | null)[]) =>
      engine.recordRun({
        command: 'npm test',
        exitCode: 1,
        timedOut: false,
        git: on(tree),
        reports: [],
        containers: [],
        notes: [],
        cases: [...errors.map((error, at) => caseOf(`case ${at}`, error)), caseOf('fine', null)],
      });
    for (const tree of ['a', 'aa', 'aaa']) await recorded(tree, null, null);
    const { runId, failures } = await recorded('aaaa', 'Error: the valve is stuck', 'Error: the tap drips');
    await recorded('aaaaa', null, 'Error: the tap drips');
    for (const [at, fixDescription] of ['oiled the valve', 'changed the washer'].entries()) {
      await engine.reportFix({ runId, caseName: failures[at]?.caseName ?? '', fixDescription, success: true });
    }
  });
  const listed = (await argus(['fixes', '--project', own])).stdout;
  expect(listed).toMatch(/^\s+fix-\S+ .* the same mend: oiled the valve$/mu);
  const page = await openPage((await viewerOf(own)).url, '/health');
  const items = panel(page, 'Fixes and their proof').getByRole('listitem');
  await expect
    .poll(() => items.allTextContents())
    .toEqual([
      expect.stringMatching(/Proved[\s\S]*case 0[\s\S]*oiled the valve/u),
      expect.stringMatching(/Refuted|Claimed[\s\S]*changed the washer[\s\S]*case 1/u),
    ]);
  expect(await panel(page, 'Fixes and their proof').locator('header').textContent()).toMatch(/2$/u);
});

browsing('what newly fails in a comparison stands under its verdict, with its probability', async () => {
  const page = await openPage(viewer.url, `/compare?base=${runs[12]}&head=${runs[14]}`);
  const fresh = panel(page, 'Newly failing');
  await fresh.getByRole('heading', { name: /^Regression\s*1$/u }).waitFor();
  expect(await fresh.getByRole('listitem').textContent()).toMatch(/breaks[\s\S]*Regression, \d+% likely/u);
  await go(page, `/compare?base=${runs[12]}&head=${runs[13]}`);
  await fresh.getByRole('heading', { name: /^Flaky\s*1$/u }).waitFor();
});

browsing('by keyboard: rows by arrows, Enter opens one', async () => {
  const page = await openPage(viewer.url, '/health');
  const links = panel(page, 'Tests that need attention').getByRole('row').getByRole('link');
  await links.first().focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => links.nth(1).evaluate((link) => link === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toContain('#/runs/run-');
});

browsing('an exported page shows the same without a server, and asks nobody', async () => {
  const file = path.join(project(), 'report.html');
  expect((await argus(['view', '--project', root, '--export', file])).status).toBe(0);
  const { page, requests, complaints } = await watchedPage(await newContext({ offline: true, locale: 'zh-CN' }));
  await page.goto(`${pathToFileURL(file).href}#/health`);
  await settled(page);
  await rowOf(page, '需要关注的测试', 'coin').filter({ hasText: '不稳定' }).waitFor();
  await rowOf(page, '变慢的测试', 'slow').filter({ hasText: '2.4 秒' }).waitFor();
  expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
  expect(complaints).toEqual([]);
});

browsing.each([1024, 1280, 1440, 360])('at %i pixels nothing is wider than the page', async (width) => {
  const page = await openPage(viewer.url, '/health', { viewport: { width, height: 800 } });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  const header = await page.locator('header').first().boundingBox();
  expect(header?.width).toBeLessThanOrEqual(width);
});

browsing('one passing run has words for each part', async () => {
  const bare = project();
  await inMemoryOf(bare, (engine) =>
    engine.recordRun({
      command: 'npm test',
      exitCode: 0,
      timedOut: false,
      reports: [],
      containers: [],
      notes: [],
      cases: [caseOf('a', null)],
    }),
  );
  const own = await viewerOf(bare);
  const page = await openPage(own.url, '/health');
  for (const words of [
    'No test needs attention',
    'Curves need two runs',
    'No test has taken 50 ms or more in 3 runs',
    'No test is slower by a quarter',
    'No fix is known yet',
  ]) {
    await page.getByText(words).waitFor();
  }
});
