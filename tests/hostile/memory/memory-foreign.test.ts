/** A repository that contains a memory: Argus shows it as foreign, does not count it and does not write it. */

import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { type Agent, connect, project } from '../../e2e/harness.ts';
import {
  bytesOf,
  COMMAND,
  cloneOf,
  data,
  databaseOf,
  failedRun,
  git,
  HOSTILE,
  QUERY,
  shell,
  strangersProject,
  type User,
  unpacked,
  user,
} from '../git/strangers.ts';

async function agentOf(env: User, cwd: string): Promise<Agent> {
  const agent = await connect('2026-07-28', env, cwd);
  onTestFinished(() => agent.close());
  return agent;
}

/** A project with a fix that the victim recorded. */
async function ownProject(victim: User): Promise<string> {
  const own = project();
  const { runId, caseName } = await failedRun(own, victim);
  await data(['report-fix', runId, caseName, 'tuned it'], own, victim);
  return own;
}

/** Remembers the bytes of a file that must not change. Returns a function that checks them. */
function unchanged(file: string): () => void {
  const before = bytesOf(file);
  return () => expect(bytesOf(file)).toBe(before);
}

// Over 5 s, because it asks every tool and command about the foreign memory.
test('a clone with a memory that knows a hostile fix for sure', async () => {
  const clone = cloneOf(await strangersProject());
  const isAsBefore = unchanged(databaseOf(clone));
  const victim = user();
  const agent = await agentOf(victim, clone);
  const init = await agent.data('argus_init', { projectPath: clone });
  expect(init).toMatchObject({ memory: 'foreign', knownPatterns: 6 });
  expect(String(init.warnings)).toContain('git tracks');
  expect(init.databasePath).not.toContain(clone);

  const run = await agent.data('argus_run', { projectPath: clone, command: COMMAND });
  expect(run.failures).toMatchObject([{ known: null }]);
  const [{ caseName }] = run.failures as [{ caseName: string }];
  const failure = { projectPath: clone, runId: run.runId, caseName };
  const diagnosis = await agent.data('argus_diagnose', failure);
  expect(diagnosis).toMatchObject({ pattern: null, suggestedFix: null, confidence: null, fixHistory: [] });
  expect(diagnosis.related).toMatchObject([{ memory: 'foreign', suggestedFix: HOSTILE, confidence: null }]);
  expect(String(diagnosis.warnings)).toContain('memory: foreign');

  const ranked = await agent.ask('ranked_solutions', { query_text: QUERY, env: {}, projectPath: clone });
  expect(ranked).toMatchObject({
    recommended_solution: null,
    next_action: { type: 'NO_MATCH_DEBUG_THEN_ADD_INCIDENT' },
    ranked_solutions: [{ memory: 'foreign', steps: HOSTILE, worked: 0, failed: 0 }],
  });

  await agent.data('argus_report_fix', { ...failure, fixDescription: 'tuned it' });
  const known = await agent.data('argus_diagnose', failure);
  expect(known).toMatchObject({ suggestedFix: 'tuned it', related: [] });
  expect(known.fixHistory).toMatchObject([{ recordedBy: 'argus-e2e 1.0.0' }]);
  isAsBefore();
  expect(git(clone, 'status', '--porcelain')).toBe('');
  expect(readdirSync(path.join(victim.XDG_DATA_HOME ?? '', 'argus', 'projects'))).toHaveLength(1);
});

test('an unpacked archive with a memory and without git', async () => {
  const copy = unpacked(await strangersProject());
  const isAsBefore = unchanged(databaseOf(copy));
  const listed = readdirSync(path.join(copy, '.argus')).sort();
  const victim = user();
  const run = await failedRun(copy, victim);
  expect(run.known).toBeNull();
  expect(run.notes.join()).toContain('was not made by this user on this machine');
  expect(await data(['diagnose', run.runId, run.caseName], copy, victim)).toMatchObject({ pattern: null });
  await data(['report-fix', run.runId, run.caseName, 'tuned it'], copy, victim);
  expect(await data(['diagnose', run.runId, run.caseName], copy, victim)).toMatchObject({ suggestedFix: 'tuned it' });
  isAsBefore();
  expect(readdirSync(path.join(copy, '.argus')).sort()).toEqual(listed);
});

test('texts of a foreign memory are made fit to be shown', async () => {
  const root = await strangersProject();
  const hidden = "char(27)||'[2J'||char(0x200b)||'ghp_'||'0123456789abcdefghijABCDEFGHIJ012345'";
  shell(
    databaseOf(root),
    `UPDATE solutions SET steps = ${hidden}, env = '{"x":"y"}'; UPDATE incidents SET id = id || char(10) || char(27), title = 'one' || char(10) || 'two'`,
  );
  const ranked = await argus(['solutions', QUERY, '--project', unpacked(root), '--json'], { env: user() });
  expect(ranked.stdout).toContain('"memory":"foreign"');
  expect(ranked.stdout).not.toMatch(/\\u001b|\u200b|ghp_0123|"x":"y"|one\\ntwo/u);
});

