/** What a killed process leaves in temporary folders, and what others put there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus, argusProcess, startArgus } from '../e2e/argus.ts';
import { BUNDLE, environment, project } from '../e2e/harness.ts';
import { junit } from '../e2e/runs/reports.ts';

const left = (folder: string) => readdirSync(folder).filter((name) => name.includes('argus-'));

/** Starts a command and kills it once something is in the folder. */
async function killedWith(args: string[], TMPDIR: string, folder = TMPDIR): Promise<void> {
  const watcher = watch(folder);
  const child: ChildProcess = spawn(process.execPath, [BUNDLE, ...args], {
    env: environment({ TMPDIR }),
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await Promise.race([once(watcher, 'change'), ended]);
  watcher.close();
  child.kill('SIGKILL');
  await ended;
  expect(left(folder)).not.toEqual([]);
}

test('an export removes what killed ones left', async () => {
  const root = project({ 'a.xml': junit([{ name: 'fails', failure: { message: 'OddError: x' } }]) });
  expect((await argus(['import', 'a.xml', '--project', root])).status).toBe(1);
  const [tmp, out] = [project(), project()];
  const args = ['view', '--project', root, '--export', path.join(out, 'page.html')];
  await killedWith(args, tmp);
  await killedWith(args, tmp, out);
  expect(existsSync(path.join(out, 'page.html'))).toBe(false);
  expect((await argus(args, { env: { TMPDIR: tmp } })).status).toBe(0);
  expect([readdirSync(tmp), readdirSync(out)]).toEqual([[], ['page.html']]);
});

test('a run removes what killed ones left, and not the folder of one that goes on', async () => {
  const [root, tmp] = [project(), project()];
  await killedWith(['run', '--project', root, '--', 'sleep', '30'], tmp);
  const env = { TMPDIR: tmp };
  const living = startArgus(['run', '--project', root, '--', 'sh', '-c', 'echo begun; sleep 30'], { env });
  await living.prints(/begun/u);
  expect(argusProcess(['run', '--project', root, '--', 'true'], { env }).status).toBe(0);
  expect(left(tmp)).toEqual([expect.stringContaining(`argus-run-${process.pid}-`)]);
  living.signal('SIGINT');
  await living.done;
  expect(readdirSync(tmp)).toEqual([]);
});

test('what others put there stays', async () => {
  const [root, tmp, victim] = [project(), project(), project({ file: 'mine' })];
  // As this program names them, of a process that is gone and of another machine.
  const name = (system: string, end: string) => `argus-run-4000000-1-${system}-${end}`;
  const { stdout } = await argus(['run', '--project', root, '--', 'sh', '-c', 'echo "$TMPDIR"/*'], {
    env: { TMPDIR: project() },
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

test('no file of a shared folder has a name that can be guessed', () => {
  const sources = path.resolve(BUNDLE, '../../src');
  const uses = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && name !== path.join('system', 'io.ts'))
    .flatMap((name) => readFileSync(path.join(sources, name), 'utf8').split('\n'))
    .filter((line) => /\b(?:tmpdir|temporaryRoot)\(\)|'\/tmp/u.test(line));
  expect(uses.length).toBeGreaterThan(0);
  expect(uses.filter((line) => !/mkdtempSync\(|(?:folder|left)In\(temporaryRoot\(\)/u.test(line))).toEqual([]);
});
