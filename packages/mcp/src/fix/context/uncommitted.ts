/**
 * What is changed in the work tree and not committed: of a fault that is new, most often the cause. Files that look
 * like secrets, and untracked ones, are not shown.
 */

import { NOT_OURS } from '../../git/settings.ts';
import { isSecretFile } from '../../system/files/secret-files.ts';
import { ownFrames } from './code/source-location.ts';
import type { ContextScope } from './scope.ts';

/** As much as a brief has room for. */
const MAX_DIFF_CHARACTERS = 1_400;

/** Null where nothing is, or where there is no repository to say. Files of the stack come first, then small changes. */
export async function uncommittedDiff(scope: ContextScope): Promise<string | null> {
  const { git, place } = scope;
  if (git === null) return null;
  const { stdout } = await git(['diff-index', '-p', '-U1', '--relative', 'HEAD', '--', '.', ...NOT_OURS]);
  const files = stdout.split(/^(?=diff --git )/mu).flatMap((text) => {
    const name = /^(?:\+\+\+ b|--- a)\/(.*)$/mu.exec(text)?.[1];
    // What only looks changed by its time has no hunk.
    return name === undefined || isSecretFile(name) || !text.includes('\n@@') ? [] : [{ name, text: shortHead(text) }];
  });
  const inStack = new Set([place?.file, ...ownFrames(scope).map((frame) => frame.replace(/:\d+(?: .*)?$/u, ''))]);
  const order = ({ name, text }: { name: string; text: string }) => (inStack.has(name) ? 0 : 1 + text.length);
  const diff = files.sort((one, other) => order(one) - order(other)).map(({ text }) => text);
  return diff.length === 0 ? null : cutDiff(diff.join(''));
}

/** The names are said twice more. */
function shortHead(text: string): string {
  return text.replace(/^(?:diff --git|index) .*\n/gmu, '');
}

function cutDiff(diff: string): string {
  if (diff.length <= MAX_DIFF_CHARACTERS) return diff.trimEnd();
  const part = diff.slice(0, MAX_DIFF_CHARACTERS);
  return `${part.slice(0, part.lastIndexOf('\n'))}\n… (${diff.length - MAX_DIFF_CHARACTERS} more characters: git diff HEAD)`;
}
