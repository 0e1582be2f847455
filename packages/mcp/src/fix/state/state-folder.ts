/**
 * The folder of a loop, `.claude/fixes/{command_hash}`: its state, the logs and fixes of its attempts, and its reports.
 * The rules check the state.
 */

import { existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { ArgusError, messageOf, systemCodeOf } from '../../errors.ts';
import { namesOrEmpty } from '../../system/files/or-empty.ts';
import { readText, textOf } from '../../system/files/read.ts';
import { ignoreInGit, lstat, tighten } from '../../system/files/way.ts';
import { writeWholeFile } from '../../system/files/whole-file.ts';
import { fitToLeave, fitToLeaveDeep } from '../../text/outgoing.ts';
import { Lock } from './lock.ts';

/** Folder of all loops, relative to the project. */
export const FIXES = path.join('.claude', 'fixes');

/** A state has a few kilobytes for each attempt. A larger file is something else. */
const MAX_STATE_BYTES = 16 * 1024 * 1024;

const STATE = 'state.json';

/** Files that are not moved with a finished loop. */
const STAYS = new Set(['lock', 'earlier']);

export class StateFolder {
  /** Absolute path. */
  readonly path: string;
  /** Path for reports. */
  readonly shown: string;

  constructor(root: string, commandHash: string) {
    this.path = path.join(root, FIXES, commandHash);
    this.shown = `${FIXES.split(path.sep).join('/')}/${commandHash}`;
  }

  /** Returns the folder of the loop that was used last. Undefined if the project has no loops. */
  static newest(root: string): StateFolder | undefined {
    const hashes = namesOrEmpty(path.join(root, FIXES)).filter((name) => /^[0-9a-f]{8}$/u.test(name));
    const folders = hashes.map((hash) => new StateFolder(root, hash));
    const times = folders.map((folder) => ({ folder, at: modified(folder.file(STATE)) }));
    return times.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at)[0]?.folder;
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  logPath(attempt: number): string {
    return this.file(`attempt_${attempt}.log`);
  }

  get exists(): boolean {
    return existsSync(this.file(STATE));
  }

  /** Creates the folder and takes its lock. The folder is ignored by git. */
  lock(): Lock {
    return guarded(this.path, () => {
      const fixes = path.dirname(this.path);
      // Creates the parent folder with default permissions, because it belongs to the project.
      mkdirSync(path.dirname(fixes), { recursive: true });
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      for (const folder of [fixes, this.path]) tighten(folder, 0o700);
      ignoreInGit(fixes);
      return Lock.take(this.file('lock'));
    });
  }

  /** Returns the text of the state. Undefined if there is none. */
  readState(): string | undefined {
    const file = this.file(STATE);
    try {
      return readText(file, { maxBytes: MAX_STATE_BYTES, links: 'refused' });
    } catch (thrown) {
      if (systemCodeOf(thrown) === 'ENOENT') return undefined;
      const advice = 'It was left as it is. Repair it, or move its folder away to begin anew.';
      throw new ArgusError('STATE_UNREADABLE', `${file} cannot be used: ${messageOf(thrown)}. ${advice}`);
    }
  }

  /**
   * Writes the state. It is the only file that is not redacted, because it must keep the exact commands to run them
   * again.
   */
  writeState(state: object): void {
    this.#write(STATE, `${JSON.stringify(state, null, 2)}\n`);
  }

  writeJson(name: string, value: object | null): void {
    this.#write(name, `${JSON.stringify(fitToLeaveDeep(value), null, 2)}\n`);
  }

  write(name: string, text: string): void {
    this.#write(name, fitToLeave(text));
  }

  #write(name: string, text: string): void {
    // Only the owner of the lock writes.
    guarded(this.file(name), () => writeWholeFile(this.file(name), text));
  }

  read(name: string): string | undefined {
    return textOf(this.file(name), { maxBytes: MAX_STATE_BYTES, links: 'refused' });
  }

  /** Moves the content to `earlier`, so that a new loop can start. */
  archive(started: string): string {
    const base = path.join(this.path, 'earlier', started.replaceAll(/[^\w.-]/gu, '-') || 'unknown');
    let target = base;
    for (let number = 2; existsSync(target); number++) target = `${base}-${number}`;
    guarded(target, () => {
      mkdirSync(target, { recursive: true, mode: 0o700 });
      const names = namesOrEmpty(this.path).filter((one) => !STAYS.has(one) && one !== STATE);
      // Move the state last. If the process is killed before that, the loop is still there.
      for (const name of [...names, STATE]) renameSync(this.file(name), path.join(target, name));
    });
    return `${this.shown}/earlier/${path.basename(target)}`;
  }

  /**
   * Renames a file so that the next file with this name does not overwrite it. Returns the new name, or null without a
   * file.
   */
  putAside(name: string): string | null {
    const { name: base, ext } = path.parse(name);
    let aside = '';
    for (let number = 1; aside === '' || existsSync(this.file(aside)); number++)
      aside = `${base}_cut_off_${number}${ext}`;
    if (!existsSync(this.file(name))) return null;
    guarded(this.file(aside), () => renameSync(this.file(name), this.file(aside)));
    return aside;
  }
}

/** Turns an error of the system into an error with advice. */
export function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ArgusError) throw thrown;
    const reason = systemCodeOf(thrown) ?? messageOf(thrown);
    const advice = 'What was there before is unchanged. Make room or set permissions, then call again.';
    throw new ArgusError('STATE_NOT_WRITTEN', `${file} cannot be written (${reason}). ${advice}`, { cause: thrown });
  }
}

function modified(file: string): number {
  return lstat(file)?.mtimeMs ?? 0;
}
