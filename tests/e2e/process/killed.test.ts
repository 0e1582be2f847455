/** Kills processes of the built program: the next process cleans up, and no acknowledged data is lost. */

import { once } from 'node:events';
import { existsSync, readdirSync, watch } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { expectKillsLoseNothing } from '../../faults/killed-server.ts';
import { killStoringCommands } from '../../hostile/memory/kill-takers.ts';
import { argus, argusProcess, startArgus, startProgram } from '../argus.ts';
import { findProcesses, fixArgs, fixProblem, loopOn, readState } from '../fix-loop/fix-loop.ts';
import { createProject } from '../harness.ts';
import { formatJunit } from '../runs/reports.ts';
import { newDatabasePath } from '../team/team.ts';

const listLeftovers = (folder: string) => readdirSync(folder).filter((name) => name.includes('argus-'));

/** Starts a command and kills it once a file appears in the folder. */
async function killDuringWork(args: string[], TMPDIR: string, folder = TMPDIR): Promise<void> {
  const watcher = watch(folder);
  const { child, ended } = startProgram(args, { env: { TMPDIR } });
  await Promise.race([once(watcher, 'change'), ended]);
  watcher.close();
  child.kill('SIGKILL');
  await ended;
  expect(listLeftovers(folder)).not.toEqual([]);
}

test('an export removes the leftovers of killed exports', async () => {
  const root = createProject({ 'a.xml': formatJunit([{ name: 'fails', failure: { message: 'OddError: x' } }]) });
  expect((await argus(['import', 'a.xml', '--project', root])).status).toBe(1);
  const [tmp, out] = [createProject(), createProject()];
  const args = ['view', '--project', root, '--export', path.join(out, 'page.html')];
  await killDuringWork(args, tmp);
  await killDuringWork(args, tmp, out);
  expect(existsSync(path.join(out, 'page.html'))).toBe(false);
  expect((await argus(args, { env: { TMPDIR: tmp } })).status).toBe(0);
  expect([readdirSync(tmp), readdirSync(out)]).toEqual([[], ['page.html']]);
});

test('a run removes the folders of killed runs, and keeps those of running processes', async () => {
  const [root, tmp] = [createProject(), createProject()];
  await killDuringWork(['run', '--project', root, '--', 'sleep', '30'], tmp);
  const env = { TMPDIR: tmp };
  const living = startArgus(['run', '--project', root, '--', 'sh', '-c', 'echo begun; sleep 30'], { env });
  await living.prints(/begun/u);
  expect(argusProcess(['run', '--project', root, '--', 'true'], { env }).status).toBe(0);
  expect(listLeftovers(tmp)).toEqual([expect.stringContaining(`argus-run-${process.pid}-`)]);
  living.signal('SIGINT');
  await living.done;
  expect(readdirSync(tmp)).toEqual([]);
});

test.skipIf(process.platform !== 'linux')(
  'a killed loop repeats its attempt and ends the processes of the killed run',
  async () => {
    const root = createProject();
    const count = path.join(createProject(), 'count');
    // The command line is unique, so that no process of another suite matches.
    const sleeper = `sleep ${100_000 + process.pid}`;
    const command = `echo x >> ${count}; test $(wc -l < ${count}) -ge 2 || { echo begun; setsid ${sleeper}; }`;
    const { child, ended, prints } = startProgram(fixArgs(root, loopOn(command)), { cwd: root });
    await prints(/begun\n/u, 'stderr');
    child.kill('SIGKILL');
    await ended;
    expect(readState(root)).toMatchObject({ status: 'running', attempts: [] });
    await vi.waitFor(() => expect(findProcesses(sleeper)).not.toEqual([]));

    const { status, stdout, stderr } = await fixProblem(root, ['--resume']);
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('Attempt 1 was cut off and is repeated; see attempt_1_cut_off_1.log');
    expect(stdout).toContain('- **Attempts Used**: 1/5');
    expect(findProcesses(sleeper)).toEqual([]);
  },
);

test('each call is stored exactly once despite 2 kills while calls are stored', () => killStoringCommands(2, 2));

test('a team server that is killed while 3 clients use it loses and duplicates nothing', () =>
  expectKillsLoseNothing(newDatabasePath(), { clients: 3, times: 10, kills: 1 }));
