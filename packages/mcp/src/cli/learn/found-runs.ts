/**
 * Finds the runs in a folder: lines of JSON, and reports. All reports in the same folder are one run. Links are not
 * followed. Everything that cannot be imported is listed with its reason.
 */

import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { LIMITS } from 'argus-engine';
import { ArgusError, messageOf } from '../../errors.ts';
import { readPieces } from '../../system/files/read.ts';
import { loadZod } from '../../system/zod.ts';
import { runSchema, whatIsWrong } from '../failures/run-line.ts';
import { type Described, hashesIn, ofReport, sidecar, timeIn } from './named-commits.ts';

const MAX_ENTRIES = 50_000;
const MAX_DEPTH = 24;
/** A longer line is not a run. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** Larger files were filtered out before. */
const REPORT = { maxBytes: LIMITS.MAX_REPORT_BYTES, links: 'refused' } as const;
const NEVER = new Set(['node_modules', '.git', '.argus']);
/** No reader supports `.trx`; such files are listed with that reason. */
const REPORT_ENDINGS = ['.xml', '.json', '.tap', '.trx', '.jsonl', '.ndjson'];
const LINE_ENDINGS = ['.jsonl', '.ndjson'];
/** A folder with the number of an attempt, such as `2`, does not name a job. */
const NO_JOB = /^(?:attempt[-_]?)?\d*$/iu;

export interface LeftOut {
  /** Path below the folder. */
  name: string;
  reason: string;
}

/** A run as it was found. `commitNames` are the words that may name its commit, the nearest first. */
export interface FoundRun {
  name: string;
  source:
    | { kind: 'reports'; files: string[] }
    /** A line of a file. */
    | { kind: 'line'; file: string; start: number; bytes: number; id: string };
  commitNames: string[];
  branch?: string;
  startedAt?: number;
  /** Folders between the folder of the commit and the reports. */
  job?: string;
}

export interface FoundRuns {
  runs: FoundRun[];
  leftOut: LeftOut[];
}

interface FoundFile {
  file: string;
  bytes: number;
}

export async function runsIn(folder: string): Promise<FoundRuns> {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ArgusError('INVALID_INPUT', `${folder} is no folder. Name one that holds old reports.`);
  const leftOut: LeftOut[] = [];
  const files = filesIn(folder, leftOut);
  const said = new Map<string, Described>();
  const runs = new Map<string, FoundRun>();
  const reports: FoundFile[] = [];
  for (const { file, bytes } of files) {
    const described = sidecar(file, bytes);
    if (described !== undefined) said.set(path.dirname(file), described);
    else if (REPORT_ENDINGS.includes(path.extname(file).toLowerCase())) reports.push({ file, bytes });
  }
  for (const { file, bytes } of reports) {
    const name = below(folder, file);
    if (bytes > LIMITS.MAX_REPORT_BYTES) leftOut.push({ name, reason: 'larger than 256 MiB' });
    else if (LINE_ENDINGS.includes(path.extname(file).toLowerCase()) && (await isOfRuns(file))) {
      for (const run of await linesOf(file, name, leftOut)) runs.set(`${file}\0${run.name}`, run);
    } else addReport(runs, folder, file, described(folder, file, said) ?? ofReport(file, bytes));
  }
  return { runs: [...runs.values()], leftOut };
}

function filesIn(folder: string, leftOut: LeftOut[]): FoundFile[] {
  const files: FoundFile[] = [];
  const open = [{ at: folder, depth: 0 }];
  let entries = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { at, depth } = next;
    for (const entry of entriesOf(at, folder, leftOut)) {
      entries += 1;
      const file = path.join(at, entry.name);
      const name = below(folder, file);
      if (entries > MAX_ENTRIES) {
        leftOut.push({ name, reason: `more than ${MAX_ENTRIES} files: this one and what follows` });
        return files;
      }
      if (entry.isSymbolicLink()) leftOut.push({ name, reason: 'a link, which is not followed' });
      else if (entry.isFile()) files.push({ file, bytes: lstatSync(file, { throwIfNoEntry: false })?.size ?? 0 });
      else if (entry.isDirectory() && !NEVER.has(entry.name)) {
        if (depth < MAX_DEPTH) open.push({ at: file, depth: depth + 1 });
        else leftOut.push({ name, reason: 'too deep' });
      }
    }
  }
  return files.sort((one, other) => (one.file < other.file ? -1 : 1));
}

