/**
 * Repositories in which everything that can start a program is set to start one, which writes down its name.
 */

import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CHECK, git } from '../../e2e/fix-loop/fix-loop.ts';
import { project } from '../../e2e/harness.ts';
import { PROGRAM_SETTINGS } from '../git/git-settings.ts';

/** What the programs of a repository have written: their names, once each. */
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
  'applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge post-rewrite post-update pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg proc-receive push-to-checkout reference-transaction update sendemail-validate'.split(
    ' ',
  );

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

/** A commit with a signature that somebody has to check. */
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

/** Of the same size, so that only the content tells. */
export function change(root: string): void {
  writeFileSync(path.join(root, 'answer.txt'), 'abd\n');
  for (const name of ['notes.md', 'a.inc', 'a.wt']) writeFileSync(path.join(root, name), 'two\n');
  writeFileSync(path.join(root, 'check.js'), CHECK.replace('all is well', 'all is good'));
  writeFileSync(path.join(root, 'new.txt'), 'new\n');
}
