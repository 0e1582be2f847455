/** Which program listens on a port of this machine, as Linux tells it in /proc; elsewhere that takes a program. */

import { readlinkSync } from 'node:fs';
import { namesOrEmpty, textOrEmpty } from './files/or-empty.ts';

/** In the tables of sockets. */
const STATE_LISTENS = '0A';

/** `node (process 4711)`; undefined where nobody listens, or it is a process of somebody else. */
export function listenerOf(port: string): string | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listening(table, Number(port))));
  if (sockets.size === 0) return undefined;
  const holds = (id: string) =>
    namesOrEmpty(`/proc/${id}/fd`).some((fd) => sockets.has(target(`/proc/${id}/fd/${fd}`)));
  const id = namesOrEmpty('/proc').find((name) => /^\d+$/u.test(name) && holds(name));
  return id && `${textOrEmpty(`/proc/${id}/comm`).trim()} (process ${id})`;
}

/** As links in `/proc/<process>/fd` name them. */
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
