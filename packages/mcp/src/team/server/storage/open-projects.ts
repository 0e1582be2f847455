/** Which of the two keeps the memories of a server. */

import { FileProjects } from './file-projects.ts';
import { isPostgres, PostgresProjects } from './postgres-projects.ts';
import type { Projects } from './projects.ts';

/** `database`: a file, or the URL of a PostgreSQL database. Nothing is opened yet. */
export function projectsIn(database: string): Projects {
  return isPostgres(database) ? new PostgresProjects(database) : new FileProjects(database);
}
