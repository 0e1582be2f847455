/**
 * Rewrites the run that would settle a verdict as a command that the project accepts, because the engine only knows
 * filters.
 */

import type { Project } from '../../owner/project.ts';
import { quoted } from '../../system/words.ts';
import { visible } from '../../text/untrusted.ts';
import { packageCommand, takesFilter } from './plan.ts';
import { folderOf, nameFrom, type TestPlace } from './test-place.ts';

/** The command in the sentence of the engine, quoted for a POSIX shell. */
const FILTERED = /argus run (?<at>--at [0-9a-f]+ )?--filter '(?<filter>(?:[^']|'\\'')*)'/u;

/**
 * Replaces the command if each package of a workspace takes a filter in its own way. The new command runs the package
 * of the case.
 */
export function settledHere<V extends { settle?: string }>(
  verdict: V,
  caseName: string,
  { project, testPlace: { root, command } }: { project: Project; testPlace: TestPlace },
): V {
  const { settle = '' } = verdict;
  const found = FILTERED.exec(settle);
  const { at = '', filter = '' } = found?.groups ?? {};
  // A given command runs in the named folder.
  if (found === null || command === undefined || root !== project.root || takesFilter(command, root)) {
    return verdict;
  }
  const sought = { command, root, filter: filter.replaceAll("'\\''", "'") };
  const own = packageCommand(sought, nameFrom(folderOf(project, root), caseName));
  return own === undefined ? verdict : { ...verdict, settle: settle.replace(found[0], () => alone(at, own)) };
}

function alone(at: string, command: string): string {
  return `argus run ${at}${quoted(visible(command))}`;
}
