/**
 * What the viewer opens on, in a real browser: a failed run, a green one, none; live, exported, dropped, by keyboard, in
 * Chinese. That axe finds nothing, on a phone and in the dark: view-access.test.ts. On a team's server: pages.test.ts.
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
import { FIX, type Remembered, record, rememberedProject } from './view-memory.ts';

let remembered: Remembered;
let viewer: Viewer;

beforeAll(async () => {
  remembered = await rememberedProject();
  viewer = await startViewer(remembered.root);
  return () => viewer.end();
});

const FAILED = 'The newest run failed: 2 failures, 2 causes';
const panel = (page: Page, name: string) => page.getByRole('region', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

/** A page as its address was printed, of a project in which `work` has recorded something. */
async function openOn(...runs: Partial<RecordRunParams>[]): Promise<{ root: string; page: Page }> {
  const root = project();
  const nothing = { command: 'npm test', exitCode: 0, timedOut: false, reports: [], containers: [], notes: [] };
  await inMemoryOf(root, async (engine) => {
    for (const run of runs) await engine.recordRun({ ...nothing, ...run });
  });
  return { root, page: await openPage((await viewerOf(root)).url) };
}

function caseOf(name: string, error: string | null = null): NonNullable<RecordRunParams['cases']>[number] {
  const status = error === null ? 'passed' : 'failed';
  return { file: 'a.test.ts', suite: [], name, status, flaky: false, attempts: 1, durationMs: 3, error };
}

browsing('it opens on the causes of the newest run, and each leads on', async () => {
  const page = await openPage(viewer.url);
  await heading(page, FAILED).waitFor();
  expect(await page.title()).toMatch(/^Now · Argus/u);
  const places = page.getByRole('navigation', { name: 'Places' });
  expect(await places.getByRole('link', { name: 'Now' }).getAttribute('aria-current')).toBe('page');
  const causes = panel(page, 'Failures by cause').getByRole('listitem');
  const refused = causes.filter({ hasText: 'ECONNREFUSED' });
  expect(await refused.textContent()).toMatch(/Connection refused[\s\S]*, \d+%/u);
  const test = causes.getByRole('link', { name: 'closes the valve' });
  expect(await test.getAttribute('href')).toMatch(new RegExp(`^#/runs/${remembered.runs[2]}\\?text=.*valve`, 'u'));
  // What passed in this run and failed on the same commit.
  const others = panel(page, 'Other tests that need attention');
  expect(await others.getByRole('row').filter({ hasText: 'wobbles' }).textContent()).toContain('Flaky');
  expect(await others.getByRole('row').filter({ hasText: 'health-check' }).count()).toBe(0);
  await test.click();
  await page.getByText('the red valve does not close').first().waitFor();
  await page.goBack();
  await heading(page, FAILED).waitFor();
  await refused
    .getByRole('link', { name: /refused|ECONNREFUSED/iu })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  await page.getByRole('link', { name: 'Argus', exact: true }).click();
  await page.getByRole('link', { name: 'Open the run' }).click();
  await page.waitForURL(new RegExp(`#/runs/${remembered.runs[2]}$`, 'u'));
});

browsing('a known fix stands with its cause, and a run by others takes its place without a reload', async () => {
  const { root } = await rememberedProject();
  const page = await openPage((await viewerOf(root)).url);
  await heading(page, FAILED).waitFor();
  const failure = { message: 'Cannot read properties of undefined (reading "id")', type: 'TypeError' };
  await inMemoryOf(root, (engine) => record(engine, root, [{ name: 'parses', failure }]));
  await heading(page, 'The newest run failed: 1 failure, 1 cause').waitFor();
  await expect.poll(() => panel(page, 'Failures by cause').textContent()).toContain(FIX);
});

