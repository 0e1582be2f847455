/** Ownership of a memory: when it stays the user's, who may adopt it, and which other users may read it. */

import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { connect, project } from '../../e2e/harness.ts';
import {
  bytesOf,
  COMMAND,
  cloneOf,
  data,
  databaseOf,
  failedRun,
  HOSTILE,
  modeOf,
  proved,
  shell,
  strangersProject,
  type User,
  unpacked,
  user,
} from '../git/strangers.ts';
import { shellThatHolds } from './waiting.ts';

const isPosix = process.platform !== 'win32';
const isRoot = process.getuid?.() === 0;
const OTHER_UID = 54_321;

const OWN_FIX = { suggestedFix: 'tuned it' };

/** A project with a fix that its user recorded. */
async function learned(owner: User): Promise<string> {
  const root = project({ 'readme.md': 'a project\n' });
  const { runId, caseName } = await failedRun(root, owner);
  await data(['report-fix', runId, caseName, OWN_FIX.suggestedFix], root, owner);
  proved(root);
  return root;
}

/** Runs `argus adopt` at a terminal with an answer and returns everything that it prints. */
async function adopt(root: string, env: User, answer: string, ...options: string[]): Promise<string> {
  const invocation = { env, isTerminal: true, input: `${answer}\n` };
  const { stdout, stderr } = await argus(['adopt', '--project', root, ...options], invocation);
  return stdout + stderr;
}

test('a project that is moved, or copied, stays the user’s own', async () => {
  const owner = user();
  const root = await learned(owner);
  const [moved, copied] = [path.join(project(), 'moved'), path.join(project(), 'copied')];
  cpSync(root, copied, { recursive: true });
  renameSync(root, moved);
  for (const place of [moved, copied]) {
    expect(await failedRun(place, owner)).toMatchObject({ known: OWN_FIX, notes: [] });
    expect(await data(['history'], place, owner)).toMatchObject({ total: 2 });
  }
  expect((await failedRun(moved, user())).known, 'to another user it is foreign').toBeNull();
});

test('a file of a version without ids is foreign until it is adopted', async () => {
  const root = project({ '.argus/readme': '' });
  const old = fileURLToPath(new URL('../../../crates/store/tests/fixtures/version-3.db', import.meta.url));
  cpSync(old, databaseOf(root));
  const before = bytesOf(databaseOf(root));
  const owner = user();
  expect((await failedRun(root, owner)).notes.join()).toContain('was not made by this user');
  expect(bytesOf(databaseOf(root)), 'looking brings it to no newer version').toBe(before);
  expect(await adopt(root, owner, 'y')).toContain('is yours now');
  expect((await failedRun(root, owner)).notes).toEqual([]);
  expect(await data(['history'], root, owner)).toMatchObject({ total: 2 });
});

test('adopting needs a person at a terminal and shows the content first', async () => {
  const copy = unpacked(await strangersProject());
  const owner = user();
  const before = bytesOf(databaseOf(copy));
  for (const extra of [[], ['--yes']]) {
    const { status, stderr } = await argus(['adopt', '--project', copy, ...extra], { env: owner, input: 'y\n' });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('there is no terminal') });
  }
  const turbine = 'TurbineStalledError: the third blade hit the casing while starting';
  await failedRun(copy, owner);
  const incident = ['add-incident', 'Only here', 'an own fix', 'worked', '--error', turbine];
  await argus([...incident, '--project', copy], { env: owner });

  const declined = await adopt(copy, owner, 'n');
  for (const shown of [HOSTILE, '3 runs, 1 learned pattern, 1 incident', 'The pool runs dry', 'command line on '])
    expect(declined).toContain(shown);
  expect(declined).toContain('left as it is');
  expect(await adopt(copy, owner, '')).toContain('left as it is');
  expect(bytesOf(databaseOf(copy))).toBe(before);

  expect(await adopt(copy, owner, 'y')).toMatch(/is yours now[\s\S]*1 incident came along/u);
  expect(await failedRun(copy, owner)).toMatchObject({ known: { suggestedFix: HOSTILE }, notes: [] });
  expect((await argus(['solutions', turbine, '--project', copy], { env: owner })).stdout).toContain('an own fix');
  expect(await adopt(copy, owner, 'y')).toContain('is yours already');
  // Adopting changes the id, so the author's id no longer matches.
  expect((await failedRun(unpacked(await strangersProject()), owner)).known).toBeNull();
});

