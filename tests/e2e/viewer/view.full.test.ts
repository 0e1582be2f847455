/** The viewer at all sizes, in all colors and languages, with every control, and with files of gigabytes. */

import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, copyFileSync, openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createEnvironment, createProject, PROGRAM_PATH } from '../harness.ts';
import { expectUnharmed, findRow, goToPlace, openPage, testInBrowser, waitForContent } from './chromium.ts';
import { startFileViewer, startTestViewer, withProjectEngine } from './view.ts';
import {
  createCase,
  createHealthProject,
  createHostileProject,
  createProjectWithRuns,
  createRememberedProject,
  HOSTILE_TEXTS,
  type ProjectMemory,
  REFUSED_ERROR,
  recordAndDiagnose,
} from './view-memory.ts';

const rememberedProject = await createRememberedProject();
const viewer = await startFileViewer(rememberedProject.root);
const emptyViewer = await startFileViewer(createProject());
const allPlaces = await listPlaces(rememberedProject);

/** Returns the addresses of every view, with content if the project has any. */
async function listPlaces({ root, runs: [first = '', ...later] }: ProjectMemory): Promise<string[]> {
  const shown = await withProjectEngine(root, async (engine) => {
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

const axeResultsSchema = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** Returns the violations of WCAG 2.2 AA and of best practices that axe finds. */
async function findAccessibilityViolations(page: Page): Promise<string[]> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(tags)} })`);
  return axeResultsSchema
    .parse(found)
    .violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

async function openForAxe(url: string, options: object = {}): Promise<Page> {
  // Bypasses the page's policy, because the policy blocks the scripts of axe.
  const { page } = await openPage(url, '', { ...options, bypassCSP: true });
  await page.addScriptTag({ content: axe.source });
  return page;
}

testInBrowser.each([
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 360, height: 740 }, hasTouch: true }],
  ['Chinese', { locale: 'zh-CN' }],
] as const)('axe finds nothing in any view: %s', async (_name, options) => {
  const page = await openForAxe(viewer.url, options);
  for (const place of allPlaces) {
    await goToPlace(page, place);
    expect([place, await findAccessibilityViolations(page)]).toEqual([place, []]);
  }
});

testInBrowser('axe finds nothing in dialogs and on the empty page', async () => {
  const page = await openForAxe(viewer.url);
  await goToPlace(page, '/patterns');
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  for (const name of ['Edit', 'Merge']) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  expect(await findAccessibilityViolations(await openForAxe(emptyViewer.url))).toEqual([]);
});

/** Returns the texts that overflow their table cell, except texts that are cut on purpose. */
function findOverflowingTexts(): string[] {
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

/** Expects that at each place, the page and its header fit the width and no text overflows its cell. */
async function expectPagesFit(page: Page, width: number, all: readonly string[]): Promise<void> {
  for (const place of all) {
    await goToPlace(page, place);
    const seen = await page.evaluate(() => {
      const ends = [...document.querySelectorAll('header :is(a, button)')].map(
        (it) => it.getBoundingClientRect().right,
      );
      return { page: document.documentElement.scrollWidth, header: Math.max(...ends) };
    });
    expect([place, Math.max(seen.page, seen.header)]).toEqual([place, expect.toSatisfy((it) => it <= width)]);
    if (width > 360) expect([place, await page.evaluate(findOverflowingTexts)]).toEqual([place, []]);
  }
  const links = page.getByRole('navigation', { name: 'Places' }).getByRole('link');
  const tops = await links.evaluateAll((them) => them.map((it) => it.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
}

/** Opens the page with a clock 50 minutes ahead, because `50 minutes ago` is the longest form of a relative time. */
async function openWithLaterClock(url: string, width: number): Promise<Page> {
  const phone = width === 360 ? { hasTouch: true, isMobile: true } : {};
  const { page } = await openPage(url, '', { viewport: { width, height: 800 }, ...phone });
  await page.clock.setFixedTime(Date.now() + 50 * 60_000);
  await page.reload();
  await waitForContent(page);
  return page;
}

testInBrowser.each([360, 1024, 1280, 1440])('every view fits into %i pixels without cut columns', async (width) => {
  await expectPagesFit(await openWithLaterClock(viewer.url, width), width, allPlaces);
  const health = await createHealthProject();
  await expectPagesFit(
    await openWithLaterClock((await startTestViewer(health.root)).url, width),
    width,
    await listPlaces(health),
  );
  const killed = 'Error: container "search-1" exited with code 137: out of memory, killed';
  const long = await createProjectWithRuns([createCase('case 0', REFUSED_ERROR), createCase('case 1', killed)]);
  await expectPagesFit(await openWithLaterClock((await startTestViewer(long)).url, width), width, [
    '/now',
    '/patterns',
    '/tests',
    '/health',
  ]);
});

testInBrowser('breaks very long words on a phone', async () => {
  const root = createProject();
  const word = 'VeryLongIdentifierWithoutAnySpace'.repeat(15);
  const runId = await withProjectEngine(root, async (engine) => {
    const run = await recordAndDiagnose(engine, [
      createCase(word, `${word}: ${word} failed\n${word}`),
      createCase('a'),
    ]);
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
  const all = await listPlaces({ root, file: '', runs: [runId] });
  const page = await openWithLaterClock((await startTestViewer(root)).url, 360);
  await expectPagesFit(page, 360, [...all, `/incidents?text=${word.slice(0, 64)}`]);
});

const CONTROL_SELECTOR = 'a[href], button, input, select, textarea, summary';

testInBrowser('the Tab key reaches every control of every view, with a visible focus', async () => {
  const { page } = await openPage(viewer.url);
  for (const place of allPlaces) {
    await goToPlace(page, place);
    const controls = page.locator(`:is(header, main) :is(${CONTROL_SELECTOR}):visible:enabled`);
    const missed = await controls.evaluateAll((all) =>
      all.flatMap((it) => (it instanceof HTMLElement && it.tabIndex < 0 ? [it.outerHTML] : [])),
    );
    expect([place, missed]).toEqual([place, []]);
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    const inMain = await page.locator(`main :is(${CONTROL_SELECTOR}):visible`).count();
    const reached = new Set<number>();
    for (let step = 0; step < inMain + 40; step++) {
      await page.keyboard.press('Tab');
      const { at, isMarked } = await page.evaluate(readFocus, `main :is(${CONTROL_SELECTOR})`);
      reached.add(at);
      expect([place, step, isMarked]).toEqual([place, step, true]);
    }
    reached.delete(-1);
    expect([place, reached.size]).toEqual([place, inMain]);
  }
});

/** Returns the index of the focused element, and whether its focus is visible. */
function readFocus(selector: string): { at: number; isMarked: boolean } {
  const control = document.activeElement ?? document.body;
  const at = [...document.querySelectorAll(selector)].indexOf(control);
  const styles = [control, control.parentElement ?? control].map((it) => getComputedStyle(it));
  const isSeen = styles.some(({ outlineStyle, boxShadow }) => outlineStyle !== 'none' || boxShadow !== 'none');
  return { at, isMarked: isSeen || control === document.body };
}

/** Opens a page without a memory and picks a file. */
async function pickFile(file: string): Promise<Page> {
  const { page } = await openPage(emptyViewer.url, '/patterns');
  await page.getByLabel('Choose a file').setInputFiles(file);
  return page;
}

testInBrowser('opens a file of 2 GB', async () => {
  const root = createProject();
  const file = path.join(root, '.argus', 'argus.db');
  await withProjectEngine(root, (engine) =>
    recordAndDiagnose(engine, [createCase('a', 'OddError: the first valve leaks')]),
  );
  const pages = Buffer.alloc(4);
  pages.writeUInt32BE(2 ** 31 / readFileSync(file).readUInt16BE(16));
  writeSync(openSync(file, 'r+'), pages, 0, 4, 28);
  truncateSync(file, 2 ** 31);
  // These runs are stored after all the pages that were never written.
  await withProjectEngine(root, async (engine) => {
    for (let run = 1; run < 40; run++)
      await recordAndDiagnose(engine, [createCase('a', `OddError: valve ${run} leaks ${'x '.repeat(run)}`)]);
  });
  expect(statSync(file).size).toBeGreaterThan(2 ** 31);
  const page = await pickFile(file);
  await findRow(page, 'the first valve leaks').waitFor();
  await goToPlace(page, '/runs');
  await page.getByText('40 runs').waitFor();
});

testInBrowser('asks to open a file again when it was written after it was picked', async () => {
  const file = path.join(createProject(), 'moving.db');
  copyFileSync(rememberedProject.file, file);
  const page = await pickFile(file);
  await findRow(page, 'Cannot read properties').waitFor();
  appendFileSync(file, Buffer.alloc(4096));
  await goToPlace(page, `/runs/${rememberedProject.runs[0]}`);
  await page.getByText('Open it again').first().waitFor();
});

testInBrowser('shows hostile texts in a picked file as text, including a text of ten megabytes', async () => {
  const { file, runs } = await createHostileProject(10);
  const page = await pickFile(file);
  await findRow(page, HOSTILE_TEXTS[0]).first().waitFor();
  for (const place of ['/patterns', '/now', '/tests', '/runs', '/incidents', ...runs.map((id) => `/runs/${id}`)]) {
    await goToPlace(page, place);
    await expectUnharmed(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  }
});

testInBrowser('the inspector accepts a line of ten megabytes', async () => {
  const { page } = await openPage(viewer.url, '/inspector');
  await page.locator('#text').evaluate((area) => {
    if (!(area instanceof HTMLTextAreaElement)) throw new Error('no text area');
    area.value = `Error: connect ECONNREFUSED 127.0.0.1:5432 ${'<b>"x" '.repeat(1_500_000)}`;
    area.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.locator('code').filter({ hasText: 'CONNECTION_REFUSED' }).waitFor({ timeout: 60_000 });
  await expectUnharmed(page);
});

/** True if `script` can provide a terminal, because programs show their progress only at a terminal. */
const hasScriptProgram = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasScriptProgram)(
  'a full disk ends an export with a reason and restores the cursor of the terminal',
  async () => {
    const { root, file } = await createRememberedProject();
    const filler =
      "INSERT INTO lookups (id, query, env_bucket, created_at) VALUES ('filler', randomblob(19000000), '', 0)";
    execFileSync('sqlite3', [file, filler]);
    const target = path.join(createProject(), 'report.html');
    const command = `ulimit -f 20000; exec "${process.execPath}" "${PROGRAM_PATH}" view --project "${root}" --export "${target}"`;
    const ended = spawnSync('script', ['-qec', command, '/dev/null'], {
      env: createEnvironment({ SHELL: '/bin/bash' }),
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect({ status: ended.status, signal: ended.signal }).toEqual({ status: 2, signal: null });
    expect(ended.stdout).toContain('cannot be written: EFBIG');
    expect(ended.stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(ended.stdout.lastIndexOf('\u001b[?25l'));
  },
);
