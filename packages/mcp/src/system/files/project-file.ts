/** Reads and lists files of a project, for example to detect its test command and its environment. */

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { tryReadText } from './read.ts';

/** Larger lock files are skipped, because reading them would take too long. */
const MAX_PROJECT_FILE_BYTES = 16 * 1024 * 1024;

/** Returns the text of a file of the project, or undefined if it cannot be read. */
export function readProjectFile(root: string, name: string): string | undefined {
  return tryReadText(path.join(root, name), { maxBytes: MAX_PROJECT_FILE_BYTES, links: { within: root } });
}

/**
 * Returns the package.json of an installed package. Links are followed, because package managers link packages to
 * stores outside the project.
 */
export function readInstalledManifest(folder: string, packageName: string): string | undefined {
  const file = path.join(folder, 'node_modules', packageName, 'package.json');
  return tryReadText(file, { maxBytes: MAX_PROJECT_FILE_BYTES });
}

export function hasFile(root: string, name: string): boolean {
  return existsSync(path.join(root, name));
}

/** Returns the sorted names in a folder, or an empty list if the folder cannot be read. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Returns the sorted names of the folders in a folder. */
export function listSubfolders(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch {
    return [];
  }
}

/** Returns the files in these folders whose name matches, as paths relative to the root. */
export function findFilesByName(root: string, folders: readonly string[], name: RegExp): string[] {
  return folders.flatMap((folder) =>
    listNames(path.join(root, folder))
      .filter((file) => name.test(file))
      .map((file) => path.posix.join(folder, file)),
  );
}
