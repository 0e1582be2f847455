/** A few clients of a team's server. Many, and on PostgreSQL: team-storm.full.test.ts. */

import { test } from 'vitest';
import { newDatabase } from '../e2e/team/team.ts';
import { expectAllCounted } from './team-storm.ts';

test('4 clients that diagnose and report at once are all counted', () => expectAllCounted(newDatabase(), 4, 10));
