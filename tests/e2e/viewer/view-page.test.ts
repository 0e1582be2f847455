/**
 * The viewer's page in a real browser: served live, with a dropped file, with nothing, and with texts that attack it.
 * Exported pages: view-export.test.ts. Without a mouse: view-access.test.ts.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { argus } from '../argus.ts';
import { project } from '../harness.ts';
import { browsing, go, newContext, settled, type Watched, watchedPage } from './chromium.ts';
import { inMemoryOf, type Viewer, viewerOf } from './view.ts';
import { FIX, HOSTILE, hostileProject, type Remembered, record, rememberedProject } from './view-memory.ts';

/** The page of a project at one of its places. What it opens on: view-now.test.ts. */
async function openPage(root: string, place = '/patterns'): Promise<Watched & { viewer: Viewer }> {
  const viewer = await viewerOf(root);
  const watched = await watchedPage(await newContext());
  await watched.page.goto(viewer.url);
  await go(watched.page, place);
  return { ...watched, viewer };
}

const row = (page: Page, words: string) => page.getByRole('row').filter({ hasText: words });

browsing('the token leaves the address at once, and works after a reload', async () => {
  const { root } = await rememberedProject();
  const { page, viewer, requests, complaints } = await openPage(root);
  await row(page, 'Cannot read properties').waitFor();
  expect(page.url()).not.toContain(viewer.token);
  expect(
    await page.evaluate(() => document.referrer + document.cookie + document.documentElement.outerHTML),
  ).not.toContain(viewer.token);
  await page.reload();
  await row(page, 'Cannot read properties').waitFor();
  expect(requests.filter((url) => url.includes(viewer.token))).toEqual([]);
  expect(viewer.output().stderr).toBe('');
  expect(complaints).toEqual([]);
});

browsing('without a token, or with one of an earlier start, it says what to do', async () => {
  const { root } = await rememberedProject();
  const viewer = await viewerOf(root);
  const { page } = await watchedPage(await newContext());
  await page.goto(`http://127.0.0.1:${viewer.port}/#token=${'x'.repeat(43)}`);
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('argus-mcp view');
  expect(await page.locator('body').textContent()).not.toContain('Cannot read properties');
});

browsing('the policy is in force: nothing but the page runs, and nothing goes elsewhere', async () => {
  const { root } = await rememberedProject();
  const { page, complaints } = await openPage(root);
  await settled(page);
  const tried = await page.evaluate(async () => {
    const outcome: Record<string, boolean> = {};
    document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.ranInline = true">');
    const script = document.createElement('script');
    script.textContent = 'window.ranScript = true';
    document.body.append(script);
    // As a function of its own it would run: the debugger that runs this test may evaluate what it wants.
    setTimeout('window.ranString = true', 0);
    outcome.elsewhere = await fetch('http://localhost:1/').then(
      () => true,
      () => false,
    );
    outcome.styled = (() => {
      const style = document.createElement('style');
      style.textContent = 'body { outline: 7px solid red }';
      document.head.append(style);
      return getComputedStyle(document.body).outlineWidth === '7px';
    })();
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const name of ['ranInline', 'ranScript', 'ranString']) outcome[name] = name in window;
    return outcome;
  });
  expect(tried).toEqual({
    elsewhere: false,
    styled: false,
    ranInline: false,
    ranScript: false,
    ranString: false,
  });
  expect(complaints.join('\n')).toContain('Content Security Policy');
});

browsing('another page can neither frame it nor read it', async () => {
  const { root } = await rememberedProject();
  const viewer = await viewerOf(root);
  const other = await watchedPage(await newContext());
  await other.page.route('http://evil.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="http://127.0.0.1:${viewer.port}/"></iframe>` }),
  );
  await other.page.goto('http://evil.example/');
  const read = await other.page.evaluate(
    ([port, token]) =>
      fetch(`http://127.0.0.1:${port}/api/about`, { headers: { authorization: `Bearer ${token}` } }).then(
        () => true,
        () => false,
      ),
    [viewer.port, viewer.token] as const,
  );
  expect(read).toBe(false);
  const texts = await Promise.all(
    other.page.frames().map((frame) =>
      frame
        .locator('body')
        .textContent()
        .catch(() => ''),
    ),
  );
  expect(texts.join('')).not.toContain('Argus');
});

