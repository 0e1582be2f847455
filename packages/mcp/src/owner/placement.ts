/**
 * Decides whose the memory of a project is, and so where data is written. The database in the project is used if this
 * user created or adopted it on this machine. Any other database is foreign: it is only read, and new data goes to a
 * database in the user's data folder. `database.ts` opens and creates databases. `cli/adopt.ts` adopts them.
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

/** The reason why a database in a project is not used as the user's own. */
export interface Foreign {
  kind: 'unknown' | 'tracked' | 'link' | 'owner';
  /** A sentence. */
  reason: string;
  /** The next step for a person. */
  advice: string;
  /** The path of the file if it may be read. */
  source: string | undefined;
}

export interface Placement {
  /** The database that is written. */
  path: string;
  /** Undefined before the database exists. */
  memoryId: string | undefined;
  /** Set when the project's own database, or its location, is not used. */
  foreign: Foreign | undefined;
  /** The folder for the copy of a foreign database. */
  folder: string;
  registry: MemoryRegistry;
}

/** The location that a project's configuration names for its database. */
export interface Wanted {
  /** The folder of the project that owns the memory. */
  root: string;
  database: string;
  /** The current work tree, if it is not `root`. */
  top?: string;
}

const OBSTACLE_ADVICE = {
  link: 'Remove the link to keep the memory in the project.',
  owner: 'Make it yours with chown, or run Argus as that user, to keep the memory in the project.',
} as const;

/**
 * Suffixes of the files of a database. All of them are checked, because SQLite and Argus would write through a link.
 */
const DATABASE_FILE_SUFFIXES = ['', '-journal', '.lockmode', '.lock', '.queue', '.spool'];

/** Throws a DATABASE_ error if no location is usable. */
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

/** Returns the reason why the location cannot be used, regardless of the id in the file. */
async function foreignReason(wanted: Wanted): Promise<Foreign | undefined> {
  const { root, database } = wanted;
  const shown = path.relative(root, database);
  const source = lstat(database)?.isFile() ? database : undefined;
  // Only the user's own configuration can name a location outside the project, so fewer checks apply there.
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

/** The files that git tracks: anything in Argus's own folder, otherwise the database and its companion files. */
async function trackedAmong({ root, database }: Wanted): Promise<string[]> {
  const within = isWithin(database, root) ? root : path.dirname(database);
  if (workTreeTop(within) === undefined) return [];
  const own = path.join(root, '.argus');
  const paths = isWithin(database, own) ? [own] : DATABASE_FILE_SUFFIXES.map((suffix) => `${database}${suffix}`);
  const tracked = await trackedFiles(within, paths);
  // If git cannot answer, the id alone decides.
  return [...(tracked ?? [])];
}

/** The own database for a project with a foreign database. Everything in the data folder belongs to the user. */
async function inDataFolder(folder: string, registry: MemoryRegistry, foreign: Foreign): Promise<Placement> {
  const database = path.join(folder, 'argus.db');
  const { id } = await identityOf(database, folder, () => true);
  return { path: database, memoryId: id ?? undefined, foreign, folder, registry };
}

/** Refuses pipes and devices, because opening a pipe waits for a writer. */
function requireFile(database: string): void {
  const stats = lstat(database);
  if (stats === undefined || stats.isFile() || stats.isSymbolicLink() || stats.isDirectory()) return;
  throw new EngineError('DATABASE_UNAVAILABLE', `${database} is neither a file nor a folder. Move it away.`);
}

/** The message about a memory that is not used as the user's own. */
export function foreignNote({ path: home, foreign }: Pick<Placement, 'path' | 'foreign'>): string | undefined {
  if (foreign === undefined) return undefined;
  const { reason, advice, source } = foreign;
  const looked = source === undefined ? '' : ' What it holds is shown as foreign, and never counts as known.';
  return `Foreign memory: ${reason}${looked} What is learned here goes to ${home}. ${advice}`.trimEnd();
}
