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

import type { BlobFiles } from './browser/files.ts';
import { checkHeader } from './browser/header.ts';
import { BrowserPlatform } from './browser/platform.ts';
import { Engine, type OpenOptions } from './engine.ts';
import { Inspector, type InspectorOptions } from './inspector.ts';
import { Runtime } from './runtime.ts';

export { Engine } from './engine.ts';
export * from './everywhere.ts';

/** Options of a file to read. */
export type BlobOptions = Pick<OpenOptions, 'locale' | 'rules' | 'secrets' | 'log'>;

let started: { readonly runtime: Runtime; readonly platform: BrowserPlatform } | undefined;

/** Takes the engine's module (`argus-engine/argus_engine.wasm`). Must be called once, before anything else. */
export function startEngine(module: Uint8Array): void {
  if (started !== undefined) return;
  const platform = new BrowserPlatform(module);
  const runtime = new Runtime(platform);
  runtime.call(undefined, () => undefined);
  started = { runtime, platform };
}

/**
 * Opens a database file. Rejects with an `EngineError` if the file is not a database, is damaged, or is newer than this
 * engine. A file of an earlier version reads like a file of this version.
 */
export async function openBlob(blob: Blob, options: BlobOptions = {}): Promise<Engine> {
  await checkHeader(blob);
  const { runtime, platform } = running();
  const databasePath = platform.files.add(blob);
  let engine: Engine | undefined;
  try {
    engine = new BlobEngine(runtime, { ...options, databasePath, projectRoot: '/', readOnly: true }, platform.files);
    // The first transaction detects problems with the file. The signature is empty, so nothing is found.
    await engine.findBySignature({ signature: '' });
    return engine;
  } catch (thrown) {
    await engine?.close();
    platform.files.forget(databasePath);
    throw thrown;
  }
}

/** Opens a memory that contains only the built-in patterns, for a page that has no file yet. */
export async function openEmpty(options: BlobOptions = {}): Promise<Engine> {
  return new Engine(running().runtime, { ...options, databasePath: ':memory:', projectRoot: '/' });
}

/** Creates an inspector, which analyzes failure texts without a database. */
export function createInspector(options: InspectorOptions = {}): Inspector {
  return new Inspector(running().runtime, options);
}

/** Forgets its file when it is closed. */
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

function running(): NonNullable<typeof started> {
  if (started === undefined) throw new Error('startEngine was not called');
  return started;
}
