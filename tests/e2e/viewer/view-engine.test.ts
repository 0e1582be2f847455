/**
 * The engine in a worker of a real browser, over files that a person picks. The page over it: view-page.test.ts.
 */

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEngine } from 'argus-engine';
import type { Page } from 'playwright-core';
import { build } from 'rolldown';
import { beforeAll, expect } from 'vitest';
import { browsing, CHROMIUM, startBrowser } from './chromium.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'argus-view-engine-'));

/** What the page asks its worker for. */
const WORKER = `
import { createInspector, openBlob, openEmpty, startEngine } from 'argus-engine/browser';
const engines = new Map();
const asked = {
  start: async () => startEngine(new Uint8Array(await (await fetch('/engine.wasm')).arrayBuffer())),
  open: async (name, blob) => void engines.set(name, await openBlob(blob, { locale: 'en' })),
  empty: async (name) => void engines.set(name, await openEmpty({ locale: 'en' })),
  call: (name, method, ...args) => engines.get(name)[method](...args),
  close: (name) => engines.get(name).close(),
  inspect: (event) => createInspector().inspect(event),
};
onmessage = async ({ data: [what, args], ports: [port] }) => {
  try {
    port.postMessage({ value: await asked[what](...args) });
  } catch (error) {
    port.postMessage({ error: { name: error.name, code: error.code, message: error.message } });
  }
};`;

const PAGE = `<!doctype html><title>engine</title><input type="file"><script>
const worker = new Worker('/worker.js');
window.ask = (what, ...args) => new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => resolve(data);
  const files = args.map((arg) => (arg === 'FILE' ? document.querySelector('input').files[0] : arg));
  worker.postMessage([what, files], [port2]);
});
</script>`;

