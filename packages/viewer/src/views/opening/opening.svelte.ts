/**
 * Opens a file of the reader, and stores it in the browser if the reader asked for that. `data/file/file-source.ts`
 * reads the file.
 */

import { session } from '../../data/session.svelte.ts';

let shouldStore = $state(false);

export const opening = {
  /** True if the file is to be stored in the browser once it is open. */
  get keep(): boolean {
    return shouldStore;
  },
  set keep(on: boolean) {
    shouldStore = on;
  },

  async open(file: File | undefined): Promise<void> {
    if (!file) return;
    await session.openFile(file, file.name);
    // The storage may be full, or missing in a private window. The file is open in either case.
    if (shouldStore && session.problem === undefined) await storeFile(file, file.name).catch(() => undefined);
  },
};

/* Stores the last opened file in the browser (OPFS) if the reader asked for that. */

const STORED_FILE = 'argus-last.db';
const STORED_NAME = 'argus-last.name';

/** Pages from disk and some private windows have no such storage. */
export function canStoreFile(): boolean {
  return globalThis.isSecureContext && location.protocol.startsWith('http') && 'storage' in navigator;
}

export async function storeFile(file: Blob, name: string): Promise<void> {
  const folder = await navigator.storage.getDirectory();
  await writeStoredFile(folder, STORED_FILE, file.stream());
  await writeStoredFile(folder, STORED_NAME, new Blob([name]).stream());
}

export async function readStoredFile(): Promise<{ file: File; name: string } | undefined> {
  if (!canStoreFile()) return undefined;
  try {
    const folder = await navigator.storage.getDirectory();
    const file = await (await folder.getFileHandle(STORED_FILE)).getFile();
    const name = await (await (await folder.getFileHandle(STORED_NAME)).getFile()).text();
    return { file, name };
  } catch {
    return undefined;
  }
}

export async function forgetFile(): Promise<void> {
  const folder = await navigator.storage.getDirectory();
  for (const name of [STORED_NAME, STORED_FILE]) await folder.removeEntry(name).catch(() => undefined);
}

async function writeStoredFile(folder: FileSystemDirectoryHandle, name: string, bytes: ReadableStream): Promise<void> {
  const file = await folder.getFileHandle(name, { create: true });
  await bytes.pipeTo(await file.createWritable());
}
