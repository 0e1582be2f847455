// One configuration for every TypeScript test; .scripts/lib/checks.mjs picks the folders.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: fileURLToPath(new URL('..', import.meta.url)),
    include: ['{npm,packages}/*/{src,test}/**/*.test.ts', 'tests/*/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'tests/demo/project/**'],
    globalSetup: 'tests/temporary.ts',
    // Most tests wait for processes of their own; of two cores Vitest would use one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Servers are spawned and packages installed, on machines busy with other things.
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
