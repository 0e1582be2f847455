/**
 * Writes the viewer's page as a file that needs no server. It contains the engine's module and, if there is a database,
 * a snapshot. A single transaction of the engine creates the snapshot, because copying a file is unsafe while others
 * write to it.
 */

import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ArgusError, getErrorMessage, getSystemCode } from '../errors.ts';
import { createContentSecurityPolicy, DATA_MARKER, escapeHtml, findAsset, POLICY_MARKER } from '../http/page.ts';
import { createTemporaryFolder, createTemporaryFolderBeside, type TemporaryFolder } from '../system/files/temporary.ts';
import { io } from '../system/io.ts';
import type { ViewedMemory } from './viewed-memory.ts';

/** Browsers limit strings to half a gibibyte and may refuse a larger page. */
const MAX_SAFE_PAGE_BYTES = 400 * 1024 * 1024;

/** The beginning of a page. */
const DOCTYPE = '<!doctype html>';

export interface ExportResult {
  file: string;
  bytes: number;
  /** The size of the snapshot before compression. Null if the page has no snapshot. */
  databaseBytes: number | null;
  /** The time of the snapshot in ISO 8601. */
  taken: string;
  warnings: string[];
}

/** Starts a progress display for a write of this number of bytes. */
type StartProgress = (bytes: number) => Promise<{ advance(bytes: number): void; stop(): void }>;

export async function exportPage(
  memory: ViewedMemory,
  target: string,
  startProgress: StartProgress,
): Promise<ExportResult> {
  await requireReplaceable(target);
  const folder = createTemporaryFolder('view');
  try {
    const taken = new Date(io().now()).toISOString();
    const snapshot = memory.databasePath === null ? null : await createSnapshot(folder.path, memory);
    const bytes = await writeAtomically(target, createPageParts(memory, snapshot, taken, startProgress));
    const warnings = bytes > MAX_SAFE_PAGE_BYTES ? [formatSizeWarning(bytes)] : [];
    return { file: target, bytes, databaseBytes: snapshot?.bytes ?? null, taken, warnings };
  } finally {
    folder.remove();
  }
}

interface Snapshot {
  file: string;
  bytes: number;
}

async function createSnapshot(folder: string, memory: ViewedMemory): Promise<Snapshot> {
  const file = path.join(folder, 'argus.db');
  const engine = await memory.openEngine();
  await engine.snapshot({ path: file });
  return { file, bytes: (await stat(file)).size };
}

async function* createPageParts(
  memory: ViewedMemory,
  snapshot: Snapshot | null,
  taken: string,
  startProgress: StartProgress,
): AsyncGenerator<string> {
  const page = await readFile(findAsset('page'), 'utf8');
  const policy = escapeHtml(await createContentSecurityPolicy('exported'));
  const [head, tail, ...more] = page
    .replace(POLICY_MARKER, () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .split(DATA_MARKER);
  if (head === undefined || tail === undefined || more.length > 0)
    throw new Error('the page template has no place for data');
  yield head;
  yield* createDataBlock('argus-engine', {}, gzip(createReadStream(findAsset('engine'))));
  if (snapshot) {
    const facts = { name: path.basename(snapshot.file), taken, project: path.basename(memory.project) };
    yield* createDataBlock('argus-database', facts, gzip(readWithProgress(snapshot, startProgress)));
  }
  yield tail;
}

/** Browsers do not run or show a script of this type. */
async function* createDataBlock(
  id: string,
  facts: Readonly<Record<string, string>>,
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<string> {
  const attributes = Object.entries(facts).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`);
  yield `<script type="application/octet-stream" id="${id}"${attributes.join('')}>`;
  yield* base64(bytes);
  yield '</script>\n';
}

/** Compresses a stream. If the reader stops early, also ends the source. */
function gzip(source: AsyncIterable<Buffer>): Readable {
  // The stream passes errors to the reader, so this callback ignores them.
  return pipeline(source, createGzip({ level: 9 }), () => undefined);
}

async function* readWithProgress({ file, bytes }: Snapshot, startProgress: StartProgress): AsyncGenerator<Buffer> {
  const progress = await startProgress(bytes);
  try {
    for await (const part of createReadStream(file)) {
      yield part;
      progress.advance(part.length);
    }
  } finally {
    progress.stop();
  }
}

/**
 * Encodes a stream. Each part is cut to a multiple of three bytes, because three bytes become four characters. The
 * remaining bytes are encoded with the next part.
 */
async function* base64(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let remaining = Buffer.alloc(0);
  for await (const part of source) {
    const bytes = remaining.length === 0 ? part : Buffer.concat([remaining, part]);
    const whole = bytes.length - (bytes.length % 3);
    yield bytes.toString('base64', 0, whole);
    remaining = Buffer.from(bytes.subarray(whole));
  }
  yield remaining.toString('base64');
}

/**
 * Only an older page may be replaced. Any other file was probably named by mistake, for example the database or a
 * device.
 */
async function requireReplaceable(target: string): Promise<void> {
  const existing = await stat(target).catch(() => undefined);
  // Writing to a folder fails later with a clear message.
  if (existing === undefined || existing.isDirectory()) return;
  if (existing.isFile() && (await isExportedPage(target, existing.size).catch(() => false))) return;
  throw new ArgusError(
    'INVALID_INPUT',
    `${target} cannot be written, because it exists and is not an exported page. Name another file.`,
  );
}

async function isExportedPage(file: string, bytes: number): Promise<boolean> {
  if (bytes === 0) return true;
  const opened = await open(file);
  try {
    const { buffer } = await opened.read({ buffer: Buffer.alloc(DOCTYPE.length), position: 0 });
    return buffer.toString().toLowerCase() === DOCTYPE;
  } finally {
    await opened.close();
  }
}

/**
 * Writes to a temporary folder and moves the complete file. An existing file then remains unchanged after any failure.
 */
async function writeAtomically(target: string, parts: AsyncIterable<string>): Promise<number> {
  let folder: TemporaryFolder | undefined;
  try {
    folder = createTemporaryFolderBeside(target, 'export');
    const temporaryFile = path.join(folder.path, 'page.html');
    const file = await open(temporaryFile, 'wx', 0o600);
    try {
      for await (const part of parts) await file.appendFile(part);
      await file.sync();
    } finally {
      await file.close();
    }
    const { size } = await stat(temporaryFile);
    await rename(temporaryFile, target);
    return size;
  } catch (thrown) {
    throw toWriteError(thrown, target);
  } finally {
    folder?.remove();
  }
}

function toWriteError(thrown: unknown, target: string): unknown {
  const code = getSystemCode(thrown);
  if (code === undefined) return thrown;
  const reason = { ENOENT: 'its folder does not exist', EISDIR: 'it is a folder', ENOSPC: 'no space is left' }[code];
  const message = `${target} cannot be written: ${reason ?? getErrorMessage(thrown)}.`;
  return new ArgusError('INVALID_INPUT', message, { cause: thrown });
}

function formatSizeWarning(bytes: number): string {
  const megabytes = Math.round(bytes / 1_000_000);
  return `The page has ${megabytes} MB, and browsers may refuse to open it. Without --export, the viewer shows databases of any size.`;
}
