/**
 * The contents of each view in a real browser: the first page, patterns, runs, comparisons, the health, incidents and
 * the inspector. Exported pages: view-export.test.ts. All sizes: view.full.test.ts. A team's server:
 * team/pages.full.test.ts.
 */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { argus } from '../argus.ts';
import { project } from '../harness.ts';
import { browsing, go, openPage, panel, row } from './chromium.ts';
import { type Engine, inMemoryOf, viewerOf, viewerOfFile } from './view.ts';
import {
  caseOf,
  commitOf,
  copyOf,
  FIX,
  healthProject,
  LONG_NAME,
  OILED,
  REFUSED,
  REPAIRED_AT,
  record,
  rememberedProject,
  UNDEFINED,
} from './view-memory.ts';

const remembered = await rememberedProject();
const health = await healthProject();
const rememberedViewer = await viewerOfFile(remembered.root);
const healthViewer = await viewerOfFile(health.root);

/** The remembered project with another run, in which two tests fail with each of two errors. */
const detailed = copyOf(remembered);
const runs = [
  ...remembered.runs,
  await inMemoryOf(detailed, (engine) =>
    record(engine, [
      caseOf('parses', UNDEFINED),
      caseOf('parses a list', UNDEFINED),
      caseOf('refused', REFUSED),
      caseOf('refused again', REFUSED),
      caseOf('health-check'),
    ]),
  ),
];
const viewer = await viewerOfFile(detailed);

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const openRoot = async (root: string) => (await openPage((await viewerOf(root)).url)).page;
const openView = async (place: string): Promise<Page> => (await openPage(viewer.url, place)).page;

browsing('opens on the causes of the newest run with links, and shows the state of every test', async () => {
  const { page } = await openPage(rememberedViewer.url);
  const failed = heading(page, 'The newest run failed: 2 failures, 2 causes');
  await failed.waitFor();
  expect(await page.title()).toMatch(/^Now · Argus/u);
  const places = page.getByRole('navigation', { name: 'Places' });
  expect(await places.getByRole('link', { name: 'Now' }).getAttribute('aria-current')).toBe('page');
  const causes = panel(page, 'Failures by cause').getByRole('listitem');
  const refused = causes.filter({ hasText: 'ECONNREFUSED' });
  expect(await refused.textContent()).toMatch(/Connection refused[\s\S]*, \d+%/u);
  const test = causes.getByRole('link', { name: 'closes the valve' });
  expect(await test.getAttribute('href')).toMatch(new RegExp(`^#/runs/${remembered.runs[2]}\\?text=.*valve`, 'u'));
  // Tests that passed in this run and failed on the same commit.
  const others = panel(page, 'Other tests that need attention');
  expect(await others.getByRole('row').filter({ hasText: 'wobbles' }).textContent()).toContain('Flaky');
  expect(await others.getByRole('row').filter({ hasText: 'health-check' }).count()).toBe(0);
  await test.click();
  await page.getByText('the red valve does not close').first().waitFor();
  await page.goBack();
  await failed.waitFor();
  await refused
    .getByRole('link', { name: /refused|ECONNREFUSED/iu })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  await page.getByRole('link', { name: 'Argus', exact: true }).click();
  await page.getByRole('link', { name: 'Open the run' }).click();
  await page.waitForURL(new RegExp(`#/runs/${remembered.runs[2]}$`, 'u'));
  await go(page, '/');
  await failed.waitFor();
  await go(page, '/tests');
  await row(page, 'wobbles').filter({ hasText: 'Flaky' }).waitFor();
  await row(page, 'health-check').filter({ hasText: 'Broken' }).waitFor();
});

