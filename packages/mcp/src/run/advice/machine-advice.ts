/**
 * Gives advice about failures that the machine causes, for example the process that holds a port, the host name that
 * does not resolve, the space left on a disk, or the version that the project requires. Each kind of failure gets at
 * most one line.
 */

import { readlinkSync, statfsSync } from 'node:fs';
import type { FailureBrief, FailureKind } from 'argus-engine';
import { quoteArgument } from '../../system/command-line.ts';
import { readProjectFile } from '../../system/files/project-file.ts';
import { listNamesOrEmpty, readTextOrEmpty } from '../../system/files/read.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { getField, readManifest } from '../planning/scripts.ts';

export interface MachineProbe {
  root: string;
  platform: NodeJS.Platform;
  /** Returns the program that listens on a port, such as `node (process 4711)`, or undefined if it cannot be found. */
  findPortHolder(port: string): string | undefined;
  /** Returns the free bytes on the disk of a folder. */
  readFreeBytes(folder: string): number | undefined;
}

type AdvisedFailure = Pick<FailureBrief, 'failureKind' | 'headline' | 'message'>;
type AdviceCreator = (text: string, machine: MachineProbe) => string | undefined;

const MEBIBYTE = 1024 ** 2;

const ADVICE_BY_KIND: Readonly<Partial<Record<FailureKind, AdviceCreator>>> = {
  'address-in-use': createPortAdvice,
  'connection-refused': (text) => {
    const address = findAddress(text);
    return address && `Nothing accepts connections at ${address}: start the service, then run again.`;
  },
  dns: (text) => {
    const host = findHost(text);
    return host && `The host name ${host} did not resolve: check its spelling, the network and the VPN.`;
  },
  tls: (text) =>
    /expired|not yet valid/iu.test(text)
      ? "A certificate is expired or not yet valid: check the machine's clock, then the certificate."
      : 'A certificate was refused: check which authorities this machine trusts (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE).',
  'disk-full': createDiskAdvice,
  'resource-limit': (text) =>
    /EMFILE|too many open files/iu.test(text)
      ? "Too many files are open: 'ulimit -n' shows the limit, 'ulimit -n 8192' raises it for this shell."
      : undefined,
  permission: (text, { platform }) => {
    const file = /(?:EACCES|EPERM)[^']*'([^']+)'|Permission denied: '([^']+)'|open (\S+): permission denied/u.exec(
      text,
    );
    const name = file?.slice(1).find((one) => one !== undefined);
    if (name === undefined) return undefined;
    const isWindows = platform === 'win32';
    return `This user has no permission for ${toShortLine(name)}. Show its permissions with: ${isWindows ? 'icacls' : 'ls -ld'} ${toShortLine(quoteArgument(name, isWindows))}`;
  },
  'version-mismatch': createVersionAdvice,
  killed: (_, { platform }) =>
    platform === 'linux'
      ? "A signal from outside ended a process: 'journalctl -k | grep -i oom' shows whether the memory was full."
      : undefined,
};

/** Returns each different line of advice once, in the order of the failures. */
export function createMachineAdvice(failures: readonly AdvisedFailure[], machine: MachineProbe): string[] {
  const lines = failures.flatMap(({ failureKind, headline, message = '' }) => {
    const line = ADVICE_BY_KIND[failureKind]?.(`${headline}\n${message}`, machine);
    return line === undefined ? [] : [line];
  });
  return [...new Set(lines)];
}

function createPortAdvice(text: string, { findPortHolder, platform }: MachineProbe): string | undefined {
  const port = /\bport[: ]+(\d{2,5})\b/iu.exec(text)?.[1] ?? /[\d\])*.:]:(\d{2,5})\b/u.exec(text)?.[1];
  if (port === undefined) return undefined;
  const holder = findPortHolder(port);
  if (holder !== undefined) return `Port ${port} is used by ${toShortLine(holder)}: stop it, or use another port.`;
  const searchCommand =
    platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  return `Port ${port} was in use while the tests ran: '${searchCommand}' shows the process.`;
}

