/**
 * The environment variable by which `run/processes.ts` finds processes that a run leaves behind. It holds the marks of
 * the run and of the runs around it, separated by `:`.
 */
export const RUN_MARKS = 'ARGUS_RUN_MARKS';
