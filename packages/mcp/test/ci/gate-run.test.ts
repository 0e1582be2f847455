/** Finds the run of this work tree among the runs of all work trees. */

import type { RunRecord } from 'argus-engine';
import { expect, test } from 'vitest';
import { runOf, type StateHere } from '../../src/cli/ci/gate-run.ts';

const run = (id: string, gitCommit: string | null, dirty: boolean | null, tree?: string): RunRecord => ({
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

const here = (tree: string | null, isAsCommitted: boolean, commit: string | null = 'c1'): StateHere => ({
  commit,
  tree,
  isAsCommitted,
});

/** The newest first: runs in two work trees of a commit, and of other commits. */
const RUNS = [
  run('edited there', 'c1', true, 'edited'),
  run('edited, and git was too slow', 'c1', true),
  run('clean', 'c1', false, 'committed'),
  run('imported', 'c1', false),
  run('before it was committed', 'c0', true, 'edited and committed'),
  run('of a commit that CI names', 'c2', false),
  run('outside of git', null, null),
];

test.each([
  ['a clean work tree', here('committed', true), 'clean'],
  ['one with the edit', here('edited', false), 'edited there'],
  ['one with another edit', here('other', false), undefined],
  ['one with what the tests wrote', here('with reports', true), 'clean'],
  ['one that is committed as it ran', here('edited and committed', true, 'c3'), 'before it was committed'],
  ['a commit without its tree', here(null, true, 'c2'), 'of a commit that CI names'],
  ['a commit that did not run', here('new', true, 'c4'), undefined],
  ['a repository without a commit', here('first', true, null), undefined],
])('%s', (_, state, id) => {
  expect(runOf(RUNS, state)?.id).toBe(id);
});
