/**
 * The environment of a project on this machine. The files are read again only when one of them has changed. `detect.ts`
 * interprets them.
 */

import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { projectFile } from '../system/files/project-file.ts';
import { textOf } from '../system/files/read.ts';
import { io } from '../system/io.ts';
import { detect, ENDINGS, FILES, type Machine } from './detect.ts';
import type { Facts } from './facts.ts';

/** The fields of the environment in the engine's form. */
export type DetectedEnvironment = Facts & Record<string, string>;

/** Enough for a server, which meets few projects. The oldest entry is dropped first. */
const MAX_PROJECTS = 50;

/** The limit of project files per folder that are found by their ending. */
const MAX_ENDINGS = 5;

const CUDA_VERSION_FILE = '/usr/local/cuda/version.json';
const MAX_CUDA_BYTES = 1024 * 1024;

interface Known {
  /** Sizes and times of the files. */
  stamp: string;
  environment: DetectedEnvironment;
}

const projects = new Map<string, Known>();
const listings = new Map<string, { mtimeMs: number; names: string[] }>();

/** The environment of project and machine. It is never empty, because every machine has a system. */
export function environmentOf(root: string): DetectedEnvironment {
  const names = [...FILES, ...withEndings(root)];
  const present = names.map((name) => ({ name, stats: statOf(path.join(root, name)) })).filter(({ stats }) => stats);
  const stamp = present.map(({ name, stats }) => `${name}:${stats?.mtimeMs}:${stats?.size}`).join(' ');
  const known = projects.get(root);
  if (known?.stamp === stamp) return known.environment;
  // A file that cannot be read still counts by its name.
  const texts = present.map(({ name }) => [name, projectFile(root, name) ?? '']);
  const environment: DetectedEnvironment = { ...detect(Object.fromEntries(texts), thisMachine()) };
  keep(projects, root, { stamp, environment });
  return environment;
}

/** Lists the folder again only when its modification time has changed, because it may be large. */
function withEndings(root: string): string[] {
  try {
    const { mtimeMs } = statSync(root);
    const known = listings.get(root);
    if (known?.mtimeMs === mtimeMs) return known.names;
    const all = readdirSync(root).filter((name) => ENDINGS.includes(path.extname(name)));
    const names = all.sort().slice(0, MAX_ENDINGS);
    keep(listings, root, { mtimeMs, names });
    return names;
  } catch {
    return [];
  }
}

/** Keeps the newest entries. */
function keep<T>(known: Map<string, T>, root: string, value: T): void {
  known.delete(root);
  known.set(root, value);
  const [oldest] = known.keys();
  if (known.size > MAX_PROJECTS && oldest !== undefined) known.delete(oldest);
}

function thisMachine(): Machine {
  return {
    platform: process.platform,
    nodeVersion: process.versions.node,
    env: io().env,
    cudaVersionFile: process.platform === 'linux' ? textOf(CUDA_VERSION_FILE, { maxBytes: MAX_CUDA_BYTES }) : undefined,
  };
}

function statOf(file: string) {
  try {
    const stats = statSync(file);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}
