/**
 * The engine in a browser worker. It reads a database file that a person has picked, without copying or changing it. A
 * worker is required, because a browser can read a piece of a file synchronously only there.
 *
 * ```ts
 * import { createInspector, openBlob, startEngine } from 'argus-engine/browser';
 * startEngine(await (await fetch('argus_engine.wasm')).bytes());
 * createInspector().inspect({ text: 'connect ECONNREFUSED 127.0.0.1:5432' }).category; // CONNECTION_REFUSED
 * const engine = await openBlob(file);
 * await engine.patterns();
 * ```
 */

import { BlobFiles, checkHeader } from './browser-files.ts';
import { Engine, type OpenOptions } from './engine.ts';
import type { Log, Platform } from './host.ts';
import { Inspector, type InspectorOptions } from './inspector.ts';
import { Runtime } from './runtime.ts';

export { Engine } from './engine.ts';
export * from './shared-exports.ts';

/** Options for reading a file. */
export type BlobOptions = Pick<OpenOptions, 'locale' | 'rules' | 'secrets' | 'log'>;

let startedEngine: { readonly runtime: Runtime; readonly platform: BrowserPlatform } | undefined;

/**
 * Starts the engine with the bytes of its wasm module (`argus-engine/argus_engine.wasm`). Call it once, before all
 * other functions.
 */
export function startEngine(module: Uint8Array): void {
  if (startedEngine !== undefined) return;
  const platform = new BrowserPlatform(module);
  const runtime = new Runtime(platform);
  runtime.call(undefined, () => undefined);
  startedEngine = { runtime, platform };
}

/**
 * Opens a database file. Rejects with an `EngineError` if the file is not a database, is damaged, or is newer than this
 * engine. A file of an earlier version reads like a file of this version.
 */
export async function openBlob(blob: Blob, options: BlobOptions = {}): Promise<Engine> {
  await checkHeader(blob);
  const { runtime, platform } = requireStartedEngine();
  const databasePath = platform.files.add(blob);
  let engine: Engine | undefined;
  try {
    engine = new BlobEngine(runtime, { ...options, databasePath, projectRoot: '/', readOnly: true }, platform.files);
    // The first transaction detects problems with the file. No pattern has an empty signature, so nothing is found.
    await engine.findBySignature({ signature: '' });
    return engine;
  } catch (thrown) {
    await engine?.close();
    platform.files.forget(databasePath);
    throw thrown;
  }
}

/** Opens a memory that contains only the built-in patterns, for a page that has not loaded a file yet. */
export async function openEmpty(options: BlobOptions = {}): Promise<Engine> {
  return new Engine(requireStartedEngine().runtime, { ...options, databasePath: ':memory:', projectRoot: '/' });
}

/** Creates an inspector, which analyzes failure texts without a database. */
export function createInspector(options: InspectorOptions = {}): Inspector {
  return new Inspector(requireStartedEngine().runtime, options);
}

/** An engine that unregisters its Blob when it is closed. */
class BlobEngine extends Engine {
  readonly #files: BlobFiles;
  readonly #path: string;

  constructor(runtime: Runtime, options: OpenOptions, files: BlobFiles) {
    super(runtime, options);
    this.#files = files;
    this.#path = options.databasePath;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#files.forget(this.#path);
  }
}

function requireStartedEngine(): NonNullable<typeof startedEngine> {
  if (startedEngine === undefined) throw new Error('call startEngine first');
  return startedEngine;
}

/**
 * A browser worker as a platform of the engine. The caller passes the bytes of the module, so the engine is not
 * downloaded here.
 */
class BrowserPlatform implements Platform {
  log: Log | undefined;
  readonly files = new BlobFiles();
  #module: Uint8Array | undefined;

  constructor(module: Uint8Array) {
    this.#module = module;
  }

  load(): Uint8Array {
    const module = this.#module;
    if (module === undefined) throw new Error('the engine can only be loaded once');
    // The bytes are not needed after compilation, so their memory can be freed.
    this.#module = undefined;
    return module;
  }
}
