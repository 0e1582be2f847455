/**
 * Loads the optional addon that provides locks of the operating system. A missing addon is not an error; the result
 * contains the reason.
 */

import { createRequire } from 'node:module';

/** The functions of `fs-native-extensions` that are used here. A lock belongs to the open file, not to the process. */
export interface NativeLocks {
  tryLock(fd: number, offset: number, length: number, options: { shared: boolean }): boolean;
  unlock(fd: number, offset: number, length: number): void;
}

interface AddonLoadResult {
  readonly addon: NativeLocks | undefined;
  readonly problem: string;
}

let loadResult: AddonLoadResult | undefined;

/** Returns the addon, which is loaded at first use. */
export function loadLockAddon(): AddonLoadResult {
  loadResult ??= loadAddon();
  return loadResult;
}

function loadAddon(): AddonLoadResult {
  const require = createRequire(import.meta.url);
  const binary = loadBinary(require);
  if (binary !== undefined) return { addon: new AddonLocks(binary), problem: '' };
  try {
    const addon: unknown = require('fs-native-extensions');
    if (isNativeLocks(addon)) return { addon, problem: '' };
    return { addon: undefined, problem: 'fs-native-extensions does not have the expected functions' };
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { addon: undefined, problem: line };
  }
}

/** Exports of the binary itself. `tryLock` throws EAGAIN if another process holds the lock. */
interface AddonBinary {
  tryLock(fd: number, offset: number, length: number, exclusive: boolean): void;
  unlock(fd: number, offset: number, length: number): void;
}

class AddonLocks implements NativeLocks {
  readonly #binary: AddonBinary;

  constructor(binary: AddonBinary) {
    this.#binary = binary;
  }

  tryLock(fd: number, offset: number, length: number, { shared }: { shared: boolean }): boolean {
    try {
      this.#binary.tryLock(fd, offset, length, !shared);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
      throw error;
    }
  }

  unlock(fd: number, offset: number, length: number): void {
    this.#binary.unlock(fd, offset, length);
  }
}

/**
 * Loads the binary directly, because the package finds it through four other packages, which takes as long as opening a
 * database. If the binary is not at its usual path, the package searches for it.
 */
function loadBinary(require: NodeJS.Require): AddonBinary | undefined {
  const place = `prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`;
  try {
    const binary: unknown = require(`fs-native-extensions/${place}`);
    return isAddonBinary(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

function isAddonBinary(value: unknown): value is AddonBinary {
  return isNativeLocks(value);
}

function isNativeLocks(value: unknown): value is NativeLocks {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'tryLock' in value && typeof value.tryLock === 'function' && 'unlock' in value && typeof value.unlock === 'function'
  );
}
