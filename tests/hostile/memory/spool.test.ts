/** Success means stored: what a locked database does not take waits, says so, and comes in once. */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { connect, project, someUser } from '../../e2e/harness.ts';
import { git } from '../git/strangers.ts';

const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const FAILS = `echo "OrderError: the plan of ${TOKEN} is gone" && exit 3`;

/** A name as the spool gives them. */
const WELL_NAMED = `0195220c-2a00-7abc-8def-001122334455.${'0'.repeat(64)}.json`;

interface Scene {
  root: string;
  env: Record<string, string>;
  spool: string;
}

/** A project of a user of its own, with a memory that holds one run. */
async function scene(): Promise<Scene> {
  const [root, env] = [project(), { ...someUser() }];
  const first = await argus(['run', '--project', root, '--json', 'exit 1'], { env });
  expect(first.status, first.stderr).toBe(1);
  return { root, env, spool: join(root, '.argus', 'argus.db.spool') };
}

/** SQLite's own shell, which holds the lock until `release` is called: IMMEDIATE keeps out who writes, EXCLUSIVE all. */
async function lock(
  root: string,
  kind: 'IMMEDIATE' | 'EXCLUSIVE' = 'IMMEDIATE',
): Promise<{ release(): Promise<void> }> {
  const shell: ChildProcessWithoutNullStreams = spawn('sqlite3', ['-bail', join(root, '.argus', 'argus.db')]);
  onTestFinished(() => {
    shell.kill('SIGKILL');
  });
  shell.stdin.write(`.timeout 20000\nBEGIN ${kind};\nSELECT 'locked';\n`);
  await Promise.race([once(shell.stdout, 'data'), once(shell, 'close')]);
  expect(shell.exitCode).toBeNull();
  return {
    async release() {
      shell.stdin.end('ROLLBACK;\n');
      await once(shell, 'close');
    },
  };
}

/** The failure of the first run, which is stored. */
async function storedFailure(it: Scene): Promise<{ runId: string; caseName: string }> {
  const runId: string = (await ask(it, 'history')).data.runs[0].id;
  return { runId, caseName: (await ask(it, 'history', runId)).data.cases[0].caseName };
}

async function ask({ root, env }: Scene, command: string, ...args: string[]) {
  const { status, stdout, stderr } = await argus([command, '--project', root, '--json', ...args], { env });
  const answer = JSON.parse(stdout);
  return { status, stderr, answer, data: answer.data };
}

const waiting = ({ spool }: Scene) =>
  existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith('.json')) : [];

const NOT_STORED = { stored: false, queued: true, code: 'DATABASE_LOCKED' };

test('a run and its fix wait while another holds the lock, and come in once it is free', async () => {
  const it = await scene();
  const { release } = await lock(it.root);

  const start = performance.now();
  const run = await ask(it, 'run', FAILS);
  const waitedMs = performance.now() - start;
  expect(run).toMatchObject({ status: 2, data: { ...NOT_STORED, status: 'failed', totals: { failed: 1 } } });
  expect(Object.keys(run.data).slice(0, 3)).toEqual(['stored', 'queued', 'code']);
  const { runId, failures } = run.data;
  const caseName: string = failures[0].caseName;

  const began = performance.now();
  const fix = await ask(it, 'report-fix', runId, caseName, 'made the plan again');
  expect(fix).toMatchObject({ status: 2, data: { ...NOT_STORED, resolutions: 1, isNewPattern: true } });
  const diagnosis = await ask(it, 'diagnose', runId, caseName);
  expect(diagnosis).toMatchObject({ status: 2, data: { ...NOT_STORED, suggestedFix: 'made the plan again' } });
  // Each starts a process; what they do not do is wait for the lock, as the run did.
  expect(performance.now() - began).toBeLessThan(1.5 * waitedMs);

  expect(waiting(it)).toHaveLength(3);
  const files = waiting(it).map((name) => readFileSync(join(it.spool, name), 'utf8'));
  for (const [at, method] of ['recordRun', 'reportFix', 'diagnose'].entries()) {
    const call = JSON.parse(files[at] ?? '');
    expect(Object.keys(call)).toEqual(['callId', 'now', 'method', 'params']);
    expect(call.method).toBe(method);
  }
  expect(files.join()).not.toContain(TOKEN);
  expect(statSync(it.spool).mode & 0o777).toBe(0o700);
  for (const name of waiting(it)) expect(statSync(join(it.spool, name)).mode & 0o777).toBe(0o600);

  await release();
  const history = await ask(it, 'history');
  expect(history.data.runs[0]).toMatchObject({ id: runId, failed: 1 });
  expect(waiting(it)).toEqual([]);
  const known = await ask(it, 'diagnose', runId, caseName);
  expect(known).toMatchObject({ status: 0, data: { suggestedFix: 'made the plan again', confidence: 2 / 5 } });
  expect(known.data.pattern).toMatchObject({ occurrences: 3, resolutions: 1 });
});

