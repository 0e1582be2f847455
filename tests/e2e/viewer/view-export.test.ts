/**
 * `argus-mcp view --export`: one file with everything in it, opened from disk in a real browser. What the views show:
 * view-page.test.ts.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { openEngine } from 'argus-engine';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { BUNDLE, environment, project } from '../harness.ts';
import { browsing, newContext, type Watched, watchedPage } from './chromium.ts';
import { inMemoryOf } from './view.ts';
import { HOSTILE, hostileProject, record, rememberedProject } from './view-memory.ts';

async function exported(root: string, name = 'report.html'): Promise<string> {
  const file = path.join(project(), name);
  const { status, stderr } = await argus(['view', '--project', root, '--export', file]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return file;
}

async function openFile(file: string): Promise<Watched> {
  const watched = await watchedPage(await newContext({ offline: true }));
  await watched.page.goto(`${pathToFileURL(file).href}#/patterns`);
  return watched;
}

/** The database inside, as a file. */
function snapshotIn(html: string): string {
  const block = /<script type="application\/octet-stream" id="argus-database"[^>]*>([\w+/=]*)<\/script>/u.exec(html);
  const file = path.join(project(), 'inside.db');
  writeFileSync(file, gunzipSync(Buffer.from(block?.[1] ?? '', 'base64')));
  return file;
}

browsing('one file shows all of it from disk, without a network', async () => {
  const { root, runs } = await rememberedProject();
  const file = await exported(root);
  const { page, requests, complaints } = await openFile(file);
  await page.getByRole('row').filter({ hasText: 'Cannot read properties' }).waitFor();
  await page.getByText(/Snapshot of/u).waitFor();
  await page.getByRole('link', { name: /Cannot read properties/u }).click();
  await page.getByRole('heading', { name: 'Fix history' }).waitFor();
  expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  await page.goto(`${pathToFileURL(file).href}#/runs/${runs[2]}`);
  await page.getByText('the red valve does not close').first().waitFor();
  await page.goto(`${pathToFileURL(file).href}#/inspector`);
  await page.locator('#text').fill('Error: connect ECONNREFUSED 127.0.0.1:54817');
  await page.locator('code').filter({ hasText: 'CONNECTION_REFUSED' }).waitFor();
  expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('its policy allows it nothing outside', async () => {
  const { root } = await rememberedProject();
  const html = readFileSync(await exported(root), 'utf8');
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/u.exec(html)?.[1] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("connect-src 'none'");
  expect(policy).not.toMatch(/'self'|unsafe-inline|'unsafe-eval'|https?:/u);
  expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<script'));
  expect(html).not.toContain('<!--argus:csp-->');
});

browsing('the policy of a file is in force, too', async () => {
  const { root } = await rememberedProject();
  const { page } = await openFile(await exported(root));
  await page.getByRole('row').filter({ hasText: 'Cannot read properties' }).waitFor();
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    return 'ran' in window;
  });
  expect(ran).toBe(false);
});

browsing('without a database it is the page alone, and takes a file', async () => {
  const root = project();
  const out = path.join(project(), 'page.html');
  const { status, stdout } = await argus(['view', '--project', root, '--export', out]);
  expect(status).toBe(0);
  expect(stdout).toMatch(/page\.html: \d+(?:\.\d+)? MB, the page alone: nothing is recorded yet\n$/u);
  expect(readdirSync(root)).toEqual([]);
  const { page, complaints } = await openFile(out);
  await page.getByRole('heading', { name: 'Drop an Argus database here' }).waitFor();
  await page.getByLabel('Choose a file').setInputFiles((await rememberedProject()).file);
  await page.getByRole('row').filter({ hasText: 'Cannot read properties' }).waitFor();
  expect(complaints).toEqual([]);
});

browsing('hostile texts, and a hostile name, are data', async () => {
  const parent = project();
  const { root } = await hostileProject();
  const named = path.join(parent, 'shop" <script>window.hacked=1<!--');
  mkdirSync(path.join(named, '.argus'), { recursive: true });
  writeFileSync(path.join(named, '.argus/argus.db'), readFileSync(path.join(root, '.argus/argus.db')));
  const { page, complaints } = await openFile(await exported(named, 'a "b" <c>.html'));
  await page.getByRole('row').filter({ hasText: HOSTILE[0] }).first().waitFor();
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await page.locator('header').first().textContent()).toContain('shop" <script>window.hacked=1<!--');
  expect(complaints).toEqual([]);
});

test('says how large it is, for people and for programs', async () => {
  const { root } = await rememberedProject();
  const file = path.join(project(), 'report.html');
  const text = await argus(['view', '--project', root, '--export', file]);
  expect(text.stdout).toMatch(/report\.html: \d+\.\d MB, a snapshot of \d+ kB in it\n$/u);
  const json = await argus(['view', '--project', root, '--export', file, '--json']);
  expect(JSON.parse(json.stdout)).toEqual({
    file,
    bytes: statSync(file).size,
    databaseBytes: expect.any(Number),
    taken: expect.stringMatching(/^\d{4}-.*Z$/u),
    warnings: [],
  });
});

test('secrets are not in it', async () => {
  const root = project();
  const secret = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
  await argus([
    'run',
    '--project',
    root,
    '--',
    'sh',
    '-c',
    `echo "OddError: password=hunter2hunter2 key ${secret}"; exit 1`,
  ]);
  const inside = readFileSync(snapshotIn(readFileSync(await exported(root), 'utf8')));
  expect(inside.includes('OddError')).toBe(true);
  for (const word of [secret, 'hunter2hunter2']) expect(inside.includes(word)).toBe(false);
});

