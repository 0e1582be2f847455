/**
 * What a person expects of any page: links in new tabs, reload, back, the address, the focus, and words for what is not
 * there. What the views say: view-page.test.ts.
 */

import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { project } from '../harness.ts';
import { browsing, go, newContext, openPage as openPageAt, settled } from './chromium.ts';
import { fail, inMemoryOf, startViewer, type Viewer, viewerOf } from './view.ts';
import { FIX, type Remembered, record, rememberedProject } from './view-memory.ts';

let remembered: Remembered;
let viewer: Viewer;

beforeAll(async () => {
  remembered = await rememberedProject();
  viewer = await startViewer(remembered.root);
  return () => viewer.end();
});

const openPage = (url = viewer.url, place = '/patterns') => openPageAt(url, place);

/** A copy: what a test changes is its own. */
function copyOf({ root }: Remembered): string {
  const copy = project();
  cpSync(path.join(root, '.argus'), path.join(copy, '.argus'), { recursive: true });
  return copy;
}

const origin = () => `http://127.0.0.1:${viewer.port}`;
const row = (page: Page, words: string) => page.getByRole('row').filter({ hasText: words });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

browsing('a link in a new tab and a copied address open while a tab of the server is open', async () => {
  const page = await openPage();
  const link = page.getByRole('link', { name: /Cannot read properties/u });
  const [beside] = await Promise.all([page.context().waitForEvent('page'), link.click({ modifiers: ['Control'] })]);
  await beside.getByRole('heading', { name: 'Fix history' }).waitFor();
  const copied = await page.context().newPage();
  await copied.goto(`${origin()}/#/runs`);
  await copied.getByText('3 runs').waitFor();
  expect(copied.url()).not.toContain(viewer.token);
  await copied.reload();
  await copied.getByText('3 runs').waitFor();
});

browsing('a copied address alone says that the token is missing', async () => {
  const page = await (await newContext()).newPage();
  await page.goto(`${origin()}/#/runs`);
  await page.getByRole('alert').filter({ hasText: 'argus-mcp view' }).waitFor();
  expect(await page.getByRole('button').filter({ hasText: 'Choose a file' }).count()).toBe(0);
});

browsing('a project without a memory is named, with what to do', async () => {
  const bare = project();
  const own = await viewerOf(bare);
  const page = await openPage(own.url);
  await page.getByRole('heading', { name: `${path.basename(bare)} has no memory yet` }).waitFor();
  await page.getByText('npx argus-mcp run').waitFor();
});

browsing('history that is switched off is said to be', async () => {
  const off = copyOf(remembered);
  writeFileSync(path.join(off, 'argus.yaml'), 'history: { enabled: false }\n');
  const own = await viewerOf(off);
  const page = await openPage(own.url);
  await page.getByRole('heading', { name: `${path.basename(off)} keeps no memory` }).waitFor();
  await page.getByText('history.enabled: false').waitFor();
});

browsing('a memory with runs and nothing else has words for each empty view', async () => {
  const root = project();
  await inMemoryOf(root, (engine) => record(engine, root, [{ name: 'a' }]));
  const own = await viewerOf(root);
  const page = await openPage(own.url, '/patterns?source=learned');
  await page.getByText('No pattern fits').waitFor();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await row(page, 'Built-in').first().waitFor();
  await go(page, '/incidents');
  await page.getByText('No incidents yet').waitFor();
  await page.getByText('add_incident').waitFor();
  await go(page, '/runs?status=failed');
  await page.getByText('No run fits').waitFor();
  await go(page, '/tests?only=flaky');
  await page.getByText('No test fits').waitFor();
});

browsing('a server that ends is said at once, with what to do', async () => {
  const own = await startViewer(copyOf(remembered));
  const page = await openPage(own.url);
  await row(page, 'Cannot read properties').waitFor();
  await own.end();
  await page.getByText('The server does not answer; this is what was there.').waitFor();
  await row(page, 'Cannot read properties').waitFor();
  await go(page, '/runs');
  await page.getByRole('alert').filter({ hasText: 'argus-mcp view' }).waitFor();
});

