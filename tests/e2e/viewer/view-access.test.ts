/**
 * The viewer without a mouse, without sight, on a phone, in the dark and in Chinese.
 */

import axe from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect } from 'vitest';
import { z } from 'zod';
import { project } from '../harness.ts';
import { browsing, go, openPage as openPageAt, settled } from './chromium.ts';
import { inMemoryOf, startViewer, type Viewer, viewerOf } from './view.ts';
import { type Remembered, record, rememberedProject } from './view-memory.ts';

let viewer: Viewer;
let remembered: Remembered;
let empty: Viewer;

beforeAll(async () => {
  remembered = await rememberedProject();
  viewer = await startViewer(remembered.root);
  empty = await startViewer(project());
  return () => Promise.all([viewer.end(), empty.end()]);
});

const openPage = (options: BrowserContextOptions = {}, url = viewer.url) => openPageAt(url, '/patterns', options);

const results = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** What axe finds of WCAG 2.2 AA and of good habits. */
async function violations(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(tags)} })`);
  return results.parse(found).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

const PLACES = [
  '/now',
  '/patterns',
  'PATTERN',
  '/runs',
  'RUN',
  'COMPARE',
  '/tests',
  '/health',
  '/incidents',
  '/inspector',
  '/nowhere',
];

/** With the ids of this project. */
async function placesOf(page: Page): Promise<[name: string, hash: string][]> {
  const [first = '', , last = ''] = remembered.runs;
  const link = await page.getByRole('link', { name: /Cannot read properties/u }).getAttribute('href');
  const real: Record<string, string> = {
    PATTERN: link?.slice(1) ?? '',
    RUN: `/runs/${last}`,
    COMPARE: `/compare?base=${first}&head=${last}`,
  };
  return PLACES.map((name) => [name, real[name] ?? name]);
}

browsing.each([
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 360, height: 740 }, hasTouch: true }],
  ['Chinese', { locale: 'zh-CN' }],
] as const)('axe finds nothing: %s', async (_name, options) => {
  // axe runs scripts that the page's policy refuses, here alone.
  const page = await openPage({ ...options, bypassCSP: true });
  await page.addScriptTag({ content: axe.source });
  const found: Record<string, string[]> = {};
  for (const [name, hash] of await placesOf(page)) {
    await go(page, hash);
    const wrong = await violations(page);
    if (wrong.length > 0) found[name] = wrong;
  }
  expect(found).toEqual({});
});

browsing('axe finds nothing in dialogs and on the empty page', async () => {
  const page = await openPage({ bypassCSP: true });
  await page.addScriptTag({ content: axe.source });
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  for (const name of ['Edit', 'Merge']) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  const bare = await openPage({ bypassCSP: true }, empty.url);
  await bare.addScriptTag({ content: axe.source });
  expect(await violations(bare)).toEqual([]);
});

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

browsing('by keyboard alone: search, move, open, close', async () => {
  const page = await openPage();
  // As somebody begins who comes to this place: with nothing focused.
  await page.reload();
  await settled(page);
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Skip to content');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');

  await page.keyboard.press('/');
  await page.keyboard.type('valve');
  await page.keyboard.press('Enter');
  await page.getByRole('row').filter({ hasText: 'Cannot read properties' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByRole('row').filter({ hasText: 'Cannot read properties' }).waitFor();

  const links = page.getByRole('row').getByRole('link');
  await links.first().focus();
  const first = await focused(page);
  await page.keyboard.press('ArrowDown');
  const second = await focused(page);
  expect(second).not.toBe(first);
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

browsing('what has the focus can be seen', async () => {
  const page = await openPage();
  for (let step = 0; step < 25; step++) {
    await page.keyboard.press('Tab');
    const shown = await page.evaluate(() => {
      const it = document.activeElement;
      if (it === null || it === document.body) return true;
      const marks = [it, it.parentElement].map((one) => (one === null ? undefined : getComputedStyle(one)));
      return marks.some(
        (style) => style !== undefined && (style.outlineStyle !== 'none' || style.boxShadow !== 'none'),
      );
    });
    expect([step, await focused(page), shown]).toEqual([step, expect.anything(), true]);
  }
});

const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** When most is written for a moment: `50 minutes ago`. */
async function openPhone(url = viewer.url): Promise<Page> {
  const page = await openPage(PHONE, url);
  await page.clock.setFixedTime(Date.now() + 50 * 60_000);
  await page.reload();
  await settled(page);
  return page;
}

/** Of the places, those that a phone would have to scroll sideways. */
async function tooWide(page: Page, places: readonly [name: string, hash: string][]): Promise<string[]> {
  const wide: string[] = [];
  for (const [name, hash] of places) {
    await go(page, hash);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 360) wide.push(`${name}: ${width}`);
  }
  return wide;
}

/** Of all that stands in cells of tables and is not cut on purpose, what stands out of its cell. */
function outOfCells(): string[] {
  const cells = [...document.querySelectorAll('td, th')];
  return cells.flatMap((cell) => {
    const edge = cell.getBoundingClientRect();
    const parts = [...cell.querySelectorAll('span, a, time, label, button')];
    const out = parts.filter((part) => {
      const box = part.getBoundingClientRect();
      const isCut = part.closest('.clip, .clamp') !== null;
      return box.width > 1 && !isCut && (box.left < edge.left - 1 || box.right > edge.right + 1);
    });
    return out.map((part) => part.textContent?.trim() ?? '');
  });
}

const LONG_NAMED = [
  'Error: connect ECONNREFUSED 127.0.0.1:5432',
  'Error: container "search-1" exited with code 137: out of memory, killed',
];

browsing.each([1024, 1280, 1440])('at %i pixels no column is cut, and no badge stands over a name', async (width) => {
  const root = project();
  const own = await viewerOf(root);
  await inMemoryOf(root, async (engine) => {
    const cases = LONG_NAMED.map((message, index) => ({ name: `case ${index}`, failure: { message, text: message } }));
    const runId = await record(engine, root, cases);
    for (const { name } of cases) await engine.diagnose({ runId, caseName: name });
  });
  for (const url of [viewer.url, own.url]) {
    const page = await openPage({ viewport: { width, height: 800 } }, url);
    for (const hash of ['#/now', '#/patterns', '#/runs', '#/tests', '#/health', '#/incidents']) {
      await go(page, hash);
      expect(await page.evaluate(outOfCells), hash).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), hash).toBeLessThanOrEqual(width);
    }
  }
});

browsing('on a phone nothing is wider than the screen', async () => {
  const page = await openPhone();
  expect(await tooWide(page, await placesOf(page))).toEqual([]);
});

browsing('on a phone words without an end are broken', async () => {
  const root = project();
  const word = 'VeryLongIdentifierWithoutAnySpace'.repeat(15);
  const { run, incident } = await inMemoryOf(root, async (engine) => {
    const steps = `${word} `.repeat(3);
    const failure = { message: `${word} failed`, type: word, text: word };
    const runId = await record(engine, root, [{ name: word, failure }, { name: 'a' }]);
    const { cases } = await engine.runDetail({ runId, limit: 1, offset: null });
    const caseName = cases[0]?.caseName ?? '';
    await engine.reportFix({ runId, caseName, fixDescription: steps, success: true });
    const texts = { error_signature: word, summary: word, tags: [word.slice(0, 90)], steps };
    const env = { os: 'linux', language: word.slice(0, 40) };
    const { incident_id } = await engine.addIncident({
      title: word.slice(0, 200),
      ...texts,
      env,
      worked: true,
      force: true,
    });
    return { run: runId, incident: incident_id };
  });
  const own = await viewerOf(root);
  const page = await openPhone(own.url);
  const pattern = await page.getByRole('link', { name: word.slice(0, 40) }).getAttribute('href');
  const ids = [pattern?.slice(1) ?? '', `/runs/${run}`, `/incidents/${incident}`];
  const places = [
    '/now',
    '/patterns',
    '/runs',
    '/incidents',
    `/runs/${run}?text=a`,
    `/compare?base=${run}&head=${run}`,
    '/tests',
    ...ids,
  ];
  const all = [...places, `/incidents?text=${word.slice(0, 64)}`].map((place): [string, string] => [place, place]);
  expect(await tooWide(page, all)).toEqual([]);
});

browsing('the language and the colours of the browser are taken, and can be changed for good', async () => {
  const page = await openPage({ locale: 'zh-CN', colorScheme: 'dark' });
  expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
  expect(await page.locator('nav').textContent()).toMatch(/\p{Script=Han}/u);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.getByRole('button', { name: /English/u }).click();
  await page.getByRole('link', { name: 'Patterns' }).waitFor();
  await page.getByRole('button', { name: 'Switch to light' }).click();
  await expect.poll(background).not.toBe(dark);
  const light = await background();
  await page.reload();
  await settled(page);
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(await background()).toBe(light);
});

browsing('what changes is told to a screen reader', async () => {
  const page = await openPage();
  await page.locator('[data-search]').fill('valve');
  await page.getByRole('status').filter({ hasText: '1 pattern' }).waitFor();
});
