/** Killed processes of the built program: the next process cleans up, and no acknowledged data is lost. */

import { once } from 'node:events';
import { existsSync, readdirSync, watch } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { expectKillsLoseNothing } from '../../faults/killed-server.ts';
import { killTakers } from '../../hostile/memory/kill-takers.ts';
import { argus, argusProcess, startArgus, startProgram } from '../argus.ts';
import { fixArgs, fixProblem, loopOn, processesWith, stateOf } from '../fix-loop/fix-loop.ts';
import { project } from '../harness.ts';
import { junit } from '../runs/reports.ts';
import { newDatabase } from '../team/team.ts';

const left = (folder: string) => readdirSync(folder).filter((name) => name.includes('argus-'));

/** Starts a command and kills it once a file appears in the folder. */
async function killedWith(args: string[], TMPDIR: string, folder = TMPDIR): Promise<void> {
  const watcher = watch(folder);
  const { child, ended } = startProgram(args, { env: { TMPDIR } });
  await Promise.race([once(watcher, 'change'), ended]);
  watcher.close();
  child.kill('SIGKILL');
  await ended;
  expect(left(folder)).not.toEqual([]);
}

test('an export removes the leftovers of killed exports', async () => {
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

test('a run removes the folders of killed runs, but not of running ones', async () => {
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

test.skipIf(process.platform !== 'linux')(
  'a killed loop repeats its attempt and ends the processes of the killed run',
  async () => {
    const root = project();
    const count = path.join(project(), 'count');
    // A unique command line, so that no process of another suite matches.
    const sleeper = `sleep ${100_000 + process.pid}`;
    const command = `echo x >> ${count}; test $(wc -l < ${count}) -ge 2 || { echo begun; setsid ${sleeper}; }`;
    const { child, ended, prints } = startProgram(fixArgs(root, loopOn(command)), { cwd: root });
    await prints(/begun\n/u, 'stderr');
    child.kill('SIGKILL');
    await ended;
    expect(stateOf(root)).toMatchObject({ status: 'running', attempts: [] });
    await vi.waitFor(() => expect(processesWith(sleeper)).not.toEqual([]));

    const { status, stdout, stderr } = await fixProblem(root, ['--resume']);
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('Attempt 1 was cut off, and is made again; see attempt_1_cut_off_1.log');
    expect(stdout).toContain('- **Attempts Used**: 1/5');
    expect(processesWith(sleeper)).toEqual([]);
  },
);

test('2 kills while calls are stored: each call is stored exactly once', () => killTakers(2, 2));

test('a team server that is killed while 3 clients use it loses and duplicates nothing', () =>
  expectKillsLoseNothing(newDatabase(), { clients: 3, times: 10, kills: 1 }));
