/**
 * Keeps the work tree before every attempt, and finds the changes between two snapshots. It never changes the work
 * tree, the index or HEAD, because only people may decide to go back.
 */

export interface FileChanged {
  /** Path in the project, with `/`. */
  path: string;
  /** Description in words. */
  change: string;
}

/** The difference between two snapshots. */
export interface Difference {
  /** Equal for equal changes at any position in a file. Null if nothing changed. */
  digest: string | null;
  files: FileChanged[];
}

export interface Snapshots {
  /** `copies` if there is no git. */
  readonly kind: 'git' | 'copies';
  /** Keeps the current work tree under a name. The returned id identifies its content. */
  take(name: string): Promise<string>;
  /** Keeps the current work tree only as long as the next calls need it. */
  now(): Promise<string>;
  difference(from: string, to: string): Promise<Difference>;
  /** Returns a unified diff, cut to a limit. `whole` includes all lines of the files. */
  diff(from: string, to: string, context?: 'whole'): Promise<string>;
  /** True if both snapshots have the same content. */
  same(from: string, to: string): Promise<boolean>;
  /** Renames the snapshots of a finished loop, so that a new loop can use the names. */
  archive(label: string): Promise<void>;
  /** Removes old snapshots of other loops. */
  expire(now: number): Promise<void>;
  /** Returns the command that restores a snapshot. */
  howToGoBack(id: string): string;
  /** Files that are not kept, with the reason. */
  readonly warnings: readonly string[];
}
