/** The built program: start, pipes, a terminal, child processes and parent processes. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, watch } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { REPORTERS } from '../../../packages/mcp/src/run/reporters.ts';
import { COMMAND, data, user } from '../../hostile/git/strangers.ts';
import { need, PATH } from '../../runners/installed.ts';
import { argus, argusProcess, startProgram } from '../argus.ts';
import { BUNDLE, environment, project, runnerProject, someUser } from '../harness.ts';
import { mendedDesk, REFUSED } from '../hook/desk.ts';
import { MIXED } from '../runs/reports.ts';
import { viewerAt } from '../viewer/view.ts';

const hasScript = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** Runs the built program at a pseudo-terminal. The input is typed after the program asks. */
function atTerminal(args: string[], cwd: string, input = ''): string {
  const command = [process.execPath, BUNDLE, ...args].join(' ');
  const options = {
    cwd,
    env: environment({ ...someUser(), XDG_CONFIG_HOME: '', TERM: 'dumb' }),
    encoding: 'utf8',
    input,
  } as const;
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], options);
  expect(status).toBe(0);
  return stdout.replaceAll('\r', '');
}

test.runIf(hasScript)('argus and install detect a pseudo-terminal', () => {
  const root = project();
  expect(atTerminal([], root)).toMatch(/^next\n {2}argus install .*\n {2}argus run "COMMAND" /mu);
  expect(readdirSync(root), 'looking creates nothing').toEqual([]);
  const asked = atTerminal(['install', '--agent', 'claude'], root, 'y\n');
  expect(asked).toContain('Write it? [y/N]');
  expect(asked).toContain('.mcp.json written');
});

