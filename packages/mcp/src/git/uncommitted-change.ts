/**
 * Reads the parts of uncommitted changes that may be stored: diffs of tracked files, digests of untracked files, and
 * nothing of files that may hold secrets. Reading starts no program (see `settings.ts`). `withoutHunks` removes the
 * diffs before anything leaves this machine.
 */

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { EditedFile, GitFacts } from 'argus-engine';
import { isKeyFile, isSecretFile } from '../system/files/secret-files.ts';
import { lstat } from '../system/files/way.ts';
import { asText, type Git } from './git.ts';

/** Further files are left out. */
export const MAX_EDITS = 20;
/**
 * The limit for all diffs together. The diff of a file is stored whole or not at all, because a cut diff may end in
 * half a secret.
 */
const MAX_HUNKS_BYTES = 8 * 1024;
/** The limit for reading. It is larger, because digests distinguish changes even if their diffs are not stored. */
const MAX_DIFF_BYTES = 1024 * 1024;
const TIMEOUT_MS = 1_000;

const DIGEST_CHARS = 16;
/** Checked here, because the redactor can miss a key whose lines have the prefix of a diff. */
const KEY_BLOCK = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/u;
const HEADER = 'diff --git ';

/**
 * The diff of these files. `editedFiles` parses it later, after the tests have started.
 * @param names tracked files that differ from the commit, relative to `top`, as bytes in latin1
 * @returns an empty text if git does not answer in time
 */
export async function uncommittedChange(git: Git, top: string, names: Iterable<string>): Promise<string> {
  const may = [...names].filter((name) => mayBeKept(top, name)).slice(0, MAX_EDITS);
  if (may.length === 0) return '';
  const paths = may.map((name) => `:(top,literal)${asText(name)}`);
  const args = ['diff-index', '-p', '--no-renames', '--relative', 'HEAD', '--', ...paths] as const;
  const diff = await git.run(args, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_DIFF_BYTES });
  return diff.problem !== null || diff.cut ? '' : diff.stdout;
}

export function editedFiles(diff: string): EditedFile[] {
  let room = MAX_HUNKS_BYTES;
  return diff
    .split(/^(?=diff --git )/mu)
    .filter((text) => text.startsWith(HEADER))
    .flatMap((text) => {
      const file = fileOf(text);
      if (file === undefined) return [];
      const bytes = Buffer.byteLength(text);
      const isKept = bytes <= room && !KEY_BLOCK.test(text);
      if (isKept) room -= bytes;
      return [{ path: file, digest: digestOf(text), ...(isKept ? { hunks: text } : {}) }];
    });
}

/** Equal for equal contents. */
export function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, DIGEST_CHARS);
}

/** Removes the diffs and keeps the names of changed files. */
export function withoutHunks(git: GitFacts): GitFacts {
  return git.edits === undefined ? git : { ...git, edits: git.edits.map(({ hunks: _, ...edit }) => edit) };
}

function mayBeKept(top: string, name: string): boolean {
  const file = asText(name);
  if (isSecretFile(file)) return false;
  const there = path.join(top, ...file.split('/'));
  const stats = lstat(there);
  return !(stats?.isFile() && isKeyFile(there, stats.size));
}

/** Both sides of the header have the same name. Names that git quotes are left out. */
function fileOf(text: string): string | undefined {
  const sides = text.slice(HEADER.length, text.indexOf('\n'));
  const half = (sides.length - 1) / 2;
  const name = sides.slice(2, half);
  return sides === `a/${name} b/${name}` ? name : undefined;
}
