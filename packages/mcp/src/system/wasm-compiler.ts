/**
 * Tells V8 how much to optimise the engine's wasm. Left alone it compiles all of it twice on background threads, and a
 * short process waits for them at its end. Before the engine is loaded, and never in the imported library: flags are the
 * whole process's.
 */

import v8 from 'node:v8';

/** Work long enough, or texts large enough, that the functions which are called most are worth optimising. */
const LONG_COMMANDS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'fix-problem',
  'import',
  'inspect',
  'memory',
  'view',
]);

/** A team's server runs for weeks: V8's own way is best. */
const SERVING = 'serve';

/** A function is optimised after this many bytes of its code have run; V8's own budget is some hundred times smaller. */
const LATE = '--wasm-tiering-budget=500000000';
const NEVER = '--liftoff-only';
/** A function is checked when it is called first. */
const LAZY = '--wasm-lazy-validation';

/** Releases whose V8 knows the flags; another would complain on stderr. */
const FIRST_MAJOR = 20;
const LAST_MAJOR = 24;

export function tuneWasmCompiler(command: string | undefined): void {
  const major = Number.parseInt(process.versions.node, 10);
  const isNode = process.versions.bun === undefined && process.versions.deno === undefined;
  if (!isNode || major < FIRST_MAJOR || major > LAST_MAJOR || command === SERVING) return;
  for (const flag of [LAZY, LONG_COMMANDS.has(command) ? LATE : NEVER]) v8.setFlagsFromString(flag);
}
