/**
 * The engine on Node, with files through `fs` and locks of the operating system.
 *
 * ```ts
 * import { classify, openEngine } from 'argus-engine';
 * classify({ text: 'connect ECONNREFUSED 127.0.0.1:5432' }); // CONNECTION_REFUSED
 * const engine = await openEngine({ databasePath: '.argus/argus.db', projectRoot: process.cwd() });
 * await engine.diagnose({ runId, caseName });
 * ```
 */

import { Engine, type OpenOptions } from './engine.ts';
import { FixLoop } from './fix-loop.ts';
import type { FailureCategory, FailureEvent } from './generated/contract.ts';
import { Inspector, type InspectorOptions } from './inspector.ts';
import { FileServer, type FileServerOptions } from './node/file-server.ts';
import { NodePlatform } from './node/platform.ts';
import { ProjectServer, type ProjectServerOptions } from './node/project-server.ts';
import { Runtime } from './runtime.ts';
import * as wasm from './wasm/argus_wasm.js';

export { type Caller, Engine, type OpenOptions } from './engine.ts';
export { FixLoop } from './fix-loop.ts';
export { EDITING_CALLS, NamedCalls, TEAM_CALLS } from './generated/calls.ts';
export { FileServer, type FileServerOptions } from './node/file-server.ts';
export {
  ProjectMemory,
  ProjectServer,
  type ProjectServerOptions,
  type SchemaState,
  type SqlAnswer,
  type SqlConnection,
  SqlError,
  type SqlPool,
  type SqlStatement,
} from './node/project-server.ts';
export { getDefaultWorkerCount } from './node/project-workers.ts';
export * from './shared-exports.ts';
export { HistoryStore, KnowledgeStore } from './stores.ts';

const runtime = new Runtime(new NodePlatform());
let plainInspector: Inspector | undefined;

/** Opens the memory of a project. Rejects with an `EngineError` if the database cannot be read. */
export async function openEngine(options: OpenOptions): Promise<Engine> {
  return new Engine(runtime, options);
}

/**
 * Opens the memories of a server on PostgreSQL, using connections from the caller. Nothing is sent before the first
 * call.
 */
export function openProjectServer(options: ProjectServerOptions): ProjectServer {
  return new ProjectServer(options);
}

/** Opens the memories of a server in files. Opens nothing before the first call. */
export function openFileServer(options: FileServerOptions): FileServer {
  return new FileServer(options);
}

/** The id of a database file. */
export interface DatabaseIdentity {
  /** True if the file is missing or empty. */
  readonly isEmpty: boolean;
  /** Null if the file was created by a version that did not use ids. */
  readonly id: string | null;
}

/** Reads the id of a file without a lock, a rollback or a write. Throws if the file is not an Argus database. */
export function identify(databasePath: string): DatabaseIdentity {
  return runtime.call(undefined, () => wasm.identify(databasePath));
}

/** Gives an existing file a new id and migrates the file to this version. */
export function adopt(databasePath: string, id: string): void {
  runtime.call(undefined, () => wasm.adopt(databasePath, id));
}

/** Creates an inspector, which analyzes failure texts with the rules of the project. */
export function createInspector(options: InspectorOptions = {}): Inspector {
  return new Inspector(runtime, options);
}

/** Creates the rules of the fix loop, with the project's rules for errors and secrets. */
export function createFixLoop(options: InspectorOptions = {}): FixLoop {
  return new FixLoop(runtime, options);
}

/** Returns the category of a failure by the built-in rules. */
export function classify(event: FailureEvent): FailureCategory {
  plainInspector ??= createInspector();
  return plainInspector.classify(event);
}

/** Returns the hex SHA-256 of `category::caseName::normalizedError`. */
export function generateSignature(category: FailureCategory, caseName: string, error: string): string {
  return runtime.call(undefined, () => wasm.generateSignature(category, caseName, error));
}

/** Makes the engine trap at the given write to a file, counted from now. For tests of trap recovery. */
export function _trapAtWrite(writes: number): void {
  runtime.call(undefined, () => wasm.trapAtWrite(writes));
}

/**
 * Functions that apply a single step of the analysis to many texts, for benchmarks. Not part of the stable interface.
 */
export const _batch = {
  normalize: (texts: Uint8Array, ends: Uint32Array): number =>
    runtime.call(undefined, () => wasm.normalizeBatch(texts, ends)),
  redact: (texts: Uint8Array, ends: Uint32Array): number =>
    runtime.call(undefined, () => wasm.redactBatch(texts, ends)),
  classify: (texts: Uint8Array, ends: Uint32Array): Uint8Array =>
    runtime.call(undefined, () => wasm.classifyBatch(texts, ends)),
  sign: (texts: Uint8Array, ends: Uint32Array, caseName: string): Uint8Array =>
    runtime.call(undefined, () => wasm.signBatch(texts, ends, caseName)),
};
