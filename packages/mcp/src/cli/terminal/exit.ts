/** Exit codes; --help documents them. */
export const EXIT = { done: 0, failures: 1, error: 2 } as const;
