/**
 * Ordinary use of the page, with or without a mouse: links in new tabs, back, the address, the focus, keys, languages,
 * and messages for missing items. view-details.test.ts tests the contents of the views, and view.full.test.ts every
 * control and size.
 */

import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createProject } from '../harness.ts';
import {
  findRow,
  goToPlace,
  openPage as openPageAt,
  readFocusedText,
  testInBrowser,
  waitForContent,
} from './chromium.ts';
import { startFileViewer, startTestViewer, withProjectEngine } from './view.ts';
import {
  copyProject,
  createCase,
  createProjectWithRuns,
  createRememberedProject,
  FIX_STEPS,
  recordAndDiagnose,
  UNDEFINED_ERROR,
} from './view-memory.ts';

const rememberedProject = await createRememberedProject();
const viewer = await startFileViewer(rememberedProject.root);

const openViewerPage = async (url = viewer.url, place = '/patterns') => (await openPageAt(url, place)).page;

testInBrowser('a link in a new tab and a copied address open while a tab of the server is open', async () => {
  const page = await openViewerPage();
  const link = page.getByRole('link', { name: /Cannot read properties/u });
  const [beside] = await Promise.all([page.context().waitForEvent('page'), link.click({ modifiers: ['Control'] })]);
  await beside.getByRole('heading', { name: 'Fix history' }).waitFor();
  const copied = await page.context().newPage();
  await copied.goto(`http://127.0.0.1:${viewer.port}/#/runs`);
  await copied.getByText('3 runs').waitFor();
  expect(copied.url()).not.toContain(viewer.token);
  await copied.reload();
  await copied.getByText('3 runs').waitFor();
});

testInBrowser.each([
  ['without a memory', {}, 'has no memory yet', 'argus run'],
  ['without history', { 'argus.yaml': 'history: { enabled: false }\n' }, 'keeps no memory', 'history.enabled to false'],
])('names a project %s and the next step', async (_name, files, words, next) => {
  const root = createProject(files);
  const page = await openViewerPage((await startTestViewer(root)).url);
  await page.getByRole('heading', { name: `${path.basename(root)} ${words}` }).waitFor();
  await page.getByText(next).waitFor();
});

testInBrowser('shows the end of the server immediately, with the next step', async () => {
  const own = await startTestViewer(rememberedProject.root);
  const page = await openViewerPage(own.url);
  await findRow(page, 'Cannot read properties').waitFor();
  await own.end();
  await page.getByText('The server does not answer, so the page shows the last data.').waitFor();
  await findRow(page, 'Cannot read properties').waitFor();
  await goToPlace(page, '/runs');
  await page.getByRole('alert').filter({ hasText: 'argus-mcp view' }).waitFor();
});

testInBrowser('shows a bar while an answer takes long', async () => {
  const page = await openViewerPage();
  let answer = () => {};
  const late = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/viewRuns', (route) => late.then(() => route.continue()));
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('progressbar').waitFor();
  answer();
  await page.getByText('3 runs').waitFor();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
});

/** Addresses, and what the page shows after it has read the state from the address. */
const ADDRESS_STATES: readonly [address: string, shows: (page: Page) => Promise<unknown>, shown: unknown][] = [
  ['/patterns?text=valve', readSearchText, 'valve'],
  ['/patterns?category=CONNECTION_REFUSED', readPressedButtons, ['Connection refused1', 'All']],
  ['/patterns?source=built-in', readPressedButtons, ['All', 'Built-in6']],
  ['/patterns?sort=category', readSortOrder, ['Category', 'ascending']],
  ['/patterns?sort=category&order=desc', readSortOrder, ['Category', 'descending']],
  ['/patterns?sort=confidence&order=asc', readSortOrder, ['Held', 'ascending']],
  ['/runs?status=failed', readPressedButtons, ['Failed']],
  ['/runs?span=500', readNewestCommit, '500'],
  ['/tests?only=flaky', readPressedButtons, ['Flaky2']],
  ['/tests?runs=10', readNewestCommit, '10'],
  ['/tests?text=wobbles', (page) => page.getByRole('rowheader').count(), 1],
  ['/health?by=day', readPressedButtons, ['Day']],
  ['/incidents?text=manifest', readSearchText, 'manifest'],
  [`/runs/${rememberedProject.runs[2]}?status=passed`, (page) => page.getByLabel('Status').inputValue(), 'passed'],
  [`/runs/${rememberedProject.runs[2]}?text=lists`, (page) => page.getByText('1 case', { exact: true }).count(), 1],
];

