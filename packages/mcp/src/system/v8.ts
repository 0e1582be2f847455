/** Configures how V8 compiles this program: a cache of compiled code, and flags for the wasm of the engine. */

import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { belongsToOtherUser } from './files/path-safety.ts';
import { getUserFolder } from './files/user-folder.ts';

/**
 * The permission bits that let the group and others create files. Windows has no such bits, and there the cache folder
 * belongs to a single user.
 */
const WRITABLE_BY_OTHERS_MODE = 0o022;

/**
 * Stores the code that V8 compiled for this program in the user's cache folder, which makes starting the program an
 * eighth faster. Node supports this since 22.1. Node executes the files in that folder, so only this user may be able
 * to write to it.
 */
export function enableCompileCache(): void {
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable !== 'function') return;
  try {
    const folder = getUserFolder('cache');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stats = lstatSync(folder);
    const isWritable = process.platform !== 'win32' && (stats.mode & WRITABLE_BY_OTHERS_MODE) !== 0;
    if (stats.isDirectory() && !belongsToOtherUser(stats) && !isWritable) enable.call(module, folder);
  } catch {
    // Without a writable cache folder, the code is compiled at each start.
  }
}

/**
 * Commands that run long enough to benefit from optimizing the most frequent functions. Undefined stands for the
 * server.
 */
const LONG_COMMANDS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'fix-problem',
  'import',
  'inspect',
  'memory',
  'view',
]);

/** A team's server runs for weeks, so V8's defaults are best. */
const TEAM_SERVER_COMMAND = 'serve';

/** A function is optimized after this many bytes of its code have run. V8's default is some hundred times smaller. */
const LATE_OPTIMIZATION_FLAG = '--wasm-tiering-budget=500000000';
const NO_OPTIMIZATION_FLAG = '--liftoff-only';
/** Validates a function when it is first called. */
const LAZY_VALIDATION_FLAG = '--wasm-lazy-validation';

/** The major versions of Node whose V8 knows these flags. Other versions would print a warning to stderr. */
const FIRST_NODE_MAJOR = 20;
const LAST_NODE_MAJOR = 24;

/**
 * Sets how much V8 optimizes the wasm of the engine. By default, V8 compiles all of it twice on background threads, and
 * a short process waits for these threads at its end. Must be called before the engine is loaded, and never by a
 * library, because the flags affect the complete process.
 */
export function tuneWasmCompiler(command: string | undefined): void {
  const major = Number.parseInt(process.versions.node, 10);
  const isNode = process.versions.bun === undefined && process.versions.deno === undefined;
  if (!isNode || major < FIRST_NODE_MAJOR || major > LAST_NODE_MAJOR || command === TEAM_SERVER_COMMAND) return;
  const v8 = process.getBuiltinModule('node:v8');
  for (const flag of [LAZY_VALIDATION_FLAG, LONG_COMMANDS.has(command) ? LATE_OPTIMIZATION_FLAG : NO_OPTIMIZATION_FLAG])
    v8.setFlagsFromString(flag);
}
