/** Ownership of a memory: when it belongs to the user, who may adopt it, and which other users may read it. */

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { connect, createProject } from '../../e2e/harness.ts';
import {
  cloneWithEverything,
  copyAsArchive,
  copyStrangersProject,
  createUserEnvironment,
  databaseOf,
  FAILING_COMMAND,
  HOSTILE_FIX,
  markFixesProved,
  readBytes,
  readCommandData,
  readFileMode,
  recordFailedRun,
  runSql,
  type UserEnvironment,
} from '../git/strangers.ts';
import { startLockingShell } from './waiting.ts';

const isPosix = process.platform !== 'win32';
const isRootUser = process.getuid?.() === 0;
const OTHER_UID = 54_321;

const OWN_FIX = { suggestedFix: 'tuned it' };

/** Creates a project with a fix that its user recorded. */
async function createProjectWithFix(owner: UserEnvironment): Promise<string> {
  const root = createProject({ 'readme.md': 'a project\n' });
  const { runId, caseName } = await recordFailedRun(root, owner);
  await readCommandData(['report-fix', runId, caseName, OWN_FIX.suggestedFix], root, owner);
  markFixesProved(root);
  return root;
}

/** Runs `argus adopt` at a terminal with an answer, and returns everything that it prints. */
async function runAdopt(root: string, env: UserEnvironment, answer: string, ...options: string[]): Promise<string> {
  const invocation = { env, isTerminal: true, input: `${answer}\n` };
  const { stdout, stderr } = await argus(['adopt', '--project', root, ...options], invocation);
  return stdout + stderr;
}

test('the memory of a project that is moved or copied still belongs to the user', async () => {
  const owner = createUserEnvironment();
  const root = await createProjectWithFix(owner);
  const [moved, copied] = [path.join(createProject(), 'moved'), path.join(createProject(), 'copied')];
  cpSync(root, copied, { recursive: true });
  renameSync(root, moved);
  for (const place of [moved, copied]) {
    expect(await recordFailedRun(place, owner)).toMatchObject({ known: OWN_FIX, notes: [] });
    expect(await readCommandData(['history'], place, owner)).toMatchObject({ total: 2 });
  }
  expect((await recordFailedRun(moved, createUserEnvironment())).known, 'to another user it is foreign').toBeNull();
});

test('a database of a version without ids is foreign until it is adopted', async () => {
  const root = createProject({ '.argus/readme': '' });
  const old = fileURLToPath(new URL('../../../crates/store/tests/fixtures/version-3.db', import.meta.url));
  cpSync(old, databaseOf(root));
  const before = readBytes(databaseOf(root));
  const owner = createUserEnvironment();
  expect((await recordFailedRun(root, owner)).notes.join()).toContain('was not made by this user');
  expect(readBytes(databaseOf(root)), 'looking brings it to no newer version').toBe(before);
  expect(await runAdopt(root, owner, 'y')).toContain('is yours now');
  expect((await recordFailedRun(root, owner)).notes).toEqual([]);
  expect(await readCommandData(['history'], root, owner)).toMatchObject({ total: 2 });
});

test('adopting needs a person at a terminal, and shows the content first', async () => {
  const copy = copyAsArchive(await copyStrangersProject());
  const owner = createUserEnvironment();
  const before = readBytes(databaseOf(copy));
  for (const extra of [[], ['--yes']]) {
    const { status, stderr } = await argus(['adopt', '--project', copy, ...extra], { env: owner, input: 'y\n' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('needs an interactive terminal') });
  }
  const turbine = 'TurbineStalledError: the third blade hit the casing while starting';
  await recordFailedRun(copy, owner);
  const incident = ['add-incident', 'Only here', 'an own fix', 'worked', '--error', turbine];
  await argus([...incident, '--project', copy], { env: owner });

  const declined = await runAdopt(copy, owner, 'n');
  for (const shown of [HOSTILE_FIX, '3 runs, 1 learned pattern, 1 incident', 'The pool runs dry', 'command line on '])
    expect(declined).toContain(shown);
  expect(declined).toContain('left as it is');
  expect(await runAdopt(copy, owner, '')).toContain('left as it is');
  expect(readBytes(databaseOf(copy))).toBe(before);

  expect(await runAdopt(copy, owner, 'y')).toMatch(/is yours now[\s\S]*1 incident copied from/u);
  expect(await recordFailedRun(copy, owner)).toMatchObject({ known: { suggestedFix: HOSTILE_FIX }, notes: [] });
  expect((await argus(['solutions', turbine, '--project', copy], { env: owner })).stdout).toContain('an own fix');
  expect(await runAdopt(copy, owner, 'y')).toContain('is yours already');
  // Adopting changes the id, so the author's id no longer matches.
  expect((await recordFailedRun(copyAsArchive(await copyStrangersProject()), owner)).known).toBeNull();
});

