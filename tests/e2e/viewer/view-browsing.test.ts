/**
 * Ordinary use of the page, with or without a mouse: links in new tabs, back, the address, the focus, keys, languages,
 * and messages for missing items. Contents of the views: view-details.test.ts. Every control and size:
 * view.full.test.ts.
 */

import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { project } from '../harness.ts';
import { browsing, focused, go, openPage as openPageAt, row, settled } from './chromium.ts';
import { inMemoryOf, viewerOf, viewerOfFile } from './view.ts';
import { caseOf, copyOf, FIX, projectWith, record, rememberedProject, UNDEFINED } from './view-memory.ts';

const remembered = await rememberedProject();
const viewer = await viewerOfFile(remembered.root);

const openPage = async (url = viewer.url, place = '/patterns') => (await openPageAt(url, place)).page;

browsing('a link in a new tab and a copied address open while a tab of the server is open', async () => {
  const page = await openPage();
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

browsing.each([
  ['without a memory', {}, 'has no memory yet', 'npx argus-mcp run'],
  ['without history', { 'argus.yaml': 'history: { enabled: false }\n' }, 'keeps no memory', 'history.enabled: false'],
])('names a project %s and the next step', async (_name, files, words, next) => {
  const root = project(files);
  const page = await openPage((await viewerOf(root)).url);
  await page.getByRole('heading', { name: `${path.basename(root)} ${words}` }).waitFor();
  await page.getByText(next).waitFor();
});

browsing('shows the end of the server immediately, with the next step', async () => {
  const own = await viewerOf(remembered.root);
  const page = await openPage(own.url);
  await row(page, 'Cannot read properties').waitFor();
  await own.end();
  await page.getByText('The server does not answer; this is what was there.').waitFor();
  await row(page, 'Cannot read properties').waitFor();
  await go(page, '/runs');
  await page.getByRole('alert').filter({ hasText: 'argus-mcp view' }).waitFor();
});

browsing('shows a bar while an answer takes long', async () => {
  const page = await openPage();
  let answer = () => {};
  const late = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/viewRuns', (route) => late.then(() => route.continue()));
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('progressbar').waitFor();
  answer();
  await page.getByText('3 runs').waitFor();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
});

/** Addresses, and a sign on the page that the state in the address was read. */
const STATES: readonly [address: string, shows: (page: Page) => Promise<unknown>, shown: unknown][] = [
  ['/patterns?text=valve', search, 'valve'],
  ['/patterns?category=CONNECTION_REFUSED', pressed, ['Connection refused1', 'All']],
  ['/patterns?source=built-in', pressed, ['All', 'Built-in6']],
  ['/patterns?sort=category', sorted, ['Category', 'ascending']],
  ['/patterns?sort=category&order=desc', sorted, ['Category', 'descending']],
  ['/patterns?sort=confidence&order=asc', sorted, ['Confidence', 'ascending']],
  ['/runs?status=failed', pressed, ['Failed']],
  ['/runs?span=500', newest, '500'],
  ['/tests?only=flaky', pressed, ['Flaky2']],
  ['/tests?runs=10', newest, '10'],
  ['/tests?text=wobbles', (page) => page.getByRole('rowheader').count(), 1],
  ['/health?by=day', pressed, ['Day']],
  ['/incidents?text=manifest', search, 'manifest'],
  [`/runs/${remembered.runs[2]}?status=passed`, (page) => page.getByLabel('Status').inputValue(), 'passed'],
  [`/runs/${remembered.runs[2]}?text=lists`, (page) => page.getByText('1 case', { exact: true }).count(), 1],
];

function search(page: Page): Promise<string> {
  return page.locator('[data-search]').inputValue();
}

function newest(page: Page): Promise<string> {
  return page.getByRole('combobox', { name: 'Newest' }).inputValue();
}

async function pressed(page: Page): Promise<string[]> {
  const words = await page.locator('main [aria-pressed=true]').allInnerTexts();
  return words.map((text) => text.replaceAll(/\s*\n\s*|\s+(?=\d)/gu, ''));
}

async function sorted(page: Page): Promise<(string | null)[]> {
  const head = page.locator('th:is([aria-sort=ascending], [aria-sort=descending])');
  return [(await head.textContent())?.trim() ?? null, await head.getAttribute('aria-sort')];
}

browsing('the address holds every filter, order and width, through a reload', async () => {
  const page = await openPage();
  for (const [address, shows, shown] of STATES) {
    await go(page, address);
    await expect.poll(async () => [address, await shows(page)]).toEqual([address, shown]);
    expect(new URL(page.url()).hash).toBe(`#${address}`);
  }
  await page.reload();
  await page.getByText('1 case', { exact: true }).waitFor();
});

browsing('choices appear in the address and are announced, and going back undoes them', async () => {
  const page = await openPage();
  const learned = row(page, 'Cannot read properties');
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
  await page.getByRole('button', { name: 'Confidence' }).click();
  await page.waitForURL(/sort=confidence/u);
  await go(page, '/incidents?text=manifest');
  const picker = page.getByLabel('Environment');
  const bucket = await picker.locator('option').nth(1).getAttribute('value');
  await picker.selectOption(bucket);
  await page.waitForURL((url) => decodeURIComponent(url.hash).includes(`env=${bucket}`));
  await page.reload();
  await expect.poll(() => picker.inputValue()).toBe(bucket);
});

browsing('going back to a list returns to the opened row', async () => {
  const root = await projectWith(...Array.from({ length: 30 }, (_, index) => [caseOf('a', `OddError: part ${index}`)]));
  const page = await openPage((await viewerOf(root)).url, '/runs');
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

browsing('the next page of a list is shown from its top, and the focus stays', async () => {
  const root = project();
  const cases = Array.from({ length: 250 }, (_, index) => caseOf(`case ${String(index).padStart(3, '0')}`));
  const runId = await inMemoryOf(root, (engine) => record(engine, cases));
  const page = await openPage((await viewerOf(root)).url, `/runs/${runId}`);
  await page.getByRole('button', { name: 'Next' }).focus();
  for (const range of ['101–200 of 250', '201–250 of 250']) {
    await page.keyboard.press('Enter');
    await page.getByText(range).waitFor();
    await settled(page);
    const top = await page.evaluate(() => document.querySelector('section:has(#cases)')?.getBoundingClientRect().top);
    expect(top).toBeGreaterThan(0);
    await expect.poll(() => focused(page)).toBe('Next');
  }
  // This is the last page, so Enter on Next does nothing.
  await page.keyboard.press('Enter');
  await settled(page);
  expect(page.url()).toContain('offset=200');
  await go(page, `/runs/${runId}?offset=5000`);
  await page.getByText('None here; there are 250').waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('201–250 of 250').waitFor();
});

browsing('an edit keeps the focus', async () => {
  const page = await openPage((await viewerOf(copyOf(remembered))).url);
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  const dialog = page.getByRole('dialog');
  for (const end of ['Cancel', 'Close', 'Save']) {
    await page.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('SELECT');
    await dialog.getByLabel('Description').fill(`The id is read too early: ${end}`);
    await dialog.getByRole('button', { name: end }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => [end, await focused(page)]).toEqual([end, 'Edit']);
  }
  await page.getByRole('heading', { name: 'The id is read too early: Save' }).waitFor();
  const solution = page.getByRole('listitem').filter({ hasText: FIX, has: page.getByRole('button') });
  await solution.getByRole('button', { name: 'Mark as wrong' }).focus();
  await page.keyboard.press('Enter');
  await solution.getByRole('button', { name: 'Not wrong after all' }).waitFor();
  await expect.poll(() => focused(page)).toBe('Not wrong after all');
  await page.getByText('No fix that was reported has held').waitFor();
});

browsing('the inspector keeps its text while the page is open', async () => {
  const page = await openPage(viewer.url, '/inspector');
  await page.locator('#text').fill(UNDEFINED);
  await page.getByText('More facts').click();
  await page.getByLabel('Test').fill('suite > parses');
  await page.locator('section').filter({ hasText: 'What the memory knows' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Identity' }).waitFor();
  await page.goBack();
  expect(await page.locator('#text').inputValue()).toContain('Cannot read properties');
  await page.getByRole('heading', { name: 'What the memory knows' }).waitFor();
});

browsing('searches, moves, opens and closes with only the keyboard', async () => {
  const page = await openPage();
  // After a reload no element has the focus.
  await page.reload();
  await settled(page);
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');

  await page.keyboard.press('/');
  await page.keyboard.type('valve');
  await page.keyboard.press('Enter');
  await row(page, 'Cannot read properties').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await row(page, 'Cannot read properties').waitFor();

  const links = page.getByRole('row').getByRole('link');
  await links.first().focus();
  const first = await focused(page);
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).not.toBe(first);
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await expect.poll(() => focused(page)).toBe(first);
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

browsing('uses the language and the colors of the browser, and stores a changed choice', async () => {
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
  await settled(page);
  expect([await language(), await background()]).toEqual(['en', light]);
});
