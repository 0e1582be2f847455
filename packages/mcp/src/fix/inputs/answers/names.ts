/**
 * What the inputs file of a command is called, and the other spellings that are read.
 */

import path from 'node:path';
import { lastCommand } from '../../../system/words.ts';
import { scriptOf, unwrapped } from '../script/invocation.ts';

/** Names of files end somewhere. */
const MAX_NAME_CHARACTERS = 80;

/** Base name of the script that a command runs, without its ending; null where it runs none. */
export function scriptOfCommand(command: string): string | null {
  for (const part of command.split(/&&|\|\||[;\n|]/u)) {
    const words = unwrapped(
      lastCommand(part, false)
        .words.map(({ text }) => text)
        .filter((word) => !/^\w+=/u.test(word)),
    );
    const { file = '', sourced = false, inline } = scriptOf(words) ?? {};
    const isShell = inline === undefined && !sourced && !/^package\.json#|\.(?:py|js|rb)$/u.test(file);
    if (isShell && file !== '') return scriptName(file) || null;
  }
  return null;
}

/** The base name of a script without its ending, as a name of a file. */
export function scriptName(file: string): string {
  return safe(path.posix.basename(file).replace(/\.[A-Za-z]+$/u, ''));
}

/** The contract's `basename "$COMMAND" | sed 's/[^a-zA-Z0-9]/-/g'`. */
export function slug(command: string): string {
  const base = command.trim().replace(/\/+$/u, '').split('/').at(-1) ?? '';
  return base.replaceAll(/[^a-zA-Z0-9]/gu, '-');
}

/** The name under which a new file is written. */
export function inputsName(command: string): string {
  const name = scriptOfCommand(command) ?? slug(command).replaceAll(/-+/gu, '-').replaceAll(/^-|-$/gu, '');
  return safe(name) || 'command';
}

/** All names under which a file may lie, the one that is written first. */
export function inputsNames(command: string, commandHash: string): string[] {
  const withEnding = [...command.matchAll(/[\w./-]+\.(?:sh|bash|zsh)\b/gu)].map((match) => slug(match[0]));
  const names = [inputsName(command), slug(command), ...withEnding, commandHash];
  return [...new Set(names.map(safe))].filter((name) => name !== '');
}

function safe(name: string): string {
  return name
    .replaceAll(/[^\w.-]/gu, '-')
    .replace(/^\.+/u, '')
    .slice(0, MAX_NAME_CHARACTERS);
}
