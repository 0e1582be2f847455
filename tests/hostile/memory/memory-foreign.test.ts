/** A repository that brings a memory: it is shown as somebody else's, and nothing of it counts or is written. */

import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { argus } from '../../e2e/argus.ts';
import { type Agent, connect, ERAS, project } from '../../e2e/harness.ts';
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

async function agentOf(env: User, cwd?: string, era: (typeof ERAS)[number] = '2026-07-28'): Promise<Agent> {
  const agent = await connect(era, env, cwd);
  onTestFinished(() => agent.close());
  return agent;
}

/** Where the victim's own memory of a project lies, if not in it. */
function memoriesBeside({ XDG_DATA_HOME }: User): string[] {
  const projects = path.join(XDG_DATA_HOME ?? '', 'argus', 'projects');
  return existsSync(projects) ? readdirSync(projects).map((name) => path.join(projects, name)) : [];
}

for (const era of ERAS) {
  test(`a clone with a memory that knows a hostile fix for sure (${era})`, async () => {
    const clone = cloneOf(await strangersProject());
    const before = bytesOf(databaseOf(clone));
    const victim = user();
    const agent = await agentOf(victim, clone, era);
    const init = await agent.data('argus_init', { projectPath: clone });
    expect(init).toMatchObject({ memory: 'foreign', knownPatterns: 6 });
    expect(String(init.warnings)).toContain('git tracks');
    expect(init.databasePath).not.toContain(clone);

    const run = await agent.data('argus_run', { projectPath: clone, command: COMMAND });
    expect(run.failures).toMatchObject([{ known: null }]);
    const [{ caseName }] = run.failures as [{ caseName: string }];
    const diagnosis = await agent.data('argus_diagnose', { projectPath: clone, runId: run.runId, caseName });
    expect(diagnosis).toMatchObject({ pattern: null, suggestedFix: null, confidence: null, fixHistory: [] });
    expect(diagnosis.related).toMatchObject([{ memory: 'foreign', suggestedFix: HOSTILE, confidence: null }]);
    expect(String(diagnosis.warnings)).toContain('memory: foreign');

    const ranked = await agent.ask('ranked_solutions', { query_text: QUERY, env: {}, projectPath: clone });
    expect(ranked).toMatchObject({
      recommended_solution: null,
      next_action: { type: 'NO_MATCH_DEBUG_THEN_ADD_INCIDENT' },
      ranked_solutions: [{ memory: 'foreign', steps: HOSTILE, worked: 0, failed: 0 }],
    });

    const fix = { projectPath: clone, runId: run.runId, caseName, fixDescription: 'tuned it' };
    await agent.data('argus_report_fix', fix);
    const known = await agent.data('argus_diagnose', { projectPath: clone, runId: run.runId, caseName });
    expect(known).toMatchObject({ suggestedFix: 'tuned it', related: [] });
    expect(known.fixHistory).toMatchObject([{ recordedBy: 'argus-e2e 1.0.0' }]);
    expect(bytesOf(databaseOf(clone))).toBe(before);
    expect(git(clone, 'status', '--porcelain')).toBe('');
    expect(memoriesBeside(victim)).toHaveLength(1);
  });
}

