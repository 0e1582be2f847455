/** Identifies a process in a file, so that another process can check whether it still runs. */

import { hostname } from 'node:os';
import { systemCodeOf } from '../errors.ts';
import { textOrEmpty } from './files/or-empty.ts';

export interface Owner {
  pid: number;
  host: string;
  /** The start of the process if the system provides it, because process ids are reused. */
  began: string | null;
}

export function thisProcess(): Owner {
  return { pid: process.pid, host: hostname(), began: statOf(process.pid).began };
}

/** Parses the text that identifies a process. Undefined if the text is not valid. */
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

/** Returns true for a process of another machine, because its state cannot be known. */
export function isAlive({ pid, host, began }: Owner): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (systemCodeOf(thrown) !== 'EPERM') return false;
  }
  const { state, began: now } = statOf(pid);
  // A zombie: it has ended, but its parent has not read its exit code. In a container this can last forever.
  if (state === 'Z' || state === 'X') return false;
  return began === null || now === null || now === began;
}

/** The state and start (in clock ticks) of a process. Null if the system does not provide them. */
function statOf(pid: number): { state: string | null; began: string | null } {
  const stat = textOrEmpty(`/proc/${pid}/stat`);
  // The name in parentheses may contain spaces. The state is the first field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] || null, began: fields[19] ?? null };
}
