/**
 * Repositories in which every setting that can start a program names a program that records its start, and checks that
 * Argus starts none of these programs.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { argus } from '../../e2e/argus.ts';
import { CHECK_SCRIPT, createRepository, runGit } from '../../e2e/fix-loop/fix-loop.ts';
import { connect, createEnvironment, createProject, type Data } from '../../e2e/harness.ts';
import { extractIds, writeFinishedRun } from './command-lines.ts';
import { PROGRAM_SETTINGS } from './git-settings.ts';

/** Collects the names of the programs that ran, without duplicates. */
export class StartedPrograms {
  readonly file = path.join(createProject(), 'ran');

  get names(): string[] {
    return existsSync(this.file) ? [...new Set(readFileSync(this.file, 'utf8').trim().split('\n'))].sort() : [];
  }

  clear(): void {
    rmSync(this.file, { force: true });
  }
}

const HOOK_NAMES =
  `applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge
post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg
proc-receive push-to-checkout reference-transaction update sendemail-validate`.split(/\s/u);

const GIT_ATTRIBUTES = `*.js filter=evil diff=evil merge=evil
*.txt filter=evil-process diff=evil
*.md filter=ev=il
*.inc filter=included
*.wt filter=worktree
`;

/** A file for each attribute, and a failing test. */
const TRAP_FILES = {
  'check.js': CHECK_SCRIPT,
  'answer.txt': 'bad\n',
  'notes.md': 'one\n',
  'a.inc': 'one\n',
  'a.wt': 'one\n',
  'setup.sh': '#!/bin/sh\nread -p "Name: " name\n',
  'report.xml': `<testsuite name="s"><testcase classname="s" name="t"><failure message="Error: no">at check.js:4</failure></testcase></testsuite>`,
};