browsing('a run and a diagnosis by others appear without a reload', async () => {
  const { root } = await rememberedProject();
  const { page, complaints } = await openPage(root);
  await row(page, 'Cannot read properties').waitFor();
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));
  await argus(['run', '--project', root, '--', 'sh', '-c', 'echo "NewError: the blue valve leaks"; exit 1']);
  await inMemoryOf(root, async (engine) => {
    const { runs } = await engine.history();
    const run = runs[0];
    const { cases } = await engine.runDetail({ runId: run?.id ?? '', limit: 1, offset: null });
    await engine.diagnose({ runId: run?.id ?? '', caseName: cases[0]?.caseName ?? '' });
  });
  await row(page, 'the blue valve leaks').waitFor();
  await go(page, '/runs');
  await page.getByText('4 runs').waitFor();
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
  expect(complaints).toEqual([]);
});

browsing('a page that was open before anything was recorded comes alive with the first run', async () => {
  const root = project();
  const { page } = await openPage(root);
  await page.getByRole('heading', { name: 'Or drop another Argus database here' }).waitFor();
  await argus(['run', '--project', root, '--', 'false']);
  await page.getByText('Live', { exact: true }).waitFor();
});

browsing('every view shows what is there', async () => {
  const { root, runs } = await rememberedProject();
  const { page, complaints } = await openPage(root);
  await row(page, 'Cannot read properties').waitFor();
  expect(await row(page, 'Cannot read properties').textContent()).toContain(FIX);

  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  await settled(page);
  for (const words of [FIX, 'restart the machine', 'Did not work', 'parses']) {
    await expect.poll(() => page.locator('main').textContent()).toContain(words);
  }

  await go(page, '/runs');
  await page.getByText('3 runs').waitFor();
  await settled(page);

  await go(page, `/runs/${runs[2]}`);
  await page.getByText('the red valve does not close').first().waitFor();
  await expect.poll(() => page.locator('main').textContent()).toContain('ECONNREFUSED');

  await go(page, `/compare?base=${runs[0]}&head=${runs[2]}`);
  await page.getByRole('heading', { name: 'Newly failing' }).waitFor();
  await settled(page);
  for (const words of ['closes the valve', 'parses', 'health-check']) {
    await expect.poll(() => page.locator('main').textContent()).toContain(words);
  }

  await go(page, '/tests');
  await row(page, 'wobbles').waitFor();
  expect(await row(page, 'wobbles').textContent()).toMatch(/Flaky/u);
  expect(await row(page, 'health-check').textContent()).toMatch(/Broken/u);

  await go(page, '/incidents');
  await page.getByText('Deploy hangs while the image is pulled').waitFor();
  await page.locator('[data-search]').fill('ErrImagePull manifest');
  await page
    .getByText(/\d+ ?% match/u)
    .first()
    .waitFor();
  await expect.poll(() => page.locator('main').textContent()).toContain('Delete the cached manifest');
  await page.getByRole('link', { name: /Deploy hangs/u }).click();
  await page.getByRole('heading', { name: /Deploy hangs/u }).waitFor();

  await go(page, '/inspector');
  await page.locator('#text').fill('Error: connect ECONNREFUSED 127.0.0.1:54817\n  password=hunter2hunter2');
  await page.locator('code').filter({ hasText: 'CONNECTION_REFUSED' }).waitFor();
  await page.locator('mark').filter({ hasText: 'ECONNREFUSED' }).first().waitFor();

  await go(page, '/nowhere');
  await page.getByText('There is nothing at this address').waitFor();
  expect(complaints).toEqual([]);
});

browsing('the address holds the state of a table', async () => {
  const { root } = await rememberedProject();
  const { page } = await openPage(root);
  await row(page, 'Cannot read properties').waitFor();
  await page.locator('[data-search]').fill('valve');
  await row(page, 'Cannot read properties').waitFor({ state: 'detached' });
  await row(page, 'the red valve does not close').waitFor();
  expect(page.url()).toContain('text=valve');
  await page.reload();
  await row(page, 'the red valve does not close').waitFor();
  expect(await page.locator('[data-search]').inputValue()).toBe('valve');
  expect(await row(page, 'Cannot read properties').count()).toBe(0);
  await page.getByRole('button', { name: 'Confidence' }).click();
  await page.waitForURL(/sort=confidence/u);
});

