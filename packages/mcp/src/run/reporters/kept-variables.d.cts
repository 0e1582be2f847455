/** Prefix of the variable that holds Argus' addition to another variable. */
export const ADDED: 'ARGUS_REPORT_';

/** Changes the text for a POSIX shell so that each assignment of a variable keeps Argus' addition. */
export function keepInShell(text: string): string;
