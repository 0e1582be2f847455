/**
 * Tells V8 how much to optimize the engine's wasm. By default V8 compiles all of it twice on background threads, and a
 * short process waits for these threads at its end. Must be called before the engine is loaded, and never by the
 * library, because the flags affect the whole process.
 */

import v8 from 'node:v8';

/** Commands that run long enough to benefit from optimizing the most frequent functions. Undefined is the server. */
const LONG_COMMANDS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'fix-problem',
  'import',
  'inspect',
  'memory',
  'view',
]);

/** A team's server runs for weeks, so V8's defaults are best. */
const SERVING = 'serve';

/** A function is optimized after this many bytes of its code have run. V8's default is some hundred times smaller. */
const LATE = '--wasm-tiering-budget=500000000';
const NEVER = '--liftoff-only';
/** Validates a function at its first call. */
const LAZY = '--wasm-lazy-validation';

/** The releases of Node whose V8 knows the flags. Other releases would print a warning to stderr. */
const FIRST_MAJOR = 20;
const LAST_MAJOR = 24;

export function tuneWasmCompiler(command: string | undefined): void {
  const major = Number.parseInt(process.versions.node, 10);
  const isNode = process.versions.bun === undefined && process.versions.deno === undefined;
  if (!isNode || major < FIRST_MAJOR || major > LAST_MAJOR || command === SERVING) return;
  for (const flag of [LAZY, LONG_COMMANDS.has(command) ? LATE : NEVER]) v8.setFlagsFromString(flag);
}
