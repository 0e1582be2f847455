/**
 * Writes the page as one file that needs no server: the engine's module in it and, where there is one, a snapshot of
 * the database. A file that others write is not copied: the snapshot is one transaction of the engine.
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

/** Browsers keep no longer text than half a gibibyte; past this they may refuse the page. */
const LARGE_BYTES = 400 * 1024 * 1024;

/** How a page begins. */
const DOCTYPE = '<!doctype html>';

export interface Exported {
  file: string;
  bytes: number;
  /** Of the snapshot before it was compressed; null: the page alone. */
  databaseBytes: number | null;
  /** When the snapshot was taken. */
  taken: string;
  warnings: string[];
}

/** Shows how far the writing of that many bytes is. */
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

/** Ends the source, too, when its reader stops early. */
function gzipped(source: AsyncIterable<Buffer>): Readable {
  // Its reader is told of errors by what it reads.
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

/** Three bytes make four letters; what is left over waits for the next part. */
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

/** An older page makes way. Anything else was named by mistake: the database that was to be shown, a device. */
async function mayReplace(target: string): Promise<void> {
  const there = await stat(target).catch(() => undefined);
  // A folder is refused with its own words, once the page is to be put there.
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

/** In a folder of its own until it is whole; whatever happens before, the file that was there stays. */
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
