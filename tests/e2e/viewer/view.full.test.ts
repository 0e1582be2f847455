/** The viewer at all sizes, in all colors and languages, with every control, and with files of gigabytes. */

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { BUNDLE, environment, project } from '../harness.ts';
import { browsing, go, openPage, row, settled, unharmed } from './chromium.ts';
import { inMemoryOf, viewerOf, viewerOfFile } from './view.ts';
import {
  caseOf,
  HOSTILE,
  healthProject,
  hostileProject,
  projectWith,
  REFUSED,
  type Remembered,
  record,
  rememberedProject,
} from './view-memory.ts';

const remembered = await rememberedProject();
const viewer = await viewerOfFile(remembered.root);
const empty = await viewerOfFile(project());
const places = await placesOf(remembered);

/** Addresses of every view, with content when the project has any. */
async function placesOf({ root, runs: [first = '', ...later] }: Remembered): Promise<string[]> {
  const shown = await inMemoryOf(root, async (engine) => {
    const [pattern] = (await engine.viewPatterns({ source: 'learned' })).patterns;
    const [incident] = (await engine.viewIncidents()).incidents;
    return [
      ...(pattern ? [`/patterns/${pattern.id}`] : []),
      ...(incident ? [`/incidents/${incident.incidentId}`] : []),
    ];
  });
  const last = later.at(-1) ?? first;
  const runs = [`/runs/${last}`, `/runs/${last}?text=a`, `/compare?base=${first}&head=${last}`];
  const lists = ['/now', '/patterns', '/runs', '/tests', '/health', '/incidents', '/incidents?text=manifest'];
  return [...lists, ...runs, ...shown, '/inspector', '/nowhere'];
}