/** Adds all program settings to a git folder, and the attributes to the git folder and its work tree. */
export function addProgramSettings(
  gitFolder: string,
  workTree: string,
  marker: StartedPrograms,
  leaveOut: readonly string[] = [],
): void {
  const programs = path.join(workTree, 'tools');
  mkdirSync(programs, { recursive: true });
  const program = (name: string) => {
    const file = path.join(programs, name.replaceAll(/\W+/gu, '-'));
    writeFileSync(file, `#!/bin/sh\necho '${name}' >> '${marker.file}'\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const config = path.join(gitFolder, 'config');
  for (const [name, { plant }] of Object.entries(PROGRAM_SETTINGS)) {
    if (leaveOut.includes(name)) continue;
    for (const [setting, value] of plant(program(name))) setGitSetting(config, setting, value);
  }
  setGitSetting(path.join(gitFolder, 'included-config'), 'filter.included.clean', program('included'));
  setGitSetting(path.join(gitFolder, 'config.worktree'), 'filter.worktree.clean', program('worktree'));
  for (const folder of ['hooks', 'evil-hooks']) {
    mkdirSync(path.join(gitFolder, folder), { recursive: true });
    for (const hook of HOOK_NAMES) {
      writeFileSync(path.join(gitFolder, folder, hook), readFileSync(program(`hook ${hook}`)), { mode: 0o755 });
    }
  }
  mkdirSync(path.join(gitFolder, 'info'), { recursive: true });
  appendFileSync(path.join(gitFolder, 'info/attributes'), GIT_ATTRIBUTES);
}

/** Adds a filter for all files. The filter's name may contain any bytes. */
export function addFilter(gitFolder: string, name: Buffer, marker: StartedPrograms): void {
  const line = (before: string, after: string) => Buffer.concat([Buffer.from(before), name, Buffer.from(after)]);
  const program = path.join(path.dirname(marker.file), 'filter');
  writeFileSync(program, `#!/bin/sh\necho filter >> '${marker.file}'\ncat\n`, { mode: 0o755 });
  appendFileSync(path.join(gitFolder, 'config'), line('[filter "', `"]\n\tclean = ${program}\n`));
  mkdirSync(path.join(gitFolder, 'info'), { recursive: true });
  appendFileSync(path.join(gitFolder, 'info/attributes'), line('* filter=', '\n'));
}

function setGitSetting(file: string, name: string, value: string): void {
  execFileSync('git', ['config', '--file', file, '--add', name, value], { stdio: 'pipe' });
}

/** Creates a repository with two commits, one of them signed, and changes that keep the size of files. */
export function createPlainRepository(): string {
  const root = createProject({
    ...TRAP_FILES,
    '.gitattributes': GIT_ATTRIBUTES,
    'check.js': CHECK_SCRIPT.replace('all is well', 'all is fine'),
  });
  runGit(root, 'init', '-q', '-b', 'main');
  runGit(root, 'add', '-A');
  runGit(root, 'commit', '-qm', 'cannot use answer from port: first');
  writeFileSync(path.join(root, 'check.js'), CHECK_SCRIPT);
  runGit(root, 'commit', '-qam', 'TypeError: cannot use answer from port');
  signCommit(root);
  return root;
}

/** Adds a signature to the commit, so that git starts a program to verify it. */
function signCommit(root: string): void {
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n';
  const commit = execFileSync('git', ['cat-file', 'commit', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const input = commit.replace(/^(committer .*\n)/mu, `$1${signature}`);
  const id = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    cwd: root,
    input,
    encoding: 'utf8',
  });
  runGit(root, 'reset', '-q', id.trim());
}

/** Changes files without changing their sizes, so that git has to compare their contents. */
export function changeFiles(root: string): void {
  writeFileSync(path.join(root, 'answer.txt'), 'abd\n');
  for (const name of ['notes.md', 'a.inc', 'a.wt']) writeFileSync(path.join(root, name), 'two\n');
  writeFileSync(path.join(root, 'check.js'), CHECK_SCRIPT.replace('all is well', 'all is good'));
  writeFileSync(path.join(root, 'new.txt'), 'new\n');
}

export interface TrapRepository {
  /** The folder in which Argus runs. */
  root: string;
  marker: StartedPrograms;
  /** Ordinary calls of plain git. */
  naive: string[];
  /** Programs that these calls start, possibly among others. */
  started: string[];
  /** True if Argus writes no loop there, because git does not report which files it tracks. */
  refusesLoops?: true;
}

/** Returns the programs that calls of plain git start. */
export function startPlainGit(
  root: string,
  marker: StartedPrograms,
  commands: readonly string[],
  env: Record<string, string> = {},
) {
  marker.clear();
  for (const command of commands) {
    const words = ['--no-pager', ...command.split(' ')];
    spawnSync('git', words, { cwd: root, env: createEnvironment(env), stdio: 'ignore' });
  }
  return marker.names;
}

export function createRepositoryTrap(): TrapRepository {
  const [root, marker] = [createPlainRepository(), new StartedPrograms()];
  addProgramSettings(path.join(root, '.git'), root, marker);
  changeFiles(root);
  const naive = ['status', 'diff', 'diff HEAD~1 HEAD', 'hash-object notes.md', 'blame check.js', 'log -1', 'add -A'];
  const drivers = ['diff.<driver>.command', 'diff.<driver>.textconv', 'gpg.program', 'hook reference-transaction'];
  const filters = [
    'filter.<driver>.clean',
    'filter.<driver>.process',
    'filter.<driver with =>.clean',
    'included',
    'worktree',
  ];
  const started = ['core.fsmonitor', ...drivers, ...filters];
  return { root, marker, naive: [...naive, 'update-ref refs/x HEAD'], started };
}

/**
 * Creates a submodule whose settings start programs. The settings of the outer repository only make git look into the
 * submodule.
 */
function createSubmoduleTrap(): TrapRepository {
  const [root, marker] = [createPlainRepository(), new StartedPrograms()];
  runGit(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', createPlainRepository(), 'sub');
  runGit(root, 'commit', '-qm', 'sub');
  for (const setting of ['submodule.recurse=true', 'diff.submodule=diff', 'status.submoduleSummary=true']) {
    const [name = '', value = ''] = setting.split('=');
    runGit(root, 'config', name, value);
  }
  runGit(path.join(root, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'newer');
  addProgramSettings(path.join(root, '.git/modules/sub'), path.join(root, 'sub'), marker, [
    'core.worktree',
    'include.path',
  ]);
  for (const folder of [root, path.join(root, 'sub')]) changeFiles(folder);
  return { root, marker, naive: ['status', 'add -A'], started: ['core.fsmonitor', 'included'] };
}

/** Creates a folder in an ordinary clone that has the form of a bare repository with a configured work tree. */
function createEmbeddedRepositoryTrap(): TrapRepository {
  const [inner, marker] = [createPlainRepository(), new StartedPrograms()];
  addProgramSettings(path.join(inner, '.git'), inner, marker);
  changeFiles(inner);
  const root = path.join(createRepository({ 'readme.txt': 'x\n' }), 'evil.git');
  cpSync(path.join(inner, '.git'), root, { recursive: true });
  for (const name of readdirSync(inner)) {
    if (name !== '.git') cpSync(path.join(inner, name), path.join(root, name), { recursive: true });
  }
  execFileSync('git', ['config', '--file', path.join(root, 'config'), 'core.worktree', '.'], { stdio: 'pipe' });
  return { root, marker, naive: ['status', 'add -A'], started: ['core.fsmonitor'], refusesLoops: true };
}

/** Creates a partial clone whose settings name the program that fetches missing objects. */
function createPartialCloneTrap(): TrapRepository {
  const [root, marker] = [createPlainRepository(), new StartedPrograms()];
  const blob = runGit(root, 'rev-parse', 'HEAD~1:check.js');
  const tree = runGit(root, 'rev-parse', 'HEAD~1^{tree}');
  addProgramSettings(path.join(root, '.git'), root, marker);
  for (const id of [blob, tree]) rmSync(path.join(root, '.git/objects', id.slice(0, 2), id.slice(2)));
  changeFiles(root);
  return { root, marker, naive: ['log -p', 'blame check.js'], started: ['remote.<name>.url'] };
}

export const TRAPS: readonly [string, () => TrapRepository][] = [
  ['its own settings and attributes', createRepositoryTrap],
  ['settings and attributes of a submodule', createSubmoduleTrap],
  ['a bare repository in a clone', createEmbeddedRepositoryTrap],
  ['a partial clone', createPartialCloneTrap],
];

/** Runs commands, and expects that no recording program starts. Returns the ids in the answers. */
export async function expectNoneStarted(
  { root, marker }: Pick<TrapRepository, 'root' | 'marker'>,
  lines: readonly string[][],
  env: Record<string, string> = {},
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  marker.clear();
  writeFinishedRun(root, { command: 'vitest', output: 'OrderError: the total is wrong' });
  for (const line of lines) {
    const args = line.map((word) => ids[word] ?? word);
    const { stdout, stderr } = await argus(args, { cwd: root, env });
    expect({ args, ran: marker.names }).toEqual({ args, ran: [] });
    expect(stdout + stderr, args.join(' ')).not.toContain('INTERNAL_ERROR');
    Object.assign(ids, extractIds(stdout));
  }
  return ids;
}

/** Calls every tool, and expects that no recording program starts. */
export async function expectNoneStartedOverMcp({ root, marker, refusesLoops }: TrapRepository): Promise<void> {
  marker.clear();
  const agent = await connect('2026-07-28', {}, root);
  const called = new Set<string>();
  const call = async (tool: string, args: Data = {}) => {
    const bare = !tool.startsWith('argus_');
    const answer = await (bare ? agent.ask : agent.data)(tool, { projectPath: root, ...args });
    called.add(tool);
    expect({ tool, ran: marker.names }).toEqual({ tool, ran: [] });
    return answer;
  };
  try {
    await call('argus_init');
    const { runId } = await call('argus_run', { command: 'node check.js' });
    await call('argus_import', { path: 'report.xml' });
    const { cases } = await call('argus_history', { runId });
    const { caseName } = firstFailureSchema.parse(cases);
    await call('argus_diagnose', { runId, caseName });
    await call('argus_report_fix', { runId, caseName, fixDescription: 'a better answer', success: true });
    await call('argus_patterns');
    await call('argus_tests');
    const problem = { command: 'node check.js', desired: 'well', backoff: 0 };
    if (refusesLoops) {
      const { message } = await agent.askError('fix_problem', { projectPath: root, ...problem });
      expect(message).toContain('cannot use bare repository');
      for (const tool of ['fix_problem', 'fix_attempt', 'fix_status']) called.add(tool);
    } else {
      const { loop } = await call('fix_problem', problem);
      writeFileSync(path.join(root, 'answer.txt'), 'good\n');
      await call('fix_attempt', { loop, fix: 'a better answer', approach: 'direct' });
      await call('fix_status', { loop });
    }
    await call('ranked_solutions', { query_text: 'TypeError: cannot use answer', env: {} });
    const incident = { title: 'unheard of', error_signature: 'zig: no zag', steps: 'turn it', worked: true, env: {} };
    const { incident_id, solution_id } = await call('add_incident', incident);
    await call('add_solution', { incident_id, steps: 'turn it twice', env: {} });
    await call('record_outcome', { solution_id, worked: true, env: {} });
    await agent.read(`argus://run/${runId}`);
    expect(marker.names).toEqual([]);
    const tools = z.array(z.looseObject({ name: z.string() })).parse(await agent.listTools());
    expect(
      tools.map(({ name }) => name).filter((name) => !called.has(name)),
      'call these too',
    ).toEqual([]);
  } finally {
    await agent.close();
  }
}

const firstFailureSchema = z
  .array(z.looseObject({ caseName: z.string() }))
  .transform(([first]) => ({ caseName: first?.caseName }));
