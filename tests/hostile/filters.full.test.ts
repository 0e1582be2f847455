/** Gives hostile names as filters to the runners that the quick tests leave out. */
import { SLOW_NAMES, testHostileName } from './filters.ts';

for (const hostile of SLOW_NAMES) testHostileName(hostile);
