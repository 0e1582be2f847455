/** Projects for the tests, with and without a repository. */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const NOW = '2031-05-06T07:08:09.000Z';

/** Creates a repository with the given files. Nothing is committed. */
export function project(files: Record<string, string> = {}, name = 'orchard'): string {
  const root = folder({}, name);
  git(root, 'init', '-q', '-b', 'trunk');
  git(root, 'config', 'user.name', 'Rosa Quill');
  git(root, 'config', 'user.email', 'rosa@quill.test');
  git(root, 'config', 'commit.gpgsign', 'false');
  put(root, files);
  return root;
}

/** Creates a folder with the given files, without a repository. */
export function folder(files: Record<string, string> = {}, name = 'orchard'): string {
  const root = path.join(realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-fix-'))), name);
  mkdirSync(root);
  put(root, files);
  return root;
}

export function put(root: string, files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
    if (/\.sh$|^bin\//u.test(file)) chmodSync(path.join(root, file), 0o755);
  }
}

export function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

export function commit(root: string, message: string): void {
  git(root, 'add', '-A');
  git(root, 'commit', '-q', '--allow-empty', '-m', message);
}
