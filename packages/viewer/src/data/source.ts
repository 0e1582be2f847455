/** The interface to the page's data, for all three ways to open it. `file/file.ts` and `live/live.ts` implement it. */

import type { Calls, PageCallName } from 'argus-engine/browser';

export type Method = PageCallName;
export type Params<M extends Method> = Calls[M]['params'];
export type Result<M extends Method> = Calls[M]['result'];

/** Facts about the data for the header. */
export interface About {
  /** The name of the project's folder or of the file. */
  readonly name: string;
  /** The whole path, if it is known. */
  readonly path?: string;
  /** The time of a snapshot in ISO 8601. Undefined for current data. */
  readonly taken?: string;
  readonly bytes?: number;
}

export interface Source {
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Calls `listener` when stored data may have changed. The returned function ends that. */
  onChange(listener: () => void): () => void;
  /** True if changes arrive without a reload. */
  readonly live: boolean;
  /** True if a person may edit the stored data. */
  readonly editable: boolean;
  readonly about: About;
  close(): void;
}

/** The name and path of a project's folder, with the separators of any system. */
export function aboutFolder(path: string): Pick<About, 'name' | 'path'> {
  return { name: path.split(/[/\\]/).findLast(Boolean) ?? path, path };
}

/** An error with the engine's code or a code of the page. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Converts anything that was thrown to a problem that can be shown. */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (isCoded(thrown)) return new Problem(thrown.code, thrown.message, { cause: thrown });
  return new Problem('INTERNAL_ERROR', thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** Recognizes an error that has crossed the boundary of a worker or server. */
export function isCoded(thrown: unknown): thrown is { code: string; message: string } {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown) || !('message' in thrown)) return false;
  return typeof thrown.code === 'string' && typeof thrown.message === 'string';
}
