/**
 * Finds the test command of a project and the folder in which it runs, starting in any folder inside the project. Also
 * finds the command that runs a single case.
 */

import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { hasManifest, listFoldersUpToRoot, type Project } from '../../owner/project.ts';
import { quoteArgument } from '../../system/command-line.ts';
import { removeInvisibleCharacters } from '../../text/untrusted-text.ts';
import { canAddFilter, findPackageCommand } from './plan.ts';
import { detectTestCommand } from './test-command.ts';

export interface TestCommandLocation {
  root: string;
  /** Undefined if no command is configured or detected. */
  command: string | undefined;
}

/** Returns the nearest folder with a test command. Folders with project files have priority over other folders. */
export function findTestCommandLocation(
  project: Project,
  { config, path: file }: Pick<LoadedConfig, 'config' | 'path'>,
): TestCommandLocation {
  const folders = listFoldersUpToRoot(project);
  const configured = config.test?.command;
  if (configured !== undefined) {
    const configFolder = file === null ? undefined : folders.find((folder) => folder === path.dirname(file));
    return { root: configFolder ?? project.root, command: configured };
  }
  for (const root of [...folders.filter(hasManifest), ...folders]) {
    const command = detectTestCommand(root)?.command;
    if (command !== undefined) return { root, command };
  }
  return { root: project.root, command: undefined };
}

/**
 * Returns the path of a folder in its project, with `/`. Null for the root of the project. Case names start with this
 * path.
 */
export function getFolderInProject({ top }: Pick<Project, 'top'>, root: string): string | null {
  const folder = path.relative(top, root).split(path.sep).join('/');
  return folder === '' ? null : folder;
}

/** Returns the case name without the path of the folder. */
export function removeFolderPrefix(folder: string | null, caseName: string): string {
  return folder !== null && caseName.startsWith(`${folder}/`) ? caseName.slice(folder.length + 1) : caseName;
}

/*
 * Rewrites the command that would settle a verdict, so that the project accepts it. The engine only creates a command
 * with a filter.
 */

/** Matches the command in the engine's sentence, quoted for a POSIX shell. */
const FILTERED_RUN = /argus run (?<at>--at [0-9a-f]+ )?--filter '(?<filter>(?:[^']|'\\'')*)'/u;

/**
 * Replaces the command if it takes no filter. This happens if the packages of a workspace take a filter in different
 * ways. The new command runs the test in the package of the case.
 */
export function replaceRerunCommand<V extends { settle?: string }>(
  verdict: V,
  caseName: string,
  { project, testPlace: { root, command } }: { project: Project; testPlace: TestCommandLocation },
): V {
  const { settle = '' } = verdict;
  const filteredRun = FILTERED_RUN.exec(settle);
  const { at: atOption = '', filter = '' } = filteredRun?.groups ?? {};
  // A configured command may run in another folder.
  if (filteredRun === null || command === undefined || root !== project.root || canAddFilter(command, root)) {
    return verdict;
  }
  const filteredCommand = { command, root, filter: filter.replaceAll("'\\''", "'") };
  const packageRun = findPackageCommand(
    filteredCommand,
    removeFolderPrefix(getFolderInProject(project, root), caseName),
  );
  return packageRun === undefined
    ? verdict
    : { ...verdict, settle: settle.replace(filteredRun[0], () => createRunCommand(atOption, packageRun)) };
}

function createRunCommand(atOption: string, command: string): string {
  return `argus run ${atOption}${quoteArgument(removeInvisibleCharacters(command))}`;
}
