/** A repository that contains a memory: Argus shows the memory as foreign, does not count it and does not write it. */

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
import { type Agent, connect, createProject } from '../../e2e/harness.ts';
import {
  cloneWithEverything,
  copyAsArchive,
  copyStrangersProject,
  createUserEnvironment,
  databaseOf,
  FAILING_COMMAND,
  HOSTILE_FIX,
  POOL_QUERY,
  readBytes,
  readCommandData,
  recordFailedRun,
  runGit,
  runSql,
  type UserEnvironment,
} from '../git/strangers.ts';

async function connectAgent(env: UserEnvironment, cwd: string): Promise<Agent> {
  const agent = await connect('2026-07-28', env, cwd);
  onTestFinished(() => agent.close());
  return agent;
}

/** Creates a project with a fix that the victim recorded. */
async function createOwnProject(victim: UserEnvironment): Promise<string> {
  const own = createProject();
  const { runId, caseName } = await recordFailedRun(own, victim);
  await readCommandData(['report-fix', runId, caseName, 'tuned it'], own, victim);
  return own;
}

/** Returns a function that checks that a file still has the same bytes. */
function expectUnchangedLater(file: string): () => void {
  const before = readBytes(file);
  return () => expect(readBytes(file)).toBe(before);
}

// Takes over 5 s, because it asks every tool and command about the foreign memory.
test('a clone with a hostile fix that its memory calls proved shows it as foreign', async () => {
  const clone = cloneWithEverything(await copyStrangersProject());
  const isAsBefore = expectUnchangedLater(databaseOf(clone));
  const victim = createUserEnvironment();
  const agent = await connectAgent(victim, clone);
  const init = await agent.data('argus_init', { projectPath: clone });
  expect(init).toMatchObject({ memory: 'foreign', knownPatterns: 6 });
  expect(String(init.warnings)).toContain('git tracks');
  expect(init.databasePath).not.toContain(clone);

  const run = await agent.data('argus_run', { projectPath: clone, command: FAILING_COMMAND });
  expect(run.failures).toMatchObject([{ known: null }]);
  const [{ caseName }] = run.failures as [{ caseName: string }];
  const failure = { projectPath: clone, runId: run.runId, caseName };
  const diagnosis = await agent.data('argus_diagnose', failure);
  expect(diagnosis).toMatchObject({ pattern: null, suggestedFix: null, confidence: null, fixHistory: [] });
  expect(diagnosis.related).toMatchObject([{ memory: 'foreign', suggestedFix: HOSTILE_FIX, confidence: null }]);
  expect(String(diagnosis.warnings)).toContain('memory: foreign');

  const ranked = await agent.ask('ranked_solutions', { query_text: POOL_QUERY, env: {}, projectPath: clone });
  expect(ranked).toMatchObject({
    recommended_solution: null,
    next_action: { type: 'NO_MATCH_DEBUG_THEN_ADD_INCIDENT' },
    ranked_solutions: [{ memory: 'foreign', steps: HOSTILE_FIX, worked: 0, failed: 0 }],
  });

  await agent.data('argus_report_fix', { ...failure, fixDescription: 'tuned it' });
  const known = await agent.data('argus_diagnose', failure);
  expect(known).toMatchObject({ suggestedFix: 'tuned it', related: [] });
  expect(known.fixHistory).toMatchObject([{ recordedBy: 'argus-e2e 1.0.0' }]);
  isAsBefore();
  expect(runGit(clone, 'status', '--porcelain')).toBe('');
  expect(readdirSync(path.join(victim.XDG_DATA_HOME ?? '', 'argus', 'projects'))).toHaveLength(1);
});

