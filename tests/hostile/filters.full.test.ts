/** Hostile names with the runners that the quick tests leave out. */
import { SLOW, testHostileName } from './filters.ts';

for (const hostile of SLOW) testHostileName(hostile);
