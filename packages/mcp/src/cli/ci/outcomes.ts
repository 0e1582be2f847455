/** How the step that ran the tests ended, in the words of GitHub. */
export const OUTCOMES = ['success', 'failure', 'cancelled', 'skipped'] as const;
export type Outcome = (typeof OUTCOMES)[number];
