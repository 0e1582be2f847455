/**
 * The engine as a browser worker runs it, over picked files. `FileReaderSync` is a stub here; tests/e2e/viewer uses a
 * real browser.
 */
import { readFileSync } from 'node:fs';
import { createInspector, type Engine, openBlob, openEmpty, startEngine } from 'argus-engine/browser';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';

const DIST = new URL('../dist/', import.meta.url);
const FIXTURES = new URL('../../../crates/store/tests/fixtures/', import.meta.url);

beforeAll(() => {
  vi.stubGlobal(
    'FileReaderSync',
    class {
      readAsArrayBuffer = (blob: PickedFile) => blob.read();
    },
  );
  startEngine(readFileSync(new URL('argus_engine.wasm', DIST)));
});

/** A file that contains the given bytes, followed by zeros up to its size. */
class PickedFile extends Blob {
  readonly source: { bytes: Buffer; bytesRead: number; error?: Error };
  override readonly size: number;
  readonly #start: number;
  readonly #end: number;

  constructor(source: PickedFile['source'], end = source.bytes.length, start = 0) {
    super([]);
    this.source = source;
    this.#start = start;
    this.#end = end;
    this.size = end - start;
  }

  override slice(start = 0, end = this.size): PickedFile {
    return new PickedFile(this.source, Math.min(this.#start + end, this.#end), this.#start + start);
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return this.read();
  }

  read(): ArrayBuffer {
    if (this.source.error !== undefined) throw this.source.error;
    const piece = new Uint8Array(this.size);
    piece.set(this.source.bytes.subarray(this.#start, this.#end));
    this.source.bytesRead += this.size;
    return piece.buffer;
  }
}

const picked = (bytes: Buffer, size = bytes.length) => new PickedFile({ bytes, bytesRead: 0 }, size);

/** A database of a schema version, modified by `change`. */
function database(version = 4, change: (bytes: Buffer) => Buffer | undefined = () => undefined): Buffer {
  const bytes = readFileSync(new URL(`version-${version}.db`, FIXTURES));
  return change(bytes) ?? bytes;
}

/** Writes a number of the header: https://www.sqlite.org/fileformat.html. */
const header = (offset: number, value: number) => (bytes: Buffer) => {
  bytes.writeUInt32BE(value, offset);
  return bytes;
};
const PAGE_COUNT = 28;
const USER_VERSION = 60;
const APPLICATION_ID = 68;

async function open(blob: Blob): Promise<Engine> {
  const engine = await openBlob(blob, { locale: 'en' });
  onTestFinished(() => engine.close());
  return engine;
}

test('inspects a failure without a database', () => {
  const { category } = createInspector().inspect({ text: 'Error: connect ECONNREFUSED 127.0.0.1:5432' });
  expect(category).toBe('CONNECTION_REFUSED');
});

test('lists the built-in patterns without a file', async () => {
  const engine = await openEmpty({ locale: 'en' });
  expect(await engine.patterns()).toMatchObject({ builtInCount: 6, learnedCount: 0 });
  await engine.close();
});

test.each([1, 2, 3, 4])('reads a file of version %i without changing it', async (version) => {
  const bytes = database(version);
  const before = Buffer.from(bytes);
  const engine = await open(picked(bytes));
  const [run] = (await engine.viewRuns()).runs;
  expect((await engine.viewRun({ id: run?.id ?? '' })).total).toBe(2);
  const recorded = { command: 'make', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
  await expect(engine.recordRun(recorded)).rejects.toMatchObject({ name: 'EngineError', code: 'DATABASE_READ_ONLY' });
  expect(bytes.equals(before)).toBe(true);
});

test('keeps a second file open when the first is closed', async () => {
  const [one, two] = [await openBlob(picked(database())), await open(picked(database(3)))];
  const { total } = await one.history();
  await one.close();
  expect((await two.history()).total).toBe(total);
});

test('reads only parts of a 2 GB file', async () => {
  const small = database();
  const size = 2 ** 31;
  const file = picked(header(PAGE_COUNT, size / small.readUInt16BE(16))(small), size);
  const engine = await open(file);
  expect((await engine.history()).total).toBeGreaterThan(0);
  expect(file.source.bytesRead).toBeLessThan(2 * small.length + 64 * 1024);
});

test.each<[name: string, bytes: Buffer, code: string, words: string]>([
  ['nothing', Buffer.from(''), 'DATABASE_CORRUPT', 'empty'],
  ['a text', Buffer.from('not a database '.repeat(50)), 'DATABASE_CORRUPT', 'not a database'],
  ['a short text', Buffer.from('hello'), 'DATABASE_CORRUPT', 'not a database'],
  ['an unfinished copy', database(4, (it) => it.subarray(0, -1000)), 'DATABASE_CORRUPT', '1000 bytes are missing'],
  ['a database of another program', database(4, header(APPLICATION_ID, 7)), 'DATABASE_CORRUPT', 'another program'],
  ['a newer version', database(4, header(USER_VERSION, 9_000)), 'DATABASE_NEWER', 'newer version'],
  ['WAL mode', database(4, (it) => it.fill(2, 18, 20)), 'DATABASE_UNAVAILABLE', 'journal_mode = DELETE'],
  ['damaged pages', database(4, (it) => it.fill(0x7f, 100, 8_000)), 'DATABASE_CORRUPT', 'damaged'],
])('refuses %s and opens the next file', async (_name, bytes, code, words) => {
  await expect(open(picked(bytes))).rejects.toMatchObject({
    name: 'EngineError',
    code,
    message: expect.stringContaining(words),
  });
  expect((await (await open(picked(database()))).history()).total).toBeGreaterThan(0);
});

test.each(['NotReadableError', 'NotFoundError'])('asks to open a changed or deleted file again: %s', async (name) => {
  const file = picked(database());
  const engine = await open(file);
  file.source.error = new DOMException('The requested file could not be read', name);
  const answers = [engine.patterns(), engine.history({ limit: 100 }), engine.viewIncidents()];
  await expect(Promise.all(answers)).rejects.toMatchObject({
    name: 'EngineError',
    message: expect.stringContaining('open it again'),
  });
});
