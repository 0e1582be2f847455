/** A few kills of each kind, each of processes that must have begun to write. Many: kills.full.test.ts. Of the program: tests/e2e/process. */

import { test } from 'vitest';
import { killMigrations, killWriters } from './kills.ts';

test('2 processes that are killed while they wait or write block nobody', () => killWriters(2));

test('2 kills while older files are brought up to date lose none of their rows', () => killMigrations(2));