test('a memory in an unpacked archive without git is foreign', async () => {
  const copy = copyAsArchive(await copyStrangersProject());
  const isAsBefore = expectUnchangedLater(databaseOf(copy));
  const listed = readdirSync(path.join(copy, '.argus')).sort();
  const victim = createUserEnvironment();
  const run = await recordFailedRun(copy, victim);
  expect(run.known).toBeNull();
  expect(run.notes.join()).toContain('was not made by this user on this machine');
  expect(await readCommandData(['diagnose', run.runId, run.caseName], copy, victim)).toMatchObject({ pattern: null });
  await readCommandData(['report-fix', run.runId, run.caseName, 'tuned it'], copy, victim);
  expect(await readCommandData(['diagnose', run.runId, run.caseName], copy, victim)).toMatchObject({
    suggestedFix: 'tuned it',
  });
  isAsBefore();
  expect(readdirSync(path.join(copy, '.argus')).sort()).toEqual(listed);
});

test('the texts of a foreign memory are sanitized', async () => {
  const root = await copyStrangersProject();
  const hidden = "char(27)||'[2J'||char(0x200b)||'ghp_'||'0123456789abcdefghijABCDEFGHIJ012345'";
  runSql(
    databaseOf(root),
    `UPDATE solutions SET steps = ${hidden}, env = '{"x":"y"}'; UPDATE incidents SET id = id || char(10) || char(27), title = 'one' || char(10) || 'two'`,
  );
  const ranked = await argus(['solutions', POOL_QUERY, '--project', copyAsArchive(root), '--json'], {
    env: createUserEnvironment(),
  });
  expect(ranked.stdout).toContain('"memory":"foreign"');
  expect(ranked.stdout).not.toMatch(/\\u001b|\u200b|ghp_0123|"x":"y"|one\\ntwo/u);
});

const HOSTILE_SCHEMA = `
  CREATE TRIGGER t AFTER INSERT ON runs BEGIN UPDATE patterns SET resolutions = occurrences; END;
  DROP TABLE probes; CREATE VIEW probes AS SELECT load_extension('/tmp/x') AS id;`;

test.each([
  ['clone', cloneWithEverything, /git tracks/u],
  ['archive', copyAsArchive, /^Not stored, .*none of it was run/u],
])('triggers and views in a memory are never run (%s)', async (_, bring, note) => {
  const root = await copyStrangersProject();
  runSql(databaseOf(root), HOSTILE_SCHEMA);
  const copy = bring(root);
  const isAsBefore = expectUnchangedLater(databaseOf(copy));
  const { known, notes } = await recordFailedRun(copy, createUserEnvironment());
  expect({ known, notes }).toEqual({ known: null, notes: [expect.stringMatching(note)] });
  isAsBefore();
});

test.each([
  ['tracked', cloneWithEverything],
  ['untracked', copyAsArchive],
])('.argus as a link into another repository (%s)', async (_, bring) => {
  const other = createProject({ 'src/index.js': '1\n' });
  const root = createProject({ 'readme.md': 'a project\n' });
  symlinkSync(other, path.join(root, '.argus'));
  const copy = bring(root);
  const victim = createUserEnvironment();
  const run = await recordFailedRun(copy, victim);
  expect(run.notes.join()).toContain('.argus is a link that points outside the project');
  expect(readdirSync(other)).toEqual(['src']);
  expect((await recordFailedRun(copy, victim)).runId).not.toBe(run.runId);
  expect(await readCommandData(['history'], copy, victim)).toMatchObject({ total: 2 });
});

test.each<[name: string, make: (root: string, own: string) => void]>([
  ['.argus is a link', (root, own) => symlinkSync(path.join(own, '.argus'), path.join(root, '.argus'))],
  ['.git names the repository', (root, own) => pointToGitFolder(root, path.join(own, '.git'))],
  ['.git names a work tree', (root, own) => pointToGitFolder(root, path.join(own, '.git', 'worktrees', 'x'))],
])('a memory of the same user in another project stays there where %s', async (_, make) => {
  const victim = createUserEnvironment();
  const own = await createOwnProject(victim);
  runGit(own, 'init', '-q');
  mkdirSync(path.join(own, '.git', 'worktrees', 'x'), { recursive: true });
  const isAsBefore = expectUnchangedLater(databaseOf(own));
  const root = createProject();
  make(root, own);
  expect((await recordFailedRun(root, victim)).known).toBeNull();
  expect(await readCommandData(['history'], root, victim)).toMatchObject({ total: 1 });
  isAsBefore();
});

