/**
 * Shows the uncommitted changes in the work tree, because they are the most frequent cause of a new error. Untracked
 * files, and files that may hold secrets, are not shown.
 */

import { NOT_OURS } from '../../git/settings.ts';
import { isSecretFile } from '../../system/files/secret-files.ts';
import { ownFrames } from './code/source-location.ts';
import type { ContextScope } from './scope.ts';

/** Limit for the diff in a brief. */
const MAX_DIFF_CHARACTERS = 1_400;

/** Null without changes or without a repository. Files of the stack come first, then small changes. */
export async function uncommittedDiff(scope: ContextScope): Promise<string | null> {
  const { git, place } = scope;
  if (git === null) return null;
  const { stdout } = await git(['diff-index', '-p', '-U1', '--relative', 'HEAD', '--', '.', ...NOT_OURS]);
  const files = stdout.split(/^(?=diff --git )/mu).flatMap((text) => {
    const name = /^(?:\+\+\+ b|--- a)\/(.*)$/mu.exec(text)?.[1];
    // A file with only a changed time has no hunk.
    return name === undefined || isSecretFile(name) || !text.includes('\n@@') ? [] : [{ name, text: shortHead(text) }];
  });
  const inStack = new Set([place?.file, ...ownFrames(scope).map((frame) => frame.replace(/:\d+(?: .*)?$/u, ''))]);
  const order = ({ name, text }: { name: string; text: string }) => (inStack.has(name) ? 0 : 1 + text.length);
  const diff = files.sort((one, other) => order(one) - order(other)).map(({ text }) => text);
  return diff.length === 0 ? null : cutDiff(diff.join(''));
}

/** Removes the first lines, because other header lines repeat the file names. */
function shortHead(text: string): string {
  return text.replace(/^(?:diff --git|index) .*\n/gmu, '');
}

function cutDiff(diff: string): string {
  if (diff.length <= MAX_DIFF_CHARACTERS) return diff.trimEnd();
  const part = diff.slice(0, MAX_DIFF_CHARACTERS);
  return `${part.slice(0, part.lastIndexOf('\n'))}\n… (${diff.length - MAX_DIFF_CHARACTERS} more characters: git diff HEAD)`;
}
