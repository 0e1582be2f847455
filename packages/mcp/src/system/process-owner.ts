/**
 * Which process something belongs to, as it is written into files, and whether that process is still there.
 */

import { hostname } from 'node:os';
import { systemCodeOf } from '../errors.ts';
import { textOrEmpty } from './files/or-empty.ts';

export interface Owner {
  pid: number;
  host: string;
  /** When the process began, where the system says it: ids are used again. */
  began: string | null;
}

export function thisProcess(): Owner {
  return { pid: process.pid, host: hostname(), began: statOf(process.pid).began };
}

/** As it was written; none where a text says nothing of an owner. */
export function ownerOf(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object') return undefined;
    const { pid, host, began }: { pid?: unknown; host?: unknown; began?: unknown } = value;
    if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0 || typeof host !== 'string') return undefined;
    return { pid, host, began: typeof began === 'string' ? began : null };
  } catch {
    return undefined;
  }
}

/** Of another machine nothing can be known. */
export function isAlive({ pid, host, began }: Owner): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (systemCodeOf(thrown) !== 'EPERM') return false;
  }
  const { state, began: now } = statOf(pid);
  // Dead, but nobody has fetched its exit code: where the first process of a container fetches none, that lasts.
  if (state === 'Z' || state === 'X') return false;
  return began === null || now === null || now === began;
}

/** State, and clock tick of the beginning, of a process; none where the system does not say. */
function statOf(pid: number): { state: string | null; began: string | null } {
  const stat = textOrEmpty(`/proc/${pid}/stat`);
  // The name in brackets may hold spaces; the state is the first field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] || null, began: fields[19] ?? null };
}
