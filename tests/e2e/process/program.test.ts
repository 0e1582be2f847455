/** Tests the built program: its start, pipes, a terminal, child processes and parent processes. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, watch } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { REPORTERS_FOLDER } from '../../../packages/mcp/src/run/reporters.ts';
import { createUserEnvironment, FAILING_COMMAND, readCommandData } from '../../hostile/git/strangers.ts';
import { RUNNER_PATH, skipWithoutPrograms } from '../../runners/installed.ts';
import { argus, argusProcess, startProgram } from '../argus.ts';
import {
  copyRunnerProject,
  createEnvironment,
  createProject,
  createUser,
  HOOK_PATH,
  PROGRAM_PATH,
} from '../harness.ts';
import { createRepairedMachine, REFUSED_OUTPUT } from '../hook/desk.ts';
import { MIXED_REPORT } from '../runs/reports.ts';
import { connectToViewer } from '../viewer/view.ts';

const hasScriptProgram = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** Runs the built program at a pseudo-terminal. The input is typed after the program asks. */
function runAtTerminal(args: string[], cwd: string, input = ''): string {
  const command = [process.execPath, PROGRAM_PATH, ...args].join(' ');
  const options = {
    cwd,
    env: createEnvironment({ ...createUser(), XDG_CONFIG_HOME: '', TERM: 'dumb' }),
    encoding: 'utf8',
    input,
  } as const;
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], options);
  expect(status).toBe(0);
  return stdout.replaceAll('\r', '');
}

test.runIf(hasScriptProgram)('argus and install detect a pseudo-terminal', () => {
  const root = createProject();
  expect(runAtTerminal([], root)).toMatch(/^next\n {2}argus install .*\n {2}argus run "COMMAND" /mu);
  expect(readdirSync(root), 'looking creates nothing').toEqual([]);
  const asked = runAtTerminal(['install', '--agent', 'claude'], root, 'y\n');
  expect(asked).toContain('Write it? [y/N]');
  expect(asked).toContain('.mcp.json written');
});

test('the program exits without an error when a reader closes its pipe early', () => {
  const command = `"${process.execPath}" "${PROGRAM_PATH}" --help | head -n 1`;
  const { status, stderr } = spawnSync(command, { shell: true, encoding: 'utf8', env: createEnvironment() });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('the hook answers as a command and as a program, and another process records the run', async () => {
  const { desk, mending } = await createRepairedMachine();
  for (const [at, program] of [[PROGRAM_PATH, 'hook'], [HOOK_PATH]].entries()) {
    const before = desk.lines().length;
    const event = desk.claude(`node --test plums-${at}.test.mjs`, true, REFUSED_OUTPUT, `session ${at}`);
    const written = watch(desk.stateFile);
    const { status, stdout, stderr } = spawnSync(process.execPath, program, {
      input: JSON.stringify(event),
      env: createEnvironment(desk.user),
      cwd: desk.root,
      encoding: 'utf8',
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
  }
});

test('processes that create a memory at the same time lose nothing', async () => {
  const owner = createUserEnvironment();
  const root = createProject();
  const runs = Array.from({ length: 3 }, async () => {
    const { ended, printed } = startProgram(['run', '--json', '--project', root, FAILING_COMMAND], { env: owner });
    await ended;
    return JSON.parse(printed().stdout).data.notes;
  });
  expect(await Promise.all(runs)).toEqual([[], [], []]);
  expect(await readCommandData(['history'], root, owner)).toMatchObject({ total: 3 });
});

test('the built program reads the reports of a Node runner and of a Python runner', async ({ skip }) => {
  skipWithoutPrograms(['vitest', 'pytest'], skip);
  const root = copyRunnerProject('vitest');
  cpSync(copyRunnerProject('pytest'), root, { recursive: true });
  const command = 'npx vitest run; python -m pytest';
  const { status, stdout } = argusProcess(['run', '--project', root, command], { env: { PATH: RUNNER_PATH } });
  expect({ status, stdout }).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^Argus {2}2 failures, 2 causes, 2 passed, 2 skipped/mu),
  });
});

test('the built program contains the current reporters', () => {
  const contents = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('__pycache__'))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')])
      .sort();
  expect(contents(path.join(path.dirname(PROGRAM_PATH), 'reporters'))).toEqual(contents(REPORTERS_FOLDER));
});

/** Creates a folder whose `xdg-open` runs a script. Returns the folder, and a PATH that begins with it. */
function createDesktop(script: string): { PATH: string; folder: string } {
  const folder = createProject({ 'xdg-open': `#!/bin/sh\n${script}\n` });
  chmodSync(path.join(folder, 'xdg-open'), 0o755);
  return { PATH: `${folder}${path.delimiter}${process.env.PATH}`, folder };
}