const SCHEMA_THAT_RUNS = `
  CREATE TRIGGER t AFTER INSERT ON runs BEGIN UPDATE patterns SET resolutions = occurrences; END;
  DROP TABLE probes; CREATE VIEW probes AS SELECT load_extension('/tmp/x') AS id;`;

test.each([
  ['clone', cloneOf, /git tracks/u],
  ['archive', unpacked, /^Not stored, .*nothing of it was run/u],
])('triggers and views in a memory are never run (%s)', async (_, bring, note) => {
  const root = await strangersProject();
  shell(databaseOf(root), SCHEMA_THAT_RUNS);
  const copy = bring(root);
  const isAsBefore = unchanged(databaseOf(copy));
  const { known, notes } = await failedRun(copy, user());
  expect({ known, notes }).toEqual({ known: null, notes: [expect.stringMatching(note)] });
  isAsBefore();
});

test.each([
  ['tracked', cloneOf],
  ['untracked', unpacked],
])('.argus as a link into another repository (%s)', async (_, bring) => {
  const other = project({ 'src/index.js': '1\n' });
  const root = project({ 'readme.md': 'a project\n' });
  symlinkSync(other, path.join(root, '.argus'));
  const copy = bring(root);
  const victim = user();
  const run = await failedRun(copy, victim);
  expect(run.notes.join()).toContain('.argus is a link that leads out of the project');
  expect(readdirSync(other)).toEqual(['src']);
  expect((await failedRun(copy, victim)).runId).not.toBe(run.runId);
  expect(await data(['history'], copy, victim)).toMatchObject({ total: 2 });
});

test.each<[name: string, make: (root: string, own: string) => void]>([
  ['.argus is a link', (root, own) => symlinkSync(path.join(own, '.argus'), path.join(root, '.argus'))],
  ['.git names the repository', (root, own) => nameGit(root, path.join(own, '.git'))],
  ['.git names a work tree', (root, own) => nameGit(root, path.join(own, '.git', 'worktrees', 'x'))],
])('a memory of the same user in another project stays there where %s', async (_, make) => {
  const victim = user();
  const own = await ownProject(victim);
  git(own, 'init', '-q');
  mkdirSync(path.join(own, '.git', 'worktrees', 'x'), { recursive: true });
  const isAsBefore = unchanged(databaseOf(own));
  const root = project();
  make(root, own);
  expect((await failedRun(root, victim)).known).toBeNull();
  expect(await data(['history'], root, victim)).toMatchObject({ total: 1 });
  isAsBefore();
});

function nameGit(root: string, gitFolder: string): void {
  writeFileSync(path.join(root, '.git'), `gitdir: ${gitFolder}\n`);
}

test.each(['argus.db', 'argus.db-journal', 'argus.db.lockmode', '.gitignore'])('%s as a link', async (name) => {
  const home = project({ secret: 'precious\n' });
  for (const target of ['secret', 'not-there-yet']) {
    const root = project({ '.argus/readme': '' });
    symlinkSync(path.join(home, target), path.join(root, '.argus', name));
    await failedRun(root, user());
    expect(readdirSync(home)).toEqual(['secret']);
    expect(readFileSync(path.join(home, 'secret'), 'utf8')).toBe('precious\n');
  }
});

test('does not recreate a missing file that git tracks', async () => {
  const clone = cloneOf(await strangersProject());
  rmSync(databaseOf(clone));
  const victim = user();
  await failedRun(clone, victim);
  expect(existsSync(databaseOf(clone))).toBe(false);
  expect(git(clone, 'diff', '--name-only', '--diff-filter=M')).toBe('');
  expect(await data(['history'], clone, victim)).toMatchObject({ total: 1 });
});

test('a checkout that replaces the memory of the user', async () => {
  const root = project({ 'readme.md': 'a project\n' });
  git(root, 'init', '-q');
  git(root, 'add', 'readme.md');
  git(root, 'commit', '-q', '-m', 'one');
  const victim = user();
  const agent = await agentOf(victim, root);
  expect(await agent.data('argus_init', { projectPath: root })).toMatchObject({ memory: 'new' });
  const run = await agent.data('argus_run', { projectPath: root, command: COMMAND });
  expect(await agent.data('argus_init', { projectPath: root })).toMatchObject({ memory: 'own' });
  const brought = databaseOf(await strangersProject());
  rmSync(databaseOf(root));
  copyFileSync(brought, databaseOf(root));
  const isAsBefore = unchanged(databaseOf(root));
  git(root, 'add', '-f', '.argus/argus.db');
  const after = await agent.data('argus_run', { projectPath: root, command: COMMAND });
  expect(after.failures).toMatchObject([{ known: null }]);
  expect(String(after.notes)).toContain('git tracks');
  isAsBefore();
  expect(run.runId).not.toBe(after.runId);
});

