/**
 * Finds the commit of an old report: in the name of its file or folder, or in a file beside it, as CI services and
 * scripts write them.
 */

import path from 'node:path';
import { readText, textOf } from '../../system/files/read.ts';

/** Larger files do not describe a run. */
const MAX_SIDECAR_BYTES = 1024 * 1024;
const SIDECAR = { maxBytes: MAX_SIDECAR_BYTES, links: 'refused' } as const;

/** A hash is a whole word in a name. */
const HASHES = /(?<![0-9A-Za-z])[0-9a-f]{7,64}(?![0-9A-Za-z])/gu;
const WHOLE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u;
const TEXT_SIDECAR = /^\.?(?:git[-_]?)?(?:commit|sha1?|head|revision)(?:[-_]?(?:sha1?|hash|id))?(?:\.txt)?$/iu;

/** Keys of the services for the commit, the most reliable first. */
const COMMIT_KEYS = ['commit', 'sha', 'head_sha', 'headSha', 'commit_sha', 'commitSha', 'commit_id', 'commitId'];
const COMMIT_VARIABLES = ['gitCommit', 'git_commit', 'GITHUB_SHA', 'CI_COMMIT_SHA', 'GIT_COMMIT', 'BUILDKITE_COMMIT'];
const INSIDE_KEYS = ['id', 'sha', 'hash', 'oid'];
const BRANCH_KEYS = ['branch', 'head_branch', 'headBranch', 'gitBranch', 'git_branch', 'branchName', 'ref_name', 'ref'];
const TIME_KEYS = ['run_started_at', 'startedAt', 'started_at', 'runStartedAt', 'created_at', 'createdAt', 'timestamp'];
/** A report has at least one of these keys. */
const REPORT_KEYS = ['results', 'testResults', 'suites', 'tests', 'stats', 'cases'];

/** The description of a run, for a folder or a report. */
export interface Described {
  commit: string;
  branch?: string;
  startedAt?: number;
}

/** Returns the words of a name that may be a commit. */
export function hashesIn(name: string): string[] {
  return (name.match(HASHES) ?? []).filter(mayBeHash);
}

/** False for a date in digits. */
function mayBeHash(word: string): boolean {
  return WHOLE.test(word) || !/^(?:\d+|20\d{6}t\d+)$/u.test(word);
}

export function isWhole(hash: string): boolean {
  return WHOLE.test(hash);
}

/** Reads a file that describes the reports beside it. Undefined for any other file. */
export function sidecar(file: string, bytes: number): Described | undefined {
  const name = path.basename(file);
  if (bytes > MAX_SIDECAR_BYTES) return undefined;
  if (TEXT_SIDECAR.test(name)) {
    const [commit] = hashesIn(textOf(file, SIDECAR) ?? '');
    return commit === undefined ? undefined : { commit };
  }
  if (!name.endsWith('.json')) return undefined;
  const said = parsed(file);
  if (said === undefined || REPORT_KEYS.some((key) => typeof said[key] === 'object')) return undefined;
  return described(said);
}

/** Reads the build in a CTRF report. */
export function ofReport(file: string, bytes: number): Described | undefined {
  if (bytes > MAX_SIDECAR_BYTES || !file.endsWith('.json')) return undefined;
  const environment = objectIn(objectIn(parsed(file), 'results'), 'environment');
  return environment === undefined ? undefined : described(environment);
}

type Said = Record<string, unknown>;

function parsed(file: string): Said | undefined {
  try {
    const said: unknown = JSON.parse(readText(file, SIDECAR));
    return isObject(said) ? said : undefined;
  } catch {
    return undefined;
  }
}

function described(said: Said): Described | undefined {
  const inside = objectIn(said, 'commit') ?? objectIn(said, 'head_commit');
  const commit = textIn(said, [...COMMIT_KEYS, ...COMMIT_VARIABLES]) ?? (inside && textIn(inside, INSIDE_KEYS));
  const [hash] = commit === undefined ? [] : hashesIn(commit);
  if (hash === undefined) return undefined;
  const branch = textIn(said, BRANCH_KEYS)?.replace(/^refs\/heads\//u, '');
  const startedAt = Date.parse(textIn(said, TIME_KEYS) ?? '');
  return {
    commit: hash,
    ...(branch === undefined ? {} : { branch }),
    ...(Number.isNaN(startedAt) ? {} : { startedAt }),
  };
}

function textIn(said: Said, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = said[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function objectIn(said: Said | undefined, key: string): Said | undefined {
  const value = said?.[key];
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Said {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A date with an optional time in a name: `2026-02-03`, `20260203T040506Z`. */
const TIME =
  /(?<!\d)(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?:[T_ -]?([01]\d|2[0-3])[-:]?([0-5]\d)(?:[-:]?([0-5]\d))?)?(?!\d)/u;

export function timeIn(name: string): number | undefined {
  // Remove hashes first, because the digits at the start of a hash are not the time of a date before it.
  const words = name.replaceAll(HASHES, (word) => (mayBeHash(word) ? '#' : word));
  const [, year, month, day, hour = '00', minute = '00', second = '00'] = TIME.exec(words) ?? [];
  if (year === undefined) return undefined;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? undefined : time;
}
