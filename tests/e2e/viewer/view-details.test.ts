/**
 * What each view says beside its headline: related patterns, curves, grouped failures, the parts of a score, marks.
 * That the views open: view-page.test.ts.
 */

import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { project } from '../harness.ts';
import { junit } from '../runs/reports.ts';
import { browsing, go, openPage as openPageAt } from './chromium.ts';
import { inMemoryOf, startViewer, type Viewer, viewerOf } from './view.ts';
import { FIX, record, rememberedProject } from './view-memory.ts';

const MESSAGE = 'Cannot read properties of undefined (reading "id")';

let viewer: Viewer;
let runs: string[];

beforeAll(async () => {
  const remembered = await rememberedProject();
  const root = project();
  cpSync(path.join(remembered.root, '.argus'), path.join(root, '.argus'), { recursive: true });
  const failure = { message: MESSAGE, type: 'TypeError' };
  const last = await inMemoryOf(root, (engine) =>
    record(engine, root, [
      { name: 'parses', failure },
      { name: 'parses a list', failure },
      { name: 'refused', failure: { message: 'connect ECONNREFUSED 127.0.0.1:5555', type: 'Error' } },
      { name: 'refused again', failure: { message: 'connect ECONNREFUSED 127.0.0.1:5555', type: 'Error' } },
      { name: 'health-check' },
    ]),
  );
  runs = [...remembered.runs, last];
  viewer = await startViewer(root);
  return () => viewer.end();
});

const openPage = (place = '/patterns') => openPageAt(viewer.url, place);

const panel = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });

browsing('a pattern: sample, curve, where it was seen, and what is like it', async () => {
  const page = await openPage();
  await page.getByRole('row').filter({ hasText: FIX }).getByRole('link').first().click();
  await panel(page, 'Sample').getByText(MESSAGE).waitFor();
  await panel(page, 'Confidence over time').getByText('counted since').waitFor();
  await expect.poll(() => panel(page, 'Seen in').locator('tbody tr').count()).toBe(2);
  await panel(page, 'Tests').getByText('2 failures').waitFor();
  const related = panel(page, 'Related').getByRole('listitem').first();
  expect(await related.textContent()).toMatch(/Pattern · \d+% alike/u);
  await related.getByRole('link').click();
  await page.getByText('parses a list').first().waitFor();
  await panel(page, 'Related').getByRole('listitem').first().filter({ hasText: FIX }).waitFor();
});

browsing('runs: bars, pass rate and duration, and two that were ticked are compared the right way round', async () => {
  const page = await openPage('/runs');
  const trends = page.getByRole('region', { name: 'Over time' });
  for (const name of ['Pass rate', 'Duration']) {
    const figure = trends.locator('figure').filter({ hasText: name });
    await figure.locator('canvas').waitFor();
    await expect.poll(() => figure.locator('tbody tr').count()).toBe(runs.length);
  }
  const newest = page
    .locator('tbody tr')
    .filter({ has: page.getByRole('checkbox') })
    .first();
  await newest.getByRole('img', { name: /^4 Failed, 1 Passed$/u }).waitFor();
  expect(await newest.locator('[data-label=Failed]').textContent()).toBe('4');
  const boxes = page.getByRole('checkbox', { name: /^Choose the run of/u });
  await boxes.first().check();
  await boxes.last().check();
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.waitForURL(new RegExp(`base=${runs[0]}&head=${runs.at(-1)}`, 'u'));
});

browsing('a run: its failures stand together by their cause', async () => {
  const page = await openPage(`/runs/${runs.at(-1)}`);
  const causes = panel(page, 'Failures by cause');
  await causes.getByText('4 failures, ').waitFor();
  const refused = causes.locator('ul > li').filter({ hasText: 'ECONNREFUSED' }).first();
  await refused.getByText('2 tests').click();
  for (const name of ['refused', 'refused again']) {
    await refused.getByRole('link', { name: new RegExp(`> ${name}$`, 'u') }).waitFor();
  }
});

