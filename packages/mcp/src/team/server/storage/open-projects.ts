/** Chooses the storage for the memories of a server. */

import { FileProjects } from './file-projects.ts';
import { isPostgres, type PostgresOptions, PostgresProjects } from './postgres-projects.ts';
import type { Projects } from './projects.ts';

/** `database` is a file or the URL of a PostgreSQL database. This function opens nothing. */
export function projectsIn(database: string, options: PostgresOptions): Projects {
  return isPostgres(database)
    ? new PostgresProjects(database, options)
    : new FileProjects(database, options.retention ?? {});
}
