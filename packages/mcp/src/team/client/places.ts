/** Paths of this machine, which say who works on it and where, and are other ones on each. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { homeFolderOfUser } from '../../system/io.ts';

/** A text in which files of the repository are named from its root, and the user's folder is `~`. */
export function withoutPlaces(text: string, root: string): string {
  const inRepository = text
    .replaceAll(`${pathToFileURL(root).href}/`, '')
    .replaceAll(`${root}${path.sep}`, '')
    .replaceAll(`${root.replaceAll('\\', '/')}/`, '');
  const home = homeFolderOfUser();
  return home === path.parse(home).root ? inRepository : inRepository.replaceAll(home, '~');
}
