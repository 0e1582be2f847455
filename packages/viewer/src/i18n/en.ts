/** The page's texts in English, and the type that every language implements. `i18n.svelte.ts` chooses the language. */

import type {
  CaseState,
  FailureCategory,
  MatchKind,
  PatternSource,
  ProofStatus,
  TestState,
  VerdictKind,
} from 'argus-engine/browser';

/** Selects the singular or the plural form of an English word. */
export const selectPlural = (count: number, one: string, many: string) => (count === 1 ? one : many);

/* English texts of the page about the health of tests and fixes. */
export const healthTexts = {
  tests: 'Tests that need attention',
  caption: 'Tests that need attention: failing, then flaky, order-dependent and environment-dependent',
  none: 'No test needs attention',
  noneText: 'Tests that fail or are flaky appear here, with the evidence from all runs.',
  columns: {
    test: 'Test',
    state: 'State',
    flakeRate: 'Fails by chance',
    failures: 'Failures',
    evidence: 'Evidence',
    lastFailure: 'Last failure',
  },
  interval: (low: string, high: string) => `${low} to ${high}`,
  intervalExplain: 'How often it fails by chance, with its 90 % interval',
  failures: (failures: string, runs: string) => `${failures} of ${runs}`,
  after: 'after',
  where: 'where',
  overTime: 'Over time',
  unit: 'One point for each',
  units: { day: 'Day', run: 'Run' },
  flaky: 'Flaky outcomes per run',
  tooFew: 'The chart needs two runs. Record another run.',
  slowest: 'Slowest tests',
  slowestNone: (least: string) => `No test has taken ${least} or more in 3 runs.`,
  slower: 'Slower than before',
  slowerNone: (least: string) => `No test has become slower (25 % and ${least}; needs 10 runs).`,
  median: 'Median',
  before: 'Before',
  change: 'Change',
  medianOf: (count: number, shown: string) => `median of ${shown} ${selectPlural(count, 'run', 'runs')}`,
  times: (factor: string) => `${factor} times`,
  durationRuns: (count: number, shown: string) =>
    `From passes at the first attempt in the newest ${selectPlural(count, 'run', `${shown} runs`)}.`,
  fixes: 'Fixes',
  fixesNone: 'No fixes recorded yet',
  fixesNoneText: 'Reported fixes, and changes that ended a failure, appear here with their results.',
  edited: 'edited, not committed',
  also: 'same fix:',
  reported: 'reported:',
  shared: { own: 'made here, shared by the repository', foreign: 'foreign, shared by the repository' },
  fixesMore: (shown: string) => `and ${shown} more: argus fixes`,
  passes: (count: number, shown: string) => `held in ${shown} ${selectPlural(count, 'run', 'runs')}`,
  failedIn: 'last failed run',
  passedIn: 'first passed run',
  more: (count: string) => `and ${count} more`,
};

