/** migrate and backup: commands for the operator of a server on PostgreSQL. */

import { existsSync } from 'node:fs';
import { PROJECT_NAME } from '../../config/project-name.ts';
import { ArgusError } from '../../errors.ts';
import { absolutePath } from '../../system/io.ts';
import { serverDatabase, shownDatabase } from '../../team/server/start-server.ts';
import { AT_TERMINAL, isPostgres, PostgresProjects } from '../../team/server/storage/postgres-projects.ts';
import { shortLine } from '../../text/untrusted.ts';
import { printData } from '../terminal/output.ts';

export interface MemoriesOptions {
  database?: string;
  json?: boolean;
}

export async function migrate(options: MemoriesOptions): Promise<void> {
  const projects = await onPostgres(options, (memories) => memories.migrate());
  const database = shownDatabase(await serverDatabase(options.database));
  printData({ database, projects }, options.json ?? false, () => {
    const count = projects.length === 1 ? '1 project' : `${projects.length} projects`;
    return `${database} is of this version, with ${count}`;
  });
}

export async function backup(project: string, file: string, options: MemoriesOptions): Promise<void> {
  const target = absolutePath(file);
  if (!PROJECT_NAME.test(project))
    throw new ArgusError('INVALID_INPUT', `There is no project '${shortLine(project)}'.`);
  if (existsSync(target))
    throw new ArgusError('INVALID_INPUT', `${target} is there already and stays. Name another file.`);
  await onPostgres(options, async (memories) => {
    const known = await memories.names();
    if (!known.includes(project)) {
      throw new ArgusError('INVALID_INPUT', `There is no project '${project}'. Those there are: ${known.join(', ')}.`);
    }
    await memories.backup(project, target);
  });
  printData({ project, file: target }, options.json ?? false, () => `${project} is copied to ${target}`);
}

async function onPostgres<T>(
  { database }: MemoriesOptions,
  work: (memories: PostgresProjects) => Promise<T>,
): Promise<T> {
  const url = await serverDatabase(database);
  if (!isPostgres(url)) {
    const advice = 'A file brings itself to a new version, and is copied as any other while nobody writes.';
    throw new ArgusError('INVALID_INPUT', `This is for a database on PostgreSQL (postgres://...). ${advice}`);
  }
  const memories = new PostgresProjects(url, AT_TERMINAL);
  try {
    return await work(memories);
  } finally {
    await memories.close();
  }
}
