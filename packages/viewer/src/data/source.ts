/**
 * Where the page's data comes from, whichever of the three ways it was opened. Its implementations: file/file.ts
 * and live/live.ts.
 */

import type { Calls, PageCallName } from 'argus-engine/browser';

export type Method = PageCallName;
export type Params<M extends Method> = Calls[M]['params'];
export type Result<M extends Method> = Calls[M]['result'];

/** What the page says of its data in the header. */
export interface About {
  /** The name of the project's folder, or of the file. */
  readonly name: string;
  /** The whole path, where it is known. */
  readonly path?: string;
  /** When a snapshot was taken, ISO 8601; none: it is what is there now. */
  readonly taken?: string;
  readonly bytes?: number;
}

export interface Source {
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Calls `listener` whenever stored things may have changed; returns what ends that. */
  onChange(listener: () => void): () => void;
  /** Changes arrive without a reload. */
  readonly live: boolean;
  /** A person may correct what is stored. */
  readonly editable: boolean;
  readonly about: About;
  close(): void;
}

/** Whose data it is, by the path of its folder on any system. */
export function aboutFolder(path: string): Pick<About, 'name' | 'path'> {
  return { name: path.split(/[/\\]/).findLast(Boolean) ?? path, path };
}

/** What went wrong, with the engine's code or one of the page's own. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Whatever was thrown, as a problem that can be shown. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (isCoded(thrown)) return new Problem(thrown.code, thrown.message, { cause: thrown });
  return new Problem('INTERNAL_ERROR', thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** An error that crossed a worker's or a server's boundary. */
export function isCoded(thrown: unknown): thrown is { code: string; message: string } {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown) || !('message' in thrown)) return false;
  return typeof thrown.code === 'string' && typeof thrown.message === 'string';
}
