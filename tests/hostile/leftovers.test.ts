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
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { BUNDLE, environment, project } from '../e2e/harness.ts';
import { junit } from '../e2e/runs/reports.ts';

const temporary = () => project();
const start = (args: string[], TMPDIR: string): ChildProcess =>
  spawn(process.execPath, [BUNDLE, ...args], { env: environment({ TMPDIR }), stdio: 'ignore' });

const left = (folder: string) => readdirSync(folder).filter((name) => name.includes('argus-'));

/** Kills it once there is something in one of the folders. */
async function killedWith(child: ChildProcess, ...folders: string[]): Promise<void> {
  const ended = once(child, 'exit');
  while (child.exitCode === null && !folders.some((folder) => left(folder).length > 0)) await sleep(1);
  child.kill('SIGKILL');
  await ended;
  expect(folders.flatMap(left)).not.toEqual([]);
}

async function remembering(): Promise<string> {
  const root = project({ 'a.xml': junit([{ name: 'fails', failure: { message: 'OddError: x' } }]) });
  expect((await argus(['import', 'a.xml', '--project', root])).status).toBe(1);
  return root;
}

test('the next export removes what killed ones left', async () => {
  const root = await remembering();
  const [tmp, out] = [temporary(), project()];
  const args = ['view', '--project', root, '--export', path.join(out, 'page.html')];
  await killedWith(start(args, tmp), tmp);
  await killedWith(start(args, tmp), out);
  expect(existsSync(path.join(out, 'page.html'))).toBe(false);
  expect((await argus(args, { env: { TMPDIR: tmp } })).status).toBe(0);
  expect([readdirSync(tmp), readdirSync(out)]).toEqual([[], ['page.html']]);
});

test('the next run removes what killed ones left, and not what a living one has', async () => {
  const root = project();
  const tmp = temporary();
  await killedWith(start(['run', '--project', root, '--', 'sleep', '2'], tmp), tmp);
  const dead = left(tmp);
  const living = start(['run', '--project', root, '--', 'sleep', '30'], tmp);
  await expect.poll(() => left(tmp).filter((name) => !dead.includes(name))).toHaveLength(1);
  const kept = left(tmp).filter((name) => !dead.includes(name));
  expect((await argus(['run', '--project', root, '--', 'true'], { env: { TMPDIR: tmp } })).status).toBe(0);
  expect(left(tmp)).toEqual(kept);
  living.kill('SIGINT');
  await once(living, 'exit');
  expect(readdirSync(tmp)).toEqual([]);
});

test('what others put there stays', async () => {
  const [root, tmp, victim] = [project(), temporary(), project({ file: 'mine' })];
  // As this program names them, of a process that is gone and of another machine.
  const name = (system: string, end: string) => `argus-run-4000000-1-${system}-${end}`;
  const [ours] = await namesOf(tmp, root);
  const here = ours?.split('-')[4] ?? '';
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

/** What is there while a command runs. */
async function namesOf(tmp: string, root: string): Promise<string[]> {
  const { stdout } = await argus(['run', '--project', root, '--', 'ls', '-a', tmp], { env: { TMPDIR: tmp } });
  return stdout.split('\n').filter((line) => line.startsWith('argus-run-'));
}

test('no file of a shared folder has a name that can be guessed', () => {
  const sources = path.resolve(BUNDLE, '../../src');
  const wrong = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => {
      const uses = readFileSync(path.join(sources, name), 'utf8').split('\n');
      return uses.some(
        (line) => /\btmpdir\(\)|'\/tmp/u.test(line) && !/mkdtempSync\(|(?:folder|left)In\(tmpdir\(\)/u.test(line),
      );
    });
  expect(wrong).toEqual([]);
});
