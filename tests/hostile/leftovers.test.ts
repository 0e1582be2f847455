/** Files of other users in temporary folders. tests/e2e/process/killed.test.ts tests leftovers of killed processes. */
import { chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { createProject } from '../e2e/harness.ts';

test('files of other users in temporary folders are kept', async () => {
  const [root, tmp, victim] = [createProject(), createProject(), createProject({ file: 'mine' })];
  // These names have the program's format, with the id of a process that has ended or with another machine's name.
  const name = (system: string, end: string) => `argus-run-4000000-1-${system}-${end}`;
  const { stdout } = await argus(['run', '--project', root, '--', 'sh', '-c', 'echo "$TMPDIR"/*'], {
    env: { TMPDIR: createProject() },
  });
  const [, here = ''] = /argus-run-\d+-\d*-([0-9a-f]{8})-/u.exec(stdout) ?? [];
  const old = (folder: string) => {
    mkdirSync(path.join(tmp, folder));
    utimesSync(path.join(tmp, folder), 0, 0);
  };
  mkdirSync(path.join(tmp, name(here, 'gonexx')));
  old(name('00000000', 'oldxxx'));
  const kept = [name('00000000', 'newxxx'), name(here, 'linkxx'), name(here, 'filexx'), 'argus-notes', 'argus-run-x'];
  mkdirSync(path.join(tmp, name('00000000', 'newxxx')));
  symlinkSync(victim, path.join(tmp, name(here, 'linkxx')));
  writeFileSync(path.join(tmp, name(here, 'filexx')), '');
  for (const folder of ['argus-notes', 'argus-run-x']) old(folder);
  if (process.geteuid?.() === 0) {
    const another = name(here, 'userxx');
    old(another);
    chownSync(path.join(tmp, another), 65_534, 65_534);
    kept.push(another);
  }
  expect((await argus(['run', '--project', root, '--', 'true'], { env: { TMPDIR: tmp } })).status).toBe(0);
  expect(readdirSync(tmp).sort()).toEqual(kept.sort());
  expect(readFileSync(path.join(victim, 'file'), 'utf8')).toBe('mine');
});

test('no file in a shared temporary folder has a predictable name', () => {
  const sources = path.resolve(import.meta.dirname, '../../packages/mcp/src');
  const uses = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== path.join('system', 'io.ts'))
    .flatMap((name) => readFileSync(path.join(sources, name), 'utf8').split('\n'))
    .filter((line) => /\b(?:tmpdir|getTemporaryRoot)\(\)|'\/tmp/u.test(line));
  expect(uses.length).toBeGreaterThan(0);
  expect(
    uses.filter((line) => !/mkdtempSync\(|(?:createFolderIn|findLeftoversIn)\(getTemporaryRoot\(\)/u.test(line)),
  ).toEqual([]);
});
