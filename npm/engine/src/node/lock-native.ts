/** The optional addon with the operating system's locks. That it is missing is no error; the reason is told. */

import { createRequire } from 'node:module';

/** What is used of `fs-native-extensions`. Locks belong to the open file, not to the process. */
export interface NativeLocks {
  tryLock(fd: number, offset: number, length: number, options: { shared: boolean }): boolean;
  unlock(fd: number, offset: number, length: number): void;
}

interface Loaded {
  readonly addon: NativeLocks | undefined;
  readonly problem: string;
}

let loaded: Loaded | undefined;

/** Loads it at first use. */
export function loadNative(): Loaded {
  loaded ??= load();
  return loaded;
}

function load(): Loaded {
  const require = createRequire(import.meta.url);
  const binary = loadBinary(require);
  if (binary !== undefined) return { addon: new Locks(binary), problem: '' };
  try {
    const addon: unknown = require('fs-native-extensions');
    if (isNativeLocks(addon)) return { addon, problem: '' };
    return { addon: undefined, problem: 'fs-native-extensions has other functions than expected' };
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { addon: undefined, problem: line };
  }
}

/** What the binary itself exports; it throws EAGAIN where somebody else holds the lock. */
interface Binary {
  tryLock(fd: number, offset: number, length: number, exclusive: boolean): void;
  unlock(fd: number, offset: number, length: number): void;
}

class Locks implements NativeLocks {
  readonly #binary: Binary;

  constructor(binary: Binary) {
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
 * The package finds its binary through four other packages, which takes as long as opening a database. Where it is not
 * in its usual place, the package looks for it.
 */
function loadBinary(require: NodeJS.Require): Binary | undefined {
  const place = `prebuilds/${process.platform}-${process.arch}/fs-native-extensions.node`;
  try {
    const binary: unknown = require(`fs-native-extensions/${place}`);
    return isBinary(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

function isBinary(value: unknown): value is Binary {
  return isNativeLocks(value);
}

function isNativeLocks(value: unknown): value is NativeLocks {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'tryLock' in value && typeof value.tryLock === 'function' && 'unlock' in value && typeof value.unlock === 'function'
  );
}
