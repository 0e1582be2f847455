import { expect, test } from 'vitest';
import { SourcePathCompleter } from '../../src/run/source-locations.ts';
import { createFolder } from '../project.ts';

const createSourceFolders = (...files: string[]) =>
  new SourcePathCompleter(createFolder(Object.fromEntries(files.map((file) => [file, '']))));

test('completes the place of a file in the source folder of any module', () => {
  const folders = createSourceFolders(
    'src/main/java/shop/Cart.java',
    'src/test/kotlin/shop/CartTest.kt',
    'apps/web/src/integrationTest/java/web/PageTest.java',
    'apps/build/src/main/java/web/PageTest.java',
  );
  expect(folders.completePlaces({ place: 'shop/Cart.java:7', testPlace: 'shop/CartTest.kt:9' })).toEqual({
    place: 'src/main/java/shop/Cart.java:7',
    testPlace: 'src/test/kotlin/shop/CartTest.kt:9',
  });
  expect(folders.completePlaces({ testPlace: 'web/PageTest.java' }).testPlace).toBe(
    'apps/web/src/integrationTest/java/web/PageTest.java',
  );
});

test('does not change a place whose file exists, is missing, is ambiguous, or is not for the JVM', () => {
  const folders = createSourceFolders('a/src/main/java/x/Same.java', 'b/src/main/java/x/Same.java', 'x/Here.java');
  for (const place of ['x/Same.java:1', 'x/Here.java:2', 'x/None.java:3', 'x/a.ts:4', '/opt/x/Same.java:5']) {
    expect(folders.completePlaces({ place })).toEqual({ place });
  }
  expect(folders.completePlaces({})).toEqual({});
});
