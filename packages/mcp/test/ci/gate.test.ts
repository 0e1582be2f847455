/** Finds the run of the current work tree among the runs of all work trees. */

import type { RunRecord } from 'argus-engine';
import { expect, test } from 'vitest';
import { findRunsOfState, type WorkTreeState } from '../../src/cli/ci/gate.ts';

const createRun = (id: string, gitCommit: string | null, dirty: boolean | null, tree?: string): RunRecord => ({
  id,
  timestamp: '2026-02-03T04:05:06Z',
  gitCommit,
  gitBranch: null,
  dirty,
  command: null,
  durationMs: 1,
  passed: 1,
  failed: 0,
  skipped: 0,
  flaky: 0,
  status: 'passed',
  ...(tree === undefined ? {} : { tree }),
});

const createWorkTreeState = (
  tree: string | null,
  isAsCommitted: boolean,
  commit: string | null = 'c1',
): WorkTreeState => ({
  commit,
  tree,
  isAsCommitted,
});

/** Newest first: runs in two work trees of the same commit, and runs of other commits. */
const RUNS = [
  createRun('edited there', 'c1', true, 'edited'),
  createRun('edited, and git was too slow', 'c1', true),
  createRun('clean', 'c1', false, 'committed'),
  createRun('imported', 'c1', false),
  createRun('before it was committed', 'c0', true, 'edited and committed'),
  createRun('of a commit that CI names', 'c2', false),
  createRun('outside of git', null, null),
];

test.each([
  ['a clean work tree', createWorkTreeState('committed', true), 'clean'],
  ['a work tree with the edit', createWorkTreeState('edited', false), 'edited there'],
  ['a work tree with another edit', createWorkTreeState('other', false), undefined],
  ['a work tree with files that the tests wrote', createWorkTreeState('with reports', true), 'clean'],
  [
    'a work tree that was committed unchanged after its run',
    createWorkTreeState('edited and committed', true, 'c3'),
    'before it was committed',
  ],
  ['a commit without its tree', createWorkTreeState(null, true, 'c2'), 'of a commit that CI names'],
  ['a commit that did not run', createWorkTreeState('new', true, 'c4'), undefined],
  ['a repository without a commit', createWorkTreeState('first', true, null), undefined],
])('%s', (_, state, id) => {
  expect(findRunsOfState(RUNS, state)[0]?.id).toBe(id);
});

test('selects the run that was recorded last, whatever time its report contains', () => {
  const recorded = (id: string, timestamp: string) => ({ ...createRun(id, 'c1', false, 'committed'), timestamp });
  const early = recorded('run-01a22988-04ad-7b2e-a528-a843ce13472b', '2026-02-03T04:05:06Z');
  const late = recorded('run-01a22988-3826-7b27-abdf-391834377ebb', '2000-01-01T00:00:00Z');
  expect(findRunsOfState([early, late], createWorkTreeState('committed', true))).toEqual([late, early]);
});
