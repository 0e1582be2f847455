/** English texts of the pages about incidents. */

import { plural } from './plural.ts';

export const incidents = {
  search: 'Search incidents and solutions',
  searchPlaceholder: 'An error, or the problem in words',
  env: 'Environment',
  anyEnv: 'Any environment',
  count: (count: number, shown: string) => `${shown} ${plural(count, 'match', 'matches')}`,
  score: (share: string) => `${share} match`,
  scoreExplain: 'How well it answers the text',
  because: 'Found by:',
  solutions: (count: number, shown: string) => `${shown} ${plural(count, 'solution', 'solutions')}`,
  userMemory: 'from the user’s memory',
  confirmed: 'last worked',
  confirmedHead: 'Last worked',
  none: 'No incidents yet',
  noneText: 'An agent adds one with add_incident when it has solved a problem that nobody knew.',
  noneFit: 'Nothing answers this',
  noneFitText: 'Try the error’s first line, or fewer words.',
  noSolution: 'Nobody has added a solution yet.',
  perEnv: 'What came of it, by environment',
  workedHead: 'Worked',
  failedHead: 'Failed',
  outcomes: (count: string) => `Outcomes (${count})`,
  parts: {
    env_match_score: 'Environment',
    reliability_score: 'Reliability',
    recency_boost: 'Recency',
    final_solution_score: 'Score',
  },
};
