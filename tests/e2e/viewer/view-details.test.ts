/** What the views of patterns, runs, incidents and the inspector say, in a real browser. */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { browsing, openPage as openPageAt, panel, row } from './chromium.ts';
import { inMemoryOf, viewerOfFile } from './view.ts';
import { caseOf, FIX, REFUSED, record, rememberedProject, UNDEFINED } from './view-memory.ts';

const { root, runs } = await rememberedProject();
runs.push(
  await inMemoryOf(root, (engine) =>
    record(engine, [
      caseOf('parses', UNDEFINED),
      caseOf('parses a list', UNDEFINED),
      caseOf('refused', REFUSED),
      caseOf('refused again', REFUSED),
      caseOf('health-check'),
    ]),
  ),
);
const viewer = await viewerOfFile(root);

const openPage = async (place: string): Promise<Page> => (await openPageAt(viewer.url, place)).page;

browsing('a pattern: sample, curve, fixes, tests, runs, and what is like it', async () => {
  const page = await openPage('/patterns');
  await row(page, FIX).getByRole('link').first().click();
  await panel(page, 'Sample').getByText('Cannot read properties of undefined (reading "id")').waitFor();
  await panel(page, 'Confidence over time').getByText('counted since').waitFor();
  const history = panel(page, 'Fix history');
  for (const words of [FIX, 'restart the machine', 'Did not work']) await history.getByText(words).first().waitFor();
  await expect.poll(() => panel(page, 'Seen in').locator('tbody tr').count()).toBe(2);
  await panel(page, 'Tests').getByText('2 failures').waitFor();
  const related = panel(page, 'Related').getByRole('listitem').first();
  expect(await related.textContent()).toMatch(/Pattern · \d+% alike/u);
  await related.getByRole('link').click();
  await page.getByText('parses a list').first().waitFor();
  await panel(page, 'Related').getByRole('listitem').first().filter({ hasText: FIX }).waitFor();
});

browsing('runs: bars, pass rate and duration, and two that were ticked are compared, the older one first', async () => {
  const page = await openPage('/runs');
  const trends = page.getByRole('region', { name: 'Over time' });
  for (const name of ['Pass rate', 'Duration']) {
    const figure = trends.locator('figure').filter({ hasText: name });
    await figure.locator('canvas').waitFor();
    await expect.poll(() => figure.locator('tbody tr').count()).toBe(runs.length);
  }
  const newest = page.locator('tbody tr:has(input[type=checkbox])').first();
  await newest.getByRole('img', { name: /^4 Failed, 1 Passed$/u }).waitFor();
  expect(await newest.locator('[data-label=Failed]').textContent()).toBe('4');
  const boxes = page.getByRole('checkbox', { name: /^Choose the run of/u });
  await boxes.first().check();
  await boxes.last().check();
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.waitForURL(new RegExp(`base=${runs[0]}&head=${runs.at(-1)}`, 'u'));
  const cases = (heading: string) => panel(page, heading).getByRole('listitem');
  await cases('Newly failing').filter({ hasText: 'parses a list' }).waitFor();
  await cases('Still failing')
    .filter({ hasText: /> parses\b/u })
    .waitFor();
  await cases('Fixed').filter({ hasText: 'health-check' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(`${runs.length} runs`).waitFor();
});

browsing('a run: failures by cause, a known fix or else a tip, and the kind of one failure', async () => {
  const page = await openPage(`/runs/${runs.at(-1)}`);
  const causes = panel(page, 'Failures by cause');
  await causes.getByText('4 failures, ').waitFor();
  const refused = causes.locator('ul > li').filter({ hasText: 'ECONNREFUSED' }).first();
  expect(await refused.textContent()).toMatch(/Tip:\s*The service may not have fully started/u);
  const known = causes.locator('ul > li').filter({ hasText: FIX });
  expect(await known.textContent()).toMatch(new RegExp(`Fix:\\s*${FIX}\\s*Proved`, 'u'));
  expect(await known.textContent()).not.toContain('Tip:');
  await refused.getByText('2 tests').click();
  for (const name of ['refused', 'refused again']) {
    await refused.getByRole('link', { name: new RegExp(`> ${name}$`, 'u') }).waitFor();
  }
  await page.locator('button.case').filter({ hasText: 'refused again' }).click();
  await page.locator('.places').filter({ hasText: 'connection-refused' }).waitFor();
  await page.locator('button.case').filter({ hasText: 'parses a list' }).click();
  await page
    .locator('.detail .known')
    .filter({ hasText: /learned for\s*a.test.ts > parses/u })
    .waitFor();
});

browsing('incidents: found by their words, with the score in its parts for the chosen environment', async () => {
  const page = await openPage('/incidents');
  await page.locator('[data-search]').fill('ErrImagePull manifest');
  const found = page.locator('ol > li').filter({ hasText: 'Delete the cached manifest' }).first();
  await found
    .getByText(/\d+ ?% match/u)
    .first()
    .waitFor();
  const scores = found.locator('dl').first();
  expect(await scores.locator('dt').allTextContents()).toEqual(['Environment', 'Reliability', 'Recency', 'Score']);
  const parts = async () => (await scores.locator('dd').allTextContents()).map((text) => Number.parseInt(text, 10));
  const anywhere = await parts();
  for (const part of anywhere) expect(part).toBeGreaterThan(0);
  await page.getByLabel('Environment').selectOption({ index: 1 });
  await expect.poll(async () => (await parts())[0]).toBe(100);
  expect((await parts()).at(-1)).toBeGreaterThanOrEqual(anywhere.at(-1) ?? 0);
  await page.getByRole('link', { name: /Deploy hangs/u }).click();
  await page.getByRole('heading', { name: /Deploy hangs/u }).waitFor();
});

browsing('the inspector: rule, marked evidence, colored placeholders, signature, matches', async () => {
  const page = await openPage('/inspector');
  const result = panel(page, 'Category');
  await page.locator('#text').fill(`${UNDEFINED}\n    at 10.2.3.4:8080 after 1234ms\n  token=${'x9'.repeat(20)}`);
  await result.locator('dt', { hasText: 'Rule' }).waitFor();
  expect(await result.locator('dd code').allTextContents()).toEqual([
    expect.stringMatching(/^[a-z-]+$/u),
    expect.stringMatching(/^[0-9a-f]{64}$/u),
    expect.stringMatching(/^[0-9a-f]{32}$/u),
  ]);
  await page.locator('#text').fill(REFUSED);
  await result.getByText('CONNECTION_REFUSED').waitFor();
  await expect.poll(() => panel(page, 'Text').locator('mark.evidence').allTextContents()).toEqual(['ECONNREFUSED']);
  const normalized = panel(page, 'Normalized').locator('pre');
  const placeholders = normalized.locator('mark.placeholder');
  await expect.poll(() => placeholders.allTextContents()).toEqual(['<IP>', '<PORT>']);
  const color = (element: Element) => getComputedStyle(element).color;
  expect(await placeholders.first().evaluate(color)).not.toBe(await normalized.evaluate(color));
  await panel(page, 'What the memory knows').getByRole('link').first().waitFor();
});
