/** Reads the data in an exported page: the engine and a snapshot of a database. */

import { describeFolder, type SourceFacts } from '../source.ts';

export interface Snapshot {
  readonly database: Blob;
  readonly about: SourceFacts;
}

/** Ids of the HTML elements that contain the data. The export writes the same ids. */
const ENGINE_ELEMENT_ID = 'argus-engine';
const DATABASE_ELEMENT_ID = 'argus-database';

export function hasEmbeddedEngine(): boolean {
  return document.getElementById(ENGINE_ELEMENT_ID) !== null;
}

export async function readEmbeddedEngine(): Promise<Uint8Array | undefined> {
  const block = document.getElementById(ENGINE_ELEMENT_ID);
  return block ? new Uint8Array(await (await unpackElement(block)).arrayBuffer()) : undefined;
}

export async function readEmbeddedSnapshot(): Promise<Snapshot | undefined> {
  const block = document.getElementById(DATABASE_ELEMENT_ID);
  if (!block) return undefined;
  const database = await unpackElement(block);
  // The element contains megabytes of text that are not needed again.
  block.remove();
  const { name, project, taken } = block.dataset;
  const about = { ...describeFolder(project ?? name ?? 'argus.db'), bytes: database.size, ...(taken ? { taken } : {}) };
  return { database, about };
}

/** Decodes base64 piece by piece and decompresses gzip. */
async function unpackElement(block: HTMLElement): Promise<Blob> {
  const packed = new Blob(decodeBase64(block.textContent.trim()));
  return new Response(packed.stream().pipeThrough(new DecompressionStream('gzip'))).blob();
}

/** A multiple of four characters, so that each piece is valid base64. */
const PIECE_CHARACTERS = 1 << 20;

function decodeBase64(text: string): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    parts.push(Uint8Array.from(atob(text.slice(at, at + PIECE_CHARACTERS)), (character) => character.charCodeAt(0)));
  }
  return parts;
}
