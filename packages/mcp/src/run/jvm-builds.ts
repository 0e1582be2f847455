/**
 * Support for Maven and Gradle: names of tests in their filters, builds of several modules, and results that Gradle
 * reuses as up to date. The adapters recognize and run them.
 */

import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { hasFile, projectFile } from '../system/files/project-file.ts';
import { shortLine } from '../text/untrusted.ts';

interface JvmTest {
  className?: string | undefined;
  method?: string | undefined;
}

/** Surefire's `test`: https://maven.apache.org/surefire/maven-surefire-plugin/examples/single-test.html */
export function mavenTest(filter: string): string {
  return pattern(filter, '#');
}

/** Gradle's `--tests`: https://docs.gradle.org/current/userguide/java_testing.html#test_filtering */
export function gradleTest(filter: string): string {
  return pattern(filter, '.');
}

function pattern(filter: string, separator: string): string {
  const { className, method } = jvmTest(filter);
  if (method === undefined) return className ?? filter;
  return `${className ?? '*'}${separator}${method}`;
}

/**
 * Parses a case name (`shop.SumTest > adds(int)[1]`), a method (`adds`, `adds(int)[1]`), a class, or both
 * (`SumTest#adds`, `SumTest.adds`). Any other text is a pattern in the language of the runner.
 */
