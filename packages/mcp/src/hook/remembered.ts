/**
 * Whether a failure of a command is remembered, as an empty file named after it: after each command that passed this is
 * asked, and answered without looking for the project. What is remembered: state.ts, which decides.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { userFolder } from '../system/files/user-folder.ts';
import { io } from '../system/io.ts';
import type { Recognised } from './commands.ts';

/** A command that did not come again for so long has been given up. */
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

/** Undefined where this user has no folder for data. */
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
