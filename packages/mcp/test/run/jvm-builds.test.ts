import { expect, test } from 'vitest';
import { GradleTasksUpToDate } from '../../src/run/jvm-builds.ts';
import { folder } from '../project.ts';

test('Gradle names the tasks whose results still hold, in both of its forms and however its output is cut', () => {
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
])('the results of a build %s', (_, files, task, module) => {
  const tasks = new GradleTasksUpToDate(folder(Object.fromEntries(files.map((file) => [file, '']))));
  tasks.add(`${task} UP-TO-DATE\n`);
  expect(tasks.wrote(`${module}/build/test-results/test/TEST-a.xml`)).toBe(true);
  expect(tasks.wrote(`${module}/other/build/test-results/test/TEST-a.xml`)).toBe(false);
  expect(tasks.wrote('other/build/test-results/test/TEST-a.xml')).toBe(false);
});
