/**
 * Finds files for which the JVM prints only the package, for example `shop/SumTest.java:14` below `src/test/java` of
 * any module. If several modules have a file with this name, the place stays unchanged.
 */

import path from 'node:path';
import { foldersIn, hasFile } from '../system/files/project-file.ts';

const PLACE = /^((?:[\w$-]+\/)*[\w$-]+\.(?:java|kts?|scala|groovy))(:\d+)?$/u;

/** Maximum depth of modules, and folders without modules. */
const MAX_DEPTH = 4;
const NO_MODULES = new Set(['node_modules', 'build', 'target', 'out', 'src', 'bin', 'gradle']);

interface Placed {
  place?: string;
  testPlace?: string;
}

/** Adds the folder to places in files of the project. Searches folders only if there is a place to complete. */
export class SourceFolders {
  readonly #root: string;
  #folders: string[] | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  placed<T extends Placed>(one: T): T {
    const { place, testPlace } = one;
    return {
      ...one,
      ...(place === undefined ? {} : { place: this.#found(place) }),
      ...(testPlace === undefined ? {} : { testPlace: this.#found(testPlace) }),
    };
  }

  #found(place: string): string {
    const [, file, line = ''] = PLACE.exec(place) ?? [];
    if (file === undefined || this.#has(file)) return place;
    this.#folders ??= sourceFolders(this.#root, '', 0);
    const [only, ...others] = this.#folders.map((folder) => `${folder}/${file}`).filter((one) => this.#has(one));
    return only === undefined || others.length > 0 ? place : only + line;
  }

  #has(file: string): boolean {
    return hasFile(this.#root, file);
  }
}

/** Folders like `src/test/java` in this folder and its modules. */
function sourceFolders(root: string, folder: string, depth: number): string[] {
  const within = (below: string) => foldersIn(path.join(root, folder, below));
  const languages = within('src').flatMap((set) => within(`src/${set}`).map((language) => `src/${set}/${language}`));
  const own = languages
    .filter((one) => /\/(?:java|kotlin|scala|groovy)$/u.test(one))
    .map((one) => path.posix.join(folder, one));
  if (depth === MAX_DEPTH) return own;
  const modules = within('').filter((name) => !NO_MODULES.has(name) && !name.startsWith('.'));
  return [...own, ...modules.flatMap((name) => sourceFolders(root, path.posix.join(folder, name), depth + 1))];
}
