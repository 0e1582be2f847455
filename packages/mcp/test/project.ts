/** Creates projects for the tests, with and without a repository. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const NOW = '2031-05-06T07:08:09.000Z';

/** Creates a repository with the given files. Nothing is committed. */
export function createProject(files: Record<string, string> = {}, name = 'orchard'): string {
  const root = createFolder({}, name);
  runGit(root, 'init', '-q', '-b', 'trunk');
  runGit(root, 'config', 'user.name', 'Rosa Quill');
  runGit(root, 'config', 'user.email', 'rosa@quill.test');
  runGit(root, 'config', 'commit.gpgsign', 'false');
  writeFiles(root, files);
  return root;
}

/** Creates a folder with the given files, without a repository. */
export function createFolder(files: Record<string, string> = {}, name = 'orchard'): string {
  const root = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-fix-'))), name);
  mkdirSync(root);
  writeFiles(root, files);
  return root;
}

export function writeFiles(root: string, files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
    if (/\.sh$|^bin\//u.test(file)) chmodSync(path.join(root, file), 0o755);
  }
}

export function runGit(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

export function commitAll(root: string, message: string): void {
  runGit(root, 'add', '-A');
  runGit(root, 'commit', '-q', '--allow-empty', '-m', message);
}
