/** Before the name of a variable: where what Argus adds to it lies as well. */
export const ADDED: 'ARGUS_REPORT_';

/** The text of a POSIX shell, so that each assignment of a variable keeps what Argus has added to it. */
export function keepInShell(text: string): string;
