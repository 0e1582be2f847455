/**
 * A PostgreSQL server for a test file. Its databases are copies of a migrated database, because migrating takes time.
 */

import { afterAll, beforeAll } from 'vitest';
import { findPostgresFolder, startPostgres } from '../../../scripts/lib/postgres.mjs';
import { testWith } from '../../programs.ts';
import { argus } from '../argus.ts';
import { stopServers } from './team.ts';

export const testOnPostgres = testWith('PostgreSQL');

type Postgres = Awaited<ReturnType<typeof startPostgres>>;

let startedPostgres: Postgres | undefined;
let templateName: Promise<string> | undefined;

beforeAll(async () => {
  if (findPostgresFolder() !== undefined) startedPostgres = await startPostgres();
});

afterAll(async () => {
  await stopServers();
  await startedPostgres?.stop();
});

export function getPostgres(): Postgres {
  if (startedPostgres === undefined) throw new Error('PostgreSQL is started before the tests');
  return startedPostgres;
}

/** Creates a new migrated database. Resolves with its URL. */
export async function createMigratedDatabase(): Promise<string> {
  templateName ??= createTemplate();
  return getPostgres().newDatabase(await templateName);
}

async function createTemplate(): Promise<string> {
  const database = await getPostgres().newDatabase();
  const { status, stderr } = await argus(['migrate', '--database', database]);
  if (status !== 0) throw new Error(stderr);
  return database;
}