function readSearchText(page: Page): Promise<string> {
  return page.locator('[data-search]').inputValue();
}

function readNewestCommit(page: Page): Promise<string> {
  return page.getByRole('combobox', { name: 'Newest' }).inputValue();
}

async function readPressedButtons(page: Page): Promise<string[]> {
  const words = await page.locator('main [aria-pressed=true]').allInnerTexts();
  return words.map((text) => text.replaceAll(/\s*\n\s*|\s+(?=\d)/gu, ''));
}

async function readSortOrder(page: Page): Promise<(string | null)[]> {
  const head = page.locator('th:is([aria-sort=ascending], [aria-sort=descending])');
  return [(await head.textContent())?.trim() ?? null, await head.getAttribute('aria-sort')];
}

testInBrowser('the address holds every filter, order and width, through a reload', async () => {
  const page = await openViewerPage();
  for (const [address, shows, shown] of ADDRESS_STATES) {
    await goToPlace(page, address);
    await expect.poll(async () => [address, await shows(page)]).toEqual([address, shown]);
    expect(new URL(page.url()).hash).toBe(`#${address}`);
  }
  await page.reload();
  await page.getByText('1 case', { exact: true }).waitFor();
});

testInBrowser('choices appear in the address and are announced, and going back undoes them', async () => {
  const page = await openViewerPage();
  const learned = findRow(page, 'Cannot read properties');
  const choose = (group: string, name: RegExp) =>
    page.getByRole('group', { name: group }).getByRole('button', { name }).click();
  await choose('Category', /Connection refused/u);
  await learned.waitFor({ state: 'detached' });
  await choose('Source', /Learned/u);
  await page.waitForURL(/category=CONNECTION_REFUSED&source=learned/u);
  await page.goBack();
  await page.goBack();
  await learned.waitFor();
  await page.locator('[data-search]').fill('valve');
  await page.waitForURL(/text=valve/u);
  await learned.waitFor({ state: 'detached' });
  await page.getByRole('status').filter({ hasText: '1 pattern' }).waitFor();
  await page.getByRole('button', { name: 'Held' }).click();
  await page.waitForURL(/sort=confidence/u);
  await goToPlace(page, '/incidents?text=manifest');
  const picker = page.getByLabel('Environment');
  const bucket = await picker.locator('option').nth(1).getAttribute('value');
  await picker.selectOption(bucket);
  await page.waitForURL((url) => decodeURIComponent(url.hash).includes(`env=${bucket}`));
  await page.reload();
  await expect.poll(() => picker.inputValue()).toBe(bucket);
});

testInBrowser('going back to a list returns to the opened row', async () => {
  const root = await createProjectWithRuns(
    ...Array.from({ length: 30 }, (_, index) => [createCase('a', `OddError: part ${index}`)]),
  );
  const page = await openViewerPage((await startTestViewer(root)).url, '/runs');
  const last = page.locator('table a.row').nth(25);
  const href = await last.getAttribute('href');
  const opened = page.getByRole('heading', { name: 'Failures by cause' });
  await last.click();
  await opened.waitFor();
  const here = () => page.evaluate(() => document.activeElement?.getAttribute('href'));
  const scrolled = () => page.evaluate(() => scrollY);
  for (const back of [
    () => page.goBack(),
    () => page.keyboard.press('Escape'),
    () => page.locator('main').getByRole('link', { name: 'Runs' }).click(),
  ]) {
    await back();
    await expect.poll(here).toBe(href);
    await expect.poll(scrolled).toBeGreaterThan(100);
    await page.keyboard.press('Enter');
    await opened.waitFor();
  }
  // The links at the top open the list at its first page.
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Runs' }).click();
  await last.waitFor();
  await expect.poll(scrolled).toBe(0);
});

