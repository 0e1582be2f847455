/**
 * Finds the program that listens on a port, from /proc on Linux. Other systems need a program such as lsof for that.
 */

import { readlinkSync } from 'node:fs';
import { namesOrEmpty, textOrEmpty } from './files/or-empty.ts';

/** The state of a listening socket in /proc/net/tcp. */
const STATE_LISTENS = '0A';

/** Returns for example `node (process 4711)`. Undefined if the port is free or another user's process holds it. */
export function listenerOf(port: string): string | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listening(table, Number(port))));
  if (sockets.size === 0) return undefined;
  const holds = (id: string) =>
    namesOrEmpty(`/proc/${id}/fd`).some((fd) => sockets.has(target(`/proc/${id}/fd/${fd}`)));
  const id = namesOrEmpty('/proc').find((name) => /^\d+$/u.test(name) && holds(name));
  return id && `${textOrEmpty(`/proc/${id}/comm`).trim()} (process ${id})`;
}

/** The listening sockets of a port in the form of the links in `/proc/<process>/fd`. */
function listening(table: string, port: number): string[] {
  const rows = textOrEmpty(table)
    .split('\n')
    .map((row) => row.trim().split(/\s+/u));
  const ofPort = rows.filter(
    ([, local = '', , state]) => state === STATE_LISTENS && Number.parseInt(local.split(':')[1] ?? '', 16) === port,
  );
  return ofPort.map((columns) => `socket:[${columns[9]}]`);
}

function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