test('calls that waited for the memory are stored after an adoption', async () => {
  const copy = copyAsArchive(await copyStrangersProject());
  const owner = createUserEnvironment();
  await recordFailedRun(copy, owner);
  const projects = path.join(owner.XDG_DATA_HOME ?? '', 'argus', 'projects');
  const holder = await startLockingShell(path.join(projects, readdirSync(projects)[0] ?? '', 'argus.db'));
  expect((await recordFailedRun(copy, owner)).notes.join()).toContain('Not stored yet');
  expect(await runAdopt(copy, owner, 'y')).toContain('is yours now');
  // Three runs belong to the stranger.
  expect(await readCommandData(['history'], copy, owner)).toMatchObject({ total: 4 });
  holder.kill('SIGKILL');
});

test('a running server notices that its memory was adopted', async () => {
  const copy = copyAsArchive(await copyStrangersProject());
  const owner = createUserEnvironment();
  const agent = await connect('2026-07-28', owner, copy);
  onTestFinished(() => agent.close());
  expect(await agent.data('argus_init', { projectPath: copy })).toMatchObject({ memory: 'foreign' });
  await agent.data('argus_run', { projectPath: copy, command: FAILING_COMMAND });
  await runAdopt(copy, owner, '', '--yes');
  expect(await agent.data('argus_init', { projectPath: copy })).toMatchObject({ memory: 'own' });
  const run = await agent.data('argus_run', { projectPath: copy, command: FAILING_COMMAND });
  expect(run.failures).toMatchObject([{ known: { suggestedFix: HOSTILE_FIX } }]);
});

test('the author of an outcome is stored in the user’s memory, even after the memory was read', async () => {
  const owner = createUserEnvironment();
  const cwd = createProject();
  const added = await argus(['add-incident', 'unheard of', 'turn it', 'worked', '--json'], { env: owner, cwd });
  const { incident_id, solution_id } = JSON.parse(added.stdout);
  const agent = await connect('2026-07-28', owner, cwd);
  onTestFinished(() => agent.close());
  expect(await agent.complete('argus://incident/{id}', 'inc-')).toEqual([incident_id]);
  await agent.ask('record_outcome', { solution_id, worked: true, env: {} });
  const memory = path.join(owner.XDG_DATA_HOME ?? '', 'argus', 'memory.db');
  expect(runSql(memory, 'SELECT count(*) FROM outcomes WHERE recorded_by IS NULL')).toBe('0');
});

test('a memory that git tracks is never adopted', async () => {
  const clone = cloneWithEverything(await copyStrangersProject());
  const owner = createUserEnvironment();
  const before = readBytes(databaseOf(clone));
  expect(await runAdopt(clone, owner, 'y', '--yes')).toContain('git rm -r --cached .argus');
  expect((await recordFailedRun(clone, { ...owner, ARGUS_ADOPT: '1', CI: 'true' })).known).toBeNull();
  expect(readBytes(databaseOf(clone))).toBe(before);
});

test('the advice to untrack a memory names its files, and no folder with other files', async () => {
  const owner = createUserEnvironment();
  const config = 'version: 1\nhistory:\n  database: my memory.db\n';
  const root = createProject({ 'readme.md': 'a project\n', 'argus.yaml': config });
  await recordFailedRun(root, owner);
  const clone = cloneWithEverything(root);
  const { stdout } = await argus(['doctor', '--project', clone], { env: createUserEnvironment() });
  expect(stdout).toMatch(/git rm -r --cached 'my memory\.db'(?: 'my memory\.db[\w.-]+')*, then argus adopt/u);
});

test('ARGUS_ADOPT applies only in CI, and only to run and import', async () => {
  const copy = copyAsArchive(await copyStrangersProject());
  const owner = createUserEnvironment();
  expect((await recordFailedRun(copy, { ...owner, ARGUS_ADOPT: '1' })).known, 'this is no CI').toBeNull();
  expect((await recordFailedRun(copy, { ...owner, ARGUS_ADOPT: '1', CI: 'false' })).known).toBeNull();
  const env = { ...owner, ARGUS_ADOPT: '1', CI: 'true' };
  expect(await readCommandData(['patterns', '--source', 'learned'], copy, env)).toMatchObject({ total: 0 });
  expect((await argus(['doctor', '--project', copy], { env })).stdout).toContain('Foreign memory: ');
  expect((await recordFailedRun(copy, env)).known).toMatchObject({ suggestedFix: HOSTILE_FIX });
  expect((await recordFailedRun(copy, owner)).known, 'from then on it is the user’s own').toMatchObject({
    suggestedFix: HOSTILE_FIX,
  });
});