browsing('after a green run it says what is still open, and leads there by keyboard', async () => {
  const root = project();
  const claimed = 'cooled the flux capacitor';
  const runId = await inMemoryOf(root, async (engine) => {
    const failing = await record(engine, root, [
      { name: 'tunes', failure: { message: 'OddError: the flux capacitor is out of tune', type: 'OddError' } },
      { name: 'fine' },
    ]);
    await engine.reportFix({
      runId: failing,
      caseName: await failedIn(engine, failing),
      fixDescription: claimed,
      success: true,
    });
    await record(engine, root, [{ name: 'fine' }]);
    return failing;
  });
  const page = await openPage((await viewerOf(root)).url);
  await heading(page, 'The newest run passed').waitFor();
  const claim = panel(page, 'Claimed fixes that no run has proved').getByRole('listitem');
  expect(await claim.textContent()).toMatch(/Claimed[\s\S]*0 of 1 needed pass/u);
  const where = claim.getByRole('link', { name: 'tunes' });
  expect(await where.getAttribute('href')).toContain(`#/runs/${runId}?text=`);
  await claim.getByRole('link', { name: claimed }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Patterns' }).waitFor();
});

async function failedIn(engine: Parameters<Parameters<typeof inMemoryOf>[1]>[0], runId: string): Promise<string> {
  const { cases } = await engine.runDetail({ runId, limit: 1, offset: null });
  return cases[0]?.caseName ?? '';
}

browsing('where all is well it says so, and shows nothing else', async () => {
  const { page } = await openOn({ cases: [caseOf('a')] });
  await heading(page, 'The newest run passed').waitFor();
  await page.getByText('Nothing else is open').waitFor();
  expect(await page.locator('main section').count()).toBe(0);
});

browsing('a memory without a run says what to do first, and lists no built-in', async () => {
  const root = project();
  await inMemoryOf(root, (engine) =>
    engine.addIncident({ title: 'The pump rattles', steps: 'Oil it.', worked: true, env: {} }),
  );
  const page = await openPage((await viewerOf(root)).url);
  await heading(page, 'Nothing is recorded yet').waitFor();
  expect(await page.locator('main code').allTextContents()).toEqual(['npx argus-mcp run']);
  expect(await page.locator('main').textContent()).not.toMatch(/Built-in|Connection refused/u);
});

browsing('runs of another copy do not count', async () => {
  const foreign = { foreign: true, exitCode: 1, cases: [caseOf('a', 'Error: their valve is stuck')] };
  const { page, root } = await openOn(foreign);
  await heading(page, 'No run of this copy is recorded').waitFor();
  await inMemoryOf(root, (engine) => record(engine, root, [{ name: 'a' }]));
  await heading(page, 'The newest run passed').waitFor();
});

browsing('an exported page opens on the same in Chinese, without a server', async () => {
  const file = path.join(project(), 'report.html');
  expect((await argus(['view', '--project', remembered.root, '--export', file])).status).toBe(0);
  const { page, requests, complaints } = await watchedPage(await newContext({ offline: true, locale: 'zh-CN' }));
  await page.goto(pathToFileURL(file).href);
  await heading(page, '最近一次运行失败：2 个失败，2 个原因').waitFor();
  await panel(page, '其他需要关注的测试').getByRole('row').filter({ hasText: 'wobbles' }).waitFor();
  expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
  expect(complaints).toEqual([]);
});

browsing('a file that is opened shows the same', async () => {
  const page = await openPage((await viewerOf(project())).url);
  await page.getByLabel('Choose a file').setInputFiles(remembered.file);
  await heading(page, FAILED).waitFor();
});

browsing('addresses of before lead where they led', async () => {
  const page = await openPage(viewer.url, '/patterns');
  await page.getByRole('row').filter({ hasText: 'Cannot read properties' }).waitFor();
  await go(page, '/health');
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  await go(page, '/');
  await heading(page, FAILED).waitFor();
});

browsing('built-ins that were never met come last in every order of the patterns', async () => {
  const page = await openPage(viewer.url);
  for (const sort of ['description', 'confidence', 'category', 'source', 'occurrences']) {
    for (const order of ['asc', 'desc']) {
      await go(page, `/patterns?sort=${sort}&order=${order}`);
      const seen = await page.locator('tbody td:nth-child(5)').allTextContents();
      const never = seen.map((text) => text.trim() === '0');
      expect([sort, order, never]).toEqual([sort, order, never.toSorted()]);
      expect(never.filter(Boolean).length).toBe(4);
    }
  }
});

browsing.each([1024, 1280, 1440, 360])('at %i pixels nothing is wider than the page', async (width) => {
  const page = await openPage(viewer.url, '', { viewport: { width, height: 800 } });
  await settled(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  const places = page.getByRole('navigation', { name: 'Places' });
  const tops = await places.getByRole('link').evaluateAll((links) => links.map((it) => it.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
  const ends = await page
    .locator('header')
    .first()
    .locator('a, button')
    .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().right));
  expect(Math.max(...ends)).toBeLessThanOrEqual(width);
});
