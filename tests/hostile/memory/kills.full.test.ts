/**
 * Many kills of each kind. A thousand, by hand:
 *
 *   ARGUS_KILLS=340 ARGUS_TESTS=full npx vitest run --config tests/vitest.config.ts tests/hostile/memory/kills.full.test.ts
 */

import { test } from 'vitest';
import { killStoringCommands } from './kill-takers.ts';
import { killMigrations, killWriters } from './kills.ts';

const KILL_COUNT = Number(process.env.ARGUS_KILLS ?? 12);
/** Killing a writer is fast, and the moment of the kill decides what is tested. */
const WRITER_KILL_COUNT = Number(process.env.ARGUS_KILLS ?? 200);
const TIMEOUT_MS = 120_000 + KILL_COUNT * 10_000;

test(`${WRITER_KILL_COUNT} writers that are killed lose nothing`, { timeout: 600_000 }, () =>
  killWriters(WRITER_KILL_COUNT),
);

test(
  `${KILL_COUNT} kills while calls are queued and stored: each call is stored exactly once`,
  { timeout: TIMEOUT_MS },
  () => killStoringCommands(KILL_COUNT, 3, 4),
);

test(`${KILL_COUNT} kills while older files are migrated lose no row`, { timeout: TIMEOUT_MS }, () =>
  killMigrations(KILL_COUNT),
);
