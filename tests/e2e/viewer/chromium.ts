/**
 * A real browser for the tests of the viewer, and how one waits for its page.
 */

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, onTestFinished, test } from 'vitest';
import { environment } from '../harness.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Undefined: tests in a browser are skipped. */
export const CHROMIUM = PLACES.find((file) => existsSync(file));

if (CHROMIUM === undefined) process.stderr.write('tests/e2e: there is no Chromium; the viewer is not tested\n');

/** A test in a browser. */
export const browsing = test.skipIf(CHROMIUM === undefined);

/** In containers there is no sandbox to have; what is opened here is ours. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: environment({ HOME: mkdtempSync(path.join(tmpdir(), 'argus-e2e-browser-')) }),
  });
}

let started: Promise<Browser> | undefined;

afterAll(async () => (await started)?.close());

/** Of a reader of its own, in the one browser of a file of tests. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  started ??= startBrowser();
  const context = await (await started).newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  return context;
}

/** A new reader's page of a viewer, once it shows something. */
export async function openPage(url: string, place = '', options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await newContext(options)).newPage();
  await page.goto(url);
  await settled(page);
  if (place !== '') await go(page, place);
  return page;
}

/** What a page said and asked for, beside what it shows. */
export interface Watched {
  page: Page;
  /** Of the page and its workers: errors, and what the content policy refused. */
  complaints: string[];
  /** Addresses, without what is inside the page. */
  requests: string[];
}

/** A new page that is listened to. */
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

/** To a place of the page, by its address. */
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

/** Once the view shows something and has asked everything it asks. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ state: 'attached' });
  await page.locator('main .opening, [aria-busy=true]').waitFor({ state: 'detached' });
}