test('what was deleted is not in it', async () => {
  const root = project({ 'argus.yaml': 'history: { retention: { maxRuns: 1 } }\n' });
  // Names of tests stay, and this one's is its command: the words are in its output alone.
  for (const word of ['forgotten', 'remembered']) {
    writeFileSync(path.join(root, 'error.txt'), `OddError: ${word}${word}\n`);
    await argus(['run', '--project', root, '--', 'sh', '-c', 'cat error.txt; exit 1']);
  }
  const inside = readFileSync(snapshotIn(readFileSync(await exported(root), 'utf8')));
  expect(inside.includes('rememberedremembered')).toBe(true);
  expect(inside.includes('forgottenforgotten')).toBe(false);
});

test('a snapshot taken while others write is whole', async () => {
  const root = project();
  await inMemoryOf(root, (engine) => record(engine, root, [{ name: 'first' }]));
  const writing = `while :; do echo "<testsuites><testsuite name='s'><testcase name='a'><failure message='OddError: $RANDOM'/></testcase><testcase name='b'/></testsuite></testsuites>" > r.xml; node ${BUNDLE} import r.xml --project . > /dev/null; done`;
  const writer = spawn('bash', ['-c', writing], { cwd: root, env: environment(), stdio: 'ignore', detached: true });
  try {
    for (let round = 0; round < 3; round++) {
      const inside = snapshotIn(readFileSync(await exported(root), 'utf8'));
      const engine = await openEngine({ databasePath: inside, projectRoot: root, readOnly: true });
      const { runs } = await engine.history({ limit: 100 });
      for (const { id, passed, failed, skipped } of runs) {
        const { total } = await engine.runDetail({ runId: id, limit: 1, offset: null });
        expect(total).toBe(passed + failed + skipped);
      }
      await engine.close();
    }
  } finally {
    if (writer.pid !== undefined) process.kill(-writer.pid);
    await once(writer, 'exit');
  }
});

test('the file that was there stays until the new one is whole', async () => {
  const { root } = await rememberedProject();
  const old = '<!DOCTYPE html>old';
  const folder = project({ 'report.html': old });
  const file = path.join(folder, 'report.html');
  expect((await argus(['view', '--project', root, '--export', file])).status).toBe(0);
  expect(statSync(file).size).toBeGreaterThan(100_000);
  expect(readdirSync(folder)).toEqual(['report.html']);

  const broken = project({ '.argus/argus.db': 'no database'.repeat(100) });
  writeFileSync(file, old);
  const { status, stderr } = await argus(['view', '--project', broken, '--export', file]);
  expect(status).toBe(2);
  expect(stderr).toContain('DATABASE_CORRUPT');
  expect(readFileSync(file, 'utf8')).toBe(old);
  expect(readdirSync(folder)).toEqual(['report.html']);
});

test.each([
  ['a folder that does not exist', (root: string) => path.join(root, 'nope', 'report.html'), 'does not exist'],
  ['a folder', (root: string) => root, 'is a folder'],
])('%s in place of a file is an error with a reason', async (_name, target, words) => {
  const { root } = await rememberedProject();
  const { status, stderr } = await argus(['view', '--project', root, '--export', target(root)]);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^INVALID_INPUT: .* cannot be written: /u);
  expect(stderr).toContain(words);
});

test('what is no page is not replaced: a database, a source, a device', async () => {
  const { root, file: database } = await rememberedProject();
  const source = path.join(project({ 'index.ts': 'export {};' }), 'index.ts');
  const link = path.join(project(), 'null');
  symlinkSync('/dev/null', link);
  for (const target of [database, source, link]) {
    const before = target === link ? '' : readFileSync(target, 'base64');
    const { status, stderr } = await argus(['view', '--project', root, '--export', target]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: `INVALID_INPUT: ${target} cannot be written: it is there and is no page. Name another file.\n`,
    });
    if (target !== link) expect(readFileSync(target, 'base64')).toBe(before);
  }
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

/** Programs show how far they are at a terminal alone; `script` is one. */
const atTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

test.skipIf(!atTerminal)('a disk that takes no more ends it, also where somebody watches', async () => {
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
  // The cursor is there again.
  expect(ended.stdout.lastIndexOf('\u001b[?25h')).toBeGreaterThan(ended.stdout.lastIndexOf('\u001b[?25l'));
});

test('Ctrl-C leaves nothing half written', async () => {
  const { root } = await rememberedProject();
  const folder = project();
  const args = [BUNDLE, 'view', '--project', root, '--export', path.join(folder, 'report.html')];
  const child = spawn(process.execPath, args, { env: environment({ TMPDIR: folder }), stdio: 'ignore' });
  await expect.poll(() => readdirSync(folder).length, { interval: 5, timeout: 20_000 }).toBeGreaterThan(0);
  child.kill('SIGINT');
  await once(child, 'exit');
  const left = readdirSync(folder).filter((name) => name !== 'report.html');
  expect(left).toEqual([]);
  if (existsSync(path.join(folder, 'report.html'))) {
    expect(readFileSync(path.join(folder, 'report.html'), 'utf8').trimEnd()).toMatch(/<\/html>$/u);
  }
});
