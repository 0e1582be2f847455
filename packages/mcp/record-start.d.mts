import type { RecordedStart } from './src/launcher.ts';

/** Sends a request and resolves with its result. */
type Ask = (method: string, params?: object) => Promise<object>;

export function recordStart(connect: () => Promise<{ ask: Ask; close(): Promise<void> }>): Promise<RecordedStart>;

export function asking(send: (message: never) => unknown): { ask: Ask; receive(message: object): void };