/**
 * Finds `host:port`. A host name counts only after a word such as `to`, because `server.js:120` is a place in the code.
 */
function findAddress(text: string): string | undefined {
  const address = /((?<![\d.])(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:]+\]|\blocalhost):\d{1,5}\b/iu.exec(text)?.[0];
  return address ?? /(?:\bECONNREFUSED|\btcp|\bto) ([\w.-]+:\d{1,5})\b/u.exec(text)?.[1];
}

function findHost(text: string): string | undefined {
  const match = /\b(?:ENOTFOUND|EAI_AGAIN|lookup|resolve(?: host)?:?|host=)\s*'?([\w-]+(?:\.[\w-]+)+|[\w-]{2,})/iu.exec(
    text,
  );
  return match?.[1];
}

function createDiskAdvice(text: string, { root, readFreeBytes: freeBytes }: MachineProbe): string {
  if (/file watchers|inotify/iu.test(text)) {
    return "The limit of watched files is reached: 'sysctl fs.inotify.max_user_watches' shows it.";
  }
  const free = freeBytes(root);
  const freeText = free === undefined ? '' : `, the project's disk has ${Math.floor(free / MEBIBYTE)} MiB left`;
  return `A disk or its quota is full${freeText}: free some space, also in the temporary folder.`;
}

function createVersionAdvice(text: string, { root }: MachineProbe): string | undefined {
  if (/NODE_MODULE_VERSION|different Node\.js version|invalid ELF header/iu.test(text)) {
    return "A native module was built for another version of Node.js: run 'npm rebuild'.";
  }
  const node = getField(getField(readManifest(root), 'engines'), 'node');
  if (/\bnode(?:\.js)?\b/iu.test(text) && typeof node === 'string') {
    return `package.json requires Node.js ${toShortLine(node)}: 'node --version' shows the version in use.`;
  }
  const python = /^\s*requires-python\s*=\s*["']([^"']+)/mu.exec(readProjectFile(root, 'pyproject.toml') ?? '')?.[1];
  return (
    python && `pyproject.toml requires Python ${toShortLine(python)}: 'python --version' shows the version in use.`
  );
}

/** Returns the real machine for a project. */
export function createMachineProbe(root: string): MachineProbe {
  const holders = new Map<string, string | undefined>();
  // Cached, because several failures often name the same port and the search reads the descriptors of all processes.
  const findHolder = (port: string) => {
    if (!holders.has(port)) holders.set(port, findListeningProgram(port));
    return holders.get(port);
  };
  return { root, platform: process.platform, findPortHolder: findHolder, readFreeBytes };
}

function readFreeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/* Finds the program that listens on a port in /proc on Linux. Other systems would need a program such as lsof. */

/** The state of a listening socket in /proc/net/tcp. */
const LISTEN_STATE = '0A';

/**
 * Returns the program that listens on the port, for example `node (process 4711)`. Returns undefined if the port is
 * free or if a process of another user listens on it.
 */
export function findListeningProgram(port: string): string | undefined {
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => readListeningSockets(table, Number(port))),
  );
  if (sockets.size === 0) return undefined;
  const holdsSocket = (id: string) =>
    listNamesOrEmpty(`/proc/${id}/fd`).some((fd) => sockets.has(readLinkTarget(`/proc/${id}/fd/${fd}`)));
  const id = listNamesOrEmpty('/proc').find((name) => /^\d+$/u.test(name) && holdsSocket(name));
  return id && `${readTextOrEmpty(`/proc/${id}/comm`).trim()} (process ${id})`;
}

/** Returns the sockets that listen on a port, in the form that links in `/proc/<process>/fd` have. */
function readListeningSockets(table: string, port: number): string[] {
  const rows = readTextOrEmpty(table)
    .split('\n')
    .map((row) => row.trim().split(/\s+/u));
  const matchingRows = rows.filter(
    ([, local = '', , state]) => state === LISTEN_STATE && Number.parseInt(local.split(':')[1] ?? '', 16) === port,
  );
  return matchingRows.map((columns) => `socket:[${columns[9]}]`);
}

function readLinkTarget(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
