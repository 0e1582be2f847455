/**
 * Finds programs of the machine by name, never one that the folder being looked at brings: Windows tries the current
 * folder first, a search path may name `.`, and npx puts the project's own `node_modules/.bin` in front.
 */

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { isWithin, realOr } from './files/way.ts';
import { homeFolderOfUser, io } from './io.ts';

/** The absolute path of a program, or undefined where the machine has none outside of `root`. */
export function findProgram(name: string, root: string, searchPath = io().env.PATH): string | undefined {
  return foundFile([process.platform === 'win32' ? `${name}.exe` : name], root, searchPath);
}

/** Whether the machine has a program at all, also one that takes a shell to start, as those of npm do on Windows. */
export function isInstalled(name: string, root: string, searchPath = io().env.PATH): boolean {
  const files = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  return foundFile(files, root, searchPath) !== undefined;
}

/** Of most folders it is enough to know that they have no such file. */
function foundFile(names: readonly string[], root: string, searchPath: string | undefined): string | undefined {
  const folders = (searchPath ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const files = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return files.find((file) => isProgram(file) && isOfTheMachine(path.dirname(file), root));
}

function isOfTheMachine(folder: string, root: string): boolean {
  if (folder.split(/[\\/]/u).includes('node_modules')) return false;
  const real = realOr(folder);
  const project = realOr(root);
  // What lies around a home folder is no repository's to bring.
  return !isWithin(real, project) || isWithin(realOr(homeOf(project)), project);
}

/** Where an account has no home, a folder that is in no project. */
function homeOf(project: string): string {
  try {
    return homeFolderOfUser() || path.dirname(project);
  } catch {
    return path.dirname(project);
  }
}

function isProgram(file: string): boolean {
  try {
    // Most folders have no such file, and an error for each takes its time.
    if (!existsSync(file)) return false;
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
