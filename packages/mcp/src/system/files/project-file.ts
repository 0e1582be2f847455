/**
 * Reads the files that tell how a project is tested.
 */

import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { textOf } from './read.ts';

/** Larger lock files are not worth the wait. */
const MAX_PROJECT_FILE_BYTES = 16 * 1024 * 1024;

/** The text of a file of the project; undefined where it cannot be read. */
export function projectFile(root: string, name: string): string | undefined {
  return textOf(path.join(root, name), { maxBytes: MAX_PROJECT_FILE_BYTES, links: { within: root } });
}

/** The package.json of an installed package, which package managers link from stores outside of the project. */
export function installedManifest(folder: string, packageName: string): string | undefined {
  const file = path.join(folder, 'node_modules', packageName, 'package.json');
  return textOf(file, { maxBytes: MAX_PROJECT_FILE_BYTES });
}

export function hasFile(root: string, name: string): boolean {
  return existsSync(path.join(root, name));
}

/** The names in a folder; none where it cannot be read. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** The names of the folders in a folder. */
export function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
  } catch {
    return [];
  }
}

/** Of files that a pattern names, in these folders of the project, the paths from its root on. */
export function filesNamed(root: string, folders: readonly string[], name: RegExp): string[] {
  return folders.flatMap((folder) =>
    filesIn(path.join(root, folder))
      .filter((file) => name.test(file))
      .map((file) => path.posix.join(folder, file)),
  );
}
