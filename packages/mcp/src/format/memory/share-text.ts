/** Formats the result of sharing, and faults of shared files, for the terminal. */

import type { SharedFault } from 'argus-engine';
import { count } from '../../text/count.ts';
import { formatWarnings } from '../commands.ts';
import { indented, lines, paint } from '../terminal.ts';

/** The result of `argus share`, or of its dry run. */
export interface Shared {
  dryRun: boolean;
  /** The pseudonym in the files. */
  by: string | null;
  /** The files written now, relative to the root of the repository. */
  files: string[];
  /** The contents of each file, for a dry run. */
  contents?: string[];
  /** The number of files that existed already. */
  present: number;
  leftOut: SharedFault[];
  doubts: SharedFault[];
  warnings?: string[];
}

/** The result of `argus share --check`. */
export interface ShareChecked {
  files: number;
  faults: SharedFault[];
  doubts: SharedFault[];
}

/** Further files are only counted. */
const SHOWN_FILES = 20;

export function formatShared(shared: Shared): string {
  const { dryRun, by, files, contents = [], present, leftOut, doubts, warnings } = shared;
  const more = files.length - SHOWN_FILES;
  const done = dryRun ? 'would be written' : 'written';
  return lines([
    ...files
      .slice(0, SHOWN_FILES)
      .flatMap((file, at) => [file, contents[at] !== undefined && indented(paint.dim(contents[at].trimEnd()))]),
    more > 0 && `… and ${count(more, 'more file')}`,
    `${count(files.length, 'file')} ${done}, ${present} there already; ${by === null ? 'nobody is named' : `as ${by}`}`,
    ...leftOut.map(({ path, message }) => paint.red(`not shared: ${path}: ${message}`)),
    ...doubts.map(formatDoubt),
    files.length > 0 && !dryRun && paint.dim('next: read them, then git add .argus-shared; git history cannot forget'),
    ...formatWarnings(warnings),
  ]);
}

export function formatShareChecked({ files, faults, doubts }: ShareChecked): string {
  return lines([
    faults.length === 0 && `${count(files, 'shared file')}, nothing wrong`,
    ...faults.map(({ path, message }) => `${path}: ${message}`),
    ...doubts.map(formatDoubt),
  ]);
}

function formatDoubt({ path, message }: SharedFault): string {
  return paint.yellow(`to be read: ${path}: ${message}`);
}
