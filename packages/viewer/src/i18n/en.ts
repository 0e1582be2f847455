/**
 * The page's texts in English, and the type that every language implements. `en/` has the texts of single pages.
 * `i18n.svelte.ts` chooses the language.
 */

import { health } from './en/health.ts';
import { incidents } from './en/incidents.ts';
import { inspector } from './en/inspector.ts';
import { now } from './en/now.ts';
import { start } from './en/opening.ts';
import { edit, merge, pattern, patterns, solutions, split } from './en/patterns.ts';
import { problems } from './en/problems.ts';
import { comparison, run, runs, tests } from './en/runs.ts';
import { category, kind, proof, source, status, testState, verdict } from './en/values.ts';

const places: Record<string, string> &
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
const keys: readonly (readonly [string, string])[] = [
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
  places,
  nowhere: { title: 'There is nothing at this address', text: 'The link may be old, or a letter of it is missing.' },
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
  updated: (times: number) => `Updated with what was just recorded (${times})`,
  about: {
    live: 'Live',
    lost: 'Not connected',
    lostText:
      'The server does not answer; this is what was there. If it has ended, run argus-mcp view again and open the address that it prints.',
    file: 'File',
    snapshot: (at: string) => `Snapshot of ${at}`,
  },
  keys: {
    title: 'Keyboard',
    search: 'Press / to search',
    list: keys,
  },
  category,
  verdict,
  testState,
  proof,
  source,
  kind,
  status,
  pager: {
    label: 'Pages',
    previous: 'Previous',
    next: 'Next',
    range: (first: string, last: string, total: string) => `${first}–${last} of ${total}`,
    beyond: (total: string) => `None here; there are ${total}`,
  },
  now,
  patterns,
  pattern,
  solutions,
  edit,
  merge,
  split,
  runs,
  run,
  comparison,
  tests,
  health,
  incidents,
  inspector,
  start,
  app: {
    title: 'Failure patterns',
    waiting: 'Waiting for the patterns…',
    none: 'No patterns yet',
    noneText: 'A pattern is learned when a failure is diagnosed.',
    failed: 'The tool answered with an error',
    more: (shown: string, total: string) => `${shown} of ${total} are shown; ask for more with offset.`,
  },
  problem: (code: string): { title: string; next: string } | undefined => problems[code],
  problemElse: 'This did not work',
};

export type Dictionary = typeof en;