/* English texts of the pages about incidents. */
export const incidentTexts = {
  search: 'Search incidents and solutions',
  searchPlaceholder: 'An error, or a description of the problem',
  env: 'Environment',
  anyEnv: 'Any environment',
  count: (count: number, shown: string) => `${shown} ${selectPlural(count, 'match', 'matches')}`,
  score: (share: string) => `${share} match`,
  scoreExplain: 'How well it matches the text',
  because: 'Found by:',
  solutions: (count: number, shown: string) => `${shown} ${selectPlural(count, 'solution', 'solutions')}`,
  userMemory: 'from the user’s memory',
  confirmed: 'last worked',
  confirmedHead: 'Last worked',
  none: 'No incidents yet',
  noneText: 'An agent adds an incident with add_incident after it solves a new problem.',
  noneFit: 'No results',
  noneFitText: 'Try the first line of the error, or fewer words.',
  noSolution: 'No solution yet.',
  perEnv: 'Outcomes by environment',
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

/* English texts of the inspector. */
export const inspectorTexts = {
  lead: 'Shows how the engine reads an error. Runs in this page and stores nothing.',
  error: 'Error',
  example: 'Try an example',
  clear: 'Clear',
  placeholder: 'Paste an error, a stack trace, the end of a log…',
  facts: 'More facts',
  caseName: 'Test',
  exceptionType: 'Exception type',
  exitCode: 'Exit code',
  httpStatus: 'HTTP status',
  category: 'Category',
  rule: 'Rule',
  evidence: 'Evidence',
  redactions: 'Removed secrets',
  signature: 'Signature',
  family: 'Family signature',
  text: 'Text',
  textNote: 'with marked evidence and without secrets',
  normalized: 'Normalized',
  normalizedNote: 'values that change between runs are placeholders',
  matches: 'Matches in the memory',
  exact: 'Same failure',
  noMatch: 'No matches.',
  emptyTitle: 'Paste an error to see how the engine reads it',
  emptyText: 'Shows the category and rule, the words that decided, the normalized text, its signature and its matches.',
};

/* English texts of the start page. */
export const nowTexts = {
  failed: (what: string) => `The newest run failed: ${what}`,
  failedWhole: 'The newest run failed without a failing test',
  passed: 'The newest run passed',
  openRun: 'Open the run',
  calm: 'Nothing else needs attention',
  calmText: 'No test is failing or flaky, and no fix waits for confirmation.',
  nothing: 'Nothing is recorded yet',
  nothingText:
    'Run the tests through Argus once. This page then shows what fails, why, and what fixed it before. In the project’s folder:',
  foreign: 'No run of this checkout is recorded',
  foreignText: 'All recorded runs come from forks or other checkouts. In the project’s folder:',
  elsewhere: 'Other tests that need attention',
  toHealth: 'See all tests and trends',
  claims: 'Reported fixes waiting for confirmation',
  passes: (passes: string, needed: string) =>
    `${passes} of ${needed} needed ${selectPlural(Number(needed), 'run', 'runs')} passed`,
  fixes: 'Possible fixes',
  moreFixes: (count: string) => `See ${count} more fixes`,
};

/* English texts of the page that opens a database. */
export const startTexts = {
  title: 'Drop an Argus database here',
  text: 'The page reads the file argus.db of a project, of any size, without changing it.',
  pick: 'Choose a file',
  keep: 'Keep a copy in this browser to open it again',
  again: (name: string, size: string) => `Open ${name} again (${size})`,
  forget: 'Forget it',
  local: 'No data leaves the browser.',
  where: 'Where is it?',
  whereText: 'In the project’s folder:',
  live: 'Or live',
  liveText: 'Follow a project while its agents work:',
  inspectorText: 'No database needed:',
  toInspector: 'inspect an error',
  dropHere: 'Drop the database to open it',
  unrecorded: (project: string) => `${project} has no memory yet`,
  unrecordedText: 'Record a run with argus_run, or with this command. It appears here automatically.',
  off: (project: string) => `${project} keeps no memory`,
  offText: 'Its argus.yaml sets history.enabled to false. Remove this setting, then run argus-mcp view again.',
  orFile: 'Or drop another Argus database here',
};

/* English texts of the pages about patterns and their edits. */
export const patternListTexts = {
  filters: 'Filters',
  category: 'Category',
  source: 'Source',
  search: 'Search patterns',
  caption: 'Failure patterns; click a column heading to sort',
  count: (count: number, shown: string) => `${shown} ${selectPlural(count, 'pattern', 'patterns')}`,
  columns: {
    category: 'Category',
    description: 'Pattern',
    suggestedFix: 'Suggested fix',
    confidence: 'Held',
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
  noneFit: 'No matching patterns',
  noneFitText: 'Search matches all words in description, fix, test name and id.',
};

export const patternTexts = {
  confidence: 'Held',
  occurrences: 'Times seen',
  resolutions: 'Times fixed',
  firstSeen: 'First seen',
  lastSeen: 'Last seen',
  editedByPerson: 'Edited by a person',
  edit: 'Edit',
  merge: 'Merge',
  suggestedFix: 'Suggested fix',
  noFix: 'No fix reported yet. An agent reports a fix with argus_report_fix.',
  noneHeld: 'Every reported fix failed or was withdrawn. An agent reports a fix with argus_report_fix.',
  learned: 'Learned:',
  overTime: 'Confidence over time',
  knownSince: 'counted since',
  oneMoment: 'It has not changed yet.',
  fixHistory: 'Fix history',
  fixState: { worked: 'Worked', failed: 'Did not work', wrong: 'Marked as wrong' },
  noFixes: 'No fix reported.',
  recorded: (by: string, from: string | null) => (from === null ? `by ${by}` : `by ${by} on ${from}`),
  run: 'Run',
  seen: 'Seen in',
  seenCount: (count: number, shown: string) => `${shown} ${selectPlural(count, 'failure', 'failures')}`,
  notSeen: 'Not in the recorded runs any more.',
  test: 'Test',
  headline: 'Error',
  when: 'When',
  sample: 'Sample',
  redacted: 'Without secrets',
  more: 'More about this pattern',
  tests: 'Tests',
  failures: (count: number, shown: string) => `${shown} ${selectPlural(count, 'failure', 'failures')}`,
  related: 'Related',
  alike: (share: string) => `${share} alike`,
  merged: 'Counted as this',
  ids: 'Identity',
  id: 'Id',
  signature: 'Signature',
  signaturePattern: 'Text of the signature',
};

export const solutionTexts = {
  title: 'Solutions',
  suggested: 'Suggested',
  set: 'Set by a person',
  wrong: 'Wrong',
  worked: (worked: string, failed: string) => `worked ${worked}, failed ${failed}`,
  mark: 'Mark as wrong',
  unmark: 'Not wrong after all',
};

export const editTexts = {
  title: 'Edit the pattern',
  explain: 'Argus keeps your text beside the learned text, and later runs do not overwrite it.',
  category: 'Category',
  description: 'Description',
  suggestedFix: 'Suggested fix',
  fixPlaceholder: 'How to fix this failure when it comes back',
  learned: 'Learned:',
  back: 'Back to learned',
};

export const mergeTexts = {
  title: 'Merge into another pattern',
  explain: 'This pattern becomes part of the chosen pattern, which counts its later failures.',
  search: 'Search for the other pattern',
  into: 'Merge into',
  none: 'No other learned pattern matches.',
  times: (count: number, shown: string) => `seen ${shown} ${selectPlural(count, 'time', 'times')}`,
  do: 'Merge',
};

export const splitTexts = {
  title: 'Not the same failure',
  explain: 'The failure becomes a separate pattern, which counts its later failures. The fixes stay here.',
  do: 'Not the same',
};

/* English error messages with advice. */
export const problemTexts: Record<string, { title: string; next: string }> = {
  UNAUTHORIZED: {
    title: 'This address has no valid token',
    next: 'Open the address that argus-mcp view printed. If that does not help, run argus-mcp view again.',
  },
  SERVER_GONE: {
    title: 'The server does not answer',
    next: 'Run argus-mcp view again and open the address that it prints.',
  },
  FILE_EMPTY: { title: 'The file is empty', next: 'Choose the file argus.db in the project’s folder .argus.' },
  NOTHING_OPEN: { title: 'No database is open', next: 'Drop a database file on the page.' },
  DATABASE_CORRUPT: {
    title: 'This is not an Argus database, or it is damaged',
    next: 'Choose the file argus.db in the project’s folder .argus. If you did, run argus-mcp doctor for details.',
  },
  DATABASE_NEWER: {
    title: 'This database is from a newer version of Argus',
    next: 'Update Argus, then open it with: argus view.',
  },
  DATABASE_LOCKED: { title: 'The database is busy', next: 'Another process is writing; try again in a moment.' },
  DATABASE_READ_ONLY: { title: 'The database cannot be written', next: 'Check the permissions of the folder .argus.' },
  DATABASE_FULL: { title: 'The disk is full', next: 'Free some space, then try again.' },
  DATABASE_UNAVAILABLE: {
    title: 'The database cannot be opened',
    next: 'It may have been moved, or copied without the file argus.db-journal beside it.',
  },
  TEAM_UNREACHABLE: {
    title: 'The team’s server does not answer',
    next: 'New data waits on this machine; reload the page in a moment.',
  },
  TEAM_DENIED: {
    title: 'The team’s server rejects the token',
    next: 'It may have expired; ask an admin for a new token.',
  },
  RUN_NOT_FOUND: { title: 'This run is not recorded', next: 'It may have been removed by the retention rules.' },
  CASE_NOT_FOUND: { title: 'This test is not in the run', next: 'Search the run’s cases for its name.' },
  PATTERN_NOT_FOUND: { title: 'This pattern does not exist', next: 'Search the patterns for its words.' },
  INCIDENT_NOT_FOUND: { title: 'This incident does not exist', next: 'Search the incidents for its words.' },
  INVALID_INPUT: { title: 'The input was rejected', next: 'Correct it as described in the message.' },
  INTERNAL_ERROR: { title: 'Something failed unexpectedly', next: 'Reload the page; no stored data was lost.' },
};

/* English texts of the pages about runs, comparisons and tests by run. */
export const runListTexts = {
  views: 'Ways to look at runs',
  tabs: { runs: 'Runs', tests: 'Tests by run' },
  overTime: 'Over time',
  newest: 'Newest',
  passRate: 'Pass rate',
  duration: 'Duration',
  status: 'Status',
  compare: 'Compare',
  chooseTwo: 'Select two runs to compare them',
  chooseFor: (time: string) => `Select the run of ${time} for a comparison`,
  caption: 'Runs, newest first',
  count: (count: number, shown: string) => `${shown} ${selectPlural(count, 'run', 'runs')}`,
  columns: { status: 'Status', run: 'Run', commit: 'Commit', results: 'Results', duration: 'Duration' },
  dirty: 'with uncommitted changes',
  foreign: 'foreign',
  foreignTitle: 'From a fork or another checkout: kept, but not counted as evidence',
  none: 'No runs yet',
  noneText: 'Record a run with argus_run, or with this command in the project.',
  noneFit: 'No matching runs',
};

export const runTexts = {
  comparePrevious: 'Compare with the run before',
  older: 'Older',
  newer: 'Newer',
  runner: 'Runner',
  exitCode: 'Exit code',
  signal: 'Signal',
  end: 'End',
  timedOut: 'Timed out',
  causes: 'Failures by cause',
  causeCount: (failures: string, causes: number) =>
    `${failures} ${selectPlural(Number(failures), 'failure', 'failures')}, ${causes} ${selectPlural(causes, 'cause', 'causes')}`,
  times: (count: number) => `${count} ${selectPlural(count, 'failure', 'failures')}`,
  newCause: 'not seen before',
  place: 'Place',
  test: 'Test',
  fix: 'Fix:',
  tip: 'Tip:',
  learnedFor: 'learned for',
  differs: (before: string, now: string) => `(before: ${before}; now: ${now})`,
  sameCause: 'same cause as',
  known: 'Known:',
  fixedBy: 'Fixed by',
  copyCommand: 'Copy the command that applies the change again',
  fixedByEdit: (files: string) => (files === '' ? 'an edit' : `an edit of ${files}`),
  fixedByCommit: (commits: number) => (commits > 1 ? `one of ${commits} commits, the newest is` : 'commit'),
  fixLost: (isWhole: boolean, removedBy: string | undefined) =>
    `${isWhole ? 'The change was removed' : 'Parts of the change were removed'}${removedBy === undefined ? '' : ` by commit ${removedBy}`}.`,
  tests: (count: number, shown: string) => `${shown} ${selectPlural(count, 'test', 'tests')}`,
  more: (count: string) => `and ${count} more`,
  moreCauses: (count: string) => `${count} more causes; see the cases of the run for all failures.`,
  cases: 'Cases',
  search: 'Search cases',
  caseCount: (count: number, shown: string) => `${shown} ${selectPlural(count, 'case', 'cases')}`,
  none: 'This run recorded no cases',
  noneFit: 'No matching cases',
  attempts: (count: number) => `${count} attempts`,
  error: 'Error',
  noError: 'No error text was recorded.',
  stdout: 'Standard output (end)',
  stderr: 'Standard error (end)',
  history: 'In other runs',
  newestFirst: 'newest first',
};

export const comparisonTexts = {
  title: 'Comparison of two runs',
  base: 'Before',
  head: 'After',
  swap: 'Swap',
  new: 'Newly failing',
  fixed: 'Fixed',
  stillFailing: 'Still failing',
  gone: 'Failed before, not run now',
  none: 'None.',
  noneHere: 'None on this page.',
  choose: 'Choose two runs',
  noVerdict: 'Without a verdict',
};

export const testTexts = {
  search: 'Search tests',
  only: 'Only',
  flaky: 'Flaky',
  broken: 'Failing',
  explain: {
    flaky: 'Passed at a later attempt, or passed and failed on the same commit',
    broken: 'Failed in each of these runs in which it ran',
  },
  count: (count: number, shown: string) => `${shown} ${selectPlural(count, 'test', 'tests')}`,
  caption: 'How each test ended in the newest runs',
  test: 'Test',
  kind: 'Flaky or failing',
  legend: 'Legend',
  newestLeft: 'The newest run is on the left.',
  shortened: 'Shows fewer runs, because they have many cases.',
  noneFit: 'No matching tests',
};

/* English names of values that many pages show. */
export const categoryNames: Record<FailureCategory, string> = {
  ASSERTION_MISMATCH: 'Assertion',
  HTTP_ERROR: 'HTTP error',
  TIMEOUT: 'Timeout',
  CONNECTION_REFUSED: 'Connection refused',
  CONTAINER_OOM: 'Out of memory',
  CONTAINER_CRASH: 'Container crash',
  MOCK_MISMATCH: 'Mock mismatch',
  CONFIG_ERROR: 'Configuration',
  NETWORK_ERROR: 'Network',
  UNKNOWN: 'Unknown',
};

export const verdictNames: Record<VerdictKind, string> = {
  regression: 'Regression',
  broken: 'Failing',
  flaky: 'Flaky',
  infrastructure: 'Infrastructure',
  order: 'Order',
  environment: 'Environment',
  new: 'New',
  unknown: 'Unclear',
};

export const testStateNames: Record<TestState, string> = {
  broken: 'Failing',
  flaky: 'Flaky',
  order: 'Order',
  environment: 'Environment',
  healthy: 'Healthy',
};

export const proofNames: Record<ProofStatus, string> = {
  claimed: 'Not confirmed',
  candidate: 'Not confirmed',
  proved: 'Held',
  refuted: 'Came back',
  superseded: 'Replaced',
};

export const sourceNames: Record<PatternSource, string> = { learned: 'Learned', 'built-in': 'Built-in' };

export const kindNames: Record<MatchKind, string> = { pattern: 'Pattern', incident: 'Incident' };

export const statusNames: Record<CaseState, string> = {
  passed: 'Passed',
  failed: 'Failed',
  flaky: 'Flaky',
  skipped: 'Skipped',
  absent: 'Not there',
};

const placeNames: Record<string, string> &
  Record<'now' | 'patterns' | 'runs' | 'health' | 'incidents' | 'inspector', string> = {
  now: 'Now',
  patterns: 'Patterns',
  runs: 'Runs',
  health: 'Health',
  tests: 'Tests by run',
  compare: 'Comparison',
  incidents: 'Incidents',
  inspector: 'Inspector',
};
const keyHelp: readonly (readonly [string, string])[] = [
  ['/', 'Go to the search field'],
  ['↑ ↓', 'Move between the rows of a list; ↓ in the search goes to the first'],
  ['Home End', 'First and last row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close, clear the search, or go back to the list'],
  ['?', 'This help'],
];

export const en = {
  skip: 'Skip to content',
  opening: 'Opening…',
  waiting: 'Waiting for an answer',
  placesLabel: 'Places',
  places: placeNames,
  nowhere: { title: 'This address does not exist', text: 'The link may be old or incomplete.' },
  otherLanguageLabel: '切换到中文',
  toDark: 'Switch to dark',
  toLight: 'Switch to light',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  all: 'All',
  copied: 'Copied',
  copyId: 'Copy the id',
  copySignature: 'Copy the signature',
  clearFilters: 'Clear the filters',
  showMore: (count: string) => `Show more (${count} characters left)`,
  updated: (times: number) => `Updated with new data (${times})`,
  about: {
    live: 'Live',
    lost: 'Not connected',
    lostText:
      'The server does not answer, so the page shows the last data. If the server has stopped, run argus-mcp view again and open the address that it prints.',
    file: 'File',
    snapshot: (at: string) => `Snapshot of ${at}`,
  },
  keys: {
    title: 'Keyboard',
    search: 'Press / to search',
    list: keyHelp,
  },
  category: categoryNames,
  verdict: verdictNames,
  failingSince: (day: string, runs: string, commit: string) => `Failing since ${day}, ${runs}${commit}`,
  failingSinceEdit: (files: string, runs: string) => `Failing since your edit of ${files}, ${runs}`,
  regressionOfEdit: (files: string) => `Regression: ${files} was edited since the last pass`,
  verdictCommit: (commit: string, isLost: boolean) => `, ${isLost ? 'the branch lost ' : ''}commit ${commit}`,
  held: (held: string, of: string) => `held ${held} of ${of}`,
  testState: testStateNames,
  proof: proofNames,
  source: sourceNames,
  kind: kindNames,
  status: statusNames,
  pager: {
    label: 'Pages',
    previous: 'Previous',
    next: 'Next',
    range: (first: string, last: string, total: string) => `${first}–${last} of ${total}`,
    beyond: (total: string) => `This page is empty; the list has ${total} entries`,
  },
  now: nowTexts,
  patterns: patternListTexts,
  pattern: patternTexts,
  solutions: solutionTexts,
  edit: editTexts,
  merge: mergeTexts,
  split: splitTexts,
  runs: runListTexts,
  run: runTexts,
  comparison: comparisonTexts,
  tests: testTexts,
  health: healthTexts,
  incidents: incidentTexts,
  inspector: inspectorTexts,
  start: startTexts,
  app: {
    title: 'Failure patterns',
    waiting: 'Waiting for the patterns…',
    none: 'No patterns yet',
    noneText: 'A pattern is learned when a failure is diagnosed.',
    failed: 'The tool answered with an error',
    more: (shown: string, total: string) => `Showing ${shown} of ${total}. Use offset for more.`,
  },
  problem: (code: string): { title: string; next: string } | undefined => problemTexts[code],
  problemElse: 'This action failed',
};

export type Dictionary = typeof en;
