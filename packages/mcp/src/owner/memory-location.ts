/**
 * Decides who owns the memory of a project, and thus where data is written. The database in the project is used if this
 * user created or adopted it on this machine. Any other database is foreign: it is only read, and new data is written
 * to a database in the user's data folder. `database.ts` opens and creates databases. `cli/adopt.ts` adopts them.
 */

import path from 'node:path';
import { EngineError } from 'argus-engine';
import { findTrackedPaths } from '../git/repository.ts';
import { quoteArgument } from '../system/command-line.ts';
import {
  belongsToOtherUser,
  findLinkObstacle,
  findObstacle,
  findWorkTreeTop,
  isWithin,
  tryLstat,
} from '../system/files/path-safety.ts';
import { findTrustedDataFolder, getProjectDataFolder } from './data-folder.ts';
import { MemoryRegistry, readIdentity } from './identity.ts';

/** The reason why a database in a project is not used as the user's own. */
interface ForeignReason {
  kind: 'unknown' | 'tracked' | 'link' | 'owner';
  /** A sentence. */
  reason: string;
  /** The next step for a person. */
  advice: string;
  /** The path of the file. Undefined if the file must not be read. */
  source: string | undefined;
}

export interface MemoryLocation {
  /** The database that is written. */
  path: string;
  /** Undefined if the database does not exist yet. */
  memoryId: string | undefined;
  /** Set if the database in the project, or its location, is not used. */
  foreign: ForeignReason | undefined;
  /** The folder for the copy of a foreign database. */
  folder: string;
  registry: MemoryRegistry;
}

/** The location of the database according to the project's configuration. */
export interface ConfiguredDatabase {
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
 * Suffixes of the files of a database. All of them are checked for links, because SQLite and Argus would write through
 * a link.
 */
export const DATABASE_FILE_SUFFIXES = ['', '-journal', '.lockmode', '.lock', '.queue', '.spool'];

/** Decides where the memory of a project is. Throws a DATABASE_ error if no location can be used. */
export async function resolveMemoryLocation(configured: ConfiguredDatabase): Promise<MemoryLocation> {
  const data = await findTrustedDataFolder(configured.root, configured.top ?? configured.root);
  const [folder, registry] = [getProjectDataFolder(data, configured.root), new MemoryRegistry(data)];
  const foreign = await findForeignReason(configured);
  if (foreign !== undefined) return locateInDataFolder(folder, registry, foreign);
  requireRegularFile(configured.database);
  const { isEmpty, id } = await readIdentity(configured.database, folder, (id) => registry.has(id));
  if (isEmpty) return { path: configured.database, memoryId: undefined, foreign: undefined, folder, registry };
  if (id !== null && registry.has(id)) {
    return { path: configured.database, memoryId: id, foreign: undefined, folder, registry };
  }
  return locateInDataFolder(folder, registry, createUnknownReason(configured));
}

/**
 * Returns the reason why the database in the project cannot be used. The reasons here do not depend on the id in the
 * file.
 */
async function findForeignReason(configured: ConfiguredDatabase): Promise<ForeignReason | undefined> {
  const { root, database } = configured;
  const relativePath = path.relative(root, database);
  const source = tryLstat(database)?.isFile() ? database : undefined;
  // Only the user's own configuration can name a location outside the project, so fewer checks are needed there.
  const files = DATABASE_FILE_SUFFIXES.map((suffix) => `${database}${suffix}`);
  const gitignore = path.join(path.dirname(database), '.gitignore');
  const link = findLinkObstacle(root, [...files, gitignore]);
  const obstacle = isWithin(database, root)
    ? (findObstacle(root, database) ?? link)
    : (link ?? findOwnerObstacle(configured));
  if (obstacle !== undefined) {
    const { kind, text } = obstacle;
    const reason = `${text}, so nothing is written there.`;
    return { kind, reason, advice: OBSTACLE_ADVICE[kind], source: kind === 'link' ? undefined : source };
  }
  const tracked = await findTrackedFiles(configured);
  if (tracked.length === 0) return undefined;
  const reason = `git tracks ${relativePath}, so it came with the repository, and Argus writes no file that git tracks.`;
  const names = tracked.map((file) => quoteArgument(path.relative(root, file)));
  const advice = `To make it yours: git rm -r --cached ${names.join(' ')}, then argus-mcp adopt.`;
  return { kind: 'tracked', reason, advice, source };
}

function findOwnerObstacle({ database }: ConfiguredDatabase) {
  const stats = tryLstat(database);
  if (stats === undefined || !belongsToOtherUser(stats)) return undefined;
  return { kind: 'owner' as const, text: `${database} belongs to another user of this machine` };
}

function createUnknownReason({ root, database }: ConfiguredDatabase): ForeignReason {
  const reason = `${path.relative(root, database)} was not made by this user on this machine.`;
  const advice = 'argus-mcp adopt, at a terminal, shows its content and makes it yours.';
  return { kind: 'unknown', reason, advice, source: database };
}

/**
 * Returns the files that git tracks: any file in Argus's own folder, otherwise the database and its companion files.
 */
async function findTrackedFiles({ root, database }: ConfiguredDatabase): Promise<string[]> {
  const within = isWithin(database, root) ? root : path.dirname(database);
  if (findWorkTreeTop(within) === undefined) return [];
  const own = path.join(root, '.argus');
  const paths = isWithin(database, own) ? [own] : DATABASE_FILE_SUFFIXES.map((suffix) => `${database}${suffix}`);
  const tracked = await findTrackedPaths(within, paths);
  // If git cannot answer, only the id decides.
  return [...(tracked ?? [])];
}

/** Returns the location for a project with a foreign database. Everything in the data folder belongs to the user. */
async function locateInDataFolder(
  folder: string,
  registry: MemoryRegistry,
  foreign: ForeignReason,
): Promise<MemoryLocation> {
  const database = path.join(folder, 'argus.db');
  const { id } = await readIdentity(database, folder, () => true);
  return { path: database, memoryId: id ?? undefined, foreign, folder, registry };
}

/** Rejects pipes and devices, because opening a pipe waits for a writer. */
function requireRegularFile(database: string): void {
  const stats = tryLstat(database);
  if (stats === undefined || stats.isFile() || stats.isSymbolicLink() || stats.isDirectory()) return;
  throw new EngineError('DATABASE_UNAVAILABLE', `${database} is neither a file nor a folder. Move it away.`);
}

/** Returns the message about a memory that is not used as the user's own, or undefined if there is none. */
export function formatForeignNote({
  path: home,
  foreign,
}: Pick<MemoryLocation, 'path' | 'foreign'>): string | undefined {
  if (foreign === undefined) return undefined;
  const { reason, advice, source } = foreign;
  const readNote = source === undefined ? '' : ' Its content is shown as foreign and never counts as known.';
  return `Foreign memory: ${reason}${readNote} New data is stored in ${home}. ${advice}`.trimEnd();
}
