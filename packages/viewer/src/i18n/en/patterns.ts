/** English texts of the pages about patterns and their edits. */

import { plural } from './plural.ts';

export const patterns = {
  filters: 'Filters',
  category: 'Category',
  source: 'Source',
  search: 'Search patterns',
  caption: 'Failure patterns; the heads of the columns sort them',
  count: (count: number, shown: string) => `${shown} ${plural(count, 'pattern', 'patterns')}`,
  columns: {
    category: 'Category',
    description: 'Pattern',
    suggestedFix: 'Suggested fix',
    confidence: 'Confidence',
    occurrences: 'Seen',
    resolutions: 'Fixed',
    source: 'Source',
    lastSeen: 'Last seen',
  },
  short: { occurrences: 'seen', resolutions: 'fixed' },
  edited: 'edited',
  never: 'never',
  noFix: 'No fix reported yet',
  none: 'No patterns yet',
  noneText: 'A pattern is learned when an agent diagnoses a failure with argus_diagnose.',
  noneFit: 'No pattern fits',
  noneFitText: 'Every word of the search must stand in the description, the fix, the test’s name or the id.',
};

export const pattern = {
  confidence: 'Confidence',
  occurrences: 'Times seen',
  resolutions: 'Times fixed',
  firstSeen: 'First seen',
  lastSeen: 'Last seen',
  editedByPerson: 'Edited by a person',
  edit: 'Edit',
  merge: 'Merge',
  suggestedFix: 'Suggested fix',
  noFix: 'Nobody has reported a fix yet. An agent does so with argus_report_fix.',
  noneHeld: 'No fix that was reported has held, or may still be suggested. An agent reports one with argus_report_fix.',
  learned: 'Learned:',
  overTime: 'Confidence over time',
  knownSince: 'counted since',
  oneMoment: 'It has not changed yet.',
  fixHistory: 'Fix history',
  fixState: { worked: 'Worked', failed: 'Did not work', wrong: 'Marked as wrong' },
  noFixes: 'No fix was reported.',
  recorded: (by: string, from: string | null) => (from === null ? `by ${by}` : `by ${by} on ${from}`),
  run: 'Run',
  seen: 'Seen in',
  seenCount: (count: number, shown: string) => `${shown} ${plural(count, 'failure', 'failures')}`,
  notSeen: 'In no run that is still recorded.',
  test: 'Test',
  headline: 'Error',
  when: 'When',
  sample: 'Sample',
  redacted: 'Secrets are removed',
  more: 'More about this pattern',
  tests: 'Tests',
  failures: (count: number, shown: string) => `${shown} ${plural(count, 'failure', 'failures')}`,
  related: 'Related',
  alike: (share: string) => `${share} alike`,
  merged: 'Counted as this',
  ids: 'Identity',
  id: 'Id',
  signature: 'Signature',
  signaturePattern: 'What is signed',
};

export const solutions = {
  title: 'Solutions',
  suggested: 'Suggested',
  set: 'Set by a person',
  wrong: 'Wrong',
  worked: (worked: string, failed: string) => `worked ${worked}, failed ${failed}`,
  mark: 'Mark as wrong',
  unmark: 'Not wrong after all',
};

export const edit = {
  title: 'Edit the pattern',
  explain: 'What you set is kept beside what was learned; later runs do not overwrite it.',
  category: 'Category',
  description: 'Description',
  suggestedFix: 'Suggested fix',
  fixPlaceholder: 'What to do when this failure comes back',
  learned: 'Learned:',
  back: 'Back to learned',
};

export const merge = {
  title: 'Merge into another pattern',
  explain: 'This pattern becomes part of the one you choose: its later failures count there.',
  search: 'Search the other pattern',
  into: 'Merge into',
  none: 'No other learned pattern fits.',
  times: (count: number, shown: string) => `seen ${shown} ${plural(count, 'time', 'times')}`,
  do: 'Merge',
};

export const split = {
  title: 'Not the same failure',
  explain: 'It becomes a pattern of its own: its failures count there from now on. The fixes stay here.',
  do: 'Not the same',
};
