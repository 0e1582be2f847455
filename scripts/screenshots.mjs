// `npm run screenshots [-- FOLDER]`: takes pictures of every view of a sample memory at three widths, in dark mode and
// on a phone. Needs the build and Chromium.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { build } from './build.mjs';
import { commandEnvironment, findProgram, root } from './lib/exec.mjs';
import { TEST_PROGRAMS } from './lib/required-programs.mjs';
import { fillSample } from './lib/sample-memory.mjs';
import { runMain, runStep, StepFailed } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const LOOKS = {
  narrow: { colorScheme: 'light', viewport: { width: 1024, height: 768 } },
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  wide: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true },
};

/**
 * For each view: its name, how to reach it from the previous view, and a selector that is visible when the view is
 * drawn.
 */
const VIEWS = [
  { name: 'now', go: (page) => goToPlace(page, '#/now'), ready: 'main .items' },
  { name: 'patterns', go: (page) => goToPlace(page, '#/patterns'), ready: 'table a.row' },
  {
    name: 'pattern',
    go: (page) =>
      page
        .getByRole('link', { name: /Test timed out/ })
        .first()
        .click(),
    ready: '.numbers',
  },
  { name: 'edit', go: (page) => page.getByRole('button', { name: 'Edit' }).click(), ready: 'dialog textarea' },
  { name: 'runs', go: (page) => goToPlace(page, '#/runs'), ready: 'canvas' },
  { name: 'run', go: (page) => page.locator('table a.row').first().click(), ready: '.cases' },
  { name: 'case', go: openCase, ready: '.cases pre' },
  { name: 'comparison', go: compare, ready: '.lists' },
  { name: 'tests', go: (page) => goToPlace(page, '#/tests'), ready: '.scroll' },
  { name: 'health', go: (page) => goToPlace(page, '#/health'), ready: 'canvas' },
  { name: 'incidents', go: (page) => goToPlace(page, '#/incidents'), ready: 'ol a.row' },
  { name: 'search', go: (page) => goToPlace(page, '#/incidents?text=chromium+executable+missing'), ready: 'ol dl' },
  { name: 'incident', go: (page) => page.locator('ol a.row').first().click(), ready: 'ol table' },
  { name: 'inspector', go: inspect, ready: 'mark' },
];

await runMain(async () => {
  await setUp({ programs: TEST_PROGRAMS });
  await build();
  const out = resolve(process.argv[2] ?? join(root, 'target', 'screenshots'));
  mkdirSync(out, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'argus-screenshots-'));
  const project = join(folder, 'webshop');
  try {
    await runStep('a sample memory', () => fillMemory(project, join(folder, 'reports')));
    await runStep(`pictures in ${out}`, (onLine) => takeScreenshots(project, out, onLine));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

async function fillMemory(project, reports) {
  mkdirSync(join(project, '.argus'), { recursive: true });
  const { openEngine } = await import('../npm/engine/dist/node.mjs');
  // Makes the memory belong to this user, with a separate data folder.
  const memoryId = `mem-${crypto.randomUUID()}`;
  process.env.XDG_DATA_HOME = join(dirname(project), 'data');
  const memories = join(process.env.XDG_DATA_HOME, 'argus', 'memories');
  mkdirSync(memories, { recursive: true });
  writeFileSync(join(memories, memoryId), '{"version":1}\n');
  const databasePath = join(project, '.argus', 'argus.db');
  const engine = await openEngine({ databasePath, memoryId, create: true, projectRoot: project, locale: 'en' });
  await fillSample(engine, reports);
  await engine.close();
}

async function takeScreenshots(project, out, onLine) {
  const server = await startViewer(project);
  const browser = await chromium.launch({ executablePath: findProgram('chromium') ?? '', args: ['--no-sandbox'] });
  try {
    for (const [look, options] of Object.entries(LOOKS)) {
      const context = await browser.newContext({ ...options, locale: 'en-GB', reducedMotion: 'reduce' });
      const page = await context.newPage();
      await page.goto(server.url);
      for (const view of VIEWS) {
        onLine(`${look}: ${view.name}`);
        await view.go(page);
        await page.waitForSelector(view.ready);
        await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
        await page.screenshot({ path: join(out, `${view.name}-${look}.png`) });
      }
      await context.close();
    }
  } finally {
    await browser.close();
    server.stop();
  }
}

/** Starts the built program as a person would. */
async function startViewer(project) {
  const child = spawn(
    process.execPath,
    [join(root, 'packages/mcp/dist/cli.mjs'), 'view', '--json', '--project', project],
    {
      env: { ...commandEnvironment, XDG_DATA_HOME: process.env.XDG_DATA_HOME, LC_ALL: 'en_US.UTF-8' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: JSON.parse(line).url, stop: () => child.kill() };
  }
  throw new StepFailed('argus-mcp view ended before it said its address');
}

async function goToPlace(page, hash) {
  if (await page.locator('dialog[open]').count()) await page.keyboard.press('Escape');
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
}

async function openCase(page) {
  const first = page.locator('button.case').first();
  await first.click();
  await first.evaluate((element) => element.scrollIntoView({ block: 'start' }));
  await page.evaluate(() => window.scrollBy(0, -80));
}

async function compare(page) {
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.getByRole('link', { name: 'Compare with the run before' }).click();
}

async function inspect(page) {
  await goToPlace(page, '#/inspector');
  await page.getByRole('button', { name: 'Try an example' }).click();
}
