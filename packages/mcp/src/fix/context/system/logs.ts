/**
 * Log entries that hold the error's words: in the project's log files, and in the containers' own last output. Only the
 * end of a log is read, and nothing that the fix loop wrote itself.
 */

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { io } from '../../../system/io.ts';
import { phrasesOf } from '../code/source-location.ts';
import type { Finding } from '../context-model.ts';
import type { ContextScope } from '../scope.ts';
import { previousLogs } from './cluster.ts';

const LOG_FILES = ['*.log', '{log,logs,var/log}/**/*', '{packages,apps,services}/*/{*.log,logs/**/*}'];
const NOT_LOGS = [
  '**/{node_modules,.git,target,.venv,venv,.argus,.claude}/**',
  '**/*.{gz,zip,xz,bz2,zst}',
  // `log` is the name of a package, too.
  '**/*.{go,rs,ts,js,mjs,cjs,py,rb,java,kt,php,cs,c,h,cpp,md}',
];

/** The newest entries are what counts. */
const TAIL_BYTES = 256 * 1024;
const MAX_FILES = 30;
const MAX_MATCHES = 4;
const LINES_AROUND = 5;

/** A folder of logs may hold years of them. */
const MAX_NAMES = 2_000;

/** A log that was written while the command ran may tell of it in other words. */
const RECENT_MS = 10 * 60 * 1_000;
const LAST_LINES = 15;

export async function logEntries(scope: ContextScope): Promise<Finding> {
  const [files, pods] = await Promise.all([logFiles(scope), previousLogs(scope)]);
  const needles = needlesOf(scope);
  const matches = files.flatMap((file) => matchIn(scope, file, needles)).slice(0, MAX_MATCHES);
  const shown = matches.length > 0 ? matches : lastLines(scope, files[0]);
  const parts = [...shown.map(({ name, text }) => `${name}:\n${text}`), ...(pods === null ? [] : [pods])];
  if (parts.length > 0) {
    const source = [...shown.map(({ name }) => name), ...(pods === null ? [] : ['kubectl logs'])];
    return { answer: parts.join('\n\n'), source: source.join(', ') };
  }
  if (files.length === 0) return { why_not: 'The project has no log files (*.log, logs/).' };
  return { why_not: `None of the ${files.length} newest log files holds the words of the error in its newest part.` };
}

/** What a log line about the same thing would hold. */
function needlesOf({ request }: ContextScope): string[] {
  const { headline, error_type } = request.error;
  const codes = headline.match(/\bE[A-Z]{4,}\b/gu) ?? [];
  const all = [...phrasesOf(headline), headline, ...codes, error_type];
  return [...new Set(all.map((one) => one.trim().toLowerCase()))].filter((one) => one.length >= 6);
}

interface LogFile {
  name: string;
  modified: number;
}

/** The newest first. */
async function logFiles({ files, request }: ContextScope): Promise<LogFile[]> {
  const { glob } = await import('tinyglobby');
  const options = { cwd: files.root, ignore: NOT_LOGS, followSymbolicLinks: false };
  const names = await glob(LOG_FILES, { ...options, ...(request.signal && { signal: request.signal }) });
  return names
    .slice(0, MAX_NAMES)
    .flatMap((name) => {
      const stats = lstatSync(path.join(files.root, name), { throwIfNoEntry: false });
      return stats?.isFile() ? [{ name, modified: stats.mtimeMs }] : [];
    })
    .sort((a, b) => b.modified - a.modified)
    .slice(0, MAX_FILES);
}

interface Entry {
  name: string;
  text: string;
}

function matchIn(scope: ContextScope, { name }: LogFile, needles: readonly string[]): Entry[] {
  const lines = endOf(scope, name).split('\n');
  const at = lines.findLastIndex((line) => needles.some((needle) => line.toLowerCase().includes(needle)));
  return at < 0 ? [] : [{ name, text: lines.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1).join('\n') }];
}

function endOf({ files, redact }: ContextScope, name: string): string {
  return redact(files.tail(name, TAIL_BYTES) ?? '').trimEnd();
}

function lastLines(scope: ContextScope, newest: LogFile | undefined): Entry[] {
  if (newest === undefined || io().now() - newest.modified > RECENT_MS) return [];
  const text = endOf(scope, newest.name).split('\n').slice(-LAST_LINES).join('\n');
  return text === '' ? [] : [{ name: `end of ${newest.name}, which does not hold the words of the error`, text }];
}
