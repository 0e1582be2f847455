/**
 * Writes warnings about files that a snapshot leaves out. work-tree.ts decides which files.
 */

/** Longer lists are not read. */
const MAX_NAMED_FILES = 20;

export function secretsWarning(names: readonly string[]): string {
  return `${notKeptWarning('they look like secrets', names)} Going back does not restore them.`;
}

export function notKeptWarning(why: string, names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED_FILES);
  const others = names.length > named.length ? ` and ${names.length - named.length} more` : '';
  return `Not kept in snapshots, for ${why}: ${named.join(', ')}${others}.`;
}