browsing('an answer that takes long is seen to be awaited', async () => {
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

/** Each address, and what shows that its state was read: a control's value, or the one that is pressed. */
const STATES: readonly [address: string, shows: (page: Page) => Promise<unknown>, shown: unknown][] = [
  ['/patterns?text=valve', (page) => page.locator('[data-search]').inputValue(), 'valve'],
  ['/patterns?category=CONNECTION_REFUSED', pressed, ['Connection refused1', 'All']],
  ['/patterns?source=built-in', pressed, ['All', 'Built-in6']],
  ['/patterns?sort=category', sorted, ['Category', 'ascending']],
  ['/patterns?sort=category&order=desc', sorted, ['Category', 'descending']],
  ['/patterns?sort=confidence&order=asc', sorted, ['Confidence', 'ascending']],
  ['/runs?status=failed', pressed, ['Failed']],
  ['/runs?span=500', (page) => page.getByRole('combobox', { name: 'Newest' }).inputValue(), '500'],
  ['/tests?only=flaky', pressed, ['Flaky2']],
  ['/tests?runs=10', (page) => page.getByRole('combobox', { name: 'Newest' }).inputValue(), '10'],
  ['/tests?text=wobbles', (page) => page.getByRole('rowheader').count(), 1],
  ['/health?by=day', pressed, ['Day']],
  ['/incidents?text=manifest', (page) => page.locator('[data-search]').inputValue(), 'manifest'],
  ['RUN?status=passed', (page) => page.getByLabel('Status').inputValue(), 'passed'],
  ['RUN?text=lists', (page) => page.getByText('1 case', { exact: true }).count(), 1],
];

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
    const place = address.replace('RUN', `/runs/${remembered.runs[2]}`);
    await go(page, place);
    await expect.poll(async () => [address, await shows(page)]).toEqual([address, shown]);
    await page.reload();
    await settled(page);
    await expect.poll(async () => [address, await shows(page)]).toEqual([address, shown]);
    expect(new URL(page.url()).hash).toBe(`#${place}`);
  }
});

browsing('what a person chooses goes into the address, and back takes it out again', async () => {
  const page = await openPage();
  await page
    .getByRole('group', { name: 'Category' })
    .getByRole('button', { name: /Connection refused/u })
    .click();
  await row(page, 'Cannot read properties').waitFor({ state: 'detached' });
  await page
    .getByRole('group', { name: 'Source' })
    .getByRole('button', { name: /Learned/u })
    .click();
  await page.waitForURL(/category=CONNECTION_REFUSED&source=learned/u);
  await page.goBack();
  await page.goBack();
  await row(page, 'Cannot read properties').waitFor();
  await go(page, '/incidents?text=manifest');
  const picker = page.getByLabel('Environment');
  const bucket = await picker.locator('option').nth(1).getAttribute('value');
  await picker.selectOption(bucket);
  await page.waitForURL((url) => decodeURIComponent(url.hash).includes(`env=${bucket}`));
  await page.reload();
  await settled(page);
  await expect.poll(() => picker.inputValue()).toBe(bucket);
});

browsing('who goes back to a list is at the row that was opened', async () => {
  const root = project();
  for (let index = 0; index < 40; index++)
    await fail(root, `make part-${index}`, `OddError: part ${'ab'.repeat(index)}`);
  const own = await viewerOf(root);
  const page = await openPage(own.url, '/runs');
  const last = page.locator('table a.row').nth(35);
  const href = await last.getAttribute('href');
  await last.click();
  await page.getByRole('heading', { name: 'Failures by cause' }).waitFor();
  const here = () => page.evaluate(() => document.activeElement?.getAttribute('href'));
  for (const back of [
    () => page.goBack(),
    () => page.keyboard.press('Escape'),
    () => page.locator('main').getByRole('link', { name: 'Runs' }).click(),
  ]) {
    await back();
    await expect.poll(here).toBe(href);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(100);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Failures by cause' }).waitFor();
  }
  // From the places at the top, the list begins at its beginning.
  await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Runs' }).click();
  await last.waitFor();
  await settled(page);
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});

