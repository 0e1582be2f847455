/**
 * Processes that a command leaves running, for each way in which the command can end, and files of other users in
 * temporary folders. tests/e2e/process tests signals, and the leftovers of killed processes.
 */

import { chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { argus } from '../e2e/argus.ts';
import { connect, createProject } from '../e2e/harness.ts';
import { createProjectWithPipe, LEAVE_PROCESS_GROUP, SLEEP } from '../e2e/process/leaving.ts';

async function runCommand(root: string, command: string, ...options: string[]) {
  const { status, stdout } = await argus(['run', '--project', root, '--json', ...options, '--', 'sh', '-c', command]);
  return { status, notes: JSON.parse(stdout).data.notes.join('\n') };
}

describe.runIf(process.platform === 'linux')('processes that left the group of their command', () => {
  test('a timeout ends processes that left their group, and a note says that an undetectable process may still run', async () => {
    const { root, allEnded } = createProjectWithPipe();
    const { status, notes } = await runCommand(root, `${LEAVE_PROCESS_GROUP} ${SLEEP}`, '--timeout', '1');
    expect(status).toBe(1);
    expect(notes).toMatch(/left processes running, which were stopped: \d+ \(sleep 5817\)/u);
    expect(notes).toMatch(/A process that also cleared its environment may still run/u);
    await allEnded;
  });

  test('a failure of the command ends processes that left their group', async () => {
    const { root, allEnded } = createProjectWithPipe();
    const { status, notes } = await runCommand(root, `${LEAVE_PROCESS_GROUP} exit 1`);
    expect(status).toBe(1);
    expect(notes).toMatch(/left processes running, which were stopped: \d+ \(sleep 5817\), \d+ \(sleep 5817\)/u);
    await allEnded;
  });

  test('an agent that cancels its call ends processes that left their group', async () => {
    const { root, begun, allEnded } = createProjectWithPipe();
    const agent = await connect('2026-07-28');
    onTestFinished(() => agent.close());
    await agent.data('argus_init', { projectPath: root });
    const cancel = new AbortController();
    const command = `${LEAVE_PROCESS_GROUP} ${SLEEP}`;
    const call = agent.call('argus_run', { projectPath: root, command }, { signal: cancel.signal });
    await begun;
    cancel.abort();
    await expect(call).rejects.toThrow();
    await allEnded;
  });
});

test.runIf(process.platform === 'linux')(
  'a process that a passed command leaves behind keeps running and is named',
  async () => {
    const { status, notes } = await runCommand(createProject(), 'setsid sleep 5821 & exit 0');
    expect(status).toBe(0);
    const [, pid] = /Still running: (\d+) \(sleep 5821\)/u.exec(notes) ?? [];
    expect(process.kill(Number(pid)), notes).toBe(true);
  },
);

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