const results = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** Returns the violations of WCAG 2.2 AA and of best practices that axe finds. */
async function violations(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(tags)} })`);
  return results.parse(found).violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

async function openForAxe(url: string, options: object = {}): Promise<Page> {
  // Bypasses the page's policy, because it blocks the scripts of axe.
  const { page } = await openPage(url, '', { ...options, bypassCSP: true });
  await page.addScriptTag({ content: axe.source });
  return page;
}

browsing.each([
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 360, height: 740 }, hasTouch: true }],
  ['Chinese', { locale: 'zh-CN' }],
] as const)('axe finds nothing in any view: %s', async (_name, options) => {
  const page = await openForAxe(viewer.url, options);
  for (const place of places) {
    await go(page, place);
    expect([place, await violations(page)]).toEqual([place, []]);
  }
});

browsing('axe finds nothing in dialogs and on the empty page', async () => {
  const page = await openForAxe(viewer.url);
  await go(page, '/patterns');
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  for (const name of ['Edit', 'Merge']) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  expect(await violations(await openForAxe(empty.url))).toEqual([]);
});

/** Returns the texts that overflow their table cell, except intentionally cut texts. */
function outOfCells(): string[] {
  return [...document.querySelectorAll('td, th')].flatMap((cell) => {
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

/** Expects that at each place the page and its header fit the width and no text overflows its cell. */
async function expectToFit(page: Page, width: number, all: readonly string[]): Promise<void> {
  for (const place of all) {
    await go(page, place);
    const seen = await page.evaluate(() => {
      const ends = [...document.querySelectorAll('header :is(a, button)')].map(
        (it) => it.getBoundingClientRect().right,
      );
      return { page: document.documentElement.scrollWidth, header: Math.max(...ends) };
    });
    expect([place, Math.max(seen.page, seen.header)]).toEqual([place, expect.toSatisfy((it) => it <= width)]);
    if (width > 360) expect([place, await page.evaluate(outOfCells)]).toEqual([place, []]);
  }
  const links = page.getByRole('navigation', { name: 'Places' }).getByRole('link');
  const tops = await links.evaluateAll((them) => them.map((it) => it.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
}

/** Opens the page with a clock 50 minutes ahead, because `50 minutes ago` is the longest form of a relative time. */
async function openAt(url: string, width: number): Promise<Page> {
  const phone = width === 360 ? { hasTouch: true, isMobile: true } : {};
  const { page } = await openPage(url, '', { viewport: { width, height: 800 }, ...phone });
  await page.clock.setFixedTime(Date.now() + 50 * 60_000);
  await page.reload();
  await settled(page);
  return page;
}

browsing.each([360, 1024, 1280, 1440])('every view fits into %i pixels without cut columns', async (width) => {
  await expectToFit(await openAt(viewer.url, width), width, places);
  const health = await healthProject();
  await expectToFit(await openAt((await viewerOf(health.root)).url, width), width, await placesOf(health));
  const killed = 'Error: container "search-1" exited with code 137: out of memory, killed';
  const long = await projectWith([caseOf('case 0', REFUSED), caseOf('case 1', killed)]);
  await expectToFit(await openAt((await viewerOf(long)).url, width), width, ['/now', '/patterns', '/tests', '/health']);
});

browsing('breaks very long words on a phone', async () => {
  const root = project();
  const word = 'VeryLongIdentifierWithoutAnySpace'.repeat(15);
  const runId = await inMemoryOf(root, async (engine) => {
    const run = await record(engine, [caseOf(word, `${word}: ${word} failed\n${word}`), caseOf('a')]);
    const steps = `${word} `.repeat(3);
    const caseName = `a.test.ts > ${word}`;
    await engine.reportFix({ runId: run, caseName, fixDescription: steps, success: true });
    const texts = { title: word.slice(0, 200), error_signature: word, summary: word, tags: [word.slice(0, 90)], steps };
    await engine.addIncident({
      ...texts,
      env: { os: 'linux', language: word.slice(0, 40) },
      worked: true,
      force: true,
    });
    return run;
  });
  const all = await placesOf({ root, file: '', runs: [runId] });
  const page = await openAt((await viewerOf(root)).url, 360);
  await expectToFit(page, 360, [...all, `/incidents?text=${word.slice(0, 64)}`]);
});

const CONTROLS = 'a[href], button, input, select, textarea, summary';

browsing('the Tab key reaches every control of every view, with a visible focus', async () => {
  const { page } = await openPage(viewer.url);
  for (const place of places) {
    await go(page, place);
    const controls = page.locator(`:is(header, main) :is(${CONTROLS}):visible:enabled`);
    const missed = await controls.evaluateAll((all) =>
      all.flatMap((it) => (it instanceof HTMLElement && it.tabIndex < 0 ? [it.outerHTML] : [])),
    );
    expect([place, missed]).toEqual([place, []]);
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    const inMain = await page.locator(`main :is(${CONTROLS}):visible`).count();
    const reached = new Set<number>();
    for (let step = 0; step < inMain + 40; step++) {
      await page.keyboard.press('Tab');
      const { at, isMarked } = await page.evaluate(focusIn, `main :is(${CONTROLS})`);
      reached.add(at);
      expect([place, step, isMarked]).toEqual([place, step, true]);
    }
    reached.delete(-1);
    expect([place, reached.size]).toEqual([place, inMain]);
  }
});

/** Returns the index of the focused element, and whether its focus is visible. */
function focusIn(selector: string): { at: number; isMarked: boolean } {
  const control = document.activeElement ?? document.body;
  const at = [...document.querySelectorAll(selector)].indexOf(control);
  const styles = [control, control.parentElement ?? control].map((it) => getComputedStyle(it));
  const isSeen = styles.some(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none');
  return { at, isMarked: isSeen || control === document.body };
}

/** Opens a page without a memory and picks a file. */
async function pick(file: string): Promise<Page> {
  const { page } = await openPage(empty.url, '/patterns');
  await page.getByLabel('Choose a file').setInputFiles(file);
  return page;
}

browsing('opens a file of 2 GB', async () => {
  const root = project();
  const file = path.join(root, '.argus', 'argus.db');
  await inMemoryOf(root, (engine) => record(engine, [caseOf('a', 'OddError: the first valve leaks')]));
  const pages = Buffer.alloc(4);
  pages.writeUInt32BE(2 ** 31 / readFileSync(file).readUInt16BE(16));
  writeSync(openSync(file, 'r+'), pages, 0, 4, 28);
  truncateSync(file, 2 ** 31);
  // These runs are stored after all the pages that were never written.
  await inMemoryOf(root, async (engine) => {
    for (let run = 1; run < 40; run++)
      await record(engine, [caseOf('a', `OddError: valve ${run} leaks ${'x '.repeat(run)}`)]);
  });
  expect(statSync(file).size).toBeGreaterThan(2 ** 31);
  const page = await pick(file);
  await row(page, 'the first valve leaks').waitFor();
  await go(page, '/runs');
  await page.getByText('40 runs').waitFor();
});

browsing('asks to open a file again when it was written after it was picked', async () => {
  const file = path.join(project(), 'moving.db');
  copyFileSync(remembered.file, file);
  const page = await pick(file);
  await row(page, 'Cannot read properties').waitFor();
  appendFileSync(file, Buffer.alloc(4096));
  await go(page, `/runs/${remembered.runs[0]}`);
  await page.getByText('open it again').first().waitFor();
});

browsing('shows hostile texts in a picked file as text, including a text of ten megabytes', async () => {
  const { file, runs } = await hostileProject(10);
  const page = await pick(file);
  await row(page, HOSTILE[0]).first().waitFor();
  for (const place of ['/patterns', '/now', '/tests', '/runs', '/incidents', ...runs.map((id) => `/runs/${id}`)]) {
    await go(page, place);
    await unharmed(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  }
});

browsing('the inspector accepts a line of ten megabytes', async () => {
  const { page } = await openPage(viewer.url, '/inspector');
  await page.locator('#text').evaluate((area) => {
    if (!(area instanceof HTMLTextAreaElement)) throw new Error('no text area');
    area.value = `Error: connect ECONNREFUSED 127.0.0.1:5432 ${'<b>"x" '.repeat(1_500_000)}`;
    area.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.locator('code').filter({ hasText: 'CONNECTION_REFUSED' }).waitFor({ timeout: 60_000 });
  await unharmed(page);
});

/** True when `script` can provide a terminal, because programs show their progress only at a terminal. */
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasTerminal)(
  'a full disk ends an export with a reason and restores the cursor of the terminal',
  async () => {
    const { root, file } = await rememberedProject();
    const filler =
      "INSERT INTO lookups (id, query, env_bucket, created_at) VALUES ('filler', randomblob(19000000), '', 0)";
    execFileSync('sqlite3', [file, filler]);
    const target = path.join(project(), 'report.html');
    const command = `ulimit -f 20000; exec "${process.execPath}" "${BUNDLE}" view --project "${root}" --export "${target}"`;
    const ended = spawnSync('script', ['-qec', command, '/dev/null'], {
      env: environment({ SHELL: '/bin/bash' }),
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect({ status: ended.status, signal: ended.signal }).toEqual({ status: 2, signal: null });
    expect(ended.stdout).toContain('cannot be written: EFBIG');
    expect(ended.stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(ended.stdout.lastIndexOf('\u001b[?25l'));
  },
);
