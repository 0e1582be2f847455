/**
 * Many kills of each kind. A thousand, by hand:
 *
 *   ARGUS_KILLS=340 ARGUS_TESTS=full npx vitest run --config tests/vitest.config.ts tests/hostile/memory/kills.full.test.ts
 */

import { test } from 'vitest';
import { killTakers } from './kill-takers.ts';
import { killMigrations, killWriters } from './kills.ts';

const KILLS = Number(process.env.ARGUS_KILLS ?? 12);
/** Killing a writer is quick, and the moment of the kill decides. */
const WRITERS = Number(process.env.ARGUS_KILLS ?? 200);
const timeout = 120_000 + KILLS * 10_000;

test(`${WRITERS} writers that are killed lose nothing`, { timeout: 600_000 }, () => killWriters(WRITERS));

test(`${KILLS} kills while calls are queued and stored: each call is stored exactly once`, { timeout }, () =>
  killTakers(KILLS, 3, 4),
);

test(`${KILLS} kills while older files are migrated lose no row`, { timeout }, () => killMigrations(KILLS));
