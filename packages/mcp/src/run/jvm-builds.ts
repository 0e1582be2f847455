/**
 * What Maven and Gradle need: the name of a test as they take it, builds of many modules, and results that Gradle knows
 * to be up to date. Recognising and running them: the adapters.
 */

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
 * A case name (`shop.SumTest > adds(int)[1]`), a method (`adds`), a class, or both (`SumTest#adds`, `SumTest.adds`);
 * neither: a pattern in the runner's own language.
 */
function jvmTest(filter: string): JvmTest {
  if (filter.includes(' > ')) {
    const [suite = '', name = ''] = filter.split(' > ').slice(-2);
    return { className: /^[\p{L}\p{N}_$.]+$/u.test(suite) ? suite : undefined, method: methodOf(name) };
  }
  const both = /^([^#]+)#([^#]+)$/u.exec(filter) ?? /^((?:\w+\.)*\p{Lu}[\w$]*)\.(\p{Ll}\w*)$/u.exec(filter);
  if (both) return { className: both[1], method: both[2] };
  return /^\p{Ll}\w*$/u.test(filter) ? { method: filter } : {};
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
  readonly #folders: string[] = [];
  #rest = '';

  constructor(root: string) {
    this.#root = root;
  }

  /** Output of Gradle, as it comes. */
  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const task = /^(?:> Task )?:(\S+) (?:UP-TO-DATE|FROM-CACHE)\s*$/u.exec(stripVTControlCharacters(line))?.[1];
      if (task !== undefined) this.#folders.push(resultsOf(task.split(':')));
    }
  }

  /** Whether the report belongs to one of them. `file`: relative to the project, which a build may be a folder of. */
  wrote(file: string): boolean {
    const posix = file.replaceAll('\\', '/');
    const inBuild = this.#folders.length === 0 ? posix : posix.slice(buildAround(posix, this.#root).length);
    return this.#folders.some((folder) => inBuild.startsWith(folder));
  }
}

/** The folder of the build that wrote the file, with the slash behind it; the project's own has no name. */
function buildAround(file: string, root: string): string {
  const folders = ['', ...Array.from(file.matchAll(/\//gu), ({ index }) => file.slice(0, index + 1))];
  const holding = (names: readonly string[]) => (folder: string) => names.some((name) => hasFile(root, folder + name));
  if (holding([...SETTINGS, ...BUILDS])('')) return '';
  return folders.findLast(holding(SETTINGS)) ?? folders.find(holding(BUILDS)) ?? '';
}

/** `libs:orders:test` in the folder that Gradle gives it unless a build says otherwise. */
function resultsOf(task: readonly string[]): string {
  return [...task.slice(0, -1), 'build', 'test-results', task.at(-1), ''].join('/');
}
