/** Implements the engine's platform for Node. */

import { existsSync, readFileSync } from 'node:fs';
import type { Log, Platform, WriteQueue } from '../host.ts';
import { NodeFiles } from './files.ts';
import { loadLockAddon } from './lock-native.ts';
import { queuePath } from './queue-file.ts';
import { DEFAULT_WAIT_LIMITS, FileQueue, SHORT_WAIT_LIMITS } from './write-queue.ts';

/**
 * Path of the module relative to this file: beside the bundle in the published package, or in the output folder of
 * `cargo xtask wasm`.
 */
const MODULE_PATHS = ['./argus_engine.wasm', './wasm/argus_wasm_bg.wasm', '../wasm/argus_wasm_bg.wasm'];

export class NodePlatform implements Platform {
  log: Log | undefined;
  readonly #module: WebAssembly.Module | undefined;
  readonly files = new NodeFiles((line) => this.log?.(line));

  /** `module` is the engine that another thread has compiled. */
  constructor(module?: WebAssembly.Module) {
    this.#module = module;
  }

  load(): Uint8Array | WebAssembly.Module {
    if (this.#module !== undefined) return this.#module;
    const urls = MODULE_PATHS.map((path) => new URL(path, import.meta.url));
    const url = urls.find((candidate) => existsSync(candidate));
    if (url === undefined)
      throw new Error(`argus_engine.wasm is missing beside ${import.meta.url}: reinstall argus-engine`);
    return readFileSync(url);
  }

  briefly<T>(work: () => T): T {
    return this.files.briefly(work);
  }

  queue(databasePath: string, isImpatient: boolean): WriteQueue | undefined {
    const { addon } = loadLockAddon();
    // Apple's systems cannot lock single bytes.
    if (addon === undefined || process.platform === 'darwin') return undefined;
    const path = () => queuePath(this.files.fullPath(databasePath) ?? databasePath);
    return new FileQueue(
      path,
      addon,
      (work) => this.files.briefly(work),
      isImpatient ? SHORT_WAIT_LIMITS : DEFAULT_WAIT_LIMITS,
    );
  }
}
