/**
 * The memories of a server: its own memory for tokens and the audit log, and one memory for each project, created by
 * the first call that writes.
 */

import type { Caller, CallName, Calls, Locale, NamedCalls } from 'argus-engine';

/** Makes calls for other users. */
export interface ServedMemory extends NamedCalls {
  callOnce<N extends CallName>(name: N, params: Calls[N]['params'], caller: Caller): Promise<Calls[N]['result']>;
}

/** Reports changes until it is closed. */
export interface Watching {
  close(): void;
}

export interface Projects {
  /** The server's own memory. */
  own(): Promise<NamedCalls>;
  memoryOf(project: string, locale: Locale): Promise<ServedMemory>;
  /** The projects that have recorded something, sorted by name. */
  names(): Promise<string[]>;
  /** Calls `changed` when any process has written to the project. */
  watch(project: string, changed: () => void): Watching;
  close(): Promise<void>;
}
