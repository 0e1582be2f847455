/**
 * Keeps the work tree before every attempt, and says what changed between two moments. Work tree, index and HEAD are
 * never changed: going back is for people to decide.
 */

export interface FileChanged {
  /** Path in the project, with `/`. */
  path: string;
  /** In words. */
  change: string;
}

/** What is different between two moments. */
export interface Difference {
  /** The same for the same change, wherever in a file it stands; null where nothing changed. */
  digest: string | null;
  files: FileChanged[];
}

export interface Snapshots {
  /** `copies`: there is no git here. */
  readonly kind: 'git' | 'copies';
  /** Keeps the work tree as it is now under a name; the answer identifies its content. */
  take(name: string): Promise<string>;
  /** The work tree as it is now, kept only as long as the next calls need it. */
  now(): Promise<string>;
  difference(from: string, to: string): Promise<Difference>;
  /** A unified diff, cut where it is longer than anybody reads. `whole`: with all lines of the files. */
  diff(from: string, to: string, context?: 'whole'): Promise<string>;
  /** Whether two moments have the same content. */
  same(from: string, to: string): Promise<boolean>;
  /** Puts the kept names of a finished loop aside, so that a new one can use them. */
  archive(label: string): Promise<void>;
  /** Forgets what other loops kept long ago. */
  expire(now: number): Promise<void>;
  /** How a person returns to a moment. */
  howToGoBack(id: string): string;
  /** What is not kept, and why. */
  readonly warnings: readonly string[];
}