test.runIf(isPosix)('only the owner can access files, including files that an earlier version left open', async () => {
  const owner = createUserEnvironment();
  const root = await createProjectWithFix(owner);
  const folder = path.join(root, '.argus');
  const files = () => readdirSync(folder).map((name) => [name, readFileMode(path.join(folder, name)).toString(8)]);
  expect(readFileMode(folder).toString(8)).toBe('700');
  expect(files().filter(([, mode]) => mode !== '600')).toEqual([]);
  for (const [name = ''] of files()) chmodSync(path.join(folder, name), 0o644);
  chmodSync(folder, 0o755);
  await recordFailedRun(root, owner);
  expect(readFileMode(folder).toString(8)).toBe('700');
  expect(files().filter(([name, mode]) => mode !== '600' && name !== '.gitignore')).toEqual([]);
  const memories = path.join(owner.XDG_DATA_HOME ?? '', 'argus', 'memories');
  expect(readdirSync(memories).map((name) => readFileMode(path.join(memories, name)))).toEqual([0o600]);
});

test.runIf(isPosix && isRootUser)('a memory of another user of the machine is foreign', async () => {
  const owner = createUserEnvironment();
  const root = await createProjectWithFix(owner);
  chownSync(databaseOf(root), OTHER_UID, OTHER_UID);
  const before = readBytes(databaseOf(root));
  const run = await recordFailedRun(root, owner);
  expect(run.known, 'although its id is known').toBeNull();
  expect(run.notes.join()).toMatch(/belongs to another user of this machine.*Make it yours with chown/u);
  expect(readBytes(databaseOf(root))).toBe(before);

  // A single parent folder suffices, because its owner may put any file there.
  const other = await createProjectWithFix(owner);
  chownSync(path.join(other, '.argus'), OTHER_UID, OTHER_UID);
  expect((await recordFailedRun(other, owner)).known).toBeNull();
});

test.runIf(isPosix && isRootUser)('another user cannot read a memory', async () => {
  const root = await createProjectWithFix(createUserEnvironment());
  chmodSync(root, 0o755);
  const program = `try { require('fs').readdirSync(${JSON.stringify(path.join(root, '.argus'))}); } catch (e) { console.log(e.code); }`;
  const stranger = { uid: OTHER_UID, gid: OTHER_UID, cwd: '/', encoding: 'utf8' } as const;
  const { stdout } = spawnSync(process.execPath, ['-e', program], stranger);
  expect(stdout).toBe('EACCES\n');
});

test('the memory still belongs to the user after its writer was killed', async () => {
  const owner = createUserEnvironment();
  const root = await createProjectWithFix(owner);
  // Pages are written to the file before the commit, which never happens.
  const script = `
import os, sqlite3, sys
c = sqlite3.connect(sys.argv[1], isolation_level=None)
c.execute('PRAGMA journal_mode = PERSIST'); c.execute('PRAGMA cache_size = 1'); c.execute('PRAGMA cache_spill = 1')
c.execute('BEGIN IMMEDIATE')
c.execute("DELETE FROM memory"); c.execute("INSERT INTO memory VALUES ('mem-changed')")
for n in range(300): c.execute('INSERT INTO probes VALUES (?)', (str(n) * 400,))
os._exit(0)`;
  spawnSync('python3', ['-c', script, databaseOf(root)], { encoding: 'utf8' });
  const header = readFileSync(`${databaseOf(root)}-journal`).toString('hex', 0, 8);
  expect(header, 'of a transaction that did not end').toBe('d9d505f920a163d7');
  expect(await recordFailedRun(root, owner)).toMatchObject({ known: OWN_FIX, notes: [] });
  expect(runSql(databaseOf(root), 'SELECT count(*) FROM probes')).toBe('0');
});

test('a copy of the memory for other people has no id', async () => {
  const owner = createUserEnvironment();
  const root = await createProjectWithFix(owner);
  const id = runSql(databaseOf(root), 'SELECT id FROM memory');
  expect(id).toMatch(/^mem-/u);
  const page = path.join(createProject(), 'page.html');
  expect((await argus(['view', '--export', page, '--project', root], { env: owner })).status).toBe(0);
  const html = readFileSync(page, 'utf8');
  expect(html.includes(id) || html.includes(Buffer.from(id).toString('base64').slice(4, -4))).toBe(false);
  if (isPosix) expect(readFileMode(page)).toBe(0o600);
});

test('a foreign memory shows who recorded a fix, where and when', async () => {
  const owner = createUserEnvironment();
  const root = await createProjectWithFix(owner);
  const { runId, caseName } = await recordFailedRun(root, owner);
  const { fixHistory } = (await readCommandData(['diagnose', runId, caseName], root, owner)) as {
    fixHistory: object[];
  };
  expect(fixHistory).toEqual([
    expect.objectContaining({
      recordedBy: 'command line',
      recordedFrom: expect.stringMatching(/\S/u),
      createdAt: expect.stringMatching(/^\d{4}-/u),
    }),
  ]);
  const shown = (await argus(['diagnose', runId, caseName, '--project', root], { env: owner })).stdout;
  expect(shown).toContain('(command line on ');
});
