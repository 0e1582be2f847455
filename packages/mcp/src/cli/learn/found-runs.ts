/**
 * Finds the runs in a folder, in files with lines of JSON and in report files. All reports in the same folder form a
 * run. Links are not followed. Everything that cannot be imported is listed with the reason.
 */

import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { LIMITS } from 'argus-engine';
import { ArgusError, getErrorMessage } from '../../errors.ts';
import { createFileStream } from '../../system/files/read.ts';
import { loadZod } from '../../system/zod.ts';
import { createRunSchema, describeFirstIssue } from '../failures/import-runs.ts';
import {
  findHashes,
  parseTimeInName,
  type RunDescription,
  readReportDescription,
  readSidecar,
} from './report-commits.ts';

const MAX_ENTRIES = 50_000;
const MAX_DEPTH = 24;
/** A longer line cannot be a run. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Options for reading a report. Larger files are skipped before. */
const REPORT_READ_OPTIONS = { maxBytes: LIMITS.MAX_REPORT_BYTES, links: 'refused' } as const;
const SKIPPED_FOLDERS = new Set(['node_modules', '.git', '.argus']);
/** No parser supports `.trx`, so these files are listed as not imported. */
const REPORT_ENDINGS = ['.xml', '.json', '.tap', '.trx', '.jsonl', '.ndjson'];
const LINE_ENDINGS = ['.jsonl', '.ndjson'];
/** Matches a folder that does not name a job, such as `2`, the number of an attempt. */
const NOT_A_JOB = /^(?:attempt[-_]?)?\d*$/iu;

export interface SkippedEntry {
  /** Path below the folder. */
  name: string;
  reason: string;
}

/**
 * A run in the folder. `commitNames` are words of its path and its description that may name its commit, the most
 * specific first.
 */
export interface FoundRun {
  name: string;
  source:
    | { kind: 'reports'; files: string[] }
    /** A line of a file. */
    | { kind: 'line'; file: string; start: number; bytes: number; id: string };
  commitNames: string[];
  branch?: string;
  startedAt?: number;
  /** Names of the folders between the folder that names the commit and the reports. */
  job?: string;
}

interface FoundRuns {
  runs: FoundRun[];
  leftOut: SkippedEntry[];
}

interface FoundFile {
  file: string;
  bytes: number;
}

export async function findRuns(folder: string): Promise<FoundRuns> {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ArgusError('INVALID_INPUT', `${folder} is not a folder. Name a folder with old reports.`);
  const leftOut: SkippedEntry[] = [];
  const files = listFiles(folder, leftOut);
  const descriptions = new Map<string, RunDescription>();
  const runs = new Map<string, FoundRun>();
  const reports: FoundFile[] = [];
  for (const { file, bytes } of files) {
    const described = readSidecar(file, bytes);
    if (described !== undefined) descriptions.set(path.dirname(file), described);
    else if (REPORT_ENDINGS.includes(path.extname(file).toLowerCase())) reports.push({ file, bytes });
  }
  for (const { file, bytes } of reports) {
    const name = relativePath(folder, file);
    if (bytes > LIMITS.MAX_REPORT_BYTES) leftOut.push({ name, reason: 'larger than 256 MiB' });
    else if (LINE_ENDINGS.includes(path.extname(file).toLowerCase()) && (await isRunHistory(file))) {
      for (const run of await findRunLines(file, name, leftOut)) runs.set(`${file}\0${run.name}`, run);
    } else
      addReport(runs, folder, file, findDescription(folder, file, descriptions) ?? readReportDescription(file, bytes));
  }
  return { runs: [...runs.values()], leftOut };
}

function listFiles(folder: string, leftOut: SkippedEntry[]): FoundFile[] {
  const files: FoundFile[] = [];
  const pendingFolders = [{ folderPath: folder, depth: 0 }];
  let entries = 0;
  for (let next = pendingFolders.pop(); next !== undefined; next = pendingFolders.pop()) {
    const { folderPath, depth } = next;
    for (const entry of readEntries(folderPath, folder, leftOut)) {
      entries += 1;
      const file = path.join(folderPath, entry.name);
      const name = relativePath(folder, file);
      if (entries > MAX_ENTRIES) {
        leftOut.push({ name, reason: `more than ${MAX_ENTRIES} files, so this file and all later files are skipped` });
        return files;
      }
      if (entry.isSymbolicLink()) leftOut.push({ name, reason: 'links are not followed' });
      else if (entry.isFile()) files.push({ file, bytes: lstatSync(file, { throwIfNoEntry: false })?.size ?? 0 });
      else if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) {
        if (depth < MAX_DEPTH) pendingFolders.push({ folderPath: file, depth: depth + 1 });
        else leftOut.push({ name, reason: 'too deep' });
      }
    }
  }
  return files.sort((one, other) => (one.file < other.file ? -1 : 1));
}

