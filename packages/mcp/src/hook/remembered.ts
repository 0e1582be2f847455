/**
 * Marks a command with a remembered failure by an empty file. The hook checks the mark after each passing command, so
 * that it does not have to find the project. state.ts decides which failures are remembered.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { userFolder } from '../system/files/user-folder.ts';
import { io } from '../system/io.ts';
import type { Recognised } from './commands.ts';

/** Time after which a mark is removed, because the command was probably abandoned. */
const LIFETIME_MS = 60 * 24 * 60 * 60 * 1_000;

export function isRemembered(command: Pick<Recognised, 'command' | 'folder'>): boolean {
  const file = markOf(command);
  return file !== undefined && existsSync(file);
}

export function remember(command: Pick<Recognised, 'command' | 'folder'>): void {
  const file = markOf(command);
  if (file === undefined) return;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, '', { mode: 0o600 });
  removeOld(path.dirname(file));
}

export function forget(command: Pick<Recognised, 'command' | 'folder'>): void {
  const file = markOf(command);
  if (file !== undefined) rmSync(file, { force: true });
}

/** Returns undefined if this user has no data folder. */
function markOf({ command, folder }: Pick<Recognised, 'command' | 'folder'>): string | undefined {
  const data = userFolder('data');
  const name = createHash('sha256').update(`${folder}\0${command}`).digest('hex').slice(0, 32);
  return path.isAbsolute(data) ? path.join(data, 'hook', name) : undefined;
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name);
    if (io().now() - statSync(file).mtimeMs > LIFETIME_MS) rmSync(file, { force: true });
  }
}
