/**
 * Helpers for Maven and Gradle: filters for test names, builds of several modules, and results that Gradle reuses
 * because they are up to date. adapters/jvm.ts uses them.
 */

import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { hasFile, readProjectFile } from '../system/files/project-file.ts';
import { toShortLine } from '../text/untrusted-text.ts';

interface JvmTest {
  className?: string | undefined;
  method?: string | undefined;
}

/**
 * Creates a value of Surefire's `test` option:
 * https://maven.apache.org/surefire/maven-surefire-plugin/examples/single-test.html
 */
export function createMavenFilter(filter: string): string {
  return createPattern(filter, '#');
}

/**
 * Creates a value of Gradle's `--tests` option:
 * https://docs.gradle.org/current/userguide/java_testing.html#test_filtering
 */
export function createGradleFilter(filter: string): string {
  return createPattern(filter, '.');
}

function createPattern(filter: string, separator: string): string {
  const { className, method } = parseTestName(filter);
  if (method === undefined) return className ?? filter;
  return `${className ?? '*'}${separator}${method}`;
}

/**
 * Parses a case name (`shop.SumTest > adds(int)[1]`), a method (`adds`, `adds(int)[1]`), a class, or a class and a
 * method (`SumTest#adds`, `SumTest.adds`). Returns no name for any other text, which is a pattern in the runner's
 * syntax.
 */
