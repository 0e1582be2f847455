/**
 * A browser worker as the platform of the engine. The caller passes the bytes of the module, so nothing is fetched
 * here.
 */

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
    // The bytes are not needed after compilation, so their memory can be freed.
    this.#module = undefined;
    return module;
  }
}
