/** Reads the files from which the test command of a project is detected. */

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { textOf } from './read.ts';

/** Larger lock files are not worth the wait. */
const MAX_PROJECT_FILE_BYTES = 16 * 1024 * 1024;

/** The text of a file of the project. Undefined if it cannot be read. */
export function projectFile(root: string, name: string): string | undefined {
  return textOf(path.join(root, name), { maxBytes: MAX_PROJECT_FILE_BYTES, links: { within: root } });
}

/**
 * The package.json of an installed package. Links are followed, because package managers link packages from stores
 * outside the project.
 */
export function installedManifest(folder: string, packageName: string): string | undefined {
  const file = path.join(folder, 'node_modules', packageName, 'package.json');
  return textOf(file, { maxBytes: MAX_PROJECT_FILE_BYTES });
}

export function hasFile(root: string, name: string): boolean {
  return existsSync(path.join(root, name));
}

/** The sorted names in a folder. Empty if the folder cannot be read. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** The sorted names of the folders in a folder. */
export function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch {
    return [];
  }
}

/** The paths, relative to the root, of the files in these folders that match a pattern. */
export function filesNamed(root: string, folders: readonly string[], name: RegExp): string[] {
  return folders.flatMap((folder) =>
    filesIn(path.join(root, folder))
      .filter((file) => name.test(file))
      .map((file) => path.posix.join(folder, file)),
  );
}
