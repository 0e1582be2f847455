/**
 * The environment of a project on this machine. `detect.ts` detects it from the texts of files, which are read again
 * only if one of the files has changed.
 */

import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { isInCi } from '../system/ci.ts';
import { readProjectFile } from '../system/files/project-file.ts';
import { tryReadText } from '../system/files/read.ts';
import { io } from '../system/io.ts';
import { detectEnvironment, ENVIRONMENT_FILES, type MachineFacts, PROJECT_FILE_ENDINGS } from './detect.ts';
import type { EnvironmentFacts } from './facts.ts';

/** The fields of the environment with the names that the engine uses. */
export type DetectedEnvironment = EnvironmentFacts & Record<string, string>;

/** A server opens few projects, so this limit is rarely reached. The oldest entry is dropped first. */
const MAX_CACHED_PROJECTS = 50;

/** Maximum number of files in a folder that are found by their ending. */
const MAX_PROJECT_FILES = 5;

const CUDA_VERSION_FILE = '/usr/local/cuda/version.json';
const MAX_CUDA_BYTES = 1024 * 1024;

interface CachedEnvironment {
  /** Names, times and sizes of the files, to detect changes. */
  stamp: string;
  environment: DetectedEnvironment;
}

const environmentCache = new Map<string, CachedEnvironment>();
const listingCache = new Map<string, { mtimeMs: number; names: string[] }>();

/**
 * Returns the environment of the project on this machine. The result is never empty, because the operating system is
 * always known.
 */
export function getEnvironment(root: string): DetectedEnvironment {
  const names = [...ENVIRONMENT_FILES, ...listProjectFiles(root)];
  const present = names.map((name) => ({ name, stats: statFile(path.join(root, name)) })).filter(({ stats }) => stats);
  const stamp = present.map(({ name, stats }) => `${name}:${stats?.mtimeMs}:${stats?.size}`).join(' ');
  const cached = environmentCache.get(root);
  if (cached?.stamp === stamp) return cached.environment;
  // A file that cannot be read still counts, because its name indicates the ecosystem.
  const texts = present.map(({ name }) => [name, readProjectFile(root, name) ?? '']);
  const environment: DetectedEnvironment = { ...detectEnvironment(Object.fromEntries(texts), getMachine()) };
  addToCache(environmentCache, root, { stamp, environment });
  return environment;
}

/**
 * Lists the files whose ending indicates an ecosystem. Reads the folder again only if its modification time has
 * changed, because a folder may be large.
 */
function listProjectFiles(root: string): string[] {
  try {
    const { mtimeMs } = statSync(root);
    const cached = listingCache.get(root);
    if (cached?.mtimeMs === mtimeMs) return cached.names;
    const all = readdirSync(root).filter((name) => PROJECT_FILE_ENDINGS.includes(path.extname(name)));
    const names = all.sort().slice(0, MAX_PROJECT_FILES);
    addToCache(listingCache, root, { mtimeMs, names });
    return names;
  } catch {
    return [];
  }
}

/** Adds an entry to a cache, and drops the oldest entry if the cache is full. */
function addToCache<T>(cache: Map<string, T>, root: string, value: T): void {
  cache.delete(root);
  cache.set(root, value);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED_PROJECTS && oldest !== undefined) cache.delete(oldest);
}

function getMachine(): MachineFacts {
  return {
    platform: process.platform,
    nodeVersion: process.versions.node,
    env: io().env,
    cudaVersionFile:
      process.platform === 'linux' ? tryReadText(CUDA_VERSION_FILE, { maxBytes: MAX_CUDA_BYTES }) : undefined,
  };
}

function statFile(file: string) {
  try {
    const stats = statSync(file);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}

/*
 * Conditions of a run, such as the operating system. Evidence uses them to find tests whose result depends on a
 * condition.
 */

/** Length of the hash of the host name. Only the hash is stored, because the name must not leave the machine. */
const MACHINE_HASH_CHARS = 12;

/** Returns names and values of conditions as evidence shows them, such as `os=windows`. */
export function getRunConditions(root: string): Record<string, string> {
  const { language, language_major: major, runtime } = getEnvironment(root);
  return {
    os: process.platform === 'win32' ? 'windows' : process.platform === 'darwin' ? 'macos' : process.platform,
    arch: process.arch,
    ci: String(isInCi()),
    ...(language === undefined ? {} : { language: major === undefined ? language : `${language}-${major}` }),
    ...(runtime === undefined ? {} : { runtime }),
    machine: createHash('sha256').update(hostname()).digest('hex').slice(0, MACHINE_HASH_CHARS),
  };
}
