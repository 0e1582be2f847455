/** A few clients of a team's server. Many, and on PostgreSQL: team-storm.full.test.ts. */

import { test } from 'vitest';
import { newDatabase } from '../e2e/team/team.ts';
import { expectAllCounted } from './team-storm.ts';

test('counts all concurrent diagnoses and reports of 4 clients', () => expectAllCounted(newDatabase(), 4, 10));
