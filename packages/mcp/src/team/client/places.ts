/** Removes paths of this machine from texts. They reveal the user's name and folders, and differ between machines. */

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { homeFolderOfUser } from '../../system/io.ts';

/** Makes paths in the repository relative to its root and replaces the user's home folder by `~`. */
export function withoutPlaces(text: string, root: string): string {
  const inRepository = text
    .replaceAll(`${pathToFileURL(root).href}/`, '')
    .replaceAll(`${root}${path.sep}`, '')
    .replaceAll(`${root.replaceAll('\\', '/')}/`, '');
  const home = homeFolderOfUser();
  return home === path.parse(home).root ? inRepository : inRepository.replaceAll(home, '~');
}