test('what was taken in and whose file stayed, as after a kill, is not taken in again', async () => {
  const it = await scene();
  const { release } = await lock(it.root);
  const { runId } = (await ask(it, 'run', FAILS)).data;
  const [name = ''] = waiting(it);
  const aside = join(project(), name);
  copyFileSync(join(it.spool, name), aside);
  await release();
  expect((await ask(it, 'history')).data.total).toBe(2);
  copyFileSync(aside, join(it.spool, name));
  expect((await ask(it, 'history')).data).toMatchObject({ total: 2, runs: [{ id: runId }, {}] });
  expect(waiting(it)).toEqual([]);
});

test('a spool that a repository brings is left as it is', async () => {
  const it = await scene();
  const call = {
    callId: '0195220c-2a00-7abc-8def-001122334455',
    now: 1,
    method: 'recordRun',
    params: { command: 'x' },
  };
  mkdirSync(it.spool, { mode: 0o700 });
  const forged = join(it.spool, `${call.callId}.${'0'.repeat(64)}.json`);
  writeFileSync(forged, `${JSON.stringify(call)}\n`);
  const history = await ask(it, 'history');
  expect(history.data.total).toBe(1);
  expect(history.stderr).toContain('was not written by this user');
  expect(existsSync(forged)).toBe(true);
});

test('nothing beside a database that git tracks is written', async () => {
  const root = project({ 'argus.yaml': 'history: { database: data/mem.db }\n', 'data/mem.db.queue': 'of the project' });
  git(root, 'init', '-q');
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '-m', 'everything');
  const run = await argus(['run', '--project', root, '--json', 'exit 1'], { env: { ...someUser() } });
  expect(run.status, run.stderr).toBe(1);
  expect(git(root, 'status', '--porcelain', '--', 'data/mem.db.queue')).toBe('');
});

test('a spool that is a link is no spool', async () => {
  const root = project();
  const outside = project({ 'notes.draft': 'mine', [WELL_NAMED]: '{}' });
  utimesSync(join(outside, 'notes.draft'), 1, 1);
  mkdirSync(join(root, '.argus'));
  symlinkSync(outside, join(root, '.argus', 'argus.db.spool'));
  const env = { ...someUser() };
  expect((await argus(['run', '--project', root, 'exit 1'], { env })).status).toBe(1);
  expect((await argus(['history', '--project', root], { env })).status).toBe(0);
  expect(readdirSync(outside).sort()).toEqual([WELL_NAMED, 'notes.draft'].sort());
});

test('what is no file hangs no call, and stays', async () => {
  const it = await scene();
  mkdirSync(join(it.spool, 'x.draft'), { recursive: true, mode: 0o700 });
  utimesSync(join(it.spool, 'x.draft'), 1, 1);
  symlinkSync('/dev/zero', join(it.spool, WELL_NAMED));
  execFileSync('mkfifo', [join(it.spool, WELL_NAMED.replace('0195', '0196'))]);
  expect(await ask(it, 'run', 'exit 1')).toMatchObject({ status: 1, data: { notes: [] } });
  expect(await ask(it, 'history')).toMatchObject({ status: 0, data: { total: 2 } });
  expect(readdirSync(it.spool)).toHaveLength(3);
});

