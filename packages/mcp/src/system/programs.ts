/**
 * Finds installed programs by name, but never a program that the examined folder contains. This check is needed because
 * Windows searches the current folder first, the PATH may contain `.`, and npx puts the project's `node_modules/.bin`
 * first.
 */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { isWithin, realOr } from './files/way.ts';
import { homeFolderOfUser, io } from './io.ts';

/** Returns the absolute path of a program outside `root`, or undefined. */
export function findProgram(name: string, root: string, searchPath = io().env.PATH): string | undefined {
  return foundFile([process.platform === 'win32' ? `${name}.exe` : name], root, searchPath);
}

/**
 * True when a program is installed, including a program that only a shell can start, such as npm's `.cmd` files on
 * Windows.
 */
export function isInstalled(name: string, root: string, searchPath = io().env.PATH): boolean {
  const files = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return foundFile(files, root, searchPath) !== undefined;
}

/** Checks the file before the real path of its folder, because most folders have no such file. */
function foundFile(names: readonly string[], root: string, searchPath: string | undefined): string | undefined {
  const folders = (searchPath ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const files = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return files.find((file) => isProgram(file) && isOfTheMachine(path.dirname(file), root));
}

function isOfTheMachine(folder: string, root: string): boolean {
  if (folder.split(/[\\/]/u).includes('node_modules')) return false;
  const real = realOr(folder);
  const project = realOr(root);
  // A repository cannot supply a folder around a home folder.
  return !isWithin(real, project) || isWithin(realOr(homeOf(project)), project);
}

/** The home folder. Without a home folder, a folder outside the project. */
function homeOf(project: string): string {
  try {
    return homeFolderOfUser() || path.dirname(project);
  } catch {
    return path.dirname(project);
  }
}

function isProgram(file: string): boolean {
  try {
    // `existsSync` is faster than catching an error, and most folders have no such file.
    if (!existsSync(file)) return false;
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
