/** A worker of a browser as the engine's platform. The module's bytes are handed in, not fetched. */

import type { Log, Platform } from '../host.ts';
import { BlobFiles } from './files.ts';

export class BrowserPlatform implements Platform {
  log: Log | undefined;
  readonly files = new BlobFiles();
  #module: Uint8Array | undefined;

  constructor(module: Uint8Array) {
    this.#module = module;
  }

  load(): Uint8Array {
    const module = this.#module;
    if (module === undefined) throw new Error('the engine is loaded once');
    // Compiled, it is not needed any more.
    this.#module = undefined;
    return module;
  }
}
