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
import { CHECK, git, repository } from '../../e2e/fix-loop/fix-loop.ts';
import { connect, type Data, environment, project } from '../../e2e/harness.ts';
import { endRun, idsIn } from './command-lines.ts';
import { PROGRAM_SETTINGS } from './git-settings.ts';

/** Collects the names of a repository's programs that ran, without duplicates. */
export class Marker {
  readonly file = path.join(project(), 'ran');

  get names(): string[] {
    return existsSync(this.file) ? [...new Set(readFileSync(this.file, 'utf8').trim().split('\n'))].sort() : [];
  }

  clear(): void {
    rmSync(this.file, { force: true });
  }
}

const HOOKS =
  `applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge
post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg
proc-receive push-to-checkout reference-transaction update sendemail-validate`.split(/\s/u);

const ATTRIBUTES = `*.js filter=evil diff=evil merge=evil
*.txt filter=evil-process diff=evil
*.md filter=ev=il
*.inc filter=included
*.wt filter=worktree
`;

/** Files that each attribute is for, and a failing test. */
const FILES = {
  'check.js': CHECK,
  'answer.txt': 'bad\n',
  'notes.md': 'one\n',
  'a.inc': 'one\n',
  'a.wt': 'one\n',
  'setup.sh': '#!/bin/sh\nread -p "Name: " name\n',
  'report.xml': `<testsuite name="s"><testcase classname="s" name="t"><failure message="Error: no">at check.js:4</failure></testcase></testsuite>`,
};

/** Sets everything in the settings of a git folder, and in the attributes of it and of its work tree. */
export function plant(gitFolder: string, workTree: string, marker: Marker, leaveOut: readonly string[] = []): void {
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
    for (const [setting, value] of plant(program(name))) set(config, setting, value);
  }
  set(path.join(gitFolder, 'included-config'), 'filter.included.clean', program('included'));
  set(path.join(gitFolder, 'config.worktree'), 'filter.worktree.clean', program('worktree'));
  for (const folder of ['hooks', 'evil-hooks']) {
    mkdirSync(path.join(gitFolder, folder), { recursive: true });
    for (const hook of HOOKS) {
      writeFileSync(path.join(gitFolder, folder, hook), readFileSync(program(`hook ${hook}`)), { mode: 0o755 });
    }
  }
  mkdirSync(path.join(gitFolder, 'info'), { recursive: true });
  appendFileSync(path.join(gitFolder, 'info/attributes'), ATTRIBUTES);
}

/** A filter for all files, by a name of any bytes. */
export function plantFilter(gitFolder: string, name: Buffer, marker: Marker): void {
  const line = (before: string, after: string) => Buffer.concat([Buffer.from(before), name, Buffer.from(after)]);
  const program = path.join(path.dirname(marker.file), 'filter');
  writeFileSync(program, `#!/bin/sh\necho filter >> '${marker.file}'\ncat\n`, { mode: 0o755 });
  appendFileSync(path.join(gitFolder, 'config'), line('[filter "', `"]\n\tclean = ${program}\n`));
  mkdirSync(path.join(gitFolder, 'info'), { recursive: true });
  appendFileSync(path.join(gitFolder, 'info/attributes'), line('* filter=', '\n'));
}

function set(file: string, name: string, value: string): void {
  execFileSync('git', ['config', '--file', file, '--add', name, value], { stdio: 'pipe' });
}

/** A repository with two commits, one of them signed, and changes that keep the size of files. */
export function plain(): string {
  const root = project({
    ...FILES,
    '.gitattributes': ATTRIBUTES,
    'check.js': CHECK.replace('all is well', 'all is fine'),
  });
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'cannot use answer from port: first');
  writeFileSync(path.join(root, 'check.js'), CHECK);
  git(root, 'commit', '-qam', 'TypeError: cannot use answer from port');
  sign(root);
  return root;
}

/** Adds a signature to the commit, so that git starts a program to verify it. */
function sign(root: string): void {
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n';
  const commit = execFileSync('git', ['cat-file', 'commit', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const input = commit.replace(/^(committer .*\n)/mu, `$1${signature}`);
  const id = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
    cwd: root,
    input,
    encoding: 'utf8',
  });
  git(root, 'reset', '-q', id.trim());
}

/** Changes files without changing their sizes, so that git has to compare their contents. */
export function change(root: string): void {
  writeFileSync(path.join(root, 'answer.txt'), 'abd\n');
  for (const name of ['notes.md', 'a.inc', 'a.wt']) writeFileSync(path.join(root, name), 'two\n');
  writeFileSync(path.join(root, 'check.js'), CHECK.replace('all is well', 'all is good'));
  writeFileSync(path.join(root, 'new.txt'), 'new\n');
}

