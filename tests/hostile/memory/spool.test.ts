/** A call that finds the database locked waits in the spool, reports that, and is stored exactly once later. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { createProject, createUser } from '../../e2e/harness.ts';
import { formatJunit } from '../../e2e/runs/reports.ts';
import { runGit } from '../git/strangers.ts';

const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const FAILING_COMMAND = `echo "OrderError: the plan of ${TOKEN} is gone" && exit 3`;
const FIX_DESCRIPTION = 'made the plan again';

const QUEUED_STATE = { stored: false, queued: true, code: 'DATABASE_LOCKED' };

interface Failure {
  runId: string;
  caseName: string;
}

/** A new user's project with a memory that contains a single run. */
class SpoolUser {
  readonly root = createProject();
  readonly env = { ...createUser() };
  readonly database = join(this.root, '.argus', 'argus.db');
  readonly spool = `${this.database}.spool`;
  readonly key = join(this.env.XDG_DATA_HOME, 'argus', 'spool.key');
  readonly first: Promise<Failure> = this.fail('exit 1').then(({ failure }) => failure);

  static async make(): Promise<SpoolUser & { stored: Failure }> {
    const it = new SpoolUser();
    return Object.assign(it, { stored: await it.first });
  }

  async ask(command: string, ...args: string[]) {
    const invocation = { env: this.env, cwd: this.root, isImpatient: true };
    const { status, stdout, stderr } = await argus([command, '--project', this.root, '--json', ...args], invocation);
    const { data, error } = JSON.parse(stdout);
    return { status, stderr, data, error };
  }

  async fail(command = FAILING_COMMAND) {
    const { status, data } = await this.ask('run', command);
    const failure: Failure = { runId: data.runId, caseName: data.failures[0].caseName };
    return { status, data, failure };
  }

  diagnose({ runId, caseName }: Failure) {
    return this.ask('diagnose', runId, caseName);
  }

  reportFix({ runId, caseName }: Failure) {
    return this.ask('report-fix', runId, caseName, FIX_DESCRIPTION);
  }

  async total(): Promise<number> {
    return (await this.ask('history')).data.total;
  }

  /** Returns the names of the files of waiting calls. */
  waiting(): string[] {
    return existsSync(this.spool) ? readdirSync(this.spool).filter((name) => name.endsWith('.json')) : [];
  }

  texts(): string[] {
    return this.waiting().map((name) => readFileSync(join(this.spool, name), 'utf8'));
  }

  /**
   * Locks the database in a `sqlite3` shell. The returned function releases the lock. IMMEDIATE blocks writers, and
   * EXCLUSIVE also blocks readers.
   */
  async lock(kind: 'IMMEDIATE' | 'EXCLUSIVE' = 'IMMEDIATE'): Promise<() => Promise<unknown>> {
    const shell: ChildProcessWithoutNullStreams = spawn('sqlite3', ['-bail', this.database]);
    onTestFinished(() => void shell.kill('SIGKILL'));
    shell.stdin.write(`.timeout 20000\nBEGIN ${kind};\nSELECT 'locked';\n`);
    await Promise.race([once(shell.stdout, 'data'), once(shell, 'close')]);
    expect(shell.exitCode).toBeNull();
    return () => {
      shell.stdin.end('ROLLBACK;\n');
      return once(shell, 'close');
    };
  }
}

test('a run and its fix wait while another process holds the lock, and are stored once it is free', async () => {
  const it = await SpoolUser.make();
  const release = await it.lock();
  const { status, data, failure } = await it.fail();
  expect({ status, data }).toMatchObject({
    status: 2,
    data: { ...QUEUED_STATE, status: 'failed', totals: { failed: 1 } },
  });
  expect(Object.keys(data).slice(0, 3)).toEqual(['stored', 'queued', 'code']);
  const fix = await it.reportFix(failure);
  expect(fix).toMatchObject({ status: 2, data: { ...QUEUED_STATE, resolutions: 1, isNewPattern: true } });
  const diagnosis = await it.diagnose(failure);
  expect(diagnosis).toMatchObject({ status: 2, data: { ...QUEUED_STATE, suggestedFix: FIX_DESCRIPTION } });

  const calls = it.texts().map((text) => JSON.parse(text));
  expect(calls.map(({ method }) => method)).toEqual(['recordRun', 'reportFix', 'diagnose']);
  for (const call of calls) expect(Object.keys(call)).toEqual(['callId', 'now', 'method', 'params']);
  expect(it.texts().join()).not.toContain(TOKEN);
  expect(statSync(it.spool).mode & 0o777).toBe(0o700);
  for (const name of it.waiting()) expect(statSync(join(it.spool, name)).mode & 0o777).toBe(0o600);

  await release();
  expect((await it.ask('history')).data.runs[0]).toMatchObject({ id: failure.runId, failed: 1 });
  expect(it.waiting()).toEqual([]);
  const known = await it.diagnose(failure);
  expect(known).toMatchObject({ status: 0, data: { suggestedFix: FIX_DESCRIPTION, confidence: 1 / 2 } });
  expect(known.data.pattern).toMatchObject({ occurrences: 2, resolutions: 1 });
});