browsing('a person corrects a pattern, marks a fix as wrong, merges two, parts them; later runs keep it', async () => {
  const { root } = await rememberedProject();
  const { page, complaints } = await openPage(root);
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Description').fill('The id is read too early');
  await dialog.getByLabel('Category').selectOption('CONFIG_ERROR');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'The id is read too early' }).waitFor();

  await page.getByRole('button', { name: 'Mark as wrong' }).first().click();
  await page.getByText('Marked as wrong').first().waitFor();

  // The same failure again: what a person has set stays.
  await inMemoryOf(root, (engine) =>
    record(engine, root, [
      { name: 'parses', failure: { message: 'Cannot read properties of undefined (reading "id")', type: 'TypeError' } },
    ]),
  );
  const patterns = JSON.parse((await argus(['patterns', '--project', root, '--json', '--source', 'learned'])).stdout)
    .data.patterns;
  expect(patterns).toContainEqual(
    expect.objectContaining({ description: 'The id is read too early', category: 'CONFIG_ERROR' }),
  );
  await page.getByRole('heading', { name: 'The id is read too early' }).waitFor();

  await page.getByRole('button', { name: 'Merge' }).click();
  await dialog.getByLabel(/the red valve does not close/u).check();
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByRole('heading', { name: /the red valve does not close/u }).waitFor();
  await expect.poll(() => page.locator('main').textContent()).toContain('The id is read too early');

  await page.getByRole('button', { name: 'Not the same' }).click();
  await dialog.getByRole('button', { name: 'Not the same' }).click();
  await page.getByRole('heading', { name: 'The id is read too early' }).waitFor();
  await expect.poll(() => page.locator('main').textContent()).not.toContain('the red valve does not close');
  expect(complaints).toEqual([]);
});

