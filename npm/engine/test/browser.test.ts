/**
 * Runs the engine as a browser worker does, on picked files. `FileReaderSync` is a stub here; tests/e2e/viewer uses a
 * real browser.
 */
import { readFileSync } from 'node:fs';
import { createInspector, type Engine, openBlob, openEmpty, startEngine } from 'argus-engine/browser';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';

const DIST_URL = new URL('../dist/', import.meta.url);
const FIXTURES_URL = new URL('../../../crates/store/tests/fixtures/', import.meta.url);

beforeAll(() => {
  vi.stubGlobal(
    'FileReaderSync',
    class {
      readAsArrayBuffer = (blob: PickedFile) => blob.read();
    },
  );
  startEngine(readFileSync(new URL('argus_engine.wasm', DIST_URL)));
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

const createPickedFile = (bytes: Buffer, size = bytes.length) => new PickedFile({ bytes, bytesRead: 0 }, size);

/** Returns a database of a schema version, modified by `change`. */
function readDatabaseFixture(version = 4, change: (bytes: Buffer) => Buffer | undefined = () => undefined): Buffer {
  const bytes = readFileSync(new URL(`version-${version}.db`, FIXTURES_URL));
  return change(bytes) ?? bytes;
}

/** Returns a function that writes a number into the file header: https://www.sqlite.org/fileformat.html. */
const setHeaderField = (offset: number, value: number) => (bytes: Buffer) => {
  bytes.writeUInt32BE(value, offset);
  return bytes;
};
const PAGE_COUNT_OFFSET = 28;
const USER_VERSION_OFFSET = 60;
const APPLICATION_ID_OFFSET = 68;

async function openBlobForTest(blob: Blob): Promise<Engine> {
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
  const bytes = readDatabaseFixture(version);
  const before = Buffer.from(bytes);
  const engine = await openBlobForTest(createPickedFile(bytes));
  const [run] = (await engine.viewRuns()).runs;
  expect((await engine.viewRun({ id: run?.id ?? '' })).total).toBe(2);
  const recorded = { command: 'make', exitCode: 1, timedOut: false, reports: [], containers: [], notes: [] };
  await expect(engine.recordRun(recorded)).rejects.toMatchObject({ name: 'EngineError', code: 'DATABASE_READ_ONLY' });
  expect(bytes.equals(before)).toBe(true);
});

test('keeps a second file open when the first file is closed', async () => {
  const [one, two] = [
    await openBlob(createPickedFile(readDatabaseFixture())),
    await openBlobForTest(createPickedFile(readDatabaseFixture(3))),
  ];
  const { total } = await one.history();
  await one.close();
  expect((await two.history()).total).toBe(total);
});

test('reads only parts of a 2 GB file', async () => {
  const small = readDatabaseFixture();
  const size = 2 ** 31;
  const file = createPickedFile(setHeaderField(PAGE_COUNT_OFFSET, size / small.readUInt16BE(16))(small), size);
  const engine = await openBlobForTest(file);
  expect((await engine.history()).total).toBeGreaterThan(0);
  expect(file.source.bytesRead).toBeLessThan(2 * small.length + 64 * 1024);
});

test.each<[name: string, bytes: Buffer, code: string, words: string]>([
  ['nothing', Buffer.from(''), 'DATABASE_CORRUPT', 'empty'],
  ['a text', Buffer.from('not a database '.repeat(50)), 'DATABASE_CORRUPT', 'not a database'],
  ['a short text', Buffer.from('hello'), 'DATABASE_CORRUPT', 'not a database'],
  [
    'an unfinished copy',
    readDatabaseFixture(4, (it) => it.subarray(0, -1000)),
    'DATABASE_CORRUPT',
    '1000 bytes are missing',
  ],
  [
    'a database of another program',
    readDatabaseFixture(4, setHeaderField(APPLICATION_ID_OFFSET, 7)),
    'DATABASE_CORRUPT',
    'another program',
  ],
  [
    'a newer version',
    readDatabaseFixture(4, setHeaderField(USER_VERSION_OFFSET, 9_000)),
    'DATABASE_NEWER',
    'newer version',
  ],
  ['WAL mode', readDatabaseFixture(4, (it) => it.fill(2, 18, 20)), 'DATABASE_UNAVAILABLE', 'journal_mode = DELETE'],
  ['damaged pages', readDatabaseFixture(4, (it) => it.fill(0x7f, 100, 8_000)), 'DATABASE_CORRUPT', 'damaged'],
])('refuses %s and opens the next file', async (_name, bytes, code, words) => {
  await expect(openBlobForTest(createPickedFile(bytes))).rejects.toMatchObject({
    name: 'EngineError',
    code,
    message: expect.stringContaining(words),
  });
  expect((await (await openBlobForTest(createPickedFile(readDatabaseFixture()))).history()).total).toBeGreaterThan(0);
});

test.each(['NotReadableError', 'NotFoundError'])('asks to open a changed or deleted file again: %s', async (name) => {
  const file = createPickedFile(readDatabaseFixture());
  const engine = await openBlobForTest(file);
  file.source.error = new DOMException('The requested file could not be read', name);
  const answers = [engine.patterns(), engine.history({ limit: 100 }), engine.viewIncidents()];
  await expect(Promise.all(answers)).rejects.toMatchObject({
    name: 'EngineError',
    message: expect.stringContaining('Open it again'),
  });
});
