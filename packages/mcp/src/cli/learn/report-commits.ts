/**
 * Finds the commit of an old report: in the name of its file or folder, or in a file next to the report that a CI
 * service or a script wrote (a sidecar).
 */

import path from 'node:path';
import { readText, tryReadText } from '../../system/files/read.ts';

/** A larger file does not describe a run. */
const MAX_SIDECAR_BYTES = 1024 * 1024;
const SIDECAR_READ_OPTIONS = { maxBytes: MAX_SIDECAR_BYTES, links: 'refused' } as const;

/** Matches a hash that is a complete word. */
const HASHES = /(?<![0-9A-Za-z])[0-9a-f]{7,64}(?![0-9A-Za-z])/gu;
const FULL_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const TEXT_SIDECAR_NAME = /^\.?(?:git[-_]?)?(?:commit|sha1?|head|revision)(?:[-_]?(?:sha1?|hash|id))?(?:\.txt)?$/iu;

/** Keys with which CI services name the commit, the most reliable first. */
const COMMIT_KEYS = ['commit', 'sha', 'head_sha', 'headSha', 'commit_sha', 'commitSha', 'commit_id', 'commitId'];
const COMMIT_VARIABLES = ['gitCommit', 'git_commit', 'GITHUB_SHA', 'CI_COMMIT_SHA', 'GIT_COMMIT', 'BUILDKITE_COMMIT'];
const HASH_KEYS = ['id', 'sha', 'hash', 'oid'];
const BRANCH_KEYS = ['branch', 'head_branch', 'headBranch', 'gitBranch', 'git_branch', 'branchName', 'ref_name', 'ref'];
const TIME_KEYS = ['run_started_at', 'startedAt', 'started_at', 'runStartedAt', 'created_at', 'createdAt', 'timestamp'];
/** A JSON file with one of these keys is a report, not a sidecar. */
const REPORT_KEYS = ['results', 'testResults', 'suites', 'tests', 'stats', 'cases'];

/** Describes a run, for a folder or a report. */
export interface RunDescription {
  commit: string;
  branch?: string;
  startedAt?: number;
}

/** Returns the words of a name that may be the hash of a commit. */
export function findHashes(name: string): string[] {
  return (name.match(HASHES) ?? []).filter(mayBeHash);
}

/** False for a date written in digits. */
function mayBeHash(word: string): boolean {
  return FULL_HASH.test(word) || !/^(?:\d+|20\d{6}t\d+)$/u.test(word);
}

export function isFullHash(hash: string): boolean {
  return FULL_HASH.test(hash);
}

/** Reads a file that describes the reports next to it. Returns undefined for any other file. */
export function readSidecar(file: string, bytes: number): RunDescription | undefined {
  const name = path.basename(file);
  if (bytes > MAX_SIDECAR_BYTES) return undefined;
  if (TEXT_SIDECAR_NAME.test(name)) {
    const [commit] = findHashes(tryReadText(file, SIDECAR_READ_OPTIONS) ?? '');
    return commit === undefined ? undefined : { commit };
  }
  if (!name.endsWith('.json')) return undefined;
  const fields = parseFile(file);
  if (fields === undefined || REPORT_KEYS.some((key) => typeof fields[key] === 'object')) return undefined;
  return createDescription(fields);
}

/** Returns the description of the run in a CTRF report. */
export function readReportDescription(file: string, bytes: number): RunDescription | undefined {
  if (bytes > MAX_SIDECAR_BYTES || !file.endsWith('.json')) return undefined;
  const environment = getObject(getObject(parseFile(file), 'results'), 'environment');
  return environment === undefined ? undefined : createDescription(environment);
}

type JsonObject = Record<string, unknown>;

function parseFile(file: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(readText(file, SIDECAR_READ_OPTIONS));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function createDescription(fields: JsonObject): RunDescription | undefined {
  const commitObject = getObject(fields, 'commit') ?? getObject(fields, 'head_commit');
  const commit =
    getText(fields, [...COMMIT_KEYS, ...COMMIT_VARIABLES]) ?? (commitObject && getText(commitObject, HASH_KEYS));
  const [hash] = commit === undefined ? [] : findHashes(commit);
  if (hash === undefined) return undefined;
  const branch = getText(fields, BRANCH_KEYS)?.replace(/^refs\/heads\//u, '');
  const startedAt = Date.parse(getText(fields, TIME_KEYS) ?? '');
  return {
    commit: hash,
    ...(branch === undefined ? {} : { branch }),
    ...(Number.isNaN(startedAt) ? {} : { startedAt }),
  };
}

function getText(object: JsonObject, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = object[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function getObject(object: JsonObject | undefined, key: string): JsonObject | undefined {
  const value = object?.[key];
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Matches a date with an optional time in a name: `2026-02-03`, `20260203T040506Z`. */
const DATE_AND_TIME =
  /(?<!\d)(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?:[T_ -]?([01]\d|2[0-3])[-:]?([0-5]\d)(?:[-:]?([0-5]\d))?)?(?!\d)/u;

export function parseTimeInName(name: string): number | undefined {
  // Remove hashes first, because the digits at the start of a hash could look like the time after a date.
  const words = name.replaceAll(HASHES, (word) => (mayBeHash(word) ? '#' : word));
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = DATE_AND_TIME.exec(words) ?? [];
  if (year === undefined) return undefined;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}
