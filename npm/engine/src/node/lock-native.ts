/** The optional addon with the operating system's locks. Does not: fail when it is missing; it says why. */

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
  try {
    const addon: unknown = createRequire(import.meta.url)('fs-native-extensions');
    if (isNativeLocks(addon)) return { addon, problem: '' };
    return { addon: undefined, problem: 'fs-native-extensions has other functions than expected' };
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return { addon: undefined, problem: line };
  }
}

function isNativeLocks(value: unknown): value is NativeLocks {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'tryLock' in value && typeof value.tryLock === 'function' && 'unlock' in value && typeof value.unlock === 'function'
  );
}
