/**
 * Tests `argus-mcp view --export`: a self-contained file, opened from disk in a real browser. view-details.test.ts
 * tests the contents of the views, and view.full.test.ts a full disk.
 */

import { cpSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import { findRow, openPage, testInBrowser } from './chromium.ts';
import { createProjectWithRuns, createRememberedProject, HOSTILE_CASES, HOSTILE_TEXTS } from './view-memory.ts';

const runExport = (root: string, file: string, ...args: string[]) =>
  argus(['view', '--project', root, '--export', file, ...args]);

async function exportPage(root: string, name = 'report.html'): Promise<{ file: string; html: string; stdout: string }> {
  const file = path.join(createProject(), name);
  const { status, stdout, stderr } = await runExport(root, file);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return { file, html: readFileSync(file, 'utf8'), stdout };
}

const { root, file: database, runs } = await createRememberedProject();
const exportedPage = await exportPage(root);

const openExportedPage = (file: string, place: string, locale = 'en-US') =>
  openPage(`${pathToFileURL(file).href}#${place}`, '', { offline: true, locale });

/** Writes the database in a page to a file and returns the path of the file. */
function extractDatabase(html: string): string {
  const block = /<script type="application\/octet-stream" id="argus-database"[^>]*>([\w+/=]*)<\/script>/u.exec(html);
  const file = path.join(createProject(), 'inside.db');
  writeFileSync(file, gunzipSync(Buffer.from(block?.[1] ?? '', 'base64')));
  return file;
}

testInBrowser('the file shows everything from disk without a network, and runs only the page', async () => {
  const { page, requests, complaints } = await openExportedPage(exportedPage.file, '/patterns');
  await page.getByText(/Snapshot of/u).waitFor();
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  await page.goto(`${pathToFileURL(exportedPage.file).href}#/runs/${runs[2]}`);
  await page.getByText('the red valve does not close').first().waitFor();
  await page.goto(`${pathToFileURL(exportedPage.file).href}#/inspector`);
  await page.locator('#text').fill('Error: connect ECONNREFUSED 127.0.0.1:54817');
  await page.locator('code').filter({ hasText: 'CONNECTION_REFUSED' }).waitFor();
  expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
  expect(complaints).toEqual([]);
  const hasRun = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    return 'ran' in window;
  });
  expect(hasRun).toBe(false);
});

test('the policy of an exported page blocks all requests', () => {
  const { html } = exportedPage;
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/u.exec(html)?.[1] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'none'");
  expect(policy).not.toMatch(/'self'|unsafe-inline|'unsafe-eval'|https?:/u);
  expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<script'));
  expect(html).not.toContain('<!--argus:csp-->');
});

testInBrowser('without a database only the page is exported, which opens a file', async () => {
  const bare = createProject();
  const { file, stdout } = await exportPage(bare, 'page.html');
  expect(stdout).toMatch(/page\.html: \d+(?:\.\d+)? MB, without data, because nothing is recorded yet\n$/u);
  expect(readdirSync(bare)).toEqual([]);
  const { page, complaints } = await openExportedPage(file, '/patterns');
  await page.getByRole('heading', { name: 'Drop an Argus database here' }).waitFor();
  await page.getByLabel('Choose a file').setInputFiles(database);
  await findRow(page, 'Cannot read properties').waitFor();
  expect(complaints).toEqual([]);
});

testInBrowser('shows hostile texts and a hostile name as data', async () => {
  const hostile = await createProjectWithRuns(HOSTILE_CASES);
  const named = path.join(createProject(), 'shop" <script>window.hacked=1<!--');
  cpSync(hostile, named, { recursive: true });
  const { page, complaints } = await openExportedPage((await exportPage(named, 'a "b" <c>.html')).file, '/patterns');
  await findRow(page, HOSTILE_TEXTS[0]).first().waitFor();
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await page.locator('header').first().textContent()).toContain('shop" <script>window.hacked=1<!--');
  expect(complaints).toEqual([]);
});

test('the size of the exported page is reported as text and as JSON, and an older page is replaced', async () => {
  expect(exportedPage.stdout).toMatch(/report\.html: \d+\.\d MB, with a snapshot of \d+ kB\n$/u);
  const folder = createProject({ 'report.html': '<!DOCTYPE html>old' });
  const file = path.join(folder, 'report.html');
  const { stdout } = await runExport(root, file, '--json');
  expect(JSON.parse(stdout)).toEqual({
    file,
    bytes: statSync(file).size,
    databaseBytes: expect.any(Number),
    taken: expect.stringMatching(/^\d{4}-.*Z$/u),
    warnings: [],
  });
  expect(statSync(file).size).toBeGreaterThan(100_000);
  expect(readdirSync(folder)).toEqual(['report.html']);
});

test('an exported page contains no secrets and no deleted data', async () => {
  const own = createProject({ 'argus.yaml': 'history: { retention: { maxRuns: 1 } }\n' });
  const secret = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
  // These words are only in the output. A page keeps case names, and this case is named after its command.
  for (const word of ['forgotten', 'remembered']) {
    writeFileSync(path.join(own, 'error.txt'), `OddError: ${word}${word} password=hunter2hunter2 key ${secret}\n`);
    await argus(['run', '--project', own, '--', 'sh', '-c', 'cat error.txt; exit 1']);
  }
  const inside = readFileSync(extractDatabase((await exportPage(own)).html));
  const found = ['rememberedremembered', 'forgottenforgotten', 'hunter2hunter2', secret].filter((it) =>
    inside.includes(it),
  );
  expect(found).toEqual(['rememberedremembered']);
});

test('the existing file is kept if the page cannot be created', async () => {
  const old = '<!DOCTYPE html>old';
  const folder = createProject({ 'report.html': old });
  const broken = createProject({ '.argus/argus.db': 'no database'.repeat(100) });
  const { status, stderr } = await runExport(broken, path.join(folder, 'report.html'));
  expect(status).toBe(2);
  expect(stderr).toContain('DATABASE_CORRUPT');
  expect(readFileSync(path.join(folder, 'report.html'), 'utf8')).toBe(old);
  expect(readdirSync(folder)).toEqual(['report.html']);
});

test.each([
  ['a folder that does not exist', path.join(root, 'nope', 'report.html'), 'its folder does not exist.'],
  ['a folder', root, 'it is a folder.'],
])('%s in place of a file is an error with a reason', async (_name, target, reason) => {
  const { status, stderr } = await runExport(root, target);
  expect({ status, stderr }).toEqual({ status: 2, stderr: `INVALID_INPUT: ${target} cannot be written: ${reason}\n` });
});

test('a database, a source file or a device is not replaced', async () => {
  const folder = createProject({ 'index.ts': 'export {};' });
  const [source, link] = [path.join(folder, 'index.ts'), path.join(folder, 'null')];
  symlinkSync('/dev/null', link);
  const bytes = () => [database, source].map((file) => readFileSync(file, 'base64'));
  const before = bytes();
  for (const target of [database, source, link]) {
    const { status, stderr } = await runExport(root, target);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `INVALID_INPUT: ${target} cannot be written, because it exists and is not an exported page. Name another file.\n`,
    });
  }
  expect(bytes()).toEqual(before);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});
