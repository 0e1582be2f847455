/** A few clients of a team's server. Many, and on PostgreSQL: team-storm.full.test.ts. */

import { test } from 'vitest';
import { newDatabase } from '../e2e/team/team.ts';
import { expectAllCounted, expectKillsLoseNothing } from './team-storm.ts';

test('4 clients that diagnose and report at once are all counted', () => expectAllCounted(newDatabase(), 4, 10));

test('a server that is killed while 3 clients use it loses and doubles nothing', () =>
  expectKillsLoseNothing(newDatabase(), { clients: 3, times: 10, kills: 1 }));
