/** Finds the test command of a project and its folder, from any folder inside the project. */

import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { foldersWithin, isProject, type Project } from '../../owner/project.ts';
import { detectTestCommand } from './test-command.ts';

export interface TestPlace {
  root: string;
  /** Undefined if no command is configured or detected. */
  command: string | undefined;
}

/** The nearest folder with a test command. Folders with project files have priority over other folders. */
export function testPlaceOf(
  project: Project,
  { config, path: file }: Pick<LoadedConfig, 'config' | 'path'>,
): TestPlace {
  const folders = foldersWithin(project);
  const configured = config.test?.command;
  if (configured !== undefined) {
    const itsFolder = file === null ? undefined : folders.find((folder) => folder === path.dirname(file));
    return { root: itsFolder ?? project.root, command: configured };
  }
  for (const root of [...folders.filter(isProject), ...folders]) {
    const command = detectTestCommand(root)?.command;
    if (command !== undefined) return { root, command };
  }
  return { root: project.root, command: undefined };
}

/**
 * The path of a folder in its project, with `/`. Null for the root of the project. Names of cases start with this path.
 */
export function folderOf({ top }: Pick<Project, 'top'>, root: string): string | null {
  const folder = path.relative(top, root).split(path.sep).join('/');
  return folder === '' ? null : folder;
}

/** The name of a case relative to such a folder. */
export function nameFrom(folder: string | null, caseName: string): string {
  return folder !== null && caseName.startsWith(`${folder}/`) ? caseName.slice(folder.length + 1) : caseName;
}
