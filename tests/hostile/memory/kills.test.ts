/**
 * A few kills of each kind, after the process began to write. Many: kills.full.test.ts. The program: tests/e2e/process.
 */

import { test } from 'vitest';
import { killMigrations, killWriters } from './kills.ts';

test('2 processes that are killed while they wait or write block no other process', () => killWriters(2));

test('2 kills while older files are migrated lose no row', () => killMigrations(2));
