/**
 * Finds log entries with the words of the error in log files of the project and in the last output of containers. Only
 * the end of a log is read. Logs of the fix loop are skipped.
 */

import { lstatSync } from 'node:fs';
import path from 'node:path';
import { io } from '../../../system/io.ts';
import { extractPhrases } from '../code/source-location.ts';
import type { ContextScope, Finding } from '../context-model.ts';
import { readUnhealthyPodLogs } from './cluster.ts';

const LOG_FILES = ['*.log', '{log,logs,var/log}/**/*', '{packages,apps,services}/*/{*.log,logs/**/*}'];
const IGNORED_LOG_PATTERNS = [
  '**/{node_modules,.git,target,.venv,venv,.argus,.claude}/**',
  '**/*.{gz,zip,xz,bz2,zst}',
  // `log` may be the name of a source folder.
  '**/*.{go,rs,ts,js,mjs,cjs,py,rb,java,kt,php,cs,c,h,cpp,md}',
];

/** Only the newest entries matter, and a log may be large. */
const TAIL_BYTES = 256 * 1024;
const MAX_NAMES = 2_000;
const MAX_FILES = 30;
const MAX_MATCHES = 4;
const LINES_AROUND = 5;

/**
 * If no log contains the words of the error, the end of the newest log is shown, unless the log is older than this. It
 * was probably written during the run.
 */
const MAX_LOG_AGE_MS = 10 * 60 * 1_000;
const LAST_LINES = 15;

export async function findLogEntries(scope: ContextScope): Promise<Finding> {
  const [files, pods] = await Promise.all([listLogFiles(scope), readUnhealthyPodLogs(scope)]);
  const { headline, error_type } = scope.request.error;
  const words = [...extractPhrases(headline), headline, ...(headline.match(/\bE[A-Z]{4,}\b/gu) ?? []), error_type];
  const needles = words.map((one) => one.trim().toLowerCase()).filter((one) => one.length >= 6);
  const matches = files.flatMap(({ name }) => {
    const lines = readLastLines(scope, name);
    const at = lines.findLastIndex((line) => needles.some((needle) => line.toLowerCase().includes(needle)));
    return at < 0 ? [] : [{ name, lines: lines.slice(Math.max(0, at - LINES_AROUND), at + LINES_AROUND + 1) }];
  });
  const shown = matches.length > 0 ? matches.slice(0, MAX_MATCHES) : readEndOfNewestLog(scope, files[0]);
  const parts = [...shown.map(({ name, lines }) => `${name}:\n${lines.join('\n')}`), ...(pods === null ? [] : [pods])];
  if (parts.length > 0) {
    const source = [...shown.map(({ name }) => name), ...(pods === null ? [] : ['kubectl logs'])];
    return { answer: parts.join('\n\n'), source: source.join(', ') };
  }
  if (files.length === 0) return { why_not: 'The project has no log files (*.log, logs/).' };
  return { why_not: `None of the ${files.length} newest log files contains the words of the error near its end.` };
}

interface LogFileInfo {
  name: string;
  modified: number;
}

/** Returns the newest files first. */
async function listLogFiles({ files, request }: ContextScope): Promise<LogFileInfo[]> {
  const { glob } = await import('tinyglobby');
  const options = { cwd: files.root, ignore: IGNORED_LOG_PATTERNS, followSymbolicLinks: false };
  const names = await glob(LOG_FILES, { ...options, ...(request.signal && { signal: request.signal }) });
  const found = names.slice(0, MAX_NAMES).flatMap((name) => {
    const stats = lstatSync(path.join(files.root, name), { throwIfNoEntry: false });
    return stats?.isFile() ? [{ name, modified: stats.mtimeMs }] : [];
  });
  return found.sort((a, b) => b.modified - a.modified).slice(0, MAX_FILES);
}

function readLastLines({ files, redact }: ContextScope, name: string): string[] {
  return redact(files.readTail(name, TAIL_BYTES) ?? '')
    .trimEnd()
    .split('\n');
}

function readEndOfNewestLog(scope: ContextScope, newest: LogFileInfo | undefined): { name: string; lines: string[] }[] {
  if (newest === undefined || io().now() - newest.modified > MAX_LOG_AGE_MS) return [];
  const lines = readLastLines(scope, newest.name).slice(-LAST_LINES);
  const name = `end of ${newest.name}, which does not contain the words of the error`;
  return lines.join('') === '' ? [] : [{ name, lines }];
}
