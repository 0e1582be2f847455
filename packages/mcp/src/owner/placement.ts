/**
 * Whose the memory of a project is, and so where things are written. The database in the project is used where this
 * user made or adopted it on this machine. Beside any other, which is foreign, everything goes to one in the user's
 * data folder, and the foreign one is only looked at. Opening and making a database: database.ts. Adopting one:
 * cli/adopt.ts.
 */

import path from 'node:path';
import { EngineError } from 'argus-engine';
import { trackedFiles } from '../git/tracked.ts';
import { isStrangers, isWithin, linkAmong, lstat, obstacleOn } from '../system/files/way.ts';
import { workTreeTop } from '../system/files/work-tree-top.ts';
import { quoted } from '../system/words.ts';
import { projectFolder, trustedDataFolder } from './data-folder.ts';
import { identityOf } from './identity.ts';
import { MemoryRegistry } from './memory-registry.ts';

/** Why a database in a project is not used as the user's own. */
export interface Foreign {
  kind: 'unknown' | 'tracked' | 'link' | 'owner';
  /** A sentence. */
  reason: string;
  /** The next step for a person. */
  advice: string;
  /** The file, where it may be looked at. */
  source: string | undefined;
}

export interface Placement {
  /** The database that is written. */
  path: string;
  /** Undefined: there is none yet. */
  memoryId: string | undefined;
  /** Set where the project's own database, or its place, is not used. */
  foreign: Foreign | undefined;
  /** Where a copy of a foreign one is kept. */
  folder: string;
  registry: MemoryRegistry;
}

/** The place that a project's configuration names for its database. */
export interface Wanted {
  /** The folder that the memory is of. */
  root: string;
  database: string;
  /** The work tree that is worked in, where that is another. */
  top?: string;
}

const OBSTACLE_ADVICE = {
  link: 'Remove the link to keep the memory in the project.',
  owner: 'Make it yours with chown, or run Argus as that user, to keep the memory in the project.',
} as const;

/** What belongs to a database, and would be written through a link. */
const DATABASE_FILE_SUFFIXES = ['', '-journal', '.lockmode', '.lock', '.queue', '.spool'];

/** Throws a DATABASE_ error where there is no place at all. */
export async function placementOf(wanted: Wanted): Promise<Placement> {
  const data = await trustedDataFolder(wanted.root, wanted.top ?? wanted.root);
  const [folder, registry] = [projectFolder(data, wanted.root), new MemoryRegistry(data)];
  const foreign = await foreignReason(wanted);
  if (foreign !== undefined) return inDataFolder(folder, registry, foreign);
  requireFile(wanted.database);
  const { isEmpty, id } = await identityOf(wanted.database, folder, (id) => registry.knows(id));
  if (isEmpty) return { path: wanted.database, memoryId: undefined, foreign: undefined, folder, registry };
  if (id !== null && registry.knows(id)) {
    return { path: wanted.database, memoryId: id, foreign: undefined, folder, registry };
  }
  return inDataFolder(folder, registry, unknown(wanted));
}

/** What keeps the place from being used, whatever the file says of itself. */
async function foreignReason(wanted: Wanted): Promise<Foreign | undefined> {
  const { root, database } = wanted;
  const shown = path.relative(root, database);
  const source = lstat(database)?.isFile() ? database : undefined;
  // Outside of the project only the user's own configuration leads; there the user says where it goes.
  const files = DATABASE_FILE_SUFFIXES.map((suffix) => `${database}${suffix}`);
  const gitignore = path.join(path.dirname(database), '.gitignore');
  const link = linkAmong(root, [...files, gitignore]);
  const obstacle = isWithin(database, root) ? (obstacleOn(root, database) ?? link) : (link ?? strangersFile(wanted));
  if (obstacle !== undefined) {
    const { kind, text } = obstacle;
    const reason = `${text}, so nothing is written there.`;
    return { kind, reason, advice: OBSTACLE_ADVICE[kind], source: kind === 'link' ? undefined : source };
  }
  const tracked = await trackedAmong(wanted);
  if (tracked.length === 0) return undefined;
  const reason = `git tracks ${shown}, so it came with the repository, and Argus writes no file that git tracks.`;
  const names = tracked.map((file) => quoted(path.relative(root, file)));
  const advice = `To make it yours: git rm -r --cached ${names.join(' ')}, then argus-mcp adopt.`;
  return { kind: 'tracked', reason, advice, source };
}

function strangersFile({ database }: Wanted) {
  const stats = lstat(database);
  if (stats === undefined || !isStrangers(stats)) return undefined;
  return { kind: 'owner' as const, text: `${database} belongs to another user of this machine` };
}

function unknown({ root, database }: Wanted): Foreign {
  const reason = `${path.relative(root, database)} was not made by this user on this machine.`;
  const advice = 'argus-mcp adopt, at a terminal, shows what it holds and makes it yours.';
  return { kind: 'unknown', reason, advice, source: database };
}

/** What git tracks: a folder that is Argus's own, for anything in it; else the database and what belongs to it. */
async function trackedAmong({ root, database }: Wanted): Promise<string[]> {
  const within = isWithin(database, root) ? root : path.dirname(database);
  if (workTreeTop(within) === undefined) return [];
  const own = path.join(root, '.argus');
  const paths = isWithin(database, own) ? [own] : DATABASE_FILE_SUFFIXES.map((suffix) => `${database}${suffix}`);
  const tracked = await trackedFiles(within, paths);
  // Where git cannot say, the id alone decides.
  return [...(tracked ?? [])];
}

/** The own database beside a foreign one. What is in the data folder is the user's own. */
async function inDataFolder(folder: string, registry: MemoryRegistry, foreign: Foreign): Promise<Placement> {
  const database = path.join(folder, 'argus.db');
  const { id } = await identityOf(database, folder, () => true);
  return { path: database, memoryId: id ?? undefined, foreign, folder, registry };
}

/** Opening a pipe waits for whoever writes to it. */
function requireFile(database: string): void {
  const stats = lstat(database);
  if (stats === undefined || stats.isFile() || stats.isSymbolicLink() || stats.isDirectory()) return;
  throw new EngineError('DATABASE_UNAVAILABLE', `${database} is neither a file nor a folder. Move it away.`);
}

/** What is said of a memory that is not used as it lies there. */
export function foreignNote({ path: home, foreign }: Pick<Placement, 'path' | 'foreign'>): string | undefined {
  if (foreign === undefined) return undefined;
  const { reason, advice, source } = foreign;
  const looked = source === undefined ? '' : ' What it holds is shown as foreign, and never counts as known.';
  return `Foreign memory: ${reason}${looked} What is learned here goes to ${home}. ${advice}`.trimEnd();
}
