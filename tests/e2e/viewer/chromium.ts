/** A real browser for the tests of the viewer, and functions that wait for its page. */

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createEnvironment } from '../harness.ts';

const BROWSER_PATHS = [
  // The headless shell opens a page in a third of the time of the full browser.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Path of the browser, or undefined if there is none. Then tests in a browser are skipped. */
const CHROMIUM_PATH = BROWSER_PATHS.find((file) => existsSync(file));

if (CHROMIUM_PATH === undefined) process.stderr.write('tests/e2e: there is no Chromium; the viewer is not tested\n');

/** Declares a test in a browser. */
export const testInBrowser = test.skipIf(CHROMIUM_PATH === undefined);

/** Runs without a sandbox, because containers do not have one and the tests open only their own pages. */
async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM_PATH === undefined ? {} : { executablePath: CHROMIUM_PATH }),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: createEnvironment({ HOME: mkdtempSync(path.join(tmpdir(), 'argus-e2e-browser-')) }),
  });
}

let startedBrowser: Promise<Browser> | undefined;

afterAll(async () => (await startedBrowser)?.close());

/** Opens a new browser context. All tests of a file share the browser, because starting it takes time. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  startedBrowser ??= startBrowser();
  const context = await (await startedBrowser).newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  return context;
}

/** Opens a page in a new context, at a place such as `/patterns`. Resolves after the page shows content. */
export async function openPage(url: string, place = '', options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await openWatchedPage(await newContext(options));
  await watched.page.goto(url);
  await waitForContent(watched.page);
  if (place !== '') await goToPlace(watched.page, place);
  return watched;
}

/** A page with its errors and requests. */
export interface WatchedPage {
  page: Page;
  /** Errors and warnings of the page and its workers, and violations of the content policy. */
  complaints: string[];
  /** Requested URLs, except those inside the page. */
  requests: string[];
}

/** Opens a new page and records its errors and requests. */
export async function openWatchedPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const watched: WatchedPage = { page, complaints: [], requests: [] };
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
export async function goToPlace(page: Page, place: string): Promise<void> {
  await page.evaluate(
    (hash) =>
      new Promise<void>((resolve) => {
        if (location.hash === `#${hash}`) return resolve();
        addEventListener('hashchange', () => requestAnimationFrame(() => resolve()), { once: true });
        location.hash = hash;
      }),
    place,
  );
  await waitForContent(page);
}

/** Waits until the view shows content and every request is answered. */
export async function waitForContent(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  await page.locator('main .opening, [aria-busy=true]').waitFor({ state: 'detached' });
}

/** Finds the row of a table that contains these words. */
export const findRow = (page: Page, words: string) => page.getByRole('row').filter({ hasText: words });

/** Finds the part of a page with this heading. */
export const findPanel = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });

/** Returns the text of the focused element. */
export const readFocusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

/** Expects that no text of the page ran as a script, became an element, or hid the page. */
export async function expectUnharmed(page: Page): Promise<void> {
  await waitForContent(page);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  const made = await page
    .locator('main :is(img, script, svg[onload], a[href]:not([href^="#/"]))')
    .evaluateAll((all) => all.map((it) => it.outerHTML));
  expect(made).toEqual([]);
  expect(await page.locator('main').isVisible()).toBe(true);
}