function entriesOf(at: string, folder: string, leftOut: LeftOut[]) {
  try {
    return readdirSync(at, { withFileTypes: true });
  } catch (thrown) {
    leftOut.push({ name: below(folder, at), reason: messageOf(thrown) });
    return [];
  }
}

/** Returns the description in the folder of a file, or in the nearest folder above it. */
function described(folder: string, file: string, said: ReadonlyMap<string, Described>): Described | undefined {
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    const found = said.get(at);
    if (found !== undefined || at === folder || at === path.dirname(at)) return found;
  }
}

function addReport(runs: Map<string, FoundRun>, folder: string, file: string, said: Described | undefined): void {
  const parts = below(folder, file).split('/');
  const named = parts.map(hashesIn);
  const nearest = named.findLastIndex((hashes) => hashes.length > 0);
  const commitNames = [...named.toReversed().flat(), ...(said === undefined ? [] : [said.commit])];
  const inFile = nearest === parts.length - 1 ? named.at(-1)?.join() : '';
  const key = `${path.dirname(file)}\0${inFile}`;
  const run = runs.get(key);
  if (run?.source.kind === 'reports') {
    run.source.files.push(file);
    return;
  }
  const job = parts
    .slice(nearest + 1, -1)
    .filter((part) => nearest >= 0 && !NO_JOB.test(part))
    .join('/');
  const startedAt = said?.startedAt ?? timeIn(below(folder, file));
  runs.set(key, {
    name: inFile === '' ? below(folder, path.dirname(file)) || '.' : below(folder, file),
    source: { kind: 'reports', files: [file] },
    commitNames,
    ...(said?.branch === undefined ? {} : { branch: said.branch }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(job === '' ? {} : { job }),
  });
}

/** True if the first line is a run, because for example `go test -json` writes lines of JSON too. */
async function isOfRuns(file: string): Promise<boolean> {
  for await (const { text } of eachLine(file)) {
    if (text?.trim() === '') continue;
    return text !== undefined && /"cases"\s*:\s*\[/u.test(text) && /"id"\s*:/u.test(text);
  }
  return false;
}

/** Finds the position of each run in a file. The cases are read when the run is imported. */
async function linesOf(file: string, name: string, leftOut: LeftOut[]): Promise<FoundRun[]> {
  const schema = runSchema(await loadZod());
  const found: FoundRun[] = [];
  let number = 0;
  for await (const { text, start, bytes } of eachLine(file)) {
    number += 1;
    if (text?.trim() === '') continue;
    const of = `${name}:${number}`;
    try {
      if (text === undefined) throw new Error('the line is too long');
      const { id, commit, branch, startedAt } = schema.parse(JSON.parse(text));
      found.push({
        name: of,
        source: { kind: 'line', file, start, bytes, id },
        commitNames: commit === undefined ? [] : [commit],
        ...(branch === undefined ? {} : { branch }),
        startedAt,
      });
    } catch (thrown) {
      leftOut.push({ name: of, reason: `no run (${whatIsWrong(thrown)})` });
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

async function* eachLine(file: string): AsyncGenerator<Line> {
  let [start, parts, bytes]: [number, Buffer[], number] = [0, [], 0];
  const line = (): Line => ({
    text: bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(parts).toString('utf8'),
    start,
    bytes,
  });
  for await (const chunk of readPieces(file, REPORT) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, end));
      yield line();
      start += bytes + 1;
      [parts, bytes, from] = [[], 0, end + 1];
    }
    add(chunk.subarray(from));
  }
  if (bytes > 0) yield line();

  function add(part: Buffer): void {
    bytes += part.length;
    if (bytes <= MAX_LINE_BYTES) parts.push(part);
    else parts = [];
  }
}

function below(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join('/');
}
