/**
 * A real browser for the tests of the viewer, and functions that wait for its page.
 */

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { environment } from '../harness.ts';

const PLACES = [
  // The headless shell opens a page in a third of the time of the full browser.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Path of the browser. Undefined without a browser, so that tests in a browser are skipped. */
const CHROMIUM = PLACES.find((file) => existsSync(file));

if (CHROMIUM === undefined) process.stderr.write('tests/e2e: there is no Chromium; the viewer is not tested\n');

/** A test in a browser. */
export const browsing = test.skipIf(CHROMIUM === undefined);

/** Without a sandbox, because containers do not have one and the tests open only their own pages. */
async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: environment({ HOME: mkdtempSync(path.join(tmpdir(), 'argus-e2e-browser-')) }),
  });
}

let started: Promise<Browser> | undefined;

afterAll(async () => (await started)?.close());

/** Opens a new browser context. All tests of a file share the browser, because starting it takes time. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  started ??= startBrowser();
  const context = await (await started).newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  return context;
}

/** Opens a page in a new context at a place of an address. Resolves after the page shows content. */
export async function openPage(url: string, place = '', options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await watchedPage(await newContext(options));
  await watched.page.goto(url);
  await settled(watched.page);
  if (place !== '') await go(watched.page, place);
  return watched;
}

/** A page with its complaints and requests. */
export interface Watched {
  page: Page;
  /** Errors and warnings of the page and its workers, and violations of the content policy. */
  complaints: string[];
  /** Addresses, except those inside the page. */
  requests: string[];
}

/** Opens a new page and records its complaints and requests. */
export async function watchedPage(context: BrowserContext): Promise<Watched> {
  const page = await context.newPage();
  const watched: Watched = { page, complaints: [], requests: [] };
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') watched.complaints.push(message.text());
  });
  page.on('pageerror', (error) => watched.complaints.push(String(error)));
  page.on('request', (request) => {
    if (!/^(?:data|blob):/u.test(request.url())) watched.requests.push(request.url());
  });
  return watched;
}

/** Opens a place of the page by its address. */
export async function go(page: Page, place: string): Promise<void> {
  await page.evaluate(
    (hash) =>
      new Promise<void>((resolve) => {
        if (location.hash === `#${hash}`) return resolve();
        addEventListener('hashchange', () => requestAnimationFrame(() => resolve()), { once: true });
        location.hash = hash;
      }),
    place,
  );
  await settled(page);
}

/** Waits until the view shows content and every request is answered. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  await page.locator('main .opening, [aria-busy=true]').waitFor({ state: 'detached' });
}

/** The row of a table with these words. */
export const row = (page: Page, words: string) => page.getByRole('row').filter({ hasText: words });

/** The part of a page with this heading. */
export const panel = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });

/** Returns the text of the focused element. */
export const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

/** Expects that no text of the page ran as a script, became an element, or hid the page. */
export async function unharmed(page: Page): Promise<void> {
  await settled(page);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  const made = await page
    .locator('main :is(img, script, svg[onload], a[href]:not([href^="#/"]))')
    .evaluateAll((all) => all.map((it) => it.outerHTML));
  expect(made).toEqual([]);
  expect(await page.locator('main').isVisible()).toBe(true);
}