test('an unpacked archive with a memory, which git knows nothing of', async () => {
  const copy = unpacked(await strangersProject());
  const before = bytesOf(databaseOf(copy));
  const listed = readdirSync(path.join(copy, '.argus')).sort();
  const victim = user();
  const run = await failedRun(copy, victim);
  expect(run.known).toBeNull();
  expect(run.notes.join()).toContain('was not made by this user on this machine');
  expect(await data(['diagnose', run.runId, run.caseName], copy, victim)).toMatchObject({ pattern: null });
  await data(['report-fix', run.runId, run.caseName, 'tuned it'], copy, victim);
  expect(await data(['diagnose', run.runId, run.caseName], copy, victim)).toMatchObject({ suggestedFix: 'tuned it' });
  expect(bytesOf(databaseOf(copy))).toBe(before);
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

test.each(['clone', 'archive'])('triggers and views in a memory are never run (%s)', async (kind) => {
  const root = await strangersProject();
  shell(
    databaseOf(root),
    `CREATE TRIGGER t AFTER INSERT ON runs BEGIN UPDATE patterns SET resolutions = occurrences; END;
     DROP TABLE probes; CREATE VIEW probes AS SELECT load_extension('/tmp/x') AS id;`,
  );
  const copy = kind === 'clone' ? cloneOf(root) : unpacked(root);
  const before = bytesOf(databaseOf(copy));
  const run = await failedRun(copy, user());
  expect(run.known).toBeNull();
  if (kind === 'archive') expect(run.notes.join()).toMatch(/^Not stored, .*nothing of it was run/u);
  expect(bytesOf(databaseOf(copy))).toBe(before);
});

test.each(['tracked', 'untracked'])('.argus as a link into another repository (%s)', async (kind) => {
  const other = project({ 'src/index.js': '1\n' });
  const root = project({ 'readme.md': 'a project\n' });
  symlinkSync(other, path.join(root, '.argus'));
  const copy = kind === 'tracked' ? cloneOf(root) : unpacked(root);
  const victim = user();
  const run = await failedRun(copy, victim);
  expect(run.notes.join()).toContain('.argus is a link that leads out of the project');
  expect(readdirSync(other)).toEqual(['src']);
  expect((await failedRun(copy, victim)).runId).not.toBe(run.runId);
  expect(await data(['history'], copy, victim)).toMatchObject({ total: 2 });
});

test('.argus as a link to a memory of the same user', async () => {
  const victim = user();
  const own = project();
  const { runId, caseName } = await failedRun(own, victim);
  await data(['report-fix', runId, caseName, 'tuned it'], own, victim);
  const before = bytesOf(databaseOf(own));
  const root = project();
  symlinkSync(path.join(own, '.argus'), path.join(root, '.argus'));
  expect((await failedRun(root, victim)).known).toBeNull();
  expect(bytesOf(databaseOf(own))).toBe(before);
});

test.each(['argus.db', 'argus.db-journal', 'argus.db.lockmode', '.gitignore'])(
  '%s as a link to a file of the user',
  async (name) => {
    const home = project({ secret: 'precious\n' });
    for (const target of [path.join(home, 'secret'), path.join(home, 'not-there-yet')]) {
      const root = project({ '.argus/readme': '' });
      symlinkSync(target, path.join(root, '.argus', name));
      await failedRun(root, user());
      expect(readdirSync(home)).toEqual(['secret']);
      expect(Buffer.from(bytesOf(path.join(home, 'secret')), 'base64').toString()).toBe('precious\n');
    }
  },
);

test('a file that git tracks is not made again where it is missing', async () => {
  const clone = cloneOf(await strangersProject());
  rmSync(databaseOf(clone));
  const victim = user();
  await failedRun(clone, victim);
  expect(existsSync(databaseOf(clone))).toBe(false);
  expect(git(clone, 'diff', '--name-only', '--diff-filter=M')).toBe('');
  expect(await data(['history'], clone, victim)).toMatchObject({ total: 1 });
});

test('a memory that a checkout puts in the place of the own one', async () => {
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
  const before = bytesOf(brought);
  rmSync(databaseOf(root));
  writeFileSync(databaseOf(root), Buffer.from(before, 'base64'));
  git(root, 'add', '-f', '.argus/argus.db');
  const after = await agent.data('argus_run', { projectPath: root, command: COMMAND });
  expect(after.failures).toMatchObject([{ known: null }]);
  expect(String(after.notes)).toContain('git tracks');
  expect(bytesOf(databaseOf(root))).toBe(before);
  expect(run.runId).not.toBe(after.runId);
});

test('a configuration of the repository does not lead out of the project', async () => {
  const outside = path.join(project(), 'memory.db');
  const yaml = (database: string) => `version: 1\nhistory:\n  database: ${database}\n`;
  const root = project({ 'argus.yaml': yaml(outside) });
  const victim = user();
  const refused = await argus(['run', '--project', root, '--json', COMMAND], { env: victim, cwd: root });
  expect(refused.status).toBe(2);
  expect(refused.stdout).toMatch(/CONFIG_INVALID.*argus.yaml:3: history.database: leads out of the project/u);
  const agent = await agentOf(victim, root);
  expect(await agent.error('argus_init', { projectPath: root })).toMatchObject({ code: 'CONFIG_INVALID' });
  const relative = project({ 'argus.yaml': yaml('../memory.db') });
  expect((await argus(['history', '--project', relative], { env: victim })).stderr).toContain('CONFIG_INVALID');
  expect(existsSync(outside)).toBe(false);

  // A configuration of the user's own may.
  const mine = path.join(project({ 'argus.yaml': yaml(outside) }), 'argus.yaml');
  expect((await failedRun(relative, victim, ['--config', mine])).notes).toEqual([]);
  expect(existsSync(outside)).toBe(true);
  // But not in the repository's words.
  const named = await argus(['history', '--project', relative, '--config', 'argus.yaml'], {
    env: victim,
    cwd: relative,
  });
  expect(named.stderr).toContain('CONFIG_INVALID');
});

test('a configuration of the repository beside the project does not lead out either', async () => {
  const victim = user();
  const own = project();
  await failedRun(own, victim);
  const before = bytesOf(databaseOf(own));
  const yaml = `version: 1\nhistory:\n  database: ${databaseOf(own)}\n`;
  const repository = project({ 'evil.yaml': yaml, 'pkg/readme.md': 'a package\n', 'other/readme.md': 'one more\n' });
  git(repository, 'init', '-q');
  const [linked, plain] = [path.join(repository, 'pkg'), path.join(repository, 'other')];
  symlinkSync('../evil.yaml', path.join(linked, 'argus.yaml'));
  const outside = path.join(project({ 'argus.yaml': yaml }), 'argus.yaml');
  symlinkSync(path.join(repository, 'evil.yaml'), path.join(path.dirname(outside), 'link.yaml'));

  const refused = async (args: string[], cwd: string) =>
    expect((await argus([...args, '--project', cwd], { env: victim, cwd })).stderr).toContain('CONFIG_INVALID');
  await refused(['history'], linked);
  await refused(['run', COMMAND], linked);
  await refused(['run', '--config', '../evil.yaml', COMMAND], plain);
  await refused(['run', '--config', path.join(path.dirname(outside), 'link.yaml'), COMMAND], plain);
  const agent = await agentOf(victim, plain);
  // An agent may have any of these names from the repository.
  for (const configFile of ['../evil.yaml', outside]) {
    expect(await agent.error('argus_init', { projectPath: plain, configFile })).toMatchObject({
      code: 'CONFIG_INVALID',
    });
  }
  expect(await agent.error('argus_init', { projectPath: linked })).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(bytesOf(databaseOf(own))).toBe(before);
  expect(await data(['history', '--config', outside], plain, victim)).toMatchObject({ total: 1 });
});

test('a crafted .git file borrows no memory', async () => {
  const victim = user();
  const own = project();
  git(own, 'init', '-q');
  const { runId, caseName } = await failedRun(own, victim);
  await data(['report-fix', runId, caseName, 'tuned it'], own, victim);
  const before = bytesOf(databaseOf(own));
  mkdirSync(path.join(own, '.git', 'worktrees', 'x'), { recursive: true });
  for (const target of [path.join(own, '.git'), path.join(own, '.git', 'worktrees', 'x')]) {
    const root = project({ '.git': `gitdir: ${target}\n` });
    expect((await failedRun(root, victim)).known).toBeNull();
    expect(await data(['history'], root, victim)).toMatchObject({ total: 1 });
  }
  expect(bytesOf(databaseOf(own))).toBe(before);
});

test('a server whose environment the repository sets adopts nothing', async () => {
  const copy = unpacked(await strangersProject());
  const before = bytesOf(databaseOf(copy));
  const agent = await agentOf({ ...user(), ARGUS_ADOPT: '1', CI: 'true' }, copy);
  expect(await agent.data('argus_init', { projectPath: copy })).toMatchObject({ memory: 'foreign' });
  await agent.data('argus_run', { projectPath: copy, command: COMMAND });
  expect(bytesOf(databaseOf(copy))).toBe(before);
});

test('a data folder that the repository brings is not believed', async () => {
  const root = project();
  const brought = { XDG_DATA_HOME: path.join(root, '.data'), LOCALAPPDATA: path.join(root, '.data') };
  const folder =
    process.platform === 'win32' ? path.join(root, '.data', 'argus', 'Data') : path.join(root, '.data', 'argus');
  // Made as that user would, elsewhere, and then moved into the project.
  const elsewhere = project();
  const stranger = { XDG_DATA_HOME: path.join(elsewhere, 'd'), LOCALAPPDATA: path.join(elsewhere, 'd') };
  const { runId, caseName } = await failedRun(root, stranger);
  await data(['report-fix', runId, caseName, HOSTILE], root, stranger);
  mkdirSync(path.dirname(folder), { recursive: true });
  const { cpSync } = await import('node:fs');
  cpSync(path.join(elsewhere, 'd', 'argus'), folder, { recursive: true });
  const before = bytesOf(databaseOf(root));
  const agent = await agentOf(brought, root);
  const init = await agent.data('argus_init', { projectPath: root });
  expect(init).toMatchObject({ memory: 'none' });
  expect(String(init.warnings)).toContain('lies inside the project');
  const run = await agent.data('argus_run', { projectPath: root, command: COMMAND });
  expect(run.failures).toMatchObject([{ known: null }]);
  expect(await agent.askError('ranked_solutions', { query_text: QUERY, env: {} })).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
  });
  expect(bytesOf(databaseOf(root))).toBe(before);
});