test('a call is not stored again if its file remains, for example after a kill', async () => {
  const it = await SpoolUser.make();
  const release = await it.lock();
  const { failure } = await it.fail();
  const [name = ''] = it.waiting();
  const aside = join(createProject(), name);
  copyFileSync(join(it.spool, name), aside);
  await release();
  expect(await it.total()).toBe(2);
  copyFileSync(aside, join(it.spool, name));
  expect((await it.ask('history')).data).toMatchObject({ total: 2, runs: [{ id: failure.runId }, {}] });
  expect(it.waiting()).toEqual([]);
});

test('a spool that came with the repository is not changed', async () => {
  const it = await SpoolUser.make();
  const callId = '0195220c-2a00-7abc-8def-001122334455';
  mkdirSync(it.spool, { mode: 0o700 });
  const forged = join(it.spool, `${callId}.${'0'.repeat(64)}.json`);
  writeFileSync(forged, `${JSON.stringify({ callId, now: 1, method: 'recordRun', params: { command: 'x' } })}\n`);
  const history = await it.ask('history');
  expect(history).toMatchObject({
    data: { total: 1 },
    stderr: expect.stringContaining('was not written by this user'),
  });
  expect(existsSync(forged)).toBe(true);
});

test('no file is written beside a database that git tracks', async () => {
  const root = createProject({
    'argus.yaml': 'history: { database: data/mem.db }\n',
    'data/mem.db.queue': 'of the project',
  });
  runGit(root, 'init', '-q');
  runGit(root, 'add', '-A');
  runGit(root, 'commit', '-q', '-m', 'everything');
  expect((await argus(['run', '--project', root, 'exit 1'], { env: { ...createUser() } })).status).toBe(1);
  expect(runGit(root, 'status', '--porcelain', '--', 'data/mem.db.queue')).toBe('');
});

test('waiting calls are stored at the new place of the memory after git tracks the old file', async () => {
  const it = await SpoolUser.make();
  const release = await it.lock();
  const { failure } = await it.fail();
  runGit(it.root, 'init', '-q');
  runGit(it.root, 'add', '-f', '.argus/argus.db');
  await release();
  expect((await it.ask('history')).data).toMatchObject({ total: 1, runs: [{ id: failure.runId }] });
  expect(it.waiting()).toEqual([]);
});

test('a diagnosis of a stored run is counted once the database is free', async () => {
  const it = await SpoolUser.make();
  const release = await it.lock();
  expect(await it.diagnose(it.stored)).toMatchObject({ status: 2, data: QUEUED_STATE });
  expect(await it.total()).toBe(1);
  expect(it.waiting()).toHaveLength(1);
  await release();
  const known = await it.diagnose(it.stored);
  expect(known).toMatchObject({ status: 0, data: { isNewPattern: false, pattern: { occurrences: 1 } } });
  expect(it.waiting()).toEqual([]);
});

test('a reporter waits up to a second for a locked database and does not lose its run', async () => {
  const it = await SpoolUser.make();
  const report = formatJunit([{ name: 'tunes', failure: { message: 'Error: the flux is out of tune' } }]);
  const folder = createProject({ 'pytest-1.xml': report, 'end.json': '{"runner":"pytest"}' });
  const release = await it.lock('EXCLUSIVE');
  const began = performance.now();
  await argus(['record', folder], { env: it.env, cwd: it.root });
  // Other commands wait up to eight seconds to read the memory, and eight more to record.
  expect(performance.now() - began).toBeLessThan(6_000);
  expect(readFileSync(join(folder, 'answer.json'), 'utf8')).toContain('this run is not stored');
  expect(it.waiting()).toHaveLength(1);
  await release();
  expect((await it.ask('history')).data).toMatchObject({ total: 2, runs: [{ failed: 1 }, {}] });
});