function pointToGitFolder(root: string, gitFolder: string): void {
  writeFileSync(path.join(root, '.git'), `gitdir: ${gitFolder}\n`);
}

test.each(['argus.db', 'argus.db-journal', 'argus.db.lockmode', '.gitignore'])('%s as a link', async (name) => {
  const home = createProject({ secret: 'precious\n' });
  for (const target of ['secret', 'not-there-yet']) {
    const root = createProject({ '.argus/readme': '' });
    symlinkSync(path.join(home, target), path.join(root, '.argus', name));
    await recordFailedRun(root, createUserEnvironment());
    expect(readdirSync(home)).toEqual(['secret']);
    expect(readFileSync(path.join(home, 'secret'), 'utf8')).toBe('precious\n');
  }
});

test('a missing file that git tracks is not created again', async () => {
  const clone = cloneWithEverything(await copyStrangersProject());
  rmSync(databaseOf(clone));
  const victim = createUserEnvironment();
  await recordFailedRun(clone, victim);
  expect(existsSync(databaseOf(clone))).toBe(false);
  expect(runGit(clone, 'diff', '--name-only', '--diff-filter=M')).toBe('');
  expect(await readCommandData(['history'], clone, victim)).toMatchObject({ total: 1 });
});

test('a checkout that replaces the memory of the user', async () => {
  const root = createProject({ 'readme.md': 'a project\n' });
  runGit(root, 'init', '-q');
  runGit(root, 'add', 'readme.md');
  runGit(root, 'commit', '-q', '-m', 'one');
  const victim = createUserEnvironment();
  const agent = await connectAgent(victim, root);
  expect(await agent.data('argus_init', { projectPath: root })).toMatchObject({ memory: 'new' });
  const run = await agent.data('argus_run', { projectPath: root, command: FAILING_COMMAND });
  expect(await agent.data('argus_init', { projectPath: root })).toMatchObject({ memory: 'own' });
  const brought = databaseOf(await copyStrangersProject());
  rmSync(databaseOf(root));
  copyFileSync(brought, databaseOf(root));
  const isAsBefore = expectUnchangedLater(databaseOf(root));
  runGit(root, 'add', '-f', '.argus/argus.db');
  const after = await agent.data('argus_run', { projectPath: root, command: FAILING_COMMAND });
  expect(after.failures).toMatchObject([{ known: null }]);
  expect(String(after.notes)).toContain('git tracks');
  isAsBefore();
  expect(run.runId).not.toBe(after.runId);
});

const configWithDatabase = (database: string) => `version: 1\nhistory:\n  database: ${database}\n`;

async function expectRefused(env: UserEnvironment, cwd: string, ...args: string[]): Promise<void> {
  const { status, stderr } = await argus([...args, '--project', cwd], { env, cwd });
  expect({ status, stderr }, args.join(' ')).toEqual({ status: 2, stderr: expect.stringContaining('CONFIG_INVALID') });
}

test('only a configuration of the user may put the memory outside of the project', async () => {
  const outside = path.join(createProject(), 'memory.db');
  const root = createProject({ 'argus.yaml': configWithDatabase(outside) });
  const victim = createUserEnvironment();
  const { stdout } = await argus(['run', '--project', root, '--json', FAILING_COMMAND], { env: victim, cwd: root });
  expect(stdout).toMatch(/CONFIG_INVALID.*argus.yaml:3: history.database: points outside the project/u);
  const agent = await connectAgent(victim, root);
  expect((await agent.error('argus_init', { projectPath: root })).code).toBe('CONFIG_INVALID');
  const relative = createProject({ 'argus.yaml': configWithDatabase('../memory.db') });
  await expectRefused(victim, relative, 'history');
  // The user named this file, but the repository determines its content.
  await expectRefused(victim, relative, 'history', '--config', 'argus.yaml');
  expect(existsSync(outside)).toBe(false);

  const mine = path.join(createProject({ 'argus.yaml': configWithDatabase(outside) }), 'argus.yaml');
  expect((await recordFailedRun(relative, victim, ['--config', mine])).notes).toEqual([]);
  expect(existsSync(outside)).toBe(true);
});

