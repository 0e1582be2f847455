/** English error messages with advice. */

export const problems: Record<string, { title: string; next: string }> = {
  UNAUTHORIZED: {
    title: 'This address has no valid token',
    next: 'Open the address that argus-mcp view has printed; if that does not help, run it again.',
  },
  SERVER_GONE: {
    title: 'The server does not answer',
    next: 'Run argus-mcp view again and open the address that it prints.',
  },
  FILE_EMPTY: { title: 'The file is empty', next: 'Choose the file argus.db in the project’s folder .argus.' },
  NOTHING_OPEN: { title: 'No database is open', next: 'Drop one on the page.' },
  DATABASE_CORRUPT: {
    title: 'This is no Argus database, or it is damaged',
    next: 'Choose the file argus.db in the project’s folder .argus; if it is that one, argus-mcp doctor says more.',
  },
  DATABASE_NEWER: {
    title: 'This database is from a newer version of Argus',
    next: 'Open it with the page of that version: npx argus-mcp@latest view.',
  },
  DATABASE_LOCKED: { title: 'The database is busy', next: 'Somebody is writing; try again in a moment.' },
  DATABASE_READ_ONLY: { title: 'The database cannot be written', next: 'Check the permissions of the folder .argus.' },
  DATABASE_FULL: { title: 'The disk is full', next: 'Free some space, then try again.' },
  DATABASE_UNAVAILABLE: {
    title: 'The database cannot be opened',
    next: 'It may have been moved, or copied without the file argus.db-journal beside it.',
  },
  TEAM_UNREACHABLE: {
    title: 'The team’s server does not answer',
    next: 'What is recorded meanwhile waits on this machine; reload the page in a moment.',
  },
  TEAM_DENIED: {
    title: 'The team’s server does not take the token',
    next: 'It may have expired; ask an admin for a new one.',
  },
  RUN_NOT_FOUND: { title: 'This run is not recorded', next: 'It may have been removed by the retention rules.' },
  CASE_NOT_FOUND: { title: 'This test is not in the run', next: 'Search the run’s cases for its name.' },
  PATTERN_NOT_FOUND: { title: 'There is no such pattern', next: 'Search the patterns for its words.' },
  INCIDENT_NOT_FOUND: { title: 'There is no such incident', next: 'Search the incidents for its words.' },
  INVALID_INPUT: { title: 'This was not accepted', next: 'Change it as the message says.' },
  INTERNAL_ERROR: { title: 'Something failed unexpectedly', next: 'Reload the page; nothing that is stored is lost.' },
};
