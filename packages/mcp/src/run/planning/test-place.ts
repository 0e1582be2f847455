/**
 * The command that tests a project, and the folder it belongs to, from any folder inside.
 */

import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { foldersWithin, isProject, type Project } from '../../owner/project.ts';
import { detectTestCommand } from './test-command.ts';

export interface TestPlace {
  root: string;
  /** Undefined: none is configured, and none was found. */
  command: string | undefined;
}

/** The nearest folder that says how it is tested; a folder of tests that is no project by its files comes after those. */
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

/** Where a folder is in its project, with `/`; null for the project's own. Names of cases begin with it. */
export function folderOf({ top }: Pick<Project, 'top'>, root: string): string | null {
  const folder = path.relative(top, root).split(path.sep).join('/');
  return folder === '' ? null : folder;
}

/** The name of a case as such a folder has it. */
export function nameFrom(folder: string | null, caseName: string): string {
  return folder !== null && caseName.startsWith(`${folder}/`) ? caseName.slice(folder.length + 1) : caseName;
}