test('a stored run is not reported as missing while the database is locked for readers', async () => {
  const it = await SpoolUser.make();
  const release = await it.lock('EXCLUSIVE');
  const refused = { status: 2, error: { code: 'DATABASE_LOCKED' } };
  expect(await it.reportFix(it.stored)).toMatchObject(refused);
  expect(await it.ask('history', it.stored.runId)).toMatchObject(refused);
  await release();
  expect((await it.reportFix(it.stored)).status).toBe(0);
});

test('calls work with an unusable key', async () => {
  const it = await SpoolUser.make();
  writeFileSync(it.key, 'short', { mode: 0o600 });
  mkdirSync(it.spool, { mode: 0o700 });
  writeFileSync(join(it.spool, `0195220c-2a00-7abc-8def-001122334455.${'0'.repeat(64)}.json`), '{}\n');
  const { status, data } = await it.fail();
  expect({ status, data }).toMatchObject({ status: 1, data: { status: 'failed' } });
  expect(data.notes.join()).toContain(`${it.key} is not a valid key; delete it`);
  const history = await it.ask('history');
  expect(history).toMatchObject({ status: 0, data: { total: 2 } });
  expect(history.data.warnings.join()).toContain('is not a valid key');
  expect(await it.reportFix(it.stored)).toMatchObject({ status: 0, data: { resolutions: 1 } });
});

test('a fix is stored after its run even if the clock was set back between them', async () => {
  const it = await SpoolUser.make();
  const release = await it.lock();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { failure } = await it.fail();
  vi.useRealTimers();
  expect(await it.reportFix(failure)).toMatchObject({ data: QUEUED_STATE });
  expect(await it.diagnose(failure)).toMatchObject({ data: { ...QUEUED_STATE, suggestedFix: FIX_DESCRIPTION } });
  await release();
  expect(await it.ask('history')).toMatchObject({ data: { total: 2 }, stderr: '' });
  expect(readdirSync(it.spool)).toEqual([]);
  expect((await it.diagnose(failure)).data).toMatchObject({ suggestedFix: FIX_DESCRIPTION });
});

test('doctor counts waiting calls and calls that can never be stored', async () => {
  const it = await SpoolUser.make();
  const release = await it.lock();
  await it.reportFix((await it.fail()).failure);
  const [run = ''] = it.waiting();
  // Without the run's file, the fix refers to a run that is never stored.
  rmSync(join(it.spool, run));
  await release();
  const doctor = async () => (await argus(['doctor', '--project', it.root], { env: it.env })).stdout;
  expect(await doctor()).toContain('1 call waiting to be stored by the next call');
  expect((await it.ask('history')).stderr).toContain('.refused');
  expect(await doctor()).toContain(`1 call that cannot be stored (see *.refused in ${it.spool})`);
});

test('a loop that can neither store nor queue its result stores it when it is resumed later', async () => {
  const it = await SpoolUser.make();
  writeFileSync(it.key, 'short', { mode: 0o600 });
  const loop = async (...args: string[]) => {
    const begin = ['fix-problem', '--command', 'test -e done', '--desired', 'done', '--project', it.root];
    return argus([...begin, ...args], { env: it.env, cwd: it.root, isImpatient: true });
  };
  expect((await loop()).status).toBe(3);
  writeFileSync(join(it.root, 'done'), '');
  const release = await it.lock();
  const fixed = await loop('--resume', '--fix', 'made the file');
  expect(fixed).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Not stored, and lost when this process ends'),
  });
  await release();
  expect((await loop('--resume')).stdout).not.toContain('Not stored');
  expect(await it.total()).toBe(2);
  const learned = expect.objectContaining({ suggestedFix: 'made the file. Files: done.' });
  expect((await it.ask('patterns')).data.patterns).toContainEqual(learned);
  expect((await loop('--resume')).status).toBe(0);
  expect(await it.total(), 'once').toBe(2);
});
