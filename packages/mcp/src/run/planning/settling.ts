/**
 * The run that would settle a verdict, in a command that the project's tests take: the engine knows of filters alone.
 */

import type { Project } from '../../owner/project.ts';
import { quoted } from '../../system/words.ts';
import { visible } from '../../text/untrusted.ts';
import { packageCommand, takesFilter } from './plan.ts';
import { folderOf, nameFrom, type TestPlace } from './test-place.ts';

/** As the engine says it, quoted for a POSIX shell. */
const FILTERED = /argus run (?<at>--at [0-9a-f]+ )?--filter '(?<filter>(?:[^']|'\\'')*)'/u;

/** Where the packages of a workspace take a filter each in their own way, the command for that of the case. */
export function settledHere<V extends { settle?: string }>(
  verdict: V,
  caseName: string,
  { project, testPlace: { root, command } }: { project: Project; testPlace: TestPlace },
): V {
  const { settle = '' } = verdict;
  const found = FILTERED.exec(settle);
  const { at = '', filter = '' } = found?.groups ?? {};
  // A command that is given runs in the folder that was named.
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