function readEntries(at: string, folder: string, leftOut: SkippedEntry[]) {
  try {
    return readdirSync(at, { withFileTypes: true });
  } catch (thrown) {
    leftOut.push({ name: relativePath(folder, at), reason: getErrorMessage(thrown) });
    return [];
  }
}

/**
 * Returns the description of a run from the folder of the file, or from the nearest parent folder that has a
 * description.
 */
function findDescription(
  folder: string,
  file: string,
  descriptions: ReadonlyMap<string, RunDescription>,
): RunDescription | undefined {
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    const found = descriptions.get(at);
    if (found !== undefined || at === folder || at === path.dirname(at)) return found;
  }
}

function addReport(
  runs: Map<string, FoundRun>,
  folder: string,
  file: string,
  description: RunDescription | undefined,
): void {
  const parts = relativePath(folder, file).split('/');
  const hashesByPart = parts.map(findHashes);
  const nearest = hashesByPart.findLastIndex((hashes) => hashes.length > 0);
  const commitNames = [...hashesByPart.toReversed().flat(), ...(description === undefined ? [] : [description.commit])];
  const hashesInFileName = nearest === parts.length - 1 ? hashesByPart.at(-1)?.join() : '';
  const key = `${path.dirname(file)}\0${hashesInFileName}`;
  const run = runs.get(key);
  if (run?.source.kind === 'reports') {
    run.source.files.push(file);
    return;
  }
  const job = parts
    .slice(nearest + 1, -1)
    .filter((part) => nearest >= 0 && !NOT_A_JOB.test(part))
    .join('/');
  const startedAt = description?.startedAt ?? parseTimeInName(relativePath(folder, file));
  runs.set(key, {
    name: hashesInFileName === '' ? relativePath(folder, path.dirname(file)) || '.' : relativePath(folder, file),
    source: { kind: 'reports', files: [file] },
    commitNames,
    ...(description?.branch === undefined ? {} : { branch: description.branch }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(job === '' ? {} : { job }),
  });
}

/** True if the first line is a run. Other programs write lines of JSON too, for example `go test -json`. */
async function isRunHistory(file: string): Promise<boolean> {
  for await (const { text } of readLines(file)) {
    if (text?.trim() === '') continue;
    return text !== undefined && /"cases"\s*:\s*\[/u.test(text) && /"id"\s*:/u.test(text);
  }
  return false;
}

/** Finds the position of each run in a file. The cases of a run are read when the run is imported. */
async function findRunLines(file: string, name: string, leftOut: SkippedEntry[]): Promise<FoundRun[]> {
  const schema = createRunSchema(await loadZod());
  const found: FoundRun[] = [];
  let number = 0;
  for await (const { text, start, bytes } of readLines(file)) {
    number += 1;
    if (text?.trim() === '') continue;
    const lineName = `${name}:${number}`;
    try {
      if (text === undefined) throw new Error('the line is too long');
      const { id, commit, branch, startedAt } = schema.parse(JSON.parse(text));
      found.push({
        name: lineName,
        source: { kind: 'line', file, start, bytes, id },
        commitNames: commit === undefined ? [] : [commit],
        ...(branch === undefined ? {} : { branch }),
        startedAt,
      });
    } catch (thrown) {
      leftOut.push({ name: lineName, reason: `no run (${describeFirstIssue(thrown)})` });
    }
  }
  return found;
}

interface Line {
  /** Undefined if the line is too long. */
  text: string | undefined;
  start: number;
  bytes: number;
}

async function* readLines(file: string): AsyncGenerator<Line> {
  let [start, parts, bytes]: [number, Buffer[], number] = [0, [], 0];
  const createLine = (): Line => ({
    text: bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8'),
    start,
    bytes,
  });
  for await (const chunk of createFileStream(file, REPORT_READ_OPTIONS) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      yield createLine();
      start += bytes + 1;
      [parts, bytes, from] = [[], 0, end + 1];
    }
    add(chunk.subarray(from));
  }
  if (bytes > 0) yield createLine();

  function add(part: Buffer): void {
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) parts.push(part);
    else parts = [];
  }
}

function relativePath(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join('/');
}