/** Drops a file on the page, as the desktop would. */
async function drop(page: Page, file: string): Promise<void> {
  // Only an input takes a path from outside; its file is the one that is dropped.
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

async function barePage(): Promise<Watched> {
  const watched = await openPage(project());
  await watched.page.getByRole('heading', { name: 'Or drop another Argus database here' }).waitFor();
  return watched;
}

browsing('a dropped file is shown, read only, and nothing leaves the browser', async () => {
  const { file } = await rememberedProject();
  const before = readFileSync(file);
  const { page, requests, complaints } = await barePage();
  await drop(page, file);
  await row(page, 'Cannot read properties').waitFor();
  const asked = requests.length;
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  for (const place of ['/runs', '/tests', '/incidents']) {
    await go(page, place);
    await settled(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  expect(requests.slice(asked).filter((url) => !url.endsWith('/api/events'))).toEqual([]);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(complaints).toEqual([]);
});

browsing('a picked file is kept when asked to, opened again after a reload, and forgotten', async () => {
  const { file } = await rememberedProject();
  const { page } = await barePage();
  await page.getByLabel('Keep a copy in this browser').check();
  await page.getByLabel('Choose a file').setInputFiles(file);
  await row(page, 'Cannot read properties').waitFor();
  // Written last.
  const kept = () =>
    page.evaluate(async () => {
      const folder = await navigator.storage.getDirectory();
      const name = await folder.getFileHandle('argus-last.name').then((handle) => handle.getFile());
      return name.text();
    });
  await expect.poll(() => kept().catch(() => '')).toBe('argus.db');
  await page.reload();
  await page.getByRole('button', { name: /Open argus.db again/u }).click();
  await row(page, 'Cannot read properties').waitFor();
  await page.reload();
  const forget = page.getByRole('button', { name: 'Forget it' });
  await forget.click();
  await forget.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Or drop another Argus database here' }).waitFor();
  expect(await page.getByRole('button', { name: /again/u }).count()).toBe(0);
});

browsing('what is no database is refused with words, and a good file is taken after it', async () => {
  const { file } = await rememberedProject();
  const folder = project({ 'notes.db': 'not a database '.repeat(50), 'empty.db': '' });
  const bytes = readFileSync(file);
  const bad = (name: string, content: Buffer) => writeFileSync(path.join(folder, name), content);
  bad('half.db', bytes.subarray(0, bytes.length - 4096));
  const newer = Buffer.from(bytes);
  newer.writeUInt32BE(9_000, 60);
  bad('newer.db', newer);
  const damaged = Buffer.from(bytes);
  damaged.fill(0x7f, 100, 8_000);
  bad('damaged.db', damaged);
  const wal = path.join(folder, 'wal.db');
  bad('wal.db', bytes);
  execFileSync('sqlite3', [wal, 'PRAGMA journal_mode = WAL; PRAGMA user_version;']);

  const { page } = await barePage();
  for (const [name, words] of [
    ['notes.db', /no Argus database/u],
    ['empty.db', /empty/u],
    ['half.db', /bytes are missing/u],
    ['newer.db', /newer version/u],
    ['damaged.db', /damaged/u],
    ['wal.db', /journal_mode = DELETE/u],
  ] as const) {
    await drop(page, path.join(folder, name));
    await page.getByRole('alert').filter({ hasText: words }).waitFor();
  }
  await drop(page, file);
  await row(page, 'Cannot read properties').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await drop(page, path.join(folder, 'newer.db'));
  await page
    .getByRole('alert')
    .filter({ hasText: /newer version/u })
    .waitFor();
  await row(page, 'Cannot read properties').waitFor();
});

browsing('a file of 2 GB opens', async () => {
  const { file } = await rememberedProject();
  const bytes = readFileSync(file);
  bytes.writeUInt32BE(2 ** 31 / bytes.readUInt16BE(16), 28);
  writeFileSync(file, bytes);
  truncateSync(file, 2 ** 31);
  const { page } = await barePage();
  await drop(page, file);
  await row(page, 'Cannot read properties').waitFor();
});

/** Of all texts of a page, whether one ran or changed the page. */
async function unharmed(page: Page): Promise<void> {
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  const found = await page.evaluate(() => {
    const stored = [...document.querySelectorAll<HTMLElement>('main a[href], main img, main script, main svg[onload]')];
    return stored.filter((it) => it.matches('img, script, svg[onload], a:not([href^="#/"])')).map((it) => it.outerHTML);
  });
  expect(found).toEqual([]);
  expect(await page.locator('main').isVisible()).toBe(true);
}

let hostile: Remembered | undefined;

browsing.each(['live', 'dropped'])('hostile texts are shown as text: %s', async (way) => {
  hostile ??= await hostileProject();
  const { root, file, runs } = hostile;
  const { page, complaints } = way === 'live' ? await openPage(root) : await barePage();
  if (way === 'dropped') await drop(page, file);
  await row(page, HOSTILE[0]).first().waitFor();
  await unharmed(page);
  const ids = await page
    .getByRole('row')
    .getByRole('link')
    .evaluateAll((links) => links.map((it) => it.getAttribute('href') ?? ''));
  const places = ['#/now', '#/incidents', '#/tests', '#/runs', ...runs.map((id) => `#/runs/${id}`), ...ids.slice(0, 3)];
  for (const place of [...places, '#/incidents?text=valve+%3Cscript%3E']) {
    await go(page, place.slice(1));
    await settled(page);
    await unharmed(page);
    expect(await page.getByRole('alert').count()).toBe(0);
  }
  await go(page, '/incidents');
  for (const text of HOSTILE.slice(0, 2)) await page.getByText(text).first().waitFor();
  // Steers a terminal, or turns a file's name around.
  expect(await page.locator('main').textContent()).not.toMatch(/\p{Cc}(?<![\n\t])|\u202e/u);
  await page.getByRole('link', { name: /incident 0/u }).click();
  await page.getByRole('heading', { name: /incident 0/u }).waitFor();
  await unharmed(page);
  expect(complaints).toEqual([]);
});

browsing('the inspector takes a line of ten megabytes', async () => {
  const { root } = await rememberedProject();
  const { page } = await openPage(root, '/inspector');
  await page.locator('#text').waitFor();
  await page.evaluate(() => {
    const area = document.querySelector<HTMLTextAreaElement>('#text');
    if (area === null) return;
    area.value = `Error: connect ECONNREFUSED 127.0.0.1:5432 ${'<b>"x" '.repeat(1_500_000)}`;
    area.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.locator('code').filter({ hasText: 'CONNECTION_REFUSED' }).waitFor({ timeout: 60_000 });
  await unharmed(page);
});
