/** A PostgreSQL for a file of tests. Its databases are copies of a migrated database, because migrating takes time. */

import { afterAll, beforeAll } from 'vitest';
import { postgresFolder, startPostgres } from '../../../scripts/lib/postgres.mjs';
import { testWith } from '../../programs.ts';
import { argus } from '../argus.ts';
import { stopServers } from './team.ts';

export const testOnPostgres = testWith('PostgreSQL');

type Postgres = Awaited<ReturnType<typeof startPostgres>>;

let started: Postgres | undefined;
let template: Promise<string> | undefined;

beforeAll(async () => {
  if (postgresFolder() !== undefined) started = await startPostgres();
});

afterAll(async () => {
  await stopServers();
  await started?.stop();
});

export function postgres(): Postgres {
  if (started === undefined) throw new Error('PostgreSQL is started before the tests');
  return started;
}

/** Makes a new migrated database. Resolves with its URL. */
export async function migrated(): Promise<string> {
  template ??= migratedOnce();
  return postgres().newDatabase(await template);
}

async function migratedOnce(): Promise<string> {
  const database = await postgres().newDatabase();
  const { status, stderr } = await argus(['migrate', '--database', database]);
  if (status !== 0) throw new Error(stderr);
  return database;
}
