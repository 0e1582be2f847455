/**
 * Gives one line of advice for each kind of failure that machines cause: the process that holds a port, the host name that
 * does not resolve, the space left on a disk, the version that the project requires.
 */

import { statfsSync } from 'node:fs';
import type { FailureBrief, FailureKind } from 'argus-engine';
import { projectFile } from '../../system/files/project-file.ts';
import { listenerOf } from '../../system/listener.ts';
import { quoted } from '../../system/words.ts';
import { shortLine } from '../../text/untrusted.ts';
import { field, readManifest } from '../planning/scripts.ts';

export interface Machine {
  root: string;
  platform: NodeJS.Platform;
  /** Returns the program that listens on a port, such as `node (process 4711)`, or undefined if it cannot be found. */
  holderOf(port: string): string | undefined;
  /** Returns the free bytes on the disk of a folder. */
  freeBytes(folder: string): number | undefined;
}

type Failed = Pick<FailureBrief, 'failureKind' | 'headline' | 'message'>;
type Advise = (text: string, machine: Machine) => string | undefined;

const MEBIBYTE = 1024 ** 2;

const ADVICE: Readonly<Partial<Record<FailureKind, Advise>>> = {
  'address-in-use': portAdvice,
  'connection-refused': (text) => {
    const address = addressIn(text);
    return address && `Nothing accepts connections at ${address}: start the service that should, then run again.`;
  },
  dns: (text) => {
    const host = hostIn(text);
    return host && `The host name ${host} did not resolve: check its spelling, the network and the VPN.`;
  },
  tls: (text) =>
    /expired|not yet valid/iu.test(text)
      ? "A certificate is outside of its dates: check the machine's clock, then the certificate."
      : 'A certificate was refused: check which authorities this machine trusts (NODE_EXTRA_CA_CERTS, SSL_CERT_FILE).',
  'disk-full': diskAdvice,
  'resource-limit': (text) =>
    /EMFILE|too many open files/iu.test(text)
      ? "Too many files are open: 'ulimit -n' says how many may be, 'ulimit -n 8192' raises it for this shell."
      : undefined,
  permission: (text, { platform }) => {
    const file = /(?:EACCES|EPERM)[^']*'([^']+)'|Permission denied: '([^']+)'|open (\S+): permission denied/u.exec(
      text,
    );
    const name = file?.slice(1).find((one) => one !== undefined);
    if (name === undefined) return undefined;
    const isWindows = platform === 'win32';
    return `This user may not use ${shortLine(name)}. Its permissions: ${isWindows ? 'icacls' : 'ls -ld'} ${shortLine(quoted(name, isWindows))}`;
  },
  'version-mismatch': versionAdvice,
};

/** Returns each distinct line once, in the order of the failures. */
export function machineAdvice(failures: readonly Failed[], machine: Machine): string[] {
  const lines = failures.flatMap(({ failureKind, headline, message = '' }) => {
    const line = ADVICE[failureKind]?.(`${headline}\n${message}`, machine);
    return line === undefined ? [] : [line];
  });
  return [...new Set(lines)];
}

function portAdvice(text: string, { holderOf, platform }: Machine): string | undefined {
  const port = /\bport[: ]+(\d{2,5})\b/iu.exec(text)?.[1] ?? /[\d\])*.:]:(\d{2,5})\b/u.exec(text)?.[1];
  if (port === undefined) return undefined;
  const holder = holderOf(port);
  if (holder !== undefined) return `Port ${port} is held by ${shortLine(holder)}: end it, or use another port.`;
  const look = platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  return `Port ${port} was held while the tests ran: '${look}' says by whom.`;
}

/** Returns `host:port`. A name followed by a number can also be a place in the code, so names need a word before them. */
function addressIn(text: string): string | undefined {
  const address = /((?<![\d.])(?:\d{1,3}\.){3}\d{1,3}|\[[\da-f:]+\]|\blocalhost):\d{1,5}\b/iu.exec(text)?.[0];
  return address ?? /(?:\bECONNREFUSED|\btcp|\bto) ([\w.-]+:\d{1,5})\b/u.exec(text)?.[1];
}

function hostIn(text: string): string | undefined {
  const found = /\b(?:ENOTFOUND|EAI_AGAIN|lookup|resolve(?: host)?:?|host=)\s*'?([\w-]+(?:\.[\w-]+)+|[\w-]{2,})/iu.exec(
    text,
  );
  return found?.[1];
}

function diskAdvice(text: string, { root, freeBytes }: Machine): string {
  if (/file watchers|inotify/iu.test(text)) {
    return "No more files can be watched: 'sysctl fs.inotify.max_user_watches' says how many may be.";
  }
  const free = freeBytes(root);
  const left = free === undefined ? '' : `, ${Math.floor(free / MEBIBYTE)} MiB are left on that of the project`;
  return `A disk or its quota is full${left}: free space, also in the temporary folder.`;
}

function versionAdvice(text: string, { root }: Machine): string | undefined {
  if (/NODE_MODULE_VERSION|different Node\.js version|invalid ELF header/iu.test(text)) {
    return "A native module was built for another Node.js: 'npm rebuild' builds it for this one.";
  }
  const node = field(field(readManifest(root), 'engines'), 'node');
  if (/\bnode(?:\.js)?\b/iu.test(text) && typeof node === 'string') {
    return `package.json asks for Node.js ${shortLine(node)}: 'node --version' says which one runs.`;
  }
  const python = /^\s*requires-python\s*=\s*["']([^"']+)/mu.exec(projectFile(root, 'pyproject.toml') ?? '')?.[1];
  return python && `pyproject.toml asks for Python ${shortLine(python)}: 'python --version' says which one runs.`;
}

/** Returns the real machine for a project. */
export function thisMachine(root: string): Machine {
  const holders = new Map<string, string | undefined>();
  // Several failures often name the same port, and the search reads the descriptors of all processes.
  const holderOf = (port: string) => {
    if (!holders.has(port)) holders.set(port, listenerOf(port));
    return holders.get(port);
  };
  return { root, platform: process.platform, holderOf, freeBytes };
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
