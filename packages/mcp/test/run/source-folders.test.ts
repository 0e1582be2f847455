import { expect, test } from 'vitest';
import { SourceFolders } from '../../src/run/source-folders.ts';
import { folder } from '../project.ts';

const project = (...files: string[]) => new SourceFolders(folder(Object.fromEntries(files.map((file) => [file, '']))));

test('finds a file of a package in the source folder of any module', () => {
  const folders = project(
    'src/main/java/shop/Cart.java',
    'src/test/kotlin/shop/CartTest.kt',
    'apps/web/src/integrationTest/java/web/PageTest.java',
    'apps/build/src/main/java/web/PageTest.java',
  );
  expect(folders.placed({ place: 'shop/Cart.java:7', testPlace: 'shop/CartTest.kt:9' })).toEqual({
    place: 'src/main/java/shop/Cart.java:7',
    testPlace: 'src/test/kotlin/shop/CartTest.kt:9',
  });
  expect(folders.placed({ testPlace: 'web/PageTest.java' }).testPlace).toBe(
    'apps/web/src/integrationTest/java/web/PageTest.java',
  );
});

test('keeps a place that exists, is missing, is ambiguous, or is in another language', () => {
  const folders = project('a/src/main/java/x/Same.java', 'b/src/main/java/x/Same.java', 'x/Here.java');
  for (const place of ['x/Same.java:1', 'x/Here.java:2', 'x/None.java:3', 'x/a.ts:4', '/opt/x/Same.java:5']) {
    expect(folders.placed({ place })).toEqual({ place });
  }
  expect(folders.placed({})).toEqual({});
});
