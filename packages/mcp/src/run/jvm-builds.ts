/**
 * What Maven and Gradle need: the name of a test as they take it, builds of many modules, and results that Gradle knows
 * to be up to date. Recognising and running them: the adapters.
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
 * A case name (`shop.SumTest > adds(int)[1]`), a method (`adds`, `adds(int)[1]`), a class, or both (`SumTest#adds`, `SumTest.adds`);
 * neither: a pattern in the runner's own language.
 */
function jvmTest(filter: string): JvmTest {
  if (filter.includes(' > ')) {
    const [suite = '', name = ''] = filter.split(' > ').slice(-2);
    return { className: /^[\p{L}\p{N}_$.]+$/u.test(suite) ? suite : undefined, method: methodOf(name) };
  }
  const both = /^([^#]+)#([^#]+)$/u.exec(filter) ?? /^((?:\w+\.)*\p{Lu}[\w$]*)\.(\p{Ll}\w*)$/u.exec(filter);
  if (both) return { className: both[1], method: both[2] };
  if (/^\p{Ll}\w*$/u.test(filter)) return { method: filter };
  // As reporters show it: with parameters, or of Kotlin, in words.
  return /^[\p{Ll}_]\w*[\s([]/u.test(filter) ? { method: methodOf(filter) } : {};
}

/** Without what reporters add for parameters; what a pattern does not take in a name stands for anything. */
function methodOf(name: string): string | undefined {
  const own = name.split(/[([{]/u, 1)[0]?.trim() ?? '';
  const plain = own.replaceAll(/[^\p{L}\p{N}_$]+/gu, '*');
  if (!/[\p{L}\p{N}]/u.test(plain)) return undefined;
  return name === own || name === `${own}()` ? plain : `${plain}*`;
}

/** Modules without the test that a filter names are no failure, where there are several. */
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
 * What a build that goes on after a failure could not build, with the first error of a compiler: where tests of other
 * modules fail too, no case says it.
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

/** Gradle does not run again what did not change: the results of these tasks are of an earlier run and still hold. */
export class GradleTasksUpToDate {
  readonly #root: string;
  readonly #tasks: GradleTask[] = [];
  /** By the folder of the build. */
  readonly #results = new Map<string, Results[]>();
  #rest = '';

  constructor(root: string) {
    this.#root = root;
  }

  /** Output of Gradle, as it comes. */
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
   * Whether the report belongs to one of them; asked once all was printed. `file`: relative to the project, which a build
   * may be a folder of.
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
      // Settings may compute a folder: then it is one of the project's name.
      const folder = isThere ? (moved.get(given) ?? given) : (project.at(-1) ?? '');
      return { folder: path.posix.join('/', folder, 'build/test-results', task, '/'), isWhole: isThere };
    });
  }
}

/** `libs:orders:test`. */
interface GradleTask {
  project: readonly string[];
  task: string;
}

/** Where a task's results are, with slashes around it; not as a whole, in whatever folder that is. */
interface Results {
  folder: string;
  isWhole: boolean;
}

/** The folder of the build that wrote the file, with the slash behind it; the project's own has no name. */
function buildAround(file: string, root: string): string {
  const folders = ['', ...Array.from(file.matchAll(/\//gu), ({ index }) => file.slice(0, index + 1))];
  const holding = (names: readonly string[]) => (folder: string) => names.some((name) => hasFile(root, folder + name));
  if (holding([...SETTINGS, ...BUILDS])('')) return '';
  return folders.findLast(holding(SETTINGS)) ?? folders.find(holding(BUILDS)) ?? '';
}

/** Folders in the build of projects that its settings say lie elsewhere than their names do, by those names. */
function movedProjects(build: string): Map<string, string> {
  const settings = SETTINGS.map((name) => projectFile(build, name) ?? '').join('\n');
  return new Map(
    Array.from(settings.matchAll(MOVED_PROJECT), ([, name = '', place = '']) => {
      const parts = Array.from(place.matchAll(/(["'])(.*?)\1/gu), ([, , part = '']) => part.replace(BUILD_FOLDER, ''));
      return [name.replaceAll(':', '/'), path.posix.join(...parts)] as const;
    }).filter(([, folder]) => !folder.includes('$')),
  );
}

/** `project(':lib').projectDir = file('modules/lib')`; whatever makes a file of it, its strings are the folder. */
const MOVED_PROJECT =
  /\b(?:findP|p)roject\(\s*["']:?([^"']+)["']\s*\)(?:\?|!!)?\.(?:projectDir\s*=|setProjectDir\()\s*(.+)/gu;
const BUILD_FOLDER = /^\$\{?(?:rootDir|settingsDir|rootProject\.projectDir)\}?/u;