browsing('lists open problems after a passing run, with links that the keyboard reaches', async () => {
  const root = project();
  const runId = await inMemoryOf(root, async (engine) => {
    const failing = await record(engine, [caseOf('tunes', 'OddError: the flux is out of tune'), caseOf('fine')]);
    const caseName = 'a.test.ts > tunes';
    await engine.reportFix({ runId: failing, caseName, fixDescription: 'cooled the capacitor', success: true });
    await record(engine, [caseOf('fine')]);
    return failing;
  });
  const page = await openRoot(root);
  await heading(page, 'The newest run passed').waitFor();
  const claim = panel(page, 'Claimed fixes that no run has proved').getByRole('listitem');
  expect(await claim.textContent()).toMatch(/Claimed[\s\S]*0 of 1 needed pass/u);
  const where = claim.getByRole('link', { name: 'tunes' });
  expect(await where.getAttribute('href')).toContain(`#/runs/${runId}?text=`);
  await claim.getByRole('link', { name: 'cooled the capacitor' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Patterns' }).waitFor();
  await go(page, '/health');
  const fixes = panel(page, 'Fixes and their proof').getByRole('listitem');
  await expect
    .poll(() => fixes.allTextContents())
    .toEqual([expect.stringMatching(/^\s*Claimed\s*cooled the capacitor/u)]);
});

browsing.each<[name: string, work: (engine: Engine) => Promise<unknown>, words: string]>([
  [
    'a memory without a run',
    (engine) => engine.addIncident({ title: 'The pump rattles', steps: 'Oil it.', worked: true, env: {} }),
    'Nothing is recorded yet',
  ],
  [
    'a memory with runs of another copy',
    (engine) => record(engine, [caseOf('a', REFUSED)], { foreign: true }),
    'No run of this copy is recorded',
  ],
])('%s shows the first step and no lists', async (_name, work, words) => {
  const root = project();
  await inMemoryOf(root, work);
  const page = await openRoot(root);
  await heading(page, words).waitFor();
  expect(await page.locator('main code').allTextContents()).toEqual(['npx argus-mcp run']);
  expect(await page.locator('main').textContent()).not.toMatch(/Built-in|Connection refused/u);
});

const rowOf = (page: Page, name: string, words: string) =>
  panel(page, name).getByRole('row').filter({ hasText: words });

browsing('health: tests that need attention, slower tests, and fixes, each with its evidence', async () => {
  const { page } = await openPage(healthViewer.url);
  await page.getByRole('link', { name: 'Health' }).click();
  await heading(page, 'Health').waitFor();
  const coin = rowOf(page, 'Tests that need attention', 'coin');
  await coin.waitFor();
  expect(await coin.textContent()).toMatch(/Flaky[\s\S]*\d+%[\s\S]*\d+% to \d+%[\s\S]*4 of 16/u);
  expect(await rowOf(page, 'Tests that need attention', 'breaks').textContent()).toMatch(/Broken[\s\S]*2 of 16/u);

  const slow = await rowOf(page, 'Slower than before', 'slow').textContent();
  expect(slow).toMatch(/2\.4 s\s*5 runs\s*800 ms\s*11 runs\s*\+1\.6 s\s*3\.0 times/u);
  expect(await panel(page, 'Slower than before').getByRole('row').count()).toBe(2);
  await rowOf(page, 'Slowest tests', LONG_NAME).filter({ hasText: '5.0 s' }).waitFor();

  const fix = panel(page, 'Fixes and their proof').getByRole('listitem').filter({ hasText: 'repaired' });
  const commit = commitOf(REPAIRED_AT >> 1).slice(0, 8);
  expect(await fix.textContent()).toMatch(new RegExp(`Proved[\\s\\S]*${commit}[\\s\\S]*\\d+ pass(?:es)? since`, 'u'));
  // The report of a person about the same failure is not listed a second time.
  expect(await fix.textContent()).toContain(OILED);
  expect(await panel(page, 'Fixes and their proof').getByText(OILED).count()).toBe(1);
  expect((await argus(['fixes', '--project', health.root])).stdout).toContain(`the same mend: ${OILED}`);
  const link = (name: string) => fix.getByRole('link', { name }).getAttribute('href');
  expect([await link('last failed run'), await link('first passed run')]).toEqual([
    `#/runs/${health.runs[REPAIRED_AT - 1]}`,
    `#/runs/${health.runs[REPAIRED_AT]}`,
  ]);

  await coin.getByRole('link').click();
  await page.waitForURL(new RegExp(`#/runs/${health.runs[13]}`, 'u'));
  await page.getByText('the cart wobbles').first().waitFor();
});

browsing('curves are by day or by run and have text with their numbers', async () => {
  const { page } = await openPage(healthViewer.url, '/health');
  const trends = panel(page, 'Over time');
  expect(await trends.locator('canvas').count()).toBe(3);
  const isPressed = (name: string) => trends.getByRole('button', { name, pressed: true }).waitFor();
  await isPressed('Day');
  await trends.getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(/by=run/u);
  await isPressed('Run');
  const table = trends.locator('table').filter({ hasText: 'Flaky outcomes per run' });
  expect(await table.getByRole('row').count()).toBe(health.runs.length);
  expect(await table.getByRole('cell', { name: '1', exact: true }).count()).toBeGreaterThan(0);
});

browsing('lists a newly failing test under its verdict, with its probability', async () => {
  const { page } = await openPage(healthViewer.url, `/compare?base=${health.runs[12]}&head=${health.runs[14]}`);
  const fresh = panel(page, 'Newly failing');
  await fresh.getByRole('heading', { name: /^Regression\s*1$/u }).waitFor();
  expect(await fresh.getByRole('listitem').textContent()).toMatch(/breaks[\s\S]*Regression, \d+% likely/u);
  await go(page, `/compare?base=${health.runs[12]}&head=${health.runs[13]}`);
  await fresh.getByRole('heading', { name: /^Flaky\s*1$/u }).waitFor();
});

browsing('a pattern: sample, curve, fixes, tests, runs, and similar patterns', async () => {
  const page = await openView('/patterns');
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

browsing('runs: bars, pass rate, duration, and a comparison of two ticked runs, the older run first', async () => {
  const page = await openView('/runs');
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

browsing('a run: failures by cause, a known fix or otherwise a tip, and the kind of a failure', async () => {
  const page = await openView(`/runs/${runs.at(-1)}`);
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
  const page = await openView('/incidents');
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
  const page = await openView('/inspector');
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
