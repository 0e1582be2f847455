import { expect, test } from 'vitest';
import { GradleTasksUpToDate } from '../../src/run/jvm-builds.ts';

test('Gradle names the tasks whose results still hold, in both of its forms and however its output is cut', () => {
  const tasks = new GradleTasksUpToDate();
  const output =
    ':lib:test UP-TO-DATE\r\n> Task :test FROM-CACHE\n> Task :app:core:integrationTest UP-TO-DATE\n:other:test\n';
  for (const piece of output.match(/[\s\S]{1,7}/gu) ?? []) tasks.add(piece);
  expect(tasks.wrote('lib/build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.wrote('build/test-results/test/TEST-a.xml')).toBe(true);
  expect(tasks.wrote('app\\core\\build\\test-results\\integrationTest\\TEST-a.xml')).toBe(true);
  expect(tasks.wrote('lib/build/test-results/integrationTest/TEST-a.xml')).toBe(false);
  expect(tasks.wrote('other/build/test-results/test/TEST-a.xml')).toBe(false);
});