export interface Trap {
  /** The folder in which Argus runs. */
  root: string;
  marker: Marker;
  /** Ordinary calls of git. */
  naive: string[];
  /** Programs that these start, at the least. */
  started: string[];
  /** Argus writes no loop there, because git does not report which files it tracks. */
  refusesLoops?: true;
}

/** The programs that a plain git starts. */
export function startedByGit(
  root: string,
  marker: Marker,
  commands: readonly string[],
  env: Record<string, string> = {},
) {
  marker.clear();
  for (const command of commands) {
    const words = ['--no-pager', ...command.split(' ')];
    spawnSync('git', words, { cwd: root, env: environment(env), stdio: 'ignore' });
  }
  return marker.names;
}

export function ofTheRepository(): Trap {
  const [root, marker] = [plain(), new Marker()];
  plant(path.join(root, '.git'), root, marker);
  change(root);
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

/** The settings of the outer repository only ask to look into the submodule; those of the submodule start programs. */
function ofSubmodule(): Trap {
  const [root, marker] = [plain(), new Marker()];
  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', plain(), 'sub');
  git(root, 'commit', '-qm', 'sub');
  for (const setting of ['submodule.recurse=true', 'diff.submodule=diff', 'status.submoduleSummary=true']) {
    const [name = '', value = ''] = setting.split('=');
    git(root, 'config', name, value);
  }
  git(path.join(root, 'sub'), 'commit', '-q', '--allow-empty', '-m', 'newer');
  plant(path.join(root, '.git/modules/sub'), path.join(root, 'sub'), marker, ['core.worktree', 'include.path']);
  for (const folder of [root, path.join(root, 'sub')]) change(folder);
  return { root, marker, naive: ['status', 'add -A'], started: ['core.fsmonitor', 'included'] };
}

/** A folder in an ordinary clone that has the form of a bare repository with a configured work tree. */
function ofEmbeddedRepository(): Trap {
  const [inner, marker] = [plain(), new Marker()];
  plant(path.join(inner, '.git'), inner, marker);
  change(inner);
  const root = path.join(repository({ 'readme.txt': 'x\n' }), 'evil.git');
  cpSync(path.join(inner, '.git'), root, { recursive: true });
  for (const name of readdirSync(inner)) {
    if (name !== '.git') cpSync(path.join(inner, name), path.join(root, name), { recursive: true });
  }
  execFileSync('git', ['config', '--file', path.join(root, 'config'), 'core.worktree', '.'], { stdio: 'pipe' });
  return { root, marker, naive: ['status', 'add -A'], started: ['core.fsmonitor'], refusesLoops: true };
}

/** A partial clone whose settings name the program that fetches missing objects. */
function ofPartialClone(): Trap {
  const [root, marker] = [plain(), new Marker()];
  const blob = git(root, 'rev-parse', 'HEAD~1:check.js');
  const tree = git(root, 'rev-parse', 'HEAD~1^{tree}');
  plant(path.join(root, '.git'), root, marker);
  for (const id of [blob, tree]) rmSync(path.join(root, '.git/objects', id.slice(0, 2), id.slice(2)));
  change(root);
  return { root, marker, naive: ['log -p', 'blame check.js'], started: ['remote.<name>.url'] };
}

export const TRAPS: readonly [string, () => Trap][] = [
  ['its own settings and attributes', ofTheRepository],
  ['those of a submodule', ofSubmodule],
  ['a bare repository in a clone', ofEmbeddedRepository],
  ['a partial clone', ofPartialClone],
];

/** Runs commands; none starts a program of the marker. Returns the ids that they answered. */
export async function expectNoneStarted(
  { root, marker }: Pick<Trap, 'root' | 'marker'>,
  lines: readonly string[][],
  env: Record<string, string> = {},
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  marker.clear();
  endRun(root, { command: 'vitest', output: 'OrderError: the total is wrong' });
  for (const line of lines) {
    const args = line.map((word) => ids[word] ?? word);
    const { stdout, stderr } = await argus(args, { cwd: root, env });
    expect({ args, ran: marker.names }).toEqual({ args, ran: [] });
    expect(stdout + stderr, args.join(' ')).not.toContain('INTERNAL_ERROR');
    Object.assign(ids, idsIn(stdout));
  }
  return ids;
}

/** Calls every tool; none starts a program. */
export async function expectNoneStartedOverMcp({ root, marker, refusesLoops }: Trap): Promise<void> {
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
    const { caseName } = named.parse(cases);
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

const named = z.array(z.looseObject({ caseName: z.string() })).transform(([first]) => ({ caseName: first?.caseName }));