testInBrowser('the next page of a list is shown from its top, and the focus stays', async () => {
  const root = createProject();
  const cases = Array.from({ length: 250 }, (_, index) => createCase(`case ${String(index).padStart(3, '0')}`));
  const runId = await withProjectEngine(root, (engine) => recordAndDiagnose(engine, cases));
  const page = await openViewerPage((await startTestViewer(root)).url, `/runs/${runId}`);
  await page.getByRole('button', { name: 'Next' }).focus();
  for (const range of ['101–200 of 250', '201–250 of 250']) {
    await page.keyboard.press('Enter');
    await page.getByText(range).waitFor();
    await waitForContent(page);
    const top = await page.evaluate(() => document.querySelector('section:has(#cases)')?.getBoundingClientRect().top);
    expect(top).toBeGreaterThan(0);
    await expect.poll(() => readFocusedText(page)).toBe('Next');
  }
  // This is the last page, so Enter on Next does nothing.
  await page.keyboard.press('Enter');
  await waitForContent(page);
  expect(page.url()).toContain('offset=200');
  await goToPlace(page, `/runs/${runId}?offset=5000`);
  await page.getByText('This page is empty; the list has 250 entries').waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('201–250 of 250').waitFor();
});

testInBrowser('an edit keeps the focus', async () => {
  const page = await openViewerPage((await startTestViewer(copyProject(rememberedProject))).url);
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  const dialog = page.getByRole('dialog');
  for (const end of ['Cancel', 'Close', 'Save']) {
    await page.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('SELECT');
    await dialog.getByLabel('Description').fill(`The id is read too early: ${end}`);
    await dialog.getByRole('button', { name: end }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => [end, await readFocusedText(page)]).toEqual([end, 'Edit']);
  }
  await page.getByRole('heading', { name: 'The id is read too early: Save' }).waitFor();
  const solution = page.getByRole('listitem').filter({ hasText: FIX_STEPS, has: page.getByRole('button') });
  await solution.getByRole('button', { name: 'Mark as wrong' }).focus();
  await page.keyboard.press('Enter');
  await solution.getByRole('button', { name: 'Not wrong after all' }).waitFor();
  await expect.poll(() => readFocusedText(page)).toBe('Not wrong after all');
  await page.getByText('Every reported fix failed or was withdrawn').waitFor();
});

testInBrowser('the inspector keeps its text while the page is open', async () => {
  const page = await openViewerPage(viewer.url, '/inspector');
  await page.locator('#text').fill(UNDEFINED_ERROR);
  await page.getByText('More facts').click();
  await page.getByLabel('Test').fill('suite > parses');
  await page.locator('section').filter({ hasText: 'Matches in the memory' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Identity' }).waitFor();
  await page.goBack();
  expect(await page.locator('#text').inputValue()).toContain('Cannot read properties');
  await page.getByRole('heading', { name: 'Matches in the memory' }).waitFor();
});

testInBrowser('searches, moves, opens and closes with only the keyboard', async () => {
  const page = await openViewerPage();
  // After a reload, no element has the focus.
  await page.reload();
  await waitForContent(page);
  await page.keyboard.press('Tab');
  await expect.poll(() => readFocusedText(page)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');

  await page.keyboard.press('/');
  await page.keyboard.type('valve');
  await page.keyboard.press('Enter');
  await findRow(page, 'Cannot read properties').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await findRow(page, 'Cannot read properties').waitFor();

  const links = page.getByRole('row').getByRole('link');
  await links.first().focus();
  const first = await readFocusedText(page);
  await page.keyboard.press('ArrowDown');
  expect(await readFocusedText(page)).not.toBe(first);
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await expect.poll(() => readFocusedText(page)).toBe(first);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row').first().waitFor();

  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

testInBrowser('uses the language and the colors of the browser, and stores a changed choice', async () => {
  const { page } = await openPageAt(viewer.url, '', { locale: 'zh-CN', colorScheme: 'dark' });
  const language = () => page.locator('html').getAttribute('lang');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await language()).toBe('zh-CN');
  expect(await page.locator('nav').textContent()).toMatch(/\p{Script=Han}/u);
  const dark = await background();
  await page.getByRole('button', { name: /English/u }).click();
  await page.getByRole('link', { name: 'Patterns' }).waitFor();
  await page.getByRole('button', { name: 'Switch to light' }).click();
  await expect.poll(background).not.toBe(dark);
  const light = await background();
  await page.reload();
  await waitForContent(page);
  expect([await language(), await background()]).toEqual(['en', light]);
});
