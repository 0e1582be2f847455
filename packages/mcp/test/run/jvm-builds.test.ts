import { expect, test } from 'vitest';
import { GradleTasksUpToDate, notBuilt } from '../../src/run/jvm-builds.ts';
import { folder } from '../project.ts';

test('reads up-to-date tasks of Gradle in both formats and in any chunks', () => {
  const tasks = new GradleTasksUpToDate('/srv/shop');
  const output =
    ':lib:test UP-TO-DATE\r\n> Task :test FROM-CACHE\n> Task :app:core:integrationTest UP-TO-DATE\n:other:test\n';
  for (const piece of output.match(/[\s\S]{1,7}/gu) ?? []) tasks.add(piece);
  expect(tasks.wrote('lib/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.wrote('build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.wrote('app\\core\\build\\test-results\\integrationTest\\TEST-a.xml')).toBe(true);
  expect(tasks.wrote('lib/build/test-results/integrationTest/TEST-a.xml')).toBe(false);
  expect(tasks.wrote('other/build/test-results/test/TEST-a.xml')).toBe(false);
});

test.each([
  ['of a folder with settings', ['shop/settings.gradle', 'shop/lib/build.gradle'], ':lib:test', 'shop/lib'],
  ['of a folder without', ['shop/build.gradle.kts'], ':test', 'shop'],
  ['of the project, whose modules are builds too', ['build.gradle', 'lib/build.gradle'], ':lib:test', 'lib'],
])('finds the results of a build %s', (_, files, task, module) => {
  const tasks = new GradleTasksUpToDate(folder(Object.fromEntries(files.map((file) => [file, '']))));
  tasks.add(`${task} UP-TO-DATE\n`);
  expect(tasks.wrote(`${module}/build/test-results/test/TEST-a.xml`)).toBe(true);
  expect(tasks.wrote(`${module}/other/build/test-results/test/TEST-a.xml`)).toBe(false);
  expect(tasks.wrote('other/build/test-results/test/TEST-a.xml')).toBe(false);
});

test.each([
  ['moves', "project(':lib').projectDir = file('modules/library')"],
  ['moves in a string', 'project(\':lib\').projectDir = "$rootDir/modules/library" as File'],
  ['moves by parts', 'project(":lib").projectDir =\n  rootDir.resolve("modules").resolve("library")'],
  ['moves where it may be missing', "findProject(':lib')?.setProjectDir(new File(settingsDir, './modules/library'))"],
])('finds the results of a module that the settings %s', (_, line) => {
  const settings = `include ':lib', ':other'\n${line}\n`;
  const tasks = new GradleTasksUpToDate(folder({ 'settings.gradle': settings, 'other/build.gradle': '' }));
  tasks.add('> Task :lib:test UP-TO-DATE\n> Task :other:test UP-TO-DATE\n');
  expect(tasks.wrote('modules/library/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.wrote('other/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.wrote('modules/other/build/test-results/test/TEST-a.xml')).toBe(false);
  expect(tasks.wrote('lib/build/test-results/test/TEST-a.xml')).toBe(false);
});

test('finds the results of a module whose folder the settings compute', () => {
  const settings =
    "include ':lib', ':app'\nrootProject.children.each { it.projectDir = new File(\"modules\", it.name) }\n";
  const tasks = new GradleTasksUpToDate(folder({ 'settings.gradle': settings }));
  tasks.add('> Task :lib:test UP-TO-DATE\n> Task :app:test\n');
  expect(tasks.wrote('modules/lib/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.wrote('modules/app/build/test-results/test/TEST-a.xml')).toBe(false);
});

test('names modules that could not be built in addition to failed tests', () => {
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
  expect(notBuilt(gradle.join('\n'))).toBe(
    'Not built, so its tests did not run: :lib:compileTestJava. First error: /srv/shop/lib/src/test/java/CartTest.java:18: error: cannot find symbol',
  );
  const maven = [
    '[ERROR] /srv/shop/lib/src/main/java/shop/Cart.java:[7,12] cannot find symbol',
    '[\u001b[1;31mERROR\u001b[m] Failed to execute goal \u001b[32morg.apache.maven.plugins:maven-surefire-plugin:2.22.3:test\u001b[m (default-test) on project app: There are test failures.',
    '[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile (default-compile) on project lib: Compilation failure',
  ];
  expect(notBuilt(maven.join('\n'))).toMatch(/: lib\. First error: .*Cart\.java:\[7,12\] cannot find symbol$/u);
  expect(notBuilt(maven.slice(1, 2).join('\n'))).toBeUndefined();
});
