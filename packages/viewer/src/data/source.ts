/**
 * The interface to the page's data. `file/file-source.ts` implements it for opened files and exported pages, and
 * `live/live-source.ts` for running servers.
 */

import type { Calls, PageCallName } from 'argus-engine/browser';

export type Method = PageCallName;
export type Params<M extends Method> = Calls[M]['params'];
export type Result<M extends Method> = Calls[M]['result'];

/** Facts about the data that the header shows. */
export interface SourceFacts {
  /** Name of the project's folder or of the file. */
  readonly name: string;
  /** The complete path, if it is known. */
  readonly path?: string;
  /** Time of a snapshot in ISO 8601. Undefined for current data. */
  readonly taken?: string;
  readonly bytes?: number;
}

export interface Source {
  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Calls `listener` when stored data may have changed. The returned function stops the calls. */
  onChange(listener: () => void): () => void;
  /** True if changes arrive without a reload. */
  readonly live: boolean;
  /** True if a person may edit the stored data. */
  readonly editable: boolean;
  readonly about: SourceFacts;
  close(): void;
}

/** Returns the name and path of a project's folder. The path may have the separators of any system. */
export function describeFolder(path: string): Pick<SourceFacts, 'name' | 'path'> {
  return { name: path.split(/[/\\]/).findLast(Boolean) ?? path, path };
}

/** An error with a code of the engine or of the page. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Converts anything that was thrown to a problem that can be shown. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  if (hasErrorCode(thrown)) return new Problem(thrown.code, thrown.message, { cause: thrown });
  return new Problem('INTERNAL_ERROR', thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** Returns true for an error that a worker or a server has sent. */
export function hasErrorCode(thrown: unknown): thrown is { code: string; message: string } {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown) || !('message' in thrown)) return false;
  return typeof thrown.code === 'string' && typeof thrown.message === 'string';
}
