/** How the step that ran the tests ended, in GitHub's terms. */
export const OUTCOMES = ['success', 'failure', 'cancelled', 'skipped'] as const;
export type Outcome = (typeof OUTCOMES)[number];