browsing('the next part of a list begins at its top, and the focus stays', async () => {
  const root = project();
  const cases = Array.from({ length: 250 }, (_, index) => ({ name: `case ${String(index).padStart(3, '0')}` }));
  const runId = await inMemoryOf(root, (engine) => record(engine, root, cases));
  const own = await viewerOf(root);
  const page = await openPage(own.url, `/runs/${runId}`);
  const next = page.getByRole('button', { name: 'Next' });
  await next.focus();
  for (const range of ['101–200 of 250', '201–250 of 250']) {
    await page.keyboard.press('Enter');
    await page.getByText(range).waitFor();
    await settled(page);
    const top = await page.evaluate(() => document.querySelector('section:has(#cases)')?.getBoundingClientRect().top);
    expect(top).toBeGreaterThan(0);
    await expect.poll(() => focused(page)).toBe('Next');
  }
  // There is no further one.
  await page.keyboard.press('Enter');
  await settled(page);
  expect(page.url()).toContain('offset=200');
  await go(page, `/runs/${runId}?offset=5000`);
  await page.getByText('None here; there are 250').waitFor();
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('201–250 of 250').waitFor();
});

browsing('an edit leaves the focus where it was', async () => {
  const own = await viewerOf(copyOf(remembered));
  const page = await openPage(own.url);
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  for (const end of ['Cancel', 'Close', 'Save']) {
    await page.getByRole('button', { name: 'Edit' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('SELECT');
    await dialog.getByLabel('Description').fill(`The id is read too early: ${end}`);
    await dialog.getByRole('button', { name: end }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(async () => [end, await focused(page)]).toEqual([end, 'Edit']);
  }
  await page.getByRole('heading', { name: 'The id is read too early: Save' }).waitFor();
  const solution = page
    .getByRole('listitem')
    .filter({ hasText: FIX })
    .filter({ hasText: /Mark as wrong|Not wrong/u });
  await solution.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await solution.getByRole('button', { name: 'Not wrong after all' }).waitFor();
  await expect.poll(() => focused(page)).toBe('Not wrong after all');
  await page.getByText('No fix that was reported has held').waitFor();
});

browsing('the inspector keeps its text while the page is open', async () => {
  const page = await openPage(viewer.url, '/inspector');
  await page.locator('#text').fill('TypeError: Cannot read properties of undefined (reading "id")');
  await page.getByText('More facts').click();
  await page.getByLabel('Test').fill('suite > parses');
  await page.locator('section').filter({ hasText: 'What the memory knows' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Identity' }).waitFor();
  await page.goBack();
  expect(await page.locator('#text').inputValue()).toContain('Cannot read properties');
  await page.getByRole('heading', { name: 'What the memory knows' }).waitFor();
});

browsing('every control of every view is reached with the Tab key', async () => {
  const page = await openPage();
  const link = await page.getByRole('link', { name: /Cannot read properties/u }).getAttribute('href');
  const [first, , last] = remembered.runs;
  const incident = await go(page, '/incidents').then(() => page.locator('ol a.row').first().getAttribute('href'));
  const places = [link, incident, '#/runs', `#/runs/${last}`, `#/compare?base=${first}&head=${last}`];
  for (const place of [
    '#/now',
    '#/patterns',
    ...places,
    '#/tests',
    '#/health',
    '#/incidents?text=manifest',
    '#/inspector',
  ]) {
    await go(page, place?.slice(1) ?? '');
    const missed = await page.evaluate(() => {
      const CONTROLS = 'a[href], button, input, select, textarea, summary';
      const all = [...document.querySelectorAll<HTMLElement>(`header :is(${CONTROLS}), main :is(${CONTROLS})`)];
      const shown = all.filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.matches(':disabled'));
      return shown.filter((it) => it.tabIndex < 0).map((it) => it.outerHTML);
    });
    expect([place, missed]).toEqual([place, []]);
    await page.locator('body').evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    const controls = await page.locator('main :is(a[href], button, input, select, textarea, summary):visible').count();
    const reached = new Set<string>();
    for (let step = 0; step < controls + 40; step++) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate(() => {
          const all = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')];
          return String(document.activeElement ? all.indexOf(document.activeElement) : -1);
        }),
      );
    }
    reached.delete('-1');
    expect([place, reached.size]).toEqual([place, controls]);
  }
});
