/**
 * The viewer's page in a real browser: protection from other sites, changes by runs and by a person, and opened files.
 * view-details.test.ts tests the contents of the views, and view-export.test.ts exported pages.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { argus } from '../argus.ts';
import { createProject } from '../harness.ts';
import {
  expectUnharmed,
  findRow,
  goToPlace,
  newContext,
  openPage,
  testInBrowser,
  type WatchedPage,
} from './chromium.ts';
import { startFileViewer, startTestViewer, withProjectEngine } from './view.ts';
import {
  copyProject,
  createCase,
  createHostileProject,
  createRememberedProject,
  FIX_STEPS,
  HOSTILE_TEXTS,
  recordAndDiagnose,
  UNDEFINED_ERROR,
} from './view-memory.ts';

const rememberedProject = await createRememberedProject();
const viewer = await startFileViewer(rememberedProject.root);
const VIEWER_ORIGIN = `http://127.0.0.1:${viewer.port}`;

testInBrowser('removes the token from the address immediately, and works after a reload', async () => {
  const { page, requests, complaints } = await openPage(viewer.url, '/patterns');
  await findRow(page, 'Cannot read properties').waitFor();
  expect(page.url()).not.toContain(viewer.token);
  const kept = await page.evaluate(() => document.referrer + document.cookie + document.documentElement.outerHTML);
  expect(kept).not.toContain(viewer.token);
  await page.reload();
  await findRow(page, 'Cannot read properties').waitFor();
  expect(requests.filter((url) => url.includes(viewer.token))).toEqual([]);
  expect(complaints).toEqual([]);
});

testInBrowser.each([
  ['without a token', '#/runs'],
  ['with the token of an earlier start', `#token=${'x'.repeat(43)}`],
])('%s, the page shows only the next step', async (_name, hash) => {
  const page = await (await newContext()).newPage();
  await page.goto(`${VIEWER_ORIGIN}/${hash}`);
  await page.getByRole('alert').filter({ hasText: 'argus-mcp view' }).waitFor();
  expect(await page.getByRole('button').filter({ hasText: 'Choose a file' }).count()).toBe(0);
  expect(await page.locator('body').textContent()).not.toContain('Cannot read properties');
});

testInBrowser('the policy is enforced: only the page runs, and no request leaves it', async () => {
  const { page, complaints } = await openPage(viewer.url);
  const tried = await page.evaluate(async () => {
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.ranInline = true">');
    const image = document.body.lastElementChild;
    await new Promise((resolve) => image?.addEventListener('error', resolve, { once: true }));
    const script = document.createElement('script');
    script.textContent = 'window.ranScript = true';
    document.body.append(script);
    // The code is a string, because the policy must block it. As a function, the debugger that runs this test could run
    // it.
    setTimeout('window.ranString = true', 0);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const style = document.createElement('style');
    style.textContent = 'body { outline: 7px solid red }';
    document.head.append(style);
    return {
      elsewhere: await fetch('http://localhost:1/').then(
        () => true,
        () => false,
      ),
      styled: getComputedStyle(document.body).outlineWidth === '7px',
      ran: ['ranInline', 'ranScript', 'ranString'].filter((name) => name in window),
    };
  });
  expect(tried).toEqual({ elsewhere: false, styled: false, ran: [] });
  expect(complaints.join('\n')).toContain('Content Security Policy');
});

testInBrowser('another page can neither frame it nor read it', async () => {
  const page = await (await newContext()).newPage();
  await page.route('http://evil.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${VIEWER_ORIGIN}/"></iframe>` }),
  );
  await page.goto('http://evil.example/');
  const read = await page.evaluate(
    ([home, token]) =>
      fetch(`${home}/api/about`, { headers: { authorization: `Bearer ${token}` } }).then(
        () => true,
        () => false,
      ),
    [VIEWER_ORIGIN, viewer.token] as const,
  );
  expect(read).toBe(false);
  const texts = await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')));
  expect(texts.join('')).not.toContain('Argus');
});

testInBrowser('a page that was open before anything was recorded shows each run without a reload', async () => {
  const root = createProject();
  const { page, complaints } = await openPage((await startTestViewer(root)).url);
  await page.getByRole('heading', { name: 'Or drop another Argus database here' }).waitFor();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await argus(['run', '--project', root, '--', 'sh', '-c', 'echo "NewError: the blue valve leaks"; exit 1']);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'The newest run failed: 1 failure, 1 cause' }).waitFor();
  await goToPlace(page, '/patterns');
  await withProjectEngine(root, (engine) =>
    recordAndDiagnose(engine, [createCase('parses', UNDEFINED_ERROR), createCase('fine')]),
  );
  await findRow(page, 'Cannot read properties').waitFor();
  await goToPlace(page, '/runs');
  await page.getByText('2 runs').waitFor();
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
  expect(complaints).toEqual([]);
});

testInBrowser('later runs keep a corrected pattern, a fix marked as wrong, and merged and split patterns', async () => {
  const root = copyProject(rememberedProject);
  const { page, complaints } = await openPage((await startTestViewer(root)).url, '/patterns');
  const dialog = page.getByRole('dialog');
  const corrected = page.getByRole('heading', { name: 'The id is read too early' });
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByLabel('Description').fill('The id is read too early');
  await dialog.getByLabel('Category').selectOption('CONFIG_ERROR');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await corrected.waitFor();

  await page.getByRole('button', { name: 'Mark as wrong' }).first().click();
  await page.getByText('Marked as wrong').first().waitFor();

  await withProjectEngine(root, (engine) => recordAndDiagnose(engine, [createCase('parses', UNDEFINED_ERROR)]));
  const { stdout } = await argus(['patterns', '--project', root, '--json', '--source', 'learned']);
  expect(JSON.parse(stdout).data.patterns).toContainEqual(
    expect.objectContaining({ description: 'The id is read too early', category: 'CONFIG_ERROR' }),
  );
  await corrected.waitFor();

  await page.getByRole('button', { name: 'Merge' }).click();
  await dialog.getByLabel(/the red valve does not close/u).check();
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByRole('heading', { name: /the red valve does not close/u }).waitFor();
  await page.locator('main').filter({ hasText: 'The id is read too early' }).waitFor();

  await page.getByRole('button', { name: 'Not the same' }).click();
  await dialog.getByRole('button', { name: 'Not the same' }).click();
  await corrected.waitFor();
  await page.locator('main').filter({ hasNotText: 'the red valve does not close' }).waitFor();
  expect(complaints).toEqual([]);
});

async function openBarePage(): Promise<WatchedPage> {
  const watched = await openPage((await startTestViewer(createProject())).url, '/patterns');
  await watched.page.getByRole('heading', { name: 'Or drop another Argus database here' }).waitFor();
  return watched;
}

/** Drops a file on the page, as the desktop would. */
async function dropFile(page: Page, file: string): Promise<void> {
  // Uses a temporary input, because only an input accepts a path from the test. The file of the input is then dropped.
  await page.evaluate(() => {
    const input = Object.assign(document.createElement('input'), { type: 'file', id: 'outside' });
    document.body.append(input);
  });
  await page.setInputFiles('#outside', file);
  await page.evaluate(() => {
    const input = document.querySelector<HTMLInputElement>('#outside');
    const dataTransfer = new DataTransfer();
    const picked = input?.files?.[0];
    if (picked) dataTransfer.items.add(picked);
    input?.remove();
    for (const type of ['dragenter', 'dragover', 'drop']) {
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    }
  });
}