test('a configuration elsewhere in the repository may not put the memory outside of the project', async () => {
  const victim = createUserEnvironment();
  const own = await createOwnProject(victim);
  const isAsBefore = expectUnchangedLater(databaseOf(own));
  const yaml = configWithDatabase(databaseOf(own));
  const repository = createProject({
    'evil.yaml': yaml,
    'pkg/readme.md': 'a package\n',
    'other/readme.md': 'one more\n',
  });
  runGit(repository, 'init', '-q');
  const [linked, plain] = [path.join(repository, 'pkg'), path.join(repository, 'other')];
  symlinkSync('../evil.yaml', path.join(linked, 'argus.yaml'));
  const outside = createProject({ 'argus.yaml': yaml });
  symlinkSync(path.join(repository, 'evil.yaml'), path.join(outside, 'link.yaml'));

  await expectRefused(victim, linked, 'history');
  await expectRefused(victim, linked, 'run', FAILING_COMMAND);
  await expectRefused(victim, plain, 'run', '--config', '../evil.yaml', FAILING_COMMAND);
  await expectRefused(victim, plain, 'run', '--config', path.join(outside, 'link.yaml'), FAILING_COMMAND);
  const agent = await connectAgent(victim, plain);
  // An agent may have taken any of these names from the repository.
  for (const init of [
    { projectPath: plain, configFile: '../evil.yaml' },
    { projectPath: plain, configFile: path.join(outside, 'argus.yaml') },
    { projectPath: linked },
  ])
    expect((await agent.error('argus_init', init)).code).toBe('CONFIG_INVALID');
  isAsBefore();
  const listed = await readCommandData(['history', '--config', path.join(outside, 'argus.yaml')], plain, victim);
  expect(listed).toMatchObject({ total: 1 });
});

test('a server does not adopt a foreign memory if the repository sets its environment', async () => {
  const copy = copyAsArchive(await copyStrangersProject());
  const isAsBefore = expectUnchangedLater(databaseOf(copy));
  const agent = await connectAgent({ ...createUserEnvironment(), ARGUS_ADOPT: '1', CI: 'true' }, copy);
  expect(await agent.data('argus_init', { projectPath: copy })).toMatchObject({ memory: 'foreign' });
  await agent.data('argus_run', { projectPath: copy, command: FAILING_COMMAND });
  isAsBefore();
});

test('a data folder that came with the repository is not trusted', async () => {
  const dataIn = (folder: string) => ({ XDG_DATA_HOME: folder, LOCALAPPDATA: folder });
  const root = createProject();
  // The stranger recorded with a data folder elsewhere, and then moved that folder into the project.
  const [elsewhere, brought] = [path.join(createProject(), 'd'), path.join(root, '.data')];
  const stranger = dataIn(elsewhere);
  const { runId, caseName } = await recordFailedRun(root, stranger);
  await readCommandData(['report-fix', runId, caseName, HOSTILE_FIX], root, stranger);
  cpSync(elsewhere, brought, { recursive: true });
  const isAsBefore = expectUnchangedLater(databaseOf(root));
  const agent = await connectAgent(dataIn(brought), root);
  const init = await agent.data('argus_init', { projectPath: root });
  expect(init).toMatchObject({ memory: 'none' });
  expect(String(init.warnings)).toContain('is inside the project');
  const run = await agent.data('argus_run', { projectPath: root, command: FAILING_COMMAND });
  expect(run.failures).toMatchObject([{ known: null }]);
  const { code } = await agent.askError('ranked_solutions', { query_text: POOL_QUERY, env: {} });
  expect(code).toBe('DATABASE_UNAVAILABLE');
  isAsBefore();
});
