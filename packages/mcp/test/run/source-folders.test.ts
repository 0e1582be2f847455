import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SourceFolders } from '../../src/run/source-folders.ts';

function project(...files: string[]): SourceFolders {
  const root = mkdtempSync(path.join(tmpdir(), 'argus-sources-'));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), '');
  }
  return new SourceFolders(root);
}

test('a file below a package is found in the source folder of any module', () => {
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

test('a place stays where the file is there, in no module, in two, or of another language', () => {
  const folders = project('a/src/main/java/x/Same.java', 'b/src/main/java/x/Same.java', 'x/Here.java');
  for (const place of ['x/Same.java:1', 'x/Here.java:2', 'x/None.java:3', 'x/a.ts:4', '/opt/x/Same.java:5']) {
    expect(folders.placed({ place })).toEqual({ place });
  }
  expect(folders.placed({})).toEqual({});
});
