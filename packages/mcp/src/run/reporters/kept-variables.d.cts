/** Prefix of the variables that hold what Argus adds to other variables. */
export const ADDITION_PREFIX: 'ARGUS_REPORT_';

/** Changes a text for a POSIX shell so that each assignment of a variable keeps what Argus added. */
export function keepAdditionsInShell(text: string): string;
