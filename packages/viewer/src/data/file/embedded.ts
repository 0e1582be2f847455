/** Reads the data inside an exported page: the engine and a snapshot of a database. */

import { type About, aboutFolder } from '../source.ts';

export interface Snapshot {
  readonly database: Blob;
  readonly about: About;
}

/** Ids of the data blocks. The export writes the same ids. */
const ENGINE = 'argus-engine';
const DATABASE = 'argus-database';

export function hasEngine(): boolean {
  return document.getElementById(ENGINE) !== null;
}

export async function engineInside(): Promise<Uint8Array | undefined> {
  const block = document.getElementById(ENGINE);
  return block ? new Uint8Array(await (await unpack(block)).arrayBuffer()) : undefined;
}

export async function snapshotInside(): Promise<Snapshot | undefined> {
  const block = document.getElementById(DATABASE);
  if (!block) return undefined;
  const database = await unpack(block);
  // The block holds megabytes of text that are not needed again.
  block.remove();
  const { name, project, taken } = block.dataset;
  const about = { ...aboutFolder(project ?? name ?? 'argus.db'), bytes: database.size, ...(taken ? { taken } : {}) };
  return { database, about };
}

/** Decodes base64 in pieces and decompresses gzip. */
async function unpack(block: HTMLElement): Promise<Blob> {
  const packed = new Blob(decoded(block.textContent.trim()));
  return new Response(packed.stream().pipeThrough(new DecompressionStream('gzip'))).blob();
}

/** A multiple of four characters, so that each piece is valid base64. */
const PIECE_CHARACTERS = 1 << 20;

function decoded(text: string): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    parts.push(Uint8Array.from(atob(text.slice(at, at + PIECE_CHARACTERS)), (character) => character.charCodeAt(0)));
  }
  return parts;
}
