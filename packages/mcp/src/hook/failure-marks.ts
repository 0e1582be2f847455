/**
 * Marks a command that has a remembered failure by an empty file. The hook checks for this file after each command that
 * passes, so that it does not have to find the project. state.ts decides which failures are remembered.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { getUserFolder } from '../system/files/user-folder.ts';
import { io } from '../system/io.ts';
import type { RecognizedCommand } from './recognize-command.ts';

type MarkedCommand = Pick<RecognizedCommand, 'command' | 'folder' | 'variables'>;

/** A mark is removed after this time, because the command was probably abandoned. */
const MAX_MARK_AGE_MS = 60 * 24 * 60 * 60 * 1_000;

export function hasFailureMark(command: MarkedCommand): boolean {
  const file = getMarkPath(command);
  return file !== undefined && existsSync(file);
}

export function addFailureMark(command: MarkedCommand): void {
  const file = getMarkPath(command);
  if (file === undefined) return;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, '', { mode: 0o600 });
  removeOldFiles(path.dirname(file), MAX_MARK_AGE_MS);
}

export function removeFailureMark(command: MarkedCommand): void {
  const file = getMarkPath(command);
  if (file !== undefined) rmSync(file, { force: true });
}

/** Returns the path of the mark, or undefined if this user has no data folder. */
function getMarkPath({ command, folder, variables }: MarkedCommand): string | undefined {
  const data = getUserFolder('data');
  const text = [folder, command, ...(variables === '' ? [] : [variables])].join('\0');
  const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return path.isAbsolute(data) ? path.join(data, 'hook', name) : undefined;
}

export function removeOldFiles(folder: string, maxAgeMs: number): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (io().now() - statSync(file).mtimeMs > maxAgeMs) rmSync(file, { force: true });
  }
}
