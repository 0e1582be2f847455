/** A few clients of a team's server. team-storm.full.test.ts tests many clients, and PostgreSQL. */

import { test } from 'vitest';
import { newDatabasePath } from '../e2e/team/team.ts';
import { expectAllCounted } from './team-storm.ts';

test('all concurrent diagnoses and reports of 4 clients are counted', () => expectAllCounted(newDatabasePath(), 4, 10));