test('what waits beside a file that git tracks since comes in where the memory is now', async () => {
  const it = await scene();
  const { release } = await lock(it.root);
  const { runId } = (await ask(it, 'run', FAILS)).data;
  git(it.root, 'init', '-q');
  git(it.root, 'add', '-f', '.argus/argus.db');
  await release();
  expect((await ask(it, 'history')).data).toMatchObject({ total: 1, runs: [{ id: runId }] });
  expect(waiting(it)).toEqual([]);
});

test('over MCP the same session goes on with a run that waits, and stores it when it can', async () => {
  const it = await scene();
  const { release } = await lock(it.root);
  const agent = await connect('2026-07-28', it.env);
  await agent.data('argus_init', { projectPath: it.root });
  const run = await agent.data('argus_run', { projectPath: it.root, command: FAILS });
  expect(run).toMatchObject(NOT_STORED);
  const failure = { projectPath: it.root, runId: run.runId, caseName: 'echo' };
  const [first] = (await agent.data('argus_history', { projectPath: it.root, runId: run.runId })).cases as {
    caseName: string;
  }[];
  failure.caseName = first?.caseName ?? '';
  expect(await agent.data('argus_diagnose', failure)).toMatchObject({ ...NOT_STORED, isNewPattern: true });
  const fix = { ...failure, fixDescription: `made ${TOKEN} again` };
  expect(await agent.data('argus_report_fix', fix)).toMatchObject({ ...NOT_STORED, resolutions: 1 });
  expect(
    waiting(it)
      .map((name) => readFileSync(join(it.spool, name), 'utf8'))
      .join(),
  ).not.toContain(TOKEN);
  await release();
  const known = await agent.data('argus_diagnose', failure);
  expect(known).not.toHaveProperty('stored');
  expect(known).toMatchObject({ isNewPattern: false, pattern: { occurrences: 2, resolutions: 1 } });
  expect(waiting(it)).toEqual([]);
  await agent.close();
});

test('a diagnosis of a stored run waits to be counted, however often that is tried in vain', async () => {
  const it = await scene();
  const { runId, caseName } = await storedFailure(it);
  const { release } = await lock(it.root);
  expect(await ask(it, 'diagnose', runId, caseName)).toMatchObject({ status: 2, data: NOT_STORED });
  expect((await ask(it, 'history')).data.total).toBe(1);
  expect(waiting(it)).toHaveLength(1);
  await release();
  const known = await ask(it, 'diagnose', runId, caseName);
  expect(known).toMatchObject({ status: 0, data: { isNewPattern: false, pattern: { occurrences: 2 } } });
  expect(waiting(it)).toEqual([]);
});

test('a run that is stored is not said to be missing while nobody may read', async () => {
  const it = await scene();
  const { runId, caseName } = await storedFailure(it);
  const { release } = await lock(it.root, 'EXCLUSIVE');
  const refused = { status: 2, answer: { success: false, error: { code: 'DATABASE_LOCKED' } } };
  expect(await ask(it, 'report-fix', runId, caseName, 'made the plan again')).toMatchObject(refused);
  expect(await ask(it, 'history', runId)).toMatchObject(refused);
  await release();
  expect((await ask(it, 'report-fix', runId, caseName, 'made the plan again')).status).toBe(0);
});

