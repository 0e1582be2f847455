/**
 * A few kills of each kind, after the process has begun to write. kills.full.test.ts tests many kills, and
 * tests/e2e/process the program.
 */

import { test } from 'vitest';
import { killMigrations, killWriters } from './kills.ts';

test('2 processes that are killed while they wait or write block no other process', () => killWriters(2));

test('2 kills while older files are migrated lose no row', () => killMigrations(2));
