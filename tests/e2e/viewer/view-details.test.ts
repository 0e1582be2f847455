/**
 * The contents of each view in a real browser: the first page, patterns, runs, comparisons, the health, incidents and
 * the inspector. Other tests check exported pages (view-export.test.ts), all sizes (view.full.test.ts) and a team's
 * server (team/pages.full.test.ts).
 */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import { findPanel, findRow, goToPlace, openPage, testInBrowser } from './chromium.ts';
import { type Engine, startFileViewer, startTestViewer, withProjectEngine } from './view.ts';
import {
  commitHash,
  copyProject,
  createCase,
  createHealthProject,
  createRememberedProject,
  FIX_DESCRIPTION,
  FIX_STEPS,
  LONG_NAME,
  REFUSED_ERROR,
  REPAIR_DAY,
  recordAndDiagnose,
  UNDEFINED_ERROR,
} from './view-memory.ts';

const rememberedProject = await createRememberedProject();
const healthMemory = await createHealthProject();
const rememberedViewer = await startFileViewer(rememberedProject.root);
const healthViewer = await startFileViewer(healthMemory.root);

/** A copy of the remembered project with another run, in which two tests fail with each of two errors. */
const detailedProject = copyProject(rememberedProject);
const runs = [
  ...rememberedProject.runs,
  await withProjectEngine(detailedProject, (engine) =>
    recordAndDiagnose(engine, [
      createCase('parses', UNDEFINED_ERROR),
      createCase('parses a list', UNDEFINED_ERROR),
      createCase('refused', REFUSED_ERROR),
      createCase('refused again', REFUSED_ERROR),
      createCase('health-check'),
    ]),
  ),
];
const viewer = await startFileViewer(detailedProject);

const findHeading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const openProjectPage = async (root: string) => (await openPage((await startTestViewer(root)).url)).page;
const openView = async (place: string): Promise<Page> => (await openPage(viewer.url, place)).page;

testInBrowser('opens on the causes of the newest run with links, and shows the state of every test', async () => {
  const { page } = await openPage(rememberedViewer.url);
  const failed = findHeading(page, 'The newest run failed: 2 failures, 2 causes');
  await failed.waitFor();
  expect(await page.title()).toMatch(/^Now · Argus/u);
  const places = page.getByRole('navigation', { name: 'Places' });
  expect(await places.getByRole('link', { name: 'Now' }).getAttribute('aria-current')).toBe('page');
  const causes = findPanel(page, 'Failures by cause').getByRole('listitem');
  const refused = causes.filter({ hasText: 'ECONNREFUSED' });
  expect(await refused.textContent()).toMatch(/Connection refused[\s\S]*Failing since/u);
  const test = causes.getByRole('link', { name: 'closes the valve' });
  expect(await test.getAttribute('href')).toMatch(
    new RegExp(`^#/runs/${rememberedProject.runs[2]}\\?text=.*valve`, 'u'),
  );
  // Tests that passed in this run and failed on the same commit.
  const others = findPanel(page, 'Other tests that need attention');
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
  await page.waitForURL(new RegExp(`#/runs/${rememberedProject.runs[2]}$`, 'u'));
  await goToPlace(page, '/');
  await failed.waitFor();
  await goToPlace(page, '/tests');
  await findRow(page, 'wobbles').filter({ hasText: 'Flaky' }).waitFor();
  await findRow(page, 'health-check').filter({ hasText: 'Failing' }).waitFor();
});

