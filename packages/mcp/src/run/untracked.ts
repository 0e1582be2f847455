/** Distinguishes untracked files that a person edited from files that tools create. */

import type { EditedFile } from 'argus-engine';
import { asText } from '../git/git.ts';
import { digestOf } from '../git/uncommitted-change.ts';
import { isSecretFile } from '../system/files/secret-files.ts';
import type { ChangedFiles } from './work-tree.ts';

/** Folders that tools fill: installed packages, environments, caches, results. */
const TOOL_FOLDERS = new Set(
  (
    'node_modules .venv venv __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .nyc_output ' +
    '.cache .parcel-cache .turbo .next .nuxt .svelte-kit .gradle .idea .vscode coverage htmlcov .eggs'
  ).split(' '),
);
const TOOL_FILE = /(?:\.(?:log|pyc|pyo|swp|tmp)|~|\.egg-info\/.*)$|(?:^|\/)(?:\.DS_Store|Thumbs\.db|\.coverage)$/u;

/** Returns true if a tool created the untracked file. Such a file is not an edit, even if no `.gitignore` names it. */
export function isOfTools(name: string): boolean {
  return TOOL_FILE.test(name) || name.split('/').some((part) => TOOL_FOLDERS.has(part));
}

/**
 * Untracked files below the project.
 * @param files what differs from the commit, by names from the top of the work tree as bytes in latin1
 * @param at.below the project's folder from there, with `/`; empty: the top
 */
export function untrackedFiles(
  files: ChangedFiles | undefined,
  at: { tracked: ReadonlySet<string>; below: string },
): EditedFile[] {
  const prefix = at.below === '' ? '' : `${at.below}/`;
  return [...(files ?? [])].flatMap(([name, file]) => {
    const full = asText(name);
    if (file === undefined || at.tracked.has(name) || !full.startsWith(prefix) || isSecretFile(full)) return [];
    return [{ path: full.slice(prefix.length), digest: digestOf(file.content), untracked: true }];
  });
}