test('stores calls that waited for the memory after an adoption', async () => {
  const copy = unpacked(await strangersProject());
  const owner = user();
  await failedRun(copy, owner);
  const projects = path.join(owner.XDG_DATA_HOME ?? '', 'argus', 'projects');
  const holder = await shellThatHolds(path.join(projects, readdirSync(projects)[0] ?? '', 'argus.db'));
  expect((await failedRun(copy, owner)).notes.join()).toContain('Not stored yet');
  expect(await adopt(copy, owner, 'y')).toContain('is yours now');
  // Three runs belong to the stranger.
  expect(await data(['history'], copy, owner)).toMatchObject({ total: 4 });
  holder.kill('SIGKILL');
});

test('a server that is running notices that its memory was adopted', async () => {
  const copy = unpacked(await strangersProject());
  const owner = user();
  const agent = await connect('2026-07-28', owner, copy);
  onTestFinished(() => agent.close());
  expect(await agent.data('argus_init', { projectPath: copy })).toMatchObject({ memory: 'foreign' });
  await agent.data('argus_run', { projectPath: copy, command: COMMAND });
  await adopt(copy, owner, '', '--yes');
  expect(await agent.data('argus_init', { projectPath: copy })).toMatchObject({ memory: 'own' });
  const run = await agent.data('argus_run', { projectPath: copy, command: COMMAND });
  expect(run.failures).toMatchObject([{ known: { suggestedFix: HOSTILE } }]);
});

test('stores the author of an outcome in the user’s memory, also after the memory was read', async () => {
  const owner = user();
  const cwd = project();
  const added = await argus(['add-incident', 'unheard of', 'turn it', 'worked', '--json'], { env: owner, cwd });
  const { incident_id, solution_id } = JSON.parse(added.stdout);
  const agent = await connect('2026-07-28', owner, cwd);
  onTestFinished(() => agent.close());
  expect(await agent.complete('argus://incident/{id}', 'inc-')).toEqual([incident_id]);
  await agent.ask('record_outcome', { solution_id, worked: true, env: {} });
  const memory = path.join(owner.XDG_DATA_HOME ?? '', 'argus', 'memory.db');
  expect(shell(memory, 'SELECT count(*) FROM outcomes WHERE recorded_by IS NULL')).toBe('0');
});

test('never adopts a memory that git tracks', async () => {
  const clone = cloneOf(await strangersProject());
  const owner = user();
  const before = bytesOf(databaseOf(clone));
  expect(await adopt(clone, owner, 'y', '--yes')).toContain('git rm -r --cached .argus');
  expect((await failedRun(clone, { ...owner, ARGUS_ADOPT: '1', CI: 'true' })).known).toBeNull();
  expect(bytesOf(databaseOf(clone))).toBe(before);
});

test('how to untrack a memory names its files, and no folder that holds others', async () => {
  const owner = user();
  const config = 'version: 1\nhistory:\n  database: my memory.db\n';
  const root = project({ 'readme.md': 'a project\n', 'argus.yaml': config });
  await failedRun(root, owner);
  const clone = cloneOf(root);
  const { stdout } = await argus(['doctor', '--project', clone], { env: user() });
  expect(stdout).toMatch(/git rm -r --cached 'my memory\.db'(?: 'my memory\.db[\w.-]+')*, then argus adopt/u);
});