test('exits without an error when a reader closes its pipe early', () => {
  const command = `"${process.execPath}" "${BUNDLE}" --help | head -n 1`;
  const { status, stderr } = spawnSync(command, { shell: true, encoding: 'utf8', env: environment() });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('the program answers, and another process records the run', async () => {
  const { desk, mending } = await mendedDesk();
  const before = desk.lines().length;
  const event = desk.claude('node --test plums.test.mjs', true, REFUSED, 'two');
  const written = watch(desk.stateFile);
  const { status, stdout, stderr } = argusProcess(['hook'], {
    input: JSON.stringify(event),
    env: desk.user,
    cwd: desk.root,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(mending.slice(0, 12));
  const isRecorded = () =>
    desk
      .lines()
      .slice(before)
      .some(({ t }) => t === 'failed');
  for await (const _ of written) if (isRecorded()) break;
  expect((await desk.data('history')).runs[0]).toMatchObject({ status: 'failed' });
});

test('processes that create a memory concurrently lose nothing', async () => {
  const owner = user();
  const root = project();
  const runs = Array.from({ length: 3 }, async () => {
    const { ended, printed } = startProgram(['run', '--json', '--project', root, COMMAND], { env: owner });
    await ended;
    return JSON.parse(printed().stdout).data.notes;
  });
  expect(await Promise.all(runs)).toEqual([[], [], []]);
  expect(await data(['history'], root, owner)).toMatchObject({ total: 3 });
});

test('the built program reads runners of Node and of Python', async ({ skip }) => {
  need(['vitest', 'pytest'], skip);
  const root = runnerProject('vitest');
  cpSync(runnerProject('pytest'), root, { recursive: true });
  const command = 'npx vitest run; python -m pytest';
  const { status, stdout } = argusProcess(['run', '--project', root, command], { env: { PATH } });
  expect({ status, stdout }).toMatchObject({ status: 1, stdout: expect.stringMatching(/^run-\S+ {2}failed/mu) });
  expect(stdout).toMatch(/2 passed, 2 failed, 2 skipped/u);
});

test('the built program contains the current reporters', () => {
  const contents = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')])
      .sort();
  expect(contents(path.join(path.dirname(BUNDLE), 'reporters'))).toEqual(contents(REPORTERS));
});

/** Makes a folder whose `xdg-open` runs a script. Returns the folder, and a PATH that begins with it. */
function desktop(script: string): { PATH: string; folder: string } {
  const folder = project({ 'xdg-open': `#!/bin/sh\n${script}\n` });
  chmodSync(path.join(folder, 'xdg-open'), 0o755);
  return { PATH: `${folder}${path.delimiter}${process.env.PATH}`, folder };
}

/** A viewer of an empty project that opens a browser. */
async function opened(PATH: string) {
  const program = startProgram(['view', '--project', project(), '--json', '--open'], { env: { PATH } });
  await program.prints(/\n/u);
  return { ...program, ...viewerAt(program.printed().stdout) };
}

test.skipIf(process.platform !== 'linux')('--open gives the browser an address for one use', async () => {
  const { PATH, folder } = desktop('printf %s "$1" > "$(dirname "$0")/address"');
  const pipe = path.join(folder, 'address');
  execFileSync('mkfifo', [pipe]);
  const it = await opened(PATH);
  const address = new URL(await readFile(pipe, 'utf8'));
  // Other users of a machine can see the arguments of a program.
  expect(address.href).not.toContain(it.token);
  expect(address.port).toBe(String(it.port));
  const first = await it.ask('GET', address.pathname, { headers: { Authorization: null } });
  expect([first.status, first.headers.location]).toEqual([303, `/#token=${it.token}`]);
  for (const pathname of [address.pathname, '/open/AAAA']) {
    expect((await it.ask('GET', pathname, { headers: { Authorization: null } })).status).toBe(403);
  }
});

test.skipIf(process.platform !== 'linux').each([
  ['no program that opens a browser', () => project()],
  ['a program that finds no browser', () => desktop('exit 3').PATH],
])('%s leads to a note, and the server answers', async (_name, PATH) => {
  const it = await opened(PATH());
  await it.prints(/\n/u, 'stderr');
  const note = it.printed().stderr;
  expect(note).toContain('open the address above');
  expect(note).not.toContain(it.token);
  expect((await it.ask('GET', '/api/about')).status).toBe(200);
});

/** Root ignores file permissions, so tests of permissions need another user. */
const isRoot = process.getuid?.() === 0;
const NOBODY = { uid: 65_534, gid: 65_534 };

/** Runs a command line as a user with limited permissions; for root this is a process of the user `nobody`. */
async function bound(args: string[], env: Record<string, string> = {}) {
  if (!isRoot) return JSON.parse((await argus(args, { env, cwd: '/' })).stdout);
  // A copy, because other users may not be able to read the checkout.
  const program = project();
  chmodSync(program, 0o755);
  cpSync(path.dirname(BUNDLE), program, { recursive: true });
  const all = environment({ ARGUS_LOG_DIR: '/tmp/argus-nobody', ...env });
  const options = { encoding: 'utf8', env: all, cwd: '/', ...NOBODY } as const;
  const { stdout } = spawnSync(process.execPath, [path.join(program, path.basename(BUNDLE)), ...args], options);
  return JSON.parse(stdout);
}

test.skipIf(process.platform === 'win32')(
  'an unreadable folder is INVALID_INPUT, and an unwritable folder stores nothing',
  async () => {
    const hidden = project();
    chmodSync(hidden, 0o000);
    onTestFinished(() => chmodSync(hidden, 0o755));
    const closed = project();
    chmodSync(closed, 0o555);
    const readOnly = project({ 'mixed.xml': MIXED });
    mkdirSync(path.join(readOnly, '.argus'));
    chmodSync(readOnly, 0o755);
    chmodSync(path.join(readOnly, 'mixed.xml'), 0o644);
    chmodSync(path.join(readOnly, '.argus'), 0o555);
    const history = await bound(['history', '--json', '--project', hidden]);
    expect(history).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
    const run = await bound(['import', 'mixed.xml', '--json', '--project', readOnly]);
    expect(run).toMatchObject({ success: true, data: { stored: false, queued: false, totals: { failed: 2 } } });
    expect(run.data.notes).toContainEqual(expect.stringMatching(/^Not stored, and not kept for later/u));
    const data = { XDG_DATA_HOME: path.join(closed, 'data') };
    const { checks } = (await bound(['doctor', '--json', '--project', readOnly], data)).data;
    expect(checks).toContainEqual({
      name: 'database',
      state: 'problem',
      detail: expect.stringMatching(
        /^DATABASE_UNAVAILABLE: .* cannot be written \(EACCES\).*Give this user the right/u,
      ),
    });
  },
);