function jvmTest(filter: string): JvmTest {
  if (filter.includes(' > ')) {
    const [suite = '', name = ''] = filter.split(' > ').slice(-2);
    return { className: /^[\p{L}\p{N}_$.]+$/u.test(suite) ? suite : undefined, method: methodOf(name) };
  }
  const both = /^([^#]+)#([^#]+)$/u.exec(filter) ?? /^((?:\w+\.)*\p{Lu}[\w$]*)\.(\p{Ll}\w*)$/u.exec(filter);
  if (both) return { className: both[1], method: both[2] };
  if (/^\p{Ll}\w*$/u.test(filter)) return { method: filter };
  // A name as reporters print it: with parameters, or in words for Kotlin.
  return /^[\p{Ll}_]\w*[\s([]/u.test(filter) ? { method: methodOf(filter) } : {};
}

/** The name without the parameters that reporters add. Characters that a pattern does not allow match anything. */
function methodOf(name: string): string | undefined {
  const own = name.split(/[([{]/u, 1)[0]?.trim() ?? '';
  const plain = own.replaceAll(/[^\p{L}\p{N}_$]+/gu, '*');
  if (!/[\p{L}\p{N}]/u.test(plain)) return undefined;
  return name === own || name === `${own}()` ? plain : `${plain}*`;
}

/** Modules without the filtered test must not fail the build if there are several modules. */
export const MAVEN_MODULES_MAY_BE_EMPTY = ['-DfailIfNoTests=false', '-Dsurefire.failIfNoSpecifiedTests=false'];
export const GRADLE_PROJECTS_MAY_BE_EMPTY =
  'allprojects { tasks.withType(Test) { filter.failOnNoMatchingTests = false } }\n';

export function hasMavenModules(root: string): boolean {
  return /<module>/u.test(projectFile(root, 'pom.xml') ?? '');
}

const SETTINGS = ['settings.gradle', 'settings.gradle.kts'];
const BUILDS = ['build.gradle', 'build.gradle.kts'];

export function hasGradleProjects(root: string): boolean {
  return SETTINGS.some((name) => /^\s*include\b/mu.test(projectFile(root, name) ?? ''));
}

/**
 * Describes the modules that a build could not compile, with the first compiler error, because no case shows this if
 * tests of other modules fail too.
 */
export function notBuilt(output: string): string | undefined {
  const text = stripVTControlCharacters(output).replaceAll('\r\n', '\n');
  const failed = [...new Set([...text.matchAll(FAILED_TASK)].map(([, task, project]) => task ?? project))];
  if (failed.length === 0) return undefined;
  const error = COMPILER_ERROR.exec(text)?.[0];
  return `Not built, so its tests did not run: ${failed.join(', ')}.${error === undefined ? '' : ` First error: ${shortLine(error)}`}`;
}

const FAILED_TASK =
  /^Execution failed for task '(\S*:compile\w+)'\.$|^\[ERROR\] Failed to execute goal \S+:(?:compile|test-?[cC]ompile) (?:\([^)\n]*\) )?on project (\S+): /gmu;
const COMPILER_ERROR =
  /^(?:\[ERROR\] |e: )?\S+\.(?:java|kts?|scala|groovy)(?::\d+: error: |:\[\d+,\d+\] |:\d+:\d+:? ).*$/mu;

/**
 * Tracks tasks that Gradle does not run again because nothing changed. Their results are from an earlier run and still
 * valid.
 */
export class GradleTasksUpToDate {
  readonly #root: string;
  readonly #tasks: GradleTask[] = [];
  /** Results by the folder of the build. */
  readonly #results = new Map<string, Results[]>();
  #rest = '';

  constructor(root: string) {
    this.#root = root;
  }

  /** Reads output of Gradle as it arrives. */
  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const named = /^(?:> Task )?:(\S+) (?:UP-TO-DATE|FROM-CACHE)\s*$/u.exec(stripVTControlCharacters(line))?.[1];
      const project = named?.split(':') ?? [];
      const task = project.pop();
      if (task !== undefined) this.#tasks.push({ project, task });
    }
  }

  /**
   * Returns true if one of these tasks wrote the report. Call it only after the whole output. `file` is relative to the
   * project, and the build may be in a subfolder of it.
   */
  wrote(file: string): boolean {
    if (this.#tasks.length === 0) return false;
    const posix = file.replaceAll('\\', '/');
    const build = buildAround(posix, this.#root);
    const results = this.#results.get(build) ?? this.#resultsIn(path.join(this.#root, build));
    this.#results.set(build, results);
    const inBuild = `/${posix.slice(build.length)}`;
    return results.some(({ folder, isWhole }) => (isWhole ? inBuild.startsWith(folder) : inBuild.includes(folder)));
  }

  #resultsIn(build: string): Results[] {
    const moved = movedProjects(build);
    return this.#tasks.map(({ project, task }) => {
      const given = project.join('/');
      const isThere = project.length === 0 || moved.has(given) || hasFile(build, given);
      // Settings may compute the folder. Then any folder with the name of the project is accepted.
      const folder = isThere ? (moved.get(given) ?? given) : (project.at(-1) ?? '');
      return { folder: path.posix.join('/', folder, 'build/test-results', task, '/'), isWhole: isThere };
    });
  }
}

/** A task such as `libs:orders:test`. */
interface GradleTask {
  project: readonly string[];
  task: string;
}

/** Folder with the results of a task, between slashes. If it is not whole, it may be inside any folder. */
interface Results {
  folder: string;
  isWhole: boolean;
}

/** The folder of the build that wrote the file, with a trailing slash. Empty for the root of the project. */
function buildAround(file: string, root: string): string {
  const folders = ['', ...Array.from(file.matchAll(/\//gu), ({ index }) => file.slice(0, index + 1))];
  const holding = (names: readonly string[]) => (folder: string) => names.some((name) => hasFile(root, folder + name));
  if (holding([...SETTINGS, ...BUILDS])('')) return '';
  return folders.findLast(holding(SETTINGS)) ?? folders.find(holding(BUILDS)) ?? '';
}

/** Folders of projects whose settings move them, by the names of the projects. */
function movedProjects(build: string): Map<string, string> {
  const settings = SETTINGS.map((name) => projectFile(build, name) ?? '').join('\n');
  return new Map(
    Array.from(settings.matchAll(MOVED_PROJECT), ([, name = '', place = '']) => {
      const parts = Array.from(place.matchAll(/(["'])(.*?)\1/gu), ([, , part = '']) => part.replace(BUILD_FOLDER, ''));
      return [name.replaceAll(':', '/'), path.posix.join(...parts)] as const;
    }).filter(([, folder]) => !folder.includes('$')),
  );
}

/**
 * An assignment such as `project(':lib').projectDir = file('modules/lib')`. The strings in the expression are the
 * folder.
 */
const MOVED_PROJECT =
  /\b(?:findP|p)roject\(\s*["']:?([^"']+)["']\s*\)(?:\?|!!)?\.(?:projectDir\s*=|setProjectDir\()\s*(.+)/gu;
const BUILD_FOLDER = /^\$\{?(?:rootDir|settingsDir|rootProject\.projectDir)\}?/u;