browsing('a run suggests what argus run does: the fix of the same error in another test, before a tip', async () => {
  const root = project();
  const refused = { message: 'connect ECONNREFUSED 127.0.0.1:7777', type: 'Error' };
  const [known, runId] = await inMemoryOf(root, async (engine) => {
    const first = await record(engine, root, [{ name: 'stock', failure: refused }]);
    const { cases } = await engine.runDetail({ runId: first, limit: 1, offset: null });
    const caseName = cases[0]?.caseName ?? '';
    await engine.reportFix({ runId: first, caseName, fixDescription: 'start the warehouse first', success: true });
    await record(engine, root, [{ name: 'stock' }]);
    const report = path.join(root, 'report.xml');
    writeFileSync(report, junit([{ name: 'invoice', failure: refused }]));
    const answer = await engine.recordRun({
      command: 'npm test',
      exitCode: 1,
      timedOut: false,
      reports: [{ path: report }],
      containers: [],
      notes: [],
    });
    return [answer.failures[0]?.known, answer.runId] as const;
  });
  expect(known?.suggestedFix).toBe('start the warehouse first');
  const page = await openPageAt((await viewerOf(root)).url, `/runs/${runId}`);
  const cause = panel(page, 'Failures by cause').getByRole('listitem');
  await cause.getByText('start the warehouse first').waitFor();
  expect(await cause.textContent()).toMatch(/Fix:\s*start the warehouse first\s*Proved\s*learned for\s*\S.* > stock/u);
  expect(await cause.textContent()).not.toContain('Tip:');
  await page.locator('button.case').click();
  const detail = page.locator('.detail .known');
  await expect.poll(() => detail.textContent()).toMatch(/Fix:\s*start the warehouse first\s*Proved/u);
  await go(page, '/health');
  const fixes = panel(page, 'Fixes and their proof').getByRole('listitem');
  await expect.poll(() => fixes.allTextContents()).toEqual([expect.stringMatching(/Proved\s*start the warehouse/u)]);
});

browsing('what nobody has mended yet has the tip, called one', async () => {
  const page = await openPage(`/runs/${runs.at(-1)}`);
  const refused = panel(page, 'Failures by cause').getByRole('listitem').filter({ hasText: 'ECONNREFUSED' }).first();
  expect(await refused.textContent()).toMatch(/Tip:\s*The service may not have fully started/u);
});

browsing('a failed case: its kind, and where it was noticed', async () => {
  const page = await openPage(`/runs/${runs.at(-1)}?text=refused+again`);
  await page.locator('button.case').filter({ hasText: 'refused again' }).click();
  const places = page.locator('.places');
  await expect.poll(() => places.textContent()).toMatch(/connection-refused/u);
});

browsing('a comparison tells what is new, fixed and still failing', async () => {
  const page = await openPage(`/compare?base=${runs[0]}&head=${runs.at(-1)}`);
  const cases = (heading: string) => panel(page, heading).getByRole('listitem');
  await cases('Newly failing').filter({ hasText: 'parses a list' }).waitFor();
  await cases('Still failing')
    .filter({ hasText: /> parses\b/u })
    .waitFor();
  await cases('Fixed').filter({ hasText: 'health-check' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(`${runs.length} runs`).waitFor();
});

browsing('incidents: the score in its parts, for the environment that was picked', async () => {
  const page = await openPage('/incidents?text=ErrImagePull+manifest');
  const scores = page.locator('ol dl').first();
  await scores.waitFor();
  expect(await scores.locator('dt').allTextContents()).toEqual(['Environment', 'Reliability', 'Recency', 'Score']);
  const parts = async () => (await scores.locator('dd').allTextContents()).map((text) => Number.parseInt(text, 10));
  const anywhere = await parts();
  for (const part of anywhere) expect(part).toBeGreaterThan(0);
  await page.getByLabel('Environment').selectOption({ index: 1 });
  await expect.poll(async () => (await parts())[0]).toBe(100);
  expect((await parts()).at(-1)).toBeGreaterThanOrEqual(anywhere.at(-1) ?? 0);
});

browsing('the inspector: rule, marked evidence, coloured placeholders, signature, matches', async () => {
  const page = await openPage('/inspector');
  await page
    .locator('#text')
    .fill(`TypeError: ${MESSAGE}\n    at 10.2.3.4:8080 after 1234ms\n  token=${'x9'.repeat(20)}`);
  const result = panel(page, 'Category');
  await result.locator('dt', { hasText: 'Rule' }).waitFor();
  expect(await result.locator('dd code').allTextContents()).toEqual([
    expect.stringMatching(/^[a-z-]+$/u),
    expect.stringMatching(/^[0-9a-f]{64}$/u),
    expect.stringMatching(/^[0-9a-f]{32}$/u),
  ]);
  await page.locator('#text').fill('Error: connect ECONNREFUSED 127.0.0.1:5432');
  await result.getByText('CONNECTION_REFUSED').waitFor();
  await expect.poll(() => panel(page, 'Text').locator('mark.evidence').allTextContents()).toEqual(['ECONNREFUSED']);
  const placeholders = panel(page, 'Normalized').locator('mark.placeholder');
  await expect.poll(() => placeholders.allTextContents()).toEqual(['<IP>', '<PORT>']);
  const colour = (it: ReturnType<Page['locator']>) => it.evaluate((element) => getComputedStyle(element).color);
  expect(await colour(placeholders.first())).not.toBe(await colour(panel(page, 'Normalized').locator('pre')));
  await panel(page, 'What the memory knows').getByRole('link').first().waitFor();
});
