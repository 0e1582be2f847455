/** The memories of a server: its own (tokens, audit log) and one for each project, made by the first call that writes. */

import type { Caller, CallName, Calls, Locale, NamedCalls } from 'argus-engine';

/** Makes calls for others. */
export interface ServedMemory extends NamedCalls {
  callOnce<N extends CallName>(name: N, params: Calls[N]['params'], caller: Caller): Promise<Calls[N]['result']>;
}

/** Tells of changes until it is closed. */
export interface Watching {
  close(): void;
}

export interface Projects {
  /** The server's own. */
  own(): Promise<NamedCalls>;
  memoryOf(project: string, locale: Locale): Promise<ServedMemory>;
  /** Those in which something was recorded, by name. */
  names(): Promise<string[]>;
  /** Calls `changed` when a project was written, by whatever process. */
  watch(project: string, changed: () => void): Watching;
  close(): Promise<void>;
}
