/** Keeps the last opened file in the browser's storage (OPFS) if the reader asks for it. `file.ts` opens it. */

const FILE = 'argus-last.db';
const NAME = 'argus-last.name';

/** Pages from disk and some private windows have no such storage. */
export function canKeep(): boolean {
  return globalThis.isSecureContext && location.protocol.startsWith('http') && 'storage' in navigator;
}

export async function keepFile(file: Blob, name: string): Promise<void> {
  const folder = await navigator.storage.getDirectory();
  await write(folder, FILE, file.stream());
  await write(folder, NAME, new Blob([name]).stream());
}

export async function keptFile(): Promise<{ file: File; name: string } | undefined> {
  if (!canKeep()) return undefined;
  try {
    const folder = await navigator.storage.getDirectory();
    const file = await (await folder.getFileHandle(FILE)).getFile();
    const name = await (await (await folder.getFileHandle(NAME)).getFile()).text();
    return { file, name };
  } catch {
    return undefined;
  }
}

export async function forgetFile(): Promise<void> {
  const folder = await navigator.storage.getDirectory();
  for (const name of [NAME, FILE]) await folder.removeEntry(name).catch(() => undefined);
}

async function write(folder: FileSystemDirectoryHandle, name: string, bytes: ReadableStream): Promise<void> {
  const file = await folder.getFileHandle(name, { create: true });
  await bytes.pipeTo(await file.createWritable());
}
