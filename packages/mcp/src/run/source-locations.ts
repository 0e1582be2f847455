/** Completes the locations of failures: adds the folder that the JVM leaves out, and the source line. */

import path from 'node:path';
import { hasFile, listSubfolders } from '../system/files/project-file.ts';
import { tryReadText } from '../system/files/read.ts';
import { isSecretFile } from '../system/files/secret-files.ts';

/*
 * Finds files for which the JVM prints only the package. An example is `shop/SumTest.java:14` for a file in
 * `src/test/java` of any module. If several modules have a file with this name, the location stays unchanged.
 */

const JVM_PLACE = /^((?:[\w$-]+\/)*[\w$-]+\.(?:java|kts?|scala|groovy))(:\d+)?$/u;

/** Maximum depth of nested modules. */
const MAX_MODULE_DEPTH = 4;
const NON_MODULE_FOLDERS = new Set(['node_modules', 'build', 'target', 'out', 'src', 'bin', 'gradle']);

interface LocatedFailure {
  place?: string;
  testPlace?: string;
}

/** Completes locations in files of the project. Searches folders only if a location is incomplete. */
export class SourcePathCompleter {
  readonly #root: string;
  #folders: string[] | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  completePlaces<T extends LocatedFailure>(failure: T): T {
    const { place, testPlace } = failure;
    return {
      ...failure,
      ...(place === undefined ? {} : { place: this.#completePlace(place) }),
      ...(testPlace === undefined ? {} : { testPlace: this.#completePlace(testPlace) }),
    };
  }

  #completePlace(place: string): string {
    const [, file, line = ''] = JVM_PLACE.exec(place) ?? [];
    if (file === undefined || this.#hasFile(file)) return place;
    this.#folders ??= findSourceFolders(this.#root, '', 0);
    const [match, ...otherMatches] = this.#folders
      .map((folder) => `${folder}/${file}`)
      .filter((candidate) => this.#hasFile(candidate));
    return match === undefined || otherMatches.length > 0 ? place : match + line;
  }

  #hasFile(file: string): boolean {
    return hasFile(this.#root, file);
  }
}

/** Returns folders like `src/test/java` in this folder and its modules. */
function findSourceFolders(root: string, folder: string, depth: number): string[] {
  const listBelow = (below: string) => listSubfolders(path.join(root, folder, below));
  const languages = listBelow('src').flatMap((set) =>
    listBelow(`src/${set}`).map((language) => `src/${set}/${language}`),
  );
  const ownFolders = languages
    .filter((one) => /\/(?:java|kotlin|scala|groovy)$/u.test(one))
    .map((one) => path.posix.join(folder, one));
  if (depth === MAX_MODULE_DEPTH) return ownFolders;
  const modules = listBelow('').filter((name) => !NON_MODULE_FOLDERS.has(name) && !name.startsWith('.'));
  return [
    ...ownFolders,
    ...modules.flatMap((name) => findSourceFolders(root, path.posix.join(folder, name), depth + 1)),
  ];
}

/* Adds the source line to failures. */

/** Larger files are mostly generated bundles, whose lines do not help to find the cause. */
const MAX_FILE_BYTES = 1024 * 1024;

const MAX_LINE_CHARS = 160;

/** Adds source lines to failures. Reads each file only once. */
export class SourceLineReader {
  readonly #root: string;
  readonly #redact: (text: string) => string;
  readonly #files = new Map<string, string[]>();

  /** `redact` removes secrets from a line. */
  constructor(root: string, redact: (text: string) => string) {
    this.#root = root;
    this.#redact = redact;
  }

  /** Adds the source line of `place` (in the project's code), otherwise of `testPlace` (in the test). */
  addSourceLine<T extends LocatedFailure>(failure: T): T & { sourceLine?: string } {
    const line = this.#readLine(failure.place ?? failure.testPlace ?? '');
    return line === undefined ? failure : { ...failure, sourceLine: line };
  }

  #readLine(place: string): string | undefined {
    const [, file, number] = /^(.+?):(\d+)$/u.exec(place) ?? [];
    if (file === undefined || path.isAbsolute(file) || isSecretFile(file)) return undefined;
    const line = this.#readLines(file)[Number(number) - 1]?.trim();
    if (!line) return undefined;
    const shortened = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS - 1)}…` : line;
    return this.#redact(shortened);
  }

  #readLines(file: string): string[] {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const text = tryReadText(path.join(this.#root, file), { maxBytes: MAX_FILE_BYTES, links: { within: this.#root } });
    const lines = text?.split('\n') ?? [];
    this.#files.set(file, lines);
    return lines;
  }
}