test('a key that cannot be used fails no call', async () => {
  const it = await scene();
  const key = join(it.env.XDG_DATA_HOME ?? '', 'argus', 'spool.key');
  writeFileSync(key, 'short', { mode: 0o600 });
  mkdirSync(it.spool, { mode: 0o700 });
  writeFileSync(join(it.spool, WELL_NAMED), '{}\n');
  const run = await ask(it, 'run', FAILS);
  expect(run).toMatchObject({ status: 1, data: { status: 'failed' } });
  expect(run.data.notes.join()).toContain(`${key} is no key; delete it`);
  const history = await ask(it, 'history');
  expect(history).toMatchObject({ status: 0, data: { total: 2 } });
  expect(history.data.warnings.join()).toContain('is no key');
  const { caseName } = await storedFailure(it);
  const fix = await ask(it, 'report-fix', run.data.runId, caseName, 'made the plan again');
  expect(fix).toMatchObject({ status: 0, data: { resolutions: 1 } });
});

const CLOCK = new URL('clock.mjs', import.meta.url).href;

test('a fix comes in behind its run, though the clock was set back in between', async () => {
  const it = await scene();
  const { release } = await lock(it.root);
  const inAnHour = String(Date.now() + 3_600_000);
  const ahead = { ...it, env: { ...it.env, NODE_OPTIONS: `--import=${CLOCK}`, ARGUS_TEST_CLOCK: inAnHour } };
  const { runId, failures } = (await ask(ahead, 'run', FAILS)).data;
  const caseName: string = failures[0].caseName;
  expect(await ask(it, 'report-fix', runId, caseName, 'made the plan again')).toMatchObject({ data: NOT_STORED });
  const diagnosis = await ask(it, 'diagnose', runId, caseName);
  expect(diagnosis).toMatchObject({ data: { ...NOT_STORED, suggestedFix: 'made the plan again' } });
  await release();
  expect(await ask(it, 'history')).toMatchObject({ data: { total: 2 }, stderr: '' });
  expect(readdirSync(it.spool)).toEqual([]);
  expect((await ask(it, 'diagnose', runId, caseName)).data).toMatchObject({ suggestedFix: 'made the plan again' });
});

test('doctor counts what waits and what can never be stored', async () => {
  const it = await scene();
  const { release } = await lock(it.root);
  const { runId, failures } = (await ask(it, 'run', FAILS)).data;
  await ask(it, 'report-fix', runId, failures[0].caseName, 'made the plan again');
  const [run = ''] = waiting(it);
  // The fix is about a run that is then stored nowhere.
  rmSync(join(it.spool, run));
  await release();
  const said = async () => (await argus(['doctor', '--project', it.root], { env: it.env })).stdout;
  expect(await said()).toContain('1 call to be stored by the next one that can');
  expect((await ask(it, 'history')).stderr).toContain('.refused');
  expect(await said()).toContain(`1 call that can never be stored: look at *.refused in ${it.spool}`);
});

test('what a loop learned is learned later, where it can neither be stored nor wait', async () => {
  const it = await scene();
  const key = join(it.env.XDG_DATA_HOME ?? '', 'argus', 'spool.key');
  writeFileSync(key, 'short', { mode: 0o600 });
  const loop = (...args: string[]) =>
    argus(['fix-problem', '--command', 'test -e done', '--desired', 'done', '--project', it.root, '--json', ...args], {
      env: it.env,
      cwd: it.root,
    });
  expect((await loop()).status).toBe(3);
  writeFileSync(join(it.root, 'done'), '');
  const { release } = await lock(it.root);
  const fixed = await loop('--resume', '--fix', 'made the file');
  expect(fixed.status, fixed.stderr).toBe(0);
  expect(fixed.stdout).toContain('Not stored, and not kept for later');
  await release();
  const again = await loop('--resume');
  expect(again.stdout).not.toContain('Not stored');
  expect((await ask(it, 'history')).data.total).toBe(2);
  expect((await ask(it, 'patterns')).data.patterns).toContainEqual(
    expect.objectContaining({ suggestedFix: 'made the file. Files: done.' }),
  );
  expect((await loop('--resume')).status).toBe(0);
  expect((await ask(it, 'history')).data.total, 'once').toBe(2);
});