testInBrowser('lists open problems after a passing run, with links that the keyboard reaches', async () => {
  const root = createProject();
  const runId = await withProjectEngine(root, async (engine) => {
    const failing = await recordAndDiagnose(engine, [
      createCase('tunes', 'OddError: the flux is out of tune'),
      createCase('fine'),
    ]);
    const caseName = 'a.test.ts > tunes';
    await engine.reportFix({ runId: failing, caseName, fixDescription: 'cooled the capacitor', success: true });
    await recordAndDiagnose(engine, [createCase('fine')]);
    return failing;
  });
  const page = await openProjectPage(root);
  await findHeading(page, 'The newest run passed').waitFor();
  const claim = findPanel(page, 'Reported fixes waiting for confirmation').getByRole('listitem');
  expect(await claim.textContent()).toMatch(/Not confirmed[\s\S]*0 of 1 needed run passed/u);
  const where = claim.getByRole('link', { name: 'tunes' });
  expect(await where.getAttribute('href')).toContain(`#/runs/${runId}?text=`);
  await claim.getByRole('link', { name: 'cooled the capacitor' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Patterns' }).waitFor();
  await goToPlace(page, '/health');
  const fixes = findPanel(page, 'Fixes').getByRole('listitem');
  await expect
    .poll(() => fixes.allTextContents())
    .toEqual([expect.stringMatching(/^\s*Not confirmed\s*cooled the capacitor/u)]);
});

testInBrowser.each<[name: string, work: (engine: Engine) => Promise<unknown>, words: string]>([
  [
    'a memory without a run',
    (engine) => engine.addIncident({ title: 'The pump rattles', steps: 'Oil it.', worked: true, env: {} }),
    'Nothing is recorded yet',
  ],
  [
    'a memory with runs of another copy',
    (engine) => recordAndDiagnose(engine, [createCase('a', REFUSED_ERROR)], { foreign: true }),
    'No run of this checkout is recorded',
  ],
])('%s shows the first step and no lists', async (_name, work, words) => {
  const root = createProject();
  await withProjectEngine(root, work);
  const page = await openProjectPage(root);
  await findHeading(page, words).waitFor();
  expect(await page.locator('main code').allTextContents()).toEqual(['argus run']);
  expect(await page.locator('main').textContent()).not.toMatch(/Built-in|Connection refused/u);
});

const findNamedRow = (page: Page, name: string, words: string) =>
  findPanel(page, name).getByRole('row').filter({ hasText: words });

testInBrowser('health: tests that need attention, slower tests, and fixes, each with its evidence', async () => {
  const { page } = await openPage(healthViewer.url);
  await page.getByRole('link', { name: 'Health' }).click();
  await findHeading(page, 'Health').waitFor();
  const coin = findNamedRow(page, 'Tests that need attention', 'coin');
  await coin.waitFor();
  expect(await coin.textContent()).toMatch(/Flaky[\s\S]*\d+%[\s\S]*\d+% to \d+%[\s\S]*4 of 16/u);
  expect(await findNamedRow(page, 'Tests that need attention', 'breaks').textContent()).toMatch(
    /Failing[\s\S]*2 of 16/u,
  );

  const slow = await findNamedRow(page, 'Slower than before', 'slow').textContent();
  expect(slow).toMatch(/2\.4 s\s*5 runs\s*800 ms\s*11 runs\s*\+1\.6 s\s*3\.0 times/u);
  expect(await findPanel(page, 'Slower than before').getByRole('row').count()).toBe(2);
  await findNamedRow(page, 'Slowest tests', LONG_NAME).filter({ hasText: '5.0 s' }).waitFor();

  const fix = findPanel(page, 'Fixes').getByRole('listitem').filter({ hasText: 'repaired' });
  const commit = commitHash(REPAIR_DAY >> 1).slice(0, 8);
  expect(await fix.textContent()).toMatch(new RegExp(`Held[\\s\\S]*${commit}[\\s\\S]*held in \\d+ runs?`, 'u'));
  // A person's report about the same failure is not listed a second time.
  expect(await fix.textContent()).toContain(FIX_DESCRIPTION);
  expect(await findPanel(page, 'Fixes').getByText(FIX_DESCRIPTION).count()).toBe(1);
  expect((await argus(['fixes', '--project', healthMemory.root])).stdout).toContain(`same fix: ${FIX_DESCRIPTION}`);
  const link = (name: string) => fix.getByRole('link', { name }).getAttribute('href');
  expect([await link('last failed run'), await link('first passed run')]).toEqual([
    `#/runs/${healthMemory.runs[REPAIR_DAY - 1]}`,
    `#/runs/${healthMemory.runs[REPAIR_DAY]}`,
  ]);

  await coin.getByRole('link').click();
  await page.waitForURL(new RegExp(`#/runs/${healthMemory.runs[13]}`, 'u'));
  await page.getByText('the cart wobbles').first().waitFor();
});

testInBrowser('curves are by day or by run and have text with their numbers', async () => {
  const { page } = await openPage(healthViewer.url, '/health');
  const trends = findPanel(page, 'Over time');
  expect(await trends.locator('canvas').count()).toBe(3);
  const isPressed = (name: string) => trends.getByRole('button', { name, pressed: true }).waitFor();
  await isPressed('Day');
  await trends.getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(/by=run/u);
  await isPressed('Run');
  const table = trends.locator('table').filter({ hasText: 'Flaky outcomes per run' });
  expect(await table.getByRole('row').count()).toBe(healthMemory.runs.length);
  expect(await table.getByRole('cell', { name: '1', exact: true }).count()).toBeGreaterThan(0);
});

testInBrowser('lists a newly failing test under its verdict, with its probability', async () => {
  const { page } = await openPage(
    healthViewer.url,
    `/compare?base=${healthMemory.runs[12]}&head=${healthMemory.runs[14]}`,
  );
  const fresh = findPanel(page, 'Newly failing');
  await fresh.getByRole('heading', { name: /^Regression\s*1$/u }).waitFor();
  expect(await fresh.getByRole('listitem').textContent()).toMatch(/breaks[\s\S]*Regression, commit \w+/u);
  await goToPlace(page, `/compare?base=${healthMemory.runs[12]}&head=${healthMemory.runs[13]}`);
  await fresh.getByRole('heading', { name: /^Flaky\s*1$/u }).waitFor();
});

testInBrowser('a pattern: sample, curve, fixes, tests, runs, and similar patterns', async () => {
  const page = await openView('/patterns');
  await findRow(page, FIX_STEPS).getByRole('link').first().click();
  await findPanel(page, 'Sample').getByText('Cannot read properties of undefined (reading "id")').waitFor();
  await findPanel(page, 'Confidence over time').getByText('counted since').waitFor();
  const history = findPanel(page, 'Fix history');
  for (const words of [FIX_STEPS, 'restart the machine', 'Did not work'])
    await history.getByText(words).first().waitFor();
  await expect.poll(() => findPanel(page, 'Seen in').locator('tbody tr').count()).toBe(2);
  await findPanel(page, 'Tests').getByText('2 failures').waitFor();
  const related = findPanel(page, 'Related').getByRole('listitem').first();
  expect(await related.textContent()).toMatch(/Pattern · \d+% alike/u);
  await related.getByRole('link').click();
  await page.getByText('parses a list').first().waitFor();
  await findPanel(page, 'Related').getByRole('listitem').first().filter({ hasText: FIX_STEPS }).waitFor();
});

testInBrowser('runs: bars, pass rate, duration, and a comparison of two ticked runs, the older run first', async () => {
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
  const boxes = page.getByRole('checkbox', { name: /^Select the run of/u });
  await boxes.first().check();
  await boxes.last().check();
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.waitForURL(new RegExp(`base=${runs[0]}&head=${runs.at(-1)}`, 'u'));
  const cases = (heading: string) => findPanel(page, heading).getByRole('listitem');
  await cases('Newly failing').filter({ hasText: 'parses a list' }).waitFor();
  await cases('Still failing')
    .filter({ hasText: /> parses\b/u })
    .waitFor();
  await cases('Fixed').filter({ hasText: 'health-check' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(`${runs.length} runs`).waitFor();
});

testInBrowser('a run: failures by cause, a known fix or otherwise a tip, and the kind of a failure', async () => {
  const page = await openView(`/runs/${runs.at(-1)}`);
  const causes = findPanel(page, 'Failures by cause');
  await causes.getByText('4 failures, ').waitFor();
  const refused = causes.locator('ul > li').filter({ hasText: 'ECONNREFUSED' }).first();
  expect(await refused.textContent()).toMatch(/Tip:\s*The service may not have fully started/u);
  const known = causes.locator('ul > li').filter({ hasText: FIX_STEPS });
  expect(await known.textContent()).toMatch(new RegExp(`Fix:\\s*${FIX_STEPS}\\s*Held`, 'u'));
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

testInBrowser('incidents: found by their words, with the score in its parts for the chosen environment', async () => {
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

testInBrowser('the inspector: rule, marked evidence, colored placeholders, signature, matches', async () => {
  const page = await openView('/inspector');
  const result = findPanel(page, 'Category');
  await page.locator('#text').fill(`${UNDEFINED_ERROR}\n    at 10.2.3.4:8080 after 1234ms\n  token=${'x9'.repeat(20)}`);
  await result.locator('dt', { hasText: 'Rule' }).waitFor();
  expect(await result.locator('dd code').allTextContents()).toEqual([
    expect.stringMatching(/^[a-z-]+$/u),
    expect.stringMatching(/^[0-9a-f]{64}$/u),
    expect.stringMatching(/^[0-9a-f]{32}$/u),
  ]);
  await page.locator('#text').fill(REFUSED_ERROR);
  await result.getByText('CONNECTION_REFUSED').waitFor();
  await expect.poll(() => findPanel(page, 'Text').locator('mark.evidence').allTextContents()).toEqual(['ECONNREFUSED']);
  const normalized = findPanel(page, 'Normalized').locator('pre');
  const placeholders = normalized.locator('mark.placeholder');
  await expect.poll(() => placeholders.allTextContents()).toEqual(['<IP>', '<PORT>']);
  const color = (element: Element) => getComputedStyle(element).color;
  expect(await placeholders.first().evaluate(color)).not.toBe(await normalized.evaluate(color));
  await findPanel(page, 'Matches in the memory').getByRole('link').first().waitFor();
});
