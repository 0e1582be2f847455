import { expect, test } from 'vitest';
import { describeUnbuiltModules, UpToDateGradleTasks } from '../../src/run/jvm-builds.ts';
import { createFolder } from '../project.ts';

test('reads up-to-date tasks of Gradle in both output formats and from chunks of any size', () => {
  const tasks = new UpToDateGradleTasks('/srv/shop');
  const output =
    ':lib:test UP-TO-DATE\r\n> Task :test FROM-CACHE\n> Task :app:core:integrationTest UP-TO-DATE\n:other:test\n';
  for (const piece of output.match(/[\s\S]{1,7}/gu) ?? []) tasks.add(piece);
  expect(tasks.hasWritten('lib/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.hasWritten('build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.hasWritten('app\\core\\build\\test-results\\integrationTest\\TEST-a.xml')).toBe(true);
  expect(tasks.hasWritten('lib/build/test-results/integrationTest/TEST-a.xml')).toBe(false);
  expect(tasks.hasWritten('other/build/test-results/test/TEST-a.xml')).toBe(false);
});

test.each([
  ['in a folder with settings', ['shop/settings.gradle', 'shop/lib/build.gradle'], ':lib:test', 'shop/lib'],
  ['in a folder with only a build file', ['shop/build.gradle.kts'], ':test', 'shop'],
  ['in the root, whose modules also have build files', ['build.gradle', 'lib/build.gradle'], ':lib:test', 'lib'],
])('finds the results of a build %s', (_, files, task, module) => {
  const tasks = new UpToDateGradleTasks(createFolder(Object.fromEntries(files.map((file) => [file, '']))));
  tasks.add(`${task} UP-TO-DATE\n`);
  expect(tasks.hasWritten(`${module}/build/test-results/test/TEST-a.xml`)).toBe(true);
  expect(tasks.hasWritten(`${module}/other/build/test-results/test/TEST-a.xml`)).toBe(false);
  expect(tasks.hasWritten('other/build/test-results/test/TEST-a.xml')).toBe(false);
});

test.each([
  ['move', "project(':lib').projectDir = file('modules/library')"],
  ['move with a string', 'project(\':lib\').projectDir = "$rootDir/modules/library" as File'],
  ['move with several strings', 'project(":lib").projectDir =\n  rootDir.resolve("modules").resolve("library")'],
  ['move if the module exists', "findProject(':lib')?.setProjectDir(new File(settingsDir, './modules/library'))"],
])('finds the results of a module that settings %s', (_, line) => {
  const settings = `include ':lib', ':other'\n${line}\n`;
  const tasks = new UpToDateGradleTasks(createFolder({ 'settings.gradle': settings, 'other/build.gradle': '' }));
  tasks.add('> Task :lib:test UP-TO-DATE\n> Task :other:test UP-TO-DATE\n');
  expect(tasks.hasWritten('modules/library/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.hasWritten('other/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.hasWritten('modules/other/build/test-results/test/TEST-a.xml')).toBe(false);
  expect(tasks.hasWritten('lib/build/test-results/test/TEST-a.xml')).toBe(false);
});

test('finds the results of a module if settings compute the folder', () => {
  const settings =
    "include ':lib', ':app'\nrootProject.children.each { it.projectDir = new File(\"modules\", it.name) }\n";
  const tasks = new UpToDateGradleTasks(createFolder({ 'settings.gradle': settings }));
  tasks.add('> Task :lib:test UP-TO-DATE\n> Task :app:test\n');
  expect(tasks.hasWritten('modules/lib/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.hasWritten('modules/app/build/test-results/test/TEST-a.xml')).toBe(false);
});

test('names modules that could not be compiled, next to modules with failed tests', () => {
  const gradle = [
    ':lib:compileTestJava',
    '/srv/shop/lib/src/test/java/CartTest.java:18: error: cannot find symbol',
    '  symbol:   method total()',
    '* What went wrong:',
    "Execution failed for task ':app:test'.",
    '> There were failing tests. See the report at: file:///srv/shop/app/build/reports/tests/test/index.html',
    '* What went wrong:',
    "Execution failed for task ':lib:compileTestJava'.",
    '> Compilation failed; see the compiler error output for details.',
  ];
  expect(describeUnbuiltModules(gradle.join('\n'))).toBe(
    'Not built, so its tests did not run: :lib:compileTestJava. First error: /srv/shop/lib/src/test/java/CartTest.java:18: error: cannot find symbol',
  );
  const maven = [
    '[ERROR] /srv/shop/lib/src/main/java/shop/Cart.java:[7,12] cannot find symbol',
    '[\u001b[1;31mERROR\u001b[m] Failed to execute goal \u001b[32morg.apache.maven.plugins:maven-surefire-plugin:2.22.3:test\u001b[m (default-test) on project app: There are test failures.',
    '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile (default-compile) on project lib: Compilation failure',
  ];
  expect(describeUnbuiltModules(maven.join('\n'))).toMatch(
    /: lib\. First error: .*Cart\.java:\[7,12\] cannot find symbol$/u,
  );
  expect(describeUnbuiltModules(maven.slice(1, 2).join('\n'))).toBeUndefined();
});
