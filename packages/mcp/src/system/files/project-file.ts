/**
 * Reads the files that tell how a project is tested.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The text of a file of the project; undefined where it cannot be read. */
export function projectFile(root: string, name: string): string | undefined {
  try {
    return readFileSync(path.join(root, name), 'utf8');
  } catch {
    return undefined;
  }
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