const withDatabase = (database: string) => `version: 1\nhistory:\n  database: ${database}\n`;

async function expectRefused(env: User, cwd: string, ...args: string[]): Promise<void> {
  const { status, stderr } = await argus([...args, '--project', cwd], { env, cwd });
  expect({ status, stderr }, args.join(' ')).toEqual({ status: 2, stderr: expect.stringContaining('CONFIG_INVALID') });
}

test('only a configuration of the user may lead out of the project', async () => {
  const outside = path.join(project(), 'memory.db');
  const root = project({ 'argus.yaml': withDatabase(outside) });
  const victim = user();
  const { stdout } = await argus(['run', '--project', root, '--json', COMMAND], { env: victim, cwd: root });
  expect(stdout).toMatch(/CONFIG_INVALID.*argus.yaml:3: history.database: leads out of the project/u);
  const agent = await agentOf(victim, root);
  expect((await agent.error('argus_init', { projectPath: root })).code).toBe('CONFIG_INVALID');
  const relative = project({ 'argus.yaml': withDatabase('../memory.db') });
  await expectRefused(victim, relative, 'history');
  // The user names this file, but its content is the repository's.
  await expectRefused(victim, relative, 'history', '--config', 'argus.yaml');
  expect(existsSync(outside)).toBe(false);

  const mine = path.join(project({ 'argus.yaml': withDatabase(outside) }), 'argus.yaml');
  expect((await failedRun(relative, victim, ['--config', mine])).notes).toEqual([]);
  expect(existsSync(outside)).toBe(true);
});

test('a configuration of the repository beside the project does not lead out either', async () => {
  const victim = user();
  const own = await ownProject(victim);
  const isAsBefore = unchanged(databaseOf(own));
  const yaml = withDatabase(databaseOf(own));
  const repository = project({ 'evil.yaml': yaml, 'pkg/readme.md': 'a package\n', 'other/readme.md': 'one more\n' });
  git(repository, 'init', '-q');
  const [linked, plain] = [path.join(repository, 'pkg'), path.join(repository, 'other')];
  symlinkSync('../evil.yaml', path.join(linked, 'argus.yaml'));
  const outside = project({ 'argus.yaml': yaml });
  symlinkSync(path.join(repository, 'evil.yaml'), path.join(outside, 'link.yaml'));

  await expectRefused(victim, linked, 'history');
  await expectRefused(victim, linked, 'run', COMMAND);
  await expectRefused(victim, plain, 'run', '--config', '../evil.yaml', COMMAND);
  await expectRefused(victim, plain, 'run', '--config', path.join(outside, 'link.yaml'), COMMAND);
  const agent = await agentOf(victim, plain);
  // An agent may have taken any of these names from the repository.
  for (const init of [
    { projectPath: plain, configFile: '../evil.yaml' },
    { projectPath: plain, configFile: path.join(outside, 'argus.yaml') },
    { projectPath: linked },
  ])
    expect((await agent.error('argus_init', init)).code).toBe('CONFIG_INVALID');
  isAsBefore();
  const listed = await data(['history', '--config', path.join(outside, 'argus.yaml')], plain, victim);
  expect(listed).toMatchObject({ total: 1 });
});

test('a server whose environment the repository sets adopts nothing', async () => {
  const copy = unpacked(await strangersProject());
  const isAsBefore = unchanged(databaseOf(copy));
  const agent = await agentOf({ ...user(), ARGUS_ADOPT: '1', CI: 'true' }, copy);
  expect(await agent.data('argus_init', { projectPath: copy })).toMatchObject({ memory: 'foreign' });
  await agent.data('argus_run', { projectPath: copy, command: COMMAND });
  isAsBefore();
});

test('a data folder that the repository brings is not believed', async () => {
  const dataIn = (folder: string) => ({ XDG_DATA_HOME: folder, LOCALAPPDATA: folder });
  const root = project();
  // The stranger recorded with a data folder elsewhere, and then moved it into the project.
  const [elsewhere, brought] = [path.join(project(), 'd'), path.join(root, '.data')];
  const stranger = dataIn(elsewhere);
  const { runId, caseName } = await failedRun(root, stranger);
  await data(['report-fix', runId, caseName, HOSTILE], root, stranger);
  cpSync(elsewhere, brought, { recursive: true });
  const isAsBefore = unchanged(databaseOf(root));
  const agent = await agentOf(dataIn(brought), root);
  const init = await agent.data('argus_init', { projectPath: root });
  expect(init).toMatchObject({ memory: 'none' });
  expect(String(init.warnings)).toContain('lies inside the project');
  const run = await agent.data('argus_run', { projectPath: root, command: COMMAND });
  expect(run.failures).toMatchObject([{ known: null }]);
  const { code } = await agent.askError('ranked_solutions', { query_text: QUERY, env: {} });
  expect(code).toBe('DATABASE_UNAVAILABLE');
  isAsBefore();
});
