// The configuration of all TypeScript tests. Files that end in `.full.test.ts` run only if ARGUS_TESTS is `full`.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${projectRoot}/packages/mcp/package.json`, 'utf8'));
const isFull = process.env.ARGUS_TESTS === 'full';

export default defineConfig({
  // The build defines the same name, from which the sources read the version.
  define: { ARGUS_VERSION: JSON.stringify(version) },
  test: {
    root: projectRoot,
    include: isFull
      ? ['tests/**/*.full.test.ts']
      : ['{npm,packages}/*/{src,test}/**/*.test.ts', 'tests/*/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'tests/demo/project/**', ...(isFull ? [] : ['**/*.full.test.ts'])],
    // Tests run the command line in this process, and its output would be colored at a terminal.
    env: { NO_COLOR: '1' },
    globalSetup: 'tests/temporary.ts',
    setupFiles: 'tests/loaded-modules.ts',
    // By default, Vitest would use a single worker on two cores, but most tests wait for processes that they started.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Keeps transformed modules for the next run. Transforming them again would take seconds.
    experimental: { fsModuleCache: true },
    // The program's V8 options, because V8 would otherwise optimize the engine in each worker
    // (packages/mcp/src/system/v8.ts).
    execArgv: ['--wasm-lazy-validation', '--wasm-tiering-budget=500000000'],
    // High time limits, because tests start servers and install packages on machines that are busy with other work.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