function parseTestName(filter: string): JvmTest {
  if (filter.includes(' > ')) {
    const [suite = '', name = ''] = filter.split(' > ').slice(-2);
    return { className: /^[\p{L}\p{N}_$.]+$/u.test(suite) ? suite : undefined, method: createMethodPattern(name) };
  }
  const classAndMethod = /^([^#]+)#([^#]+)$/u.exec(filter) ?? /^((?:\w+\.)*\p{Lu}[\w$]*)\.(\p{Ll}\w*)$/u.exec(filter);
  if (classAndMethod) return { className: classAndMethod[1], method: classAndMethod[2] };
  if (/^\p{Ll}\w*$/u.test(filter)) return { method: filter };
  // A name as reporters print it: with parameters, or as words for Kotlin.
  return /^[\p{Ll}_]\w*[\s([]/u.test(filter) ? { method: createMethodPattern(filter) } : {};
}

/**
 * Returns the name without the parameters that reporters add. A star replaces characters that a pattern does not allow.
 */
function createMethodPattern(name: string): string | undefined {
  const baseName = name.split(/[([{]/u, 1)[0]?.trim() ?? '';
  const pattern = baseName.replaceAll(/[^\p{L}\p{N}_$]+/gu, '*');
  if (!/[\p{L}\p{N}]/u.test(pattern)) return undefined;
  return name === baseName || name === `${baseName}()` ? pattern : `${pattern}*`;
}

/** Options for a build of several modules, so that modules without the filtered test do not fail the build. */
export const MAVEN_ALLOW_EMPTY_MODULES_ARGS = ['-DfailIfNoTests=false', '-Dsurefire.failIfNoSpecifiedTests=false'];
export const GRADLE_ALLOW_EMPTY_PROJECTS_SCRIPT =
  'allprojects { tasks.withType(Test) { filter.failOnNoMatchingTests = false } }\n';

export function hasMavenModules(root: string): boolean {
  return /<module>/u.test(readProjectFile(root, 'pom.xml') ?? '');
}

const SETTINGS_FILES = ['settings.gradle', 'settings.gradle.kts'];
const BUILD_FILES = ['build.gradle', 'build.gradle.kts'];

export function hasGradleProjects(root: string): boolean {
  return SETTINGS_FILES.some((name) => /^\s*include\b/mu.test(readProjectFile(root, name) ?? ''));
}

/**
 * Describes the modules that a build could not compile, with the first compiler error. If tests of other modules fail
 * too, no case shows this error.
 */
export function describeUnbuiltModules(output: string): string | undefined {
  const text = stripVTControlCharacters(output).replaceAll('\r\n', '\n');
  const failed = [...new Set([...text.matchAll(FAILED_TASK)].map(([, task, project]) => task ?? project))];
  if (failed.length === 0) return undefined;
  const error = COMPILER_ERROR.exec(text)?.[0];
  return `Not built, so its tests did not run: ${failed.join(', ')}.${error === undefined ? '' : ` First error: ${toShortLine(error)}`}`;
}

const FAILED_TASK =
  /^Execution failed for task '(\S*:compile\w+)'\.$|^\[ERROR\] Failed to execute goal \S+:(?:compile|test-?[cC]ompile) (?:\([^)\n]*\) )?on project (\S+): /gmu;
const COMPILER_ERROR =
  /^(?:\[ERROR\] |e: )?\S+\.(?:java|kts?|scala|groovy)(?::\d+: error: |:\[\d+,\d+\] |:\d+:\d+:? ).*$/mu;

/**
 * Tracks tasks that Gradle does not run again because nothing changed. Their results come from an earlier run and are
 * still valid.
 */
export class UpToDateGradleTasks {
  readonly #root: string;
  readonly #tasks: GradleTask[] = [];
  /** The folders with results, by the folder of the build. */
  readonly #results = new Map<string, ResultsFolder[]>();
  #rest = '';

  constructor(root: string) {
    this.#root = root;
  }

  /** Accepts the output of Gradle in chunks. */
  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const taskPath = /^(?:> Task )?:(\S+) (?:UP-TO-DATE|FROM-CACHE)\s*$/u.exec(stripVTControlCharacters(line))?.[1];
      const project = taskPath?.split(':') ?? [];
      const task = project.pop();
      if (task !== undefined) this.#tasks.push({ project, task });
    }
  }

  /**
   * Returns true if a reused task wrote the report. Call it only after the whole output has arrived. `file` is relative
   * to the project, and the build may be in a subfolder of the project.
   */
  hasWritten(file: string): boolean {
    if (this.#tasks.length === 0) return false;
    const posix = file.replaceAll('\\', '/');
    const build = findBuildFolder(posix, this.#root);
    const results = this.#results.get(build) ?? this.#locateResults(path.join(this.#root, build));
    this.#results.set(build, results);
    const pathInBuild = `/${posix.slice(build.length)}`;
    return results.some(({ folder, isWhole }) =>
      isWhole ? pathInBuild.startsWith(folder) : pathInBuild.includes(folder),
    );
  }

  #locateResults(build: string): ResultsFolder[] {
    const moved = parseMovedProjects(build);
    return this.#tasks.map(({ project, task }) => {
      const projectPath = project.join('/');
      const isFolderKnown = project.length === 0 || moved.has(projectPath) || hasFile(build, projectPath);
      // Settings may compute the folder. In that case, any folder with the name of the project is accepted.
      const folder = isFolderKnown ? (moved.get(projectPath) ?? projectPath) : (project.at(-1) ?? '');
      return { folder: path.posix.join('/', folder, 'build/test-results', task, '/'), isWhole: isFolderKnown };
    });
  }
}

/** A task such as `libs:orders:test`. */
interface GradleTask {
  project: readonly string[];
  task: string;
}

/**
 * The path of a folder with the results of a task, with a slash at both ends. If `isWhole` is true, the path starts at
 * the folder of the build. Otherwise only the last part of the path is known.
 */
interface ResultsFolder {
  folder: string;
  isWhole: boolean;
}

/** Returns the folder of the build that wrote the file, with a trailing slash. Empty for the root of the project. */
function findBuildFolder(file: string, root: string): string {
  const folders = ['', ...Array.from(file.matchAll(/\//gu), ({ index }) => file.slice(0, index + 1))];
  const containsAny = (names: readonly string[]) => (folder: string) =>
    names.some((name) => hasFile(root, folder + name));
  if (containsAny([...SETTINGS_FILES, ...BUILD_FILES])('')) return '';
  return folders.findLast(containsAny(SETTINGS_FILES)) ?? folders.find(containsAny(BUILD_FILES)) ?? '';
}

/** Returns the folders of projects that the settings move, by the names of the projects. */
function parseMovedProjects(build: string): Map<string, string> {
  const settings = SETTINGS_FILES.map((name) => readProjectFile(build, name) ?? '').join('\n');
  return new Map(
    Array.from(settings.matchAll(MOVED_PROJECT), ([, name = '', place = '']) => {
      const parts = Array.from(place.matchAll(/(["'])(.*?)\1/gu), ([, , part = '']) =>
        part.replace(BUILD_FOLDER_VARIABLE, ''),
      );
      return [name.replaceAll(':', '/'), path.posix.join(...parts)] as const;
    }).filter(([, folder]) => !folder.includes('$')),
  );
}

/**
 * Matches an assignment such as `project(':lib').projectDir = file('modules/lib')`. The strings in the expression form
 * the folder.
 */
const MOVED_PROJECT =
  /\b(?:findP|p)roject\(\s*["']:?([^"']+)["']\s*\)(?:\?|!!)?\.(?:projectDir\s*=|setProjectDir\()\s*(.+)/gu;
const BUILD_FOLDER_VARIABLE = /^\$\{?(?:rootDir|settingsDir|rootProject\.projectDir)\}?/u;
