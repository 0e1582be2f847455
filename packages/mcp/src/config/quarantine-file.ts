/** At the root of the project, where reviewers see it. */
export const QUARANTINE_FILE = 'argus-quarantine.yaml';