let page: Page;

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  const server = await serving();
  const browser = await startBrowser();
  page = await browser.newPage();
  const address = server.address();
  await page.goto(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`);
  expect(await ask('start')).toEqual({ value: undefined });
  return async () => {
    await browser.close();
    server.close();
  };
});

async function serving(): Promise<Server> {
  const worker = {
    name: 'worker',
    resolveId: (id: string) => (id === 'worker' ? id : undefined),
    load: (id: string) => (id === 'worker' ? WORKER : undefined),
  };
  const { output } = await build({
    cwd: root,
    input: 'worker',
    platform: 'browser',
    plugins: [worker],
    write: false,
    output: { format: 'iife' },
  });
  const answers: Record<string, [type: string, body: string | Uint8Array]> = {
    '/': ['text/html', PAGE],
    '/worker.js': ['text/javascript', output[0].code],
    '/engine.wasm': ['application/wasm', readFileSync(path.join(root, 'npm/engine/dist/argus_engine.wasm'))],
  };
  const http = createServer((request, response) => {
    const [type, body] = answers[request.url ?? ''] ?? ['text/plain', ''];
    response.writeHead(200, { 'Content-Type': type }).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return http;
}

interface Answer {
  value?: unknown;
  error?: { name: string; code?: string; message: string };
}

/** Of the page's own function. */
declare const window: { ask(what: string, ...args: unknown[]): Promise<Answer> };

function ask(what: string, ...args: unknown[]): Promise<Answer> {
  return page.evaluate(([name, rest]) => window.ask(name, ...rest), [what, args] as const);
}

/** As a person would pick it. */
async function open(name: string, file: string): Promise<Answer> {
  await page.setInputFiles('input', file);
  return ask('open', name, 'FILE');
}

async function opened(name: string, file: string): Promise<void> {
  expect(await open(name, file)).toEqual({ value: undefined });
}

/** A database with that many runs, each with one failure of its own. */
async function database(name: string, runs = 3): Promise<string> {
  const databasePath = path.join(folder, name);
  const engine = await openEngine({ databasePath, projectRoot: '/', locale: 'en' });
  for (let index = 0; index < runs; index++) await recordFailure(engine, index);
  await engine.close();
  return databasePath;
}

async function recordFailure(engine: Awaited<ReturnType<typeof openEngine>>, index: number): Promise<void> {
  const outputTail = `OddError: the ${['red', 'green', 'blue'][index % 3]} valve does not close`;
  const base = { exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
  const { runId } = await engine.recordRun({ ...base, command: `make part-${index}`, outputTail });
  await engine.diagnose({ runId, caseName: `make part-${index}` });
}

/** Overwrites some bytes. */
function patched(from: string, name: string, offset: number, bytes: readonly number[]): string {
  const file = path.join(folder, name);
  copyFileSync(from, file);
  writeSync(openSync(file, 'r+'), Uint8Array.from(bytes), 0, bytes.length, offset);
  return file;
}

const bigEndian = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);

browsing('a failure is inspected without a database', async () => {
  const event = { text: 'Error: connect ECONNREFUSED 127.0.0.1:5432' };
  expect(await ask('inspect', event)).toMatchObject({ value: { category: 'CONNECTION_REFUSED' } });
});

browsing('without a file there are the built-in patterns', async () => {
  await ask('empty', 'none');
  expect(await ask('call', 'none', 'patterns')).toMatchObject({ value: { builtInCount: 6, learnedCount: 0 } });
  await ask('close', 'none');
});

browsing('a picked file is read, and stays as it is', async () => {
  const file = await database('picked.db');
  const before = readFileSync(file);
  await opened('picked', file);
  expect(await ask('call', 'picked', 'history')).toMatchObject({ value: { total: 3 } });
  const { value } = await ask('call', 'picked', 'patterns', { source: 'learned' });
  expect(value).toMatchObject({ total: 3 });
  const run = { command: 'make', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
  const refused = await ask('call', 'picked', 'recordRun', run);
  expect(refused.error).toMatchObject({ name: 'EngineError', code: 'DATABASE_READ_ONLY' });
  await ask('close', 'picked');
  expect(readFileSync(file).equals(before)).toBe(true);
});

browsing('two files at once', async () => {
  await opened('one', await database('one.db', 1));
  await opened('two', await database('two.db', 2));
  expect(await ask('call', 'one', 'history')).toMatchObject({ value: { total: 1 } });
  expect(await ask('call', 'two', 'history')).toMatchObject({ value: { total: 2 } });
  await ask('close', 'one');
  expect(await ask('call', 'two', 'history')).toMatchObject({ value: { total: 2 } });
  await ask('close', 'two');
});

browsing('a file of 2 GB is read where it is, not as a whole', async () => {
  const small = await database('small.db');
  const pages = 2 ** 31 / readFileSync(small).readUInt16BE(16);
  const file = patched(small, 'huge.db', 28, bigEndian(pages));
  truncateSync(file, 2 ** 31);
  // What follows stands behind all those pages that were never written.
  const engine = await openEngine({ databasePath: file, projectRoot: '/' });
  for (let index = 3; index < 40; index++) await recordFailure(engine, index);
  await engine.close();
  expect(statSync(file).size).toBeGreaterThan(2 ** 31);

  const before = residentBytes();
  await opened('huge', file);
  expect(await ask('call', 'huge', 'history')).toMatchObject({ value: { total: 40 } });
  const { value } = await ask('call', 'huge', 'history', { limit: 100 });
  expect(JSON.stringify(value)).toContain('make part-39');
  expect(residentBytes() - before).toBeLessThan(256 * 1024 * 1024);
  await ask('close', 'huge');
});

/** Of all processes of the browser. */
function residentBytes(): number {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,rss='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/u).map(Number));
  const family = new Set([process.pid]);
  let kilobytes = 0;
  for (const [pid = 0, parent = 0, resident = 0] of rows.sort(([a = 0], [b = 0]) => a - b)) {
    if (!family.has(parent)) continue;
    family.add(pid);
    kilobytes += resident;
  }
  return kilobytes * 1024;
}

browsing.each([
  ['nothing', '', 'DATABASE_CORRUPT', 'empty'],
  [
    'a text',
    'not a database at all, but long enough to have a header of a hundred bytes. '.repeat(2),
    'DATABASE_CORRUPT',
    'not a database',
  ],
  ['a short text', 'hello', 'DATABASE_CORRUPT', 'not a database'],
])('refused: %s', async (name, text, code, words) => {
  const file = path.join(folder, `${name}.db`);
  writeFileSync(file, text);
  const { error } = await open(name, file);
  expect(error).toMatchObject({ name: 'EngineError', code, message: expect.stringContaining(words) });
  expect(error?.message).toContain('.argus/argus.db');
});

browsing('refused: the database of another program', async () => {
  const file = path.join(folder, 'foreign.db');
  execFileSync('sqlite3', [file, 'CREATE TABLE notes (text); INSERT INTO notes VALUES (1);']);
  const { error } = await open('foreign', file);
  expect(error).toMatchObject({ code: 'DATABASE_CORRUPT', message: expect.stringContaining('another program') });
});

browsing('refused: an unfinished copy', async () => {
  const file = await database('half.db');
  truncateSync(file, statSync(file).size - 1000);
  const { error } = await open('half', file);
  expect(error).toMatchObject({ code: 'DATABASE_CORRUPT', message: expect.stringContaining('1000 bytes are missing') });
});

browsing('refused: a newer version', async () => {
  const { error } = await open('newer', patched(await database('current.db'), 'newer.db', 60, bigEndian(9_000)));
  expect(error).toMatchObject({ code: 'DATABASE_NEWER', message: expect.stringContaining('newer version') });
});

browsing('refused: WAL mode, with what to do', async () => {
  const file = await database('wal.db');
  execFileSync('sqlite3', [file, 'PRAGMA journal_mode = WAL; PRAGMA user_version;']);
  const { error } = await open('wal', file);
  expect(error).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringContaining('journal_mode = DELETE'),
  });
  execFileSync('sqlite3', [file, 'PRAGMA journal_mode = DELETE']);
  await opened('wal', file);
  await ask('close', 'wal');
});

browsing('a damaged page is said when it is met, and the engine goes on', async () => {
  const good = await database('good.db', 30);
  const file = patched(
    good,
    'damaged.db',
    100,
    Array.from({ length: 4_000 }, (_, index) => index % 251),
  );
  const { error } = await open('damaged', file);
  expect(error).toMatchObject({ name: 'EngineError', code: 'DATABASE_CORRUPT' });
  await opened('good', good);
  expect(await ask('call', 'good', 'history')).toMatchObject({ value: { total: 30 } });
  await ask('close', 'good');
});

browsing('an older version is shown; the file stays as it is', async () => {
  const file = path.join(folder, 'older.db');
  const script = readFileSync(path.join(root, 'crates/store/src/migrations/0001.sql'), 'utf8');
  execFileSync('sqlite3', [file], {
    input: `${script}\nPRAGMA application_id = ${0x41524755}; PRAGMA user_version = 1;`,
  });
  const before = readFileSync(file);
  await opened('older', file);
  expect(await ask('call', 'older', 'history')).toMatchObject({ value: { total: 0 } });
  expect(await ask('call', 'older', 'patterns', {})).toMatchObject({ value: { builtInCount: 6 } });
  await ask('close', 'older');
  expect(readFileSync(file).equals(before)).toBe(true);
});

browsing('a file that is written after it was picked is not read half old, half new', async () => {
  const file = await database('moving.db', 60);
  await opened('moving', file);
  writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(4096)]));
  const answers = [await ask('call', 'moving', 'patterns'), await ask('call', 'moving', 'history', { limit: 100 })];
  const error = answers.find((answer) => answer.error)?.error;
  expect(error).toMatchObject({ name: 'EngineError', message: expect.stringContaining('open it again') });
  await ask('close', 'moving');
});
