/**
 * Starts every runner and replaces the recordings that differ. Arguments go to Vitest: `-t bats` records scenarios
 * whose names contain "bats".
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const vitestArgs = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts'];
const { status } = spawnSync(
  process.execPath,
  [...vitestArgs, 'tests/runners/real.full.test.ts', ...process.argv.slice(2)],
  { cwd: projectRoot, stdio: 'inherit', env: { ...process.env, ARGUS_TESTS: 'full', ARGUS_RECORD_RUNNERS: '1' } },
);
process.exitCode = status ?? 1;