/** Starts a viewer of an empty project that opens a browser. */
async function startViewerWithBrowser(PATH: string) {
  const program = startProgram(['view', '--project', createProject(), '--json', '--open'], { env: { PATH } });
  await program.prints(/\n/u);
  return { ...program, ...connectToViewer(program.printed().stdout) };
}

test.skipIf(process.platform !== 'linux')('--open gives the browser an address for one use', async () => {
  const { PATH, folder } = createDesktop('printf %s "$1" > "$(dirname "$0")/address"');
  const pipe = path.join(folder, 'address');
  execFileSync('mkfifo', [pipe]);
  const it = await startViewerWithBrowser(PATH);
  const address = new URL(await readFile(pipe, 'utf8'));
  // Other users of the machine can see the arguments of a program.
  expect(address.href).not.toContain(it.token);
  expect(address.port).toBe(String(it.port));
  const first = await it.ask('GET', address.pathname, { headers: { Authorization: null } });
  expect([first.status, first.headers.location]).toEqual([303, `/#token=${it.token}`]);
  for (const pathname of [address.pathname, '/open/AAAA']) {
    expect((await it.ask('GET', pathname, { headers: { Authorization: null } })).status).toBe(403);
  }
});

test.skipIf(process.platform !== 'linux').each([
  ['no program that opens a browser', () => createProject()],
  ['a program that finds no browser', () => createDesktop('exit 3').PATH],
])('%s leads to a note, and the server answers', async (_name, PATH) => {
  const it = await startViewerWithBrowser(PATH());
  await it.prints(/\n/u, 'stderr');
  const note = it.printed().stderr;
  expect(note).toContain('open the address above');
  expect(note).not.toContain(it.token);
  expect((await it.ask('GET', '/api/about')).status).toBe(200);
});

/** Root ignores file permissions, so tests of permissions run as another user. */
const isRootUser = process.getuid?.() === 0;
const NOBODY_IDS = { uid: 65_534, gid: 65_534 };

/**
 * Runs a command line as a user with limited permissions. If this process is root, the command runs as the user
 * `nobody`.
 */
async function runWithoutPermissions(args: string[], env: Record<string, string> = {}) {
  if (!isRootUser) return JSON.parse((await argus(args, { env, cwd: '/' })).stdout);
  // Runs a copy, because other users may not be able to read the checkout.
  const program = createProject();
  chmodSync(program, 0o755);
  cpSync(path.dirname(PROGRAM_PATH), program, { recursive: true });
  const all = createEnvironment({ ARGUS_LOG_DIR: '/tmp/argus-nobody', ...env });
  const options = { encoding: 'utf8', env: all, cwd: '/', ...NOBODY_IDS } as const;
  const { stdout } = spawnSync(process.execPath, [path.join(program, path.basename(PROGRAM_PATH)), ...args], options);
  return JSON.parse(stdout);
}

test.skipIf(process.platform === 'win32')(
  'an unreadable folder is INVALID_INPUT, and an unwritable folder stores nothing',
  async () => {
    const hidden = createProject();
    chmodSync(hidden, 0o000);
    onTestFinished(() => chmodSync(hidden, 0o755));
    const closed = createProject();
    chmodSync(closed, 0o555);
    const readOnly = createProject({ 'mixed.xml': MIXED_REPORT });
    mkdirSync(path.join(readOnly, '.argus'));
    chmodSync(readOnly, 0o755);
    chmodSync(path.join(readOnly, 'mixed.xml'), 0o644);
    chmodSync(path.join(readOnly, '.argus'), 0o555);
    const history = await runWithoutPermissions(['history', '--json', '--project', hidden]);
    expect(history).toMatchObject({ success: false, error: { code: 'INVALID_INPUT' } });
    const run = await runWithoutPermissions(['import', 'mixed.xml', '--json', '--project', readOnly]);
    expect(run).toMatchObject({ success: true, data: { stored: false, queued: false, totals: { failed: 2 } } });
    expect(run.data.notes).toContainEqual(expect.stringMatching(/^Not stored, and lost when this process ends/u));
    const data = { XDG_DATA_HOME: path.join(closed, 'data') };
    const { checks } = (await runWithoutPermissions(['doctor', '--json', '--project', readOnly], data)).data;
    expect(checks).toContainEqual({
      name: 'database',
      state: 'problem',
      detail: expect.stringMatching(
        /^DATABASE_UNAVAILABLE: .* cannot be written \(EACCES\).*Give this user the right/u,
      ),
    });
  },
);
