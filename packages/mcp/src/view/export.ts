/**
 * Writes the viewer's page as a file that needs no server: it contains the engine's module and, if there is a database,
 * a snapshot. The snapshot is a single transaction of the engine, because copying a file that others write would be
 * unsafe.
 */

import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ArgusError, messageOf, systemCodeOf } from '../errors.ts';
import { assetPath, contentSecurityPolicy, DATA_MARKER, POLICY_MARKER } from '../http/page.ts';
import { type TemporaryFolder, temporaryFolder, temporaryFolderBeside } from '../system/files/temporary.ts';
import { io } from '../system/io.ts';
import type { ViewedMemory } from './viewed-memory.ts';

/** Browsers limit strings to half a gibibyte, so they may refuse a larger page. */
const LARGE_BYTES = 400 * 1024 * 1024;

/** The beginning of a page. */
const DOCTYPE = '<!doctype html>';

export interface Exported {
  file: string;
  bytes: number;
  /** The size of the snapshot before compression. Null if the page has no snapshot. */
  databaseBytes: number | null;
  /** The time of the snapshot in ISO 8601. */
  taken: string;
  warnings: string[];
}

/** Shows the progress of writing `bytes`. */
export type Watching = (bytes: number) => Promise<{ advance(bytes: number): void; stop(): void }>;

export async function exportPage(memory: ViewedMemory, target: string, watching: Watching): Promise<Exported> {
  await mayReplace(target);
  const folder = temporaryFolder('view');
  try {
    const taken = new Date(io().now()).toISOString();
    const snapshot = memory.databasePath === null ? null : await snapshotIn(folder.path, memory);
    const bytes = await writeWhole(target, pageParts(memory, snapshot, taken, watching));
    const warnings = bytes > LARGE_BYTES ? [tooLarge(bytes)] : [];
    return { file: target, bytes, databaseBytes: snapshot?.bytes ?? null, taken, warnings };
  } finally {
    folder.remove();
  }
}

interface Snapshot {
  file: string;
  bytes: number;
}

async function snapshotIn(folder: string, memory: ViewedMemory): Promise<Snapshot> {
  const file = path.join(folder, 'argus.db');
  const engine = await memory.engine();
  await engine.snapshot({ path: file });
  return { file, bytes: (await stat(file)).size };
}

async function* pageParts(
  memory: ViewedMemory,
  snapshot: Snapshot | null,
  taken: string,
  watching: Watching,
): AsyncGenerator<string> {
  const page = await readFile(assetPath('page'), 'utf8');
  const policy = escaped(await contentSecurityPolicy('exported'));
  const [head, tail, ...more] = page
    .replace(POLICY_MARKER, () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .split(DATA_MARKER);
  if (head === undefined || tail === undefined || more.length > 0) throw new Error('the page has no place for data');
  yield head;
  yield* block('argus-engine', {}, gzipped(createReadStream(assetPath('engine'))));
  if (snapshot) {
    const facts = { name: path.basename(snapshot.file), taken, project: path.basename(memory.project) };
    yield* block('argus-database', facts, gzipped(watched(snapshot, watching)));
  }
  yield tail;
}

/** Browsers neither run nor show a script of this type. */
async function* block(
  id: string,
  facts: Readonly<Record<string, string>>,
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<string> {
  const attributes = Object.entries(facts).map(([name, value]) => ` data-${name}="${escaped(value)}"`);
  yield `<script type="application/octet-stream" id="${id}"${attributes.join('')}>`;
  yield* base64(bytes);
  yield '</script>\n';
}

/** Ends the source too when the reader stops early. */
function gzipped(source: AsyncIterable<Buffer>): Readable {
  // The reader receives errors from the stream, so this callback ignores them.
  return pipeline(source, createGzip({ level: 9 }), () => undefined);
}

async function* watched({ file, bytes }: Snapshot, watching: Watching): AsyncGenerator<Buffer> {
  const progress = await watching(bytes);
  try {
    for await (const part of createReadStream(file)) {
      yield part;
      progress.advance(part.length);
    }
  } finally {
    progress.stop();
  }
}

/** Three bytes become four characters. Remaining bytes wait for the next part. */
async function* base64(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const part of source) {
    const bytes = rest.length === 0 ? part : Buffer.concat([rest, part]);
    const whole = bytes.length - (bytes.length % 3);
    yield bytes.toString('base64', 0, whole);
    rest = Buffer.from(bytes.subarray(whole));
  }
  yield rest.toString('base64');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

/**
 * Allows replacing an older page. Any other file was probably named by mistake, for example the database or a device.
 */
async function mayReplace(target: string): Promise<void> {
  const there = await stat(target).catch(() => undefined);
  // Writing to a folder fails later with a clear message.
  if (there === undefined || there.isDirectory()) return;
  if (there.isFile() && (await isPage(target, there.size).catch(() => false))) return;
  throw new ArgusError('INVALID_INPUT', `${target} cannot be written: it is there and is no page. Name another file.`);
}

async function isPage(file: string, bytes: number): Promise<boolean> {
  if (bytes === 0) return true;
  const opened = await open(file);
  try {
    const { buffer } = await opened.read({ buffer: Buffer.alloc(DOCTYPE.length), position: 0 });
    return buffer.toString().toLowerCase() === DOCTYPE;
  } finally {
    await opened.close();
  }
}

/** Writes to a temporary folder and moves the finished file, so that an existing file survives any failure. */
async function writeWhole(target: string, parts: AsyncIterable<string>): Promise<number> {
  let folder: TemporaryFolder | undefined;
  try {
    folder = temporaryFolderBeside(target, 'export');
    const unfinished = path.join(folder.path, 'page.html');
    const file = await open(unfinished, 'wx', 0o600);
    try {
      for await (const part of parts) await file.appendFile(part);
      await file.sync();
    } finally {
      await file.close();
    }
    const { size } = await stat(unfinished);
    await rename(unfinished, target);
    return size;
  } catch (thrown) {
    throw notWritten(thrown, target);
  } finally {
    folder?.remove();
  }
}

function notWritten(thrown: unknown, target: string): unknown {
  const code = systemCodeOf(thrown);
  if (code === undefined) return thrown;
  const reason = { ENOENT: 'its folder does not exist', EISDIR: 'it is a folder', ENOSPC: 'no space is left' }[code];
  const message = `${target} cannot be written: ${reason ?? messageOf(thrown)}.`;
  return new ArgusError('INVALID_INPUT', message, { cause: thrown });
}

function tooLarge(bytes: number): string {
  const megabytes = Math.round(bytes / 1_000_000);
  return `The page is ${megabytes} MB: browsers may refuse it. Without --export any size can be looked at.`;
}