testInBrowser('a dropped file is shown, read only, and nothing leaves the browser', async () => {
  const { file } = rememberedProject;
  const before = readFileSync(file);
  const { page, requests, complaints } = await openBarePage();
  await dropFile(page, file);
  await findRow(page, 'Cannot read properties').waitFor();
  const asked = requests.length;
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  await page.locator('main').filter({ hasText: FIX_STEPS }).waitFor();
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  for (const place of ['/now', '/runs', '/tests', '/health', '/incidents']) {
    await goToPlace(page, place);
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  expect(requests.slice(asked).filter((url) => !url.endsWith('/api/events'))).toEqual([]);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(complaints).toEqual([]);
});

testInBrowser('a picked file is kept when asked to, opened again after a reload, and forgotten', async () => {
  const { page } = await openBarePage();
  await page.getByLabel('Keep a copy in this browser').check();
  await page.getByLabel('Choose a file').setInputFiles(rememberedProject.file);
  await findRow(page, 'Cannot read properties').waitFor();
  // Waits for the name, because the page writes it last.
  const keptName = () =>
    page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      const name = await folder.getFileHandle('argus-last.name').then((handle) => handle.getFile());
      return name.text();
    });
  await expect.poll(() => keptName().catch(() => '')).toBe('argus.db');
  await page.reload();
  await page.getByRole('button', { name: /Open argus.db again/u }).click();
  await findRow(page, 'Cannot read properties').waitFor();
  await page.reload();
  const forget = page.getByRole('button', { name: 'Forget it' });
  await forget.click();
  await forget.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Or drop another Argus database here' }).waitFor();
  expect(await page.getByRole('button', { name: /again/u }).count()).toBe(0);
});

testInBrowser('refuses a file that is not a database with a message, and then opens a valid file', async () => {
  const newer = readFileSync(rememberedProject.file);
  newer.writeUInt32BE(9_000, 60);
  const folder = createProject({ 'notes.db': 'not a database '.repeat(50), 'empty.db': '' });
  writeFileSync(path.join(folder, 'newer.db'), newer);
  const { page } = await openBarePage();
  const refused = async (name: string, words: RegExp) => {
    await dropFile(page, path.join(folder, name));
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
  };
  await refused('notes.db', /not an Argus database/u);
  await refused('empty.db', /empty/u);
  await dropFile(page, rememberedProject.file);
  await findRow(page, 'Cannot read properties').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await refused('newer.db', /newer version/u);
  await findRow(page, 'Cannot read properties').waitFor();
});

testInBrowser('shows hostile texts as text', async () => {
  const { root, runs } = await createHostileProject();
  const { page, complaints } = await openPage((await startTestViewer(root)).url, '/patterns');
  await expectUnharmed(page);
  const pattern = await findRow(page, HOSTILE_TEXTS[0]).getByRole('link').first().getAttribute('href');
  const places = [pattern?.slice(1) ?? '', ...runs.map((id) => `/runs/${id}`)];
  for (const place of [...places, '/now', '/tests', '/runs', '/health', '/incidents?text=valve+%3Cscript%3E']) {
    await goToPlace(page, place);
    await expectUnharmed(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  await goToPlace(page, '/incidents');
  for (const text of HOSTILE_TEXTS.slice(0, 2)) await page.getByText(text).first().waitFor();
  // Control characters must be removed, because they can control a terminal or reverse the name of a file.
  expect(await page.locator('main').textContent()).not.toMatch(/\p{Cc}(?<![\n\t])|\u202e/u);
  await page.getByRole('link', { name: /incident 0/u }).click();
  await page.getByRole('heading', { name: /incident 0/u }).waitFor();
  await expectUnharmed(page);
  expect(complaints).toEqual([]);
});