test('ARGUS_ADOPT counts in CI, for run and import alone', async () => {
  const copy = unpacked(await strangersProject());
  const owner = user();
  expect((await failedRun(copy, { ...owner, ARGUS_ADOPT: '1' })).known, 'this is no CI').toBeNull();
  expect((await failedRun(copy, { ...owner, ARGUS_ADOPT: '1', CI: 'false' })).known).toBeNull();
  const env = { ...owner, ARGUS_ADOPT: '1', CI: 'true' };
  expect(await data(['patterns', '--source', 'learned'], copy, env)).toMatchObject({ total: 0 });
  expect((await argus(['doctor', '--project', copy], { env })).stdout).toContain('Foreign memory: ');
  expect((await failedRun(copy, env)).known).toMatchObject({ suggestedFix: HOSTILE });
  expect((await failedRun(copy, owner)).known, 'from then on it is the user’s own').toMatchObject({
    suggestedFix: HOSTILE,
  });
});

test.runIf(isPosix)('only the owner can access files, including files that an earlier version left open', async () => {
  const owner = user();
  const root = await learned(owner);
  const folder = path.join(root, '.argus');
  const files = () => readdirSync(folder).map((name) => [name, modeOf(path.join(folder, name)).toString(8)]);
  expect(modeOf(folder).toString(8)).toBe('700');
  expect(files().filter(([, mode]) => mode !== '600')).toEqual([]);
  for (const [name = ''] of files()) chmodSync(path.join(folder, name), 0o644);
  chmodSync(folder, 0o755);
  await failedRun(root, owner);
  expect(modeOf(folder).toString(8)).toBe('700');
  expect(files().filter(([name, mode]) => mode !== '600' && name !== '.gitignore')).toEqual([]);
  const memories = path.join(owner.XDG_DATA_HOME ?? '', 'argus', 'memories');
  expect(readdirSync(memories).map((name) => modeOf(path.join(memories, name)))).toEqual([0o600]);
});

test.runIf(isPosix && isRoot)('a memory of another user of the machine is foreign', async () => {
  const owner = user();
  const root = await learned(owner);
  chownSync(databaseOf(root), OTHER_UID, OTHER_UID);
  const before = bytesOf(databaseOf(root));
  const run = await failedRun(root, owner);
  expect(run.known, 'although its id is known').toBeNull();
  expect(run.notes.join()).toMatch(/belongs to another user of this machine.*Make it yours with chown/u);
  expect(bytesOf(databaseOf(root))).toBe(before);

  // A folder on the way is enough: its owner may put any file there.
  const other = await learned(owner);
  chownSync(path.join(other, '.argus'), OTHER_UID, OTHER_UID);
  expect((await failedRun(other, owner)).known).toBeNull();
});

test.runIf(isPosix && isRoot)('another user may not look into a memory', async () => {
  const root = await learned(user());
  chmodSync(root, 0o755);
  const program = `try { require('fs').readdirSync(${JSON.stringify(path.join(root, '.argus'))}); } catch (e) { console.log(e.code); }`;
  const stranger = { uid: OTHER_UID, gid: OTHER_UID, cwd: '/', encoding: 'utf8' } as const;
  const { stdout } = spawnSync(process.execPath, ['-e', program], stranger);
  expect(stdout).toBe('EACCES\n');
});

test('a memory whose writer was killed in the middle is the user’s own still', async () => {
  const owner = user();
  const root = await learned(owner);
  // Pages are spilled into the file before the commit, which never comes.
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
  expect(await failedRun(root, owner)).toMatchObject({ known: OWN_FIX, notes: [] });
  expect(shell(databaseOf(root), 'SELECT count(*) FROM probes')).toBe('0');
});

test('a copy for others has no id', async () => {
  const owner = user();
  const root = await learned(owner);
  const id = shell(databaseOf(root), 'SELECT id FROM memory');
  expect(id).toMatch(/^mem-/u);
  const page = path.join(project(), 'page.html');
  expect((await argus(['view', '--export', page, '--project', root], { env: owner })).status).toBe(0);
  const html = readFileSync(page, 'utf8');
  expect(html.includes(id) || html.includes(Buffer.from(id).toString('base64').slice(4, -4))).toBe(false);
  if (isPosix) expect(modeOf(page)).toBe(0o600);
});

test('shows who recorded a fix, where and when', async () => {
  const owner = user();
  const root = await learned(owner);
  const { runId, caseName } = await failedRun(root, owner);
  const { fixHistory } = (await data(['diagnose', runId, caseName], root, owner)) as { fixHistory: object[] };
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
