/** Formats the results of the commands about a project for the terminal: overview, doctor, clean, forget and view. */

import path from 'node:path';
import type { RunRecord } from 'argus-engine';
import type { CleanResult } from '../fix/snapshots/leftovers.ts';
import { formatCount } from '../text/count.ts';
import { removeInvisibleCharacters, toShortLine } from '../text/untrusted-text.ts';
import { VERSION } from '../version.ts';
import type { ExportResult } from '../view/export.ts';
import type { ViewedMemoryInfo } from '../view/viewed-memory.ts';
import { formatFileSize, formatTable, formatWarnings, joinLines, paint, toCommandLineText } from './terminal.ts';

export interface Overview {
  project: { name: string; root: string; testCommand: string | null; runner: string | null };
  memory: 'own' | 'new' | 'foreign' | 'none';
  /** True if nothing is recorded yet and there are commits to learn from. */
  hasHistory: boolean;
  /** Number of patterns that the memory has learned. */
  learnedPatterns: number;
  runs: { total: number; newest: RunRecord | null } | null;
  /** Tests that are not healthy, the worst first. */
  unwell: { caseName: string; state: string }[];
  agents: { using: string[]; without: string[] };
  warnings: string[];
}

export function formatOverview(overview: Overview): string {
  return joinLines([
    `${paint.bold(`Argus ${VERSION}`)}, a failure memory for coding agents`,
    '',
    formatTable([
      ['project', formatProject(overview)],
      ['memory', formatMemory(overview)],
      ...overview.unwell.map(({ caseName, state }, at) => [
        at === 0 ? 'tests' : '',
        `${state}: ${toShortLine(caseName)}`,
      ]),
      ['agents', formatAgents(overview)],
    ]),
    ...formatWarnings(overview.warnings),
    '',
    paint.bold('next'),
    formatTable(suggestNextSteps(overview).map(([command, why]) => [`  ${command}`, paint.dim(why)])),
    '',
    paint.dim('Agents start this program themselves; you do not need to keep it running.'),
  ]);
}

function formatProject({ project: { name, root, testCommand, runner } }: Overview): string {
  const testText =
    testCommand === null ? 'no test command found' : `${testCommand}${runner === null ? '' : ` (${runner})`}`;
  return `${name} in ${root}, ${testText}`;
}

function formatMemory({ memory, runs, learnedPatterns }: Overview): string {
  if (memory === 'none') return 'none: history is disabled or cannot be stored';
  if (memory === 'foreign') return 'foreign: it came with the project and is not trusted';
  if (runs === null || runs.newest === null) return 'nothing is recorded yet';
  const { status, passed, failed, timestamp } = runs.newest;
  const newest = `the newest run ${status} (${passed} passed, ${failed} failed, ${timestamp.slice(0, 16).replace('T', ' ')} UTC)`;
  return `${formatCount(runs.total, 'run')}, ${newest}; ${formatCount(learnedPatterns, 'learned pattern')}`;
}

function formatAgents({ agents: { using, without } }: Overview): string {
  const parts = [
    ...(using.length > 0 ? [`connected: ${using.join(', ')}`] : []),
    ...(without.length > 0 ? [`not connected: ${without.join(', ')}`] : []),
  ];
  return parts.join('; ') || 'none found';
}

/** Returns commands with their purpose, the most urgent first. */
function suggestNextSteps({ project, memory, hasHistory, runs, unwell, agents }: Overview): [string, string][] {
  const steps: [string, string][] = [];
  const newest = runs?.newest ?? null;
  if (memory === 'foreign')
    steps.push(['argus adopt', 'inspect the memory that came with the project, and make it yours']);
  if (newest !== null && newest.failed > 0) steps.push(['argus report', 'show the causes of the newest failures']);
  if (unwell.length > 0) steps.push(['argus tests', 'list failing, flaky and dependent tests']);
  if (agents.using.length === 0) {
    const which = agents.without.length > 0 ? '' : ' --agent NAME';
    steps.push([`argus install${which}`, 'configure your agents; shows the changes and asks first']);
  }
  if (hasHistory) steps.push(['argus learn --from-git', 'learn earlier fixes from the git history']);
  const command = project.testCommand === null ? ' "COMMAND"' : '';
  const why = newest === null ? 'run the tests and record the result' : 'run the tests again';
  steps.push([`argus run${command}`, why]);
  if (newest !== null) steps.push(['argus view --open', 'see everything in the browser']);
  return [...steps, ['argus --help', 'list all commands']];
}

export interface Check {
  name: string;
  /** `note` means that it works, but that the user may want to know about it. */
  state: 'ok' | 'note' | 'problem';
  detail: string;
}

const STATE_MARKS = { ok: paint.green('✓'), note: paint.yellow('•'), problem: paint.red('✗') };

/** Formats the checks of doctor for the terminal. */
export function formatDoctorChecks(checks: readonly Check[]): string {
  return formatTable(
    checks.map(({ name, state, detail }) => [`${STATE_MARKS[state]} ${name}`, toCommandLineText(detail)]),
  );
}

const LEFTOVER_KINDS = {
  snapshots: 'snapshot in the repository',
  copies: 'folder of copies',
  logs: 'log',
  temporary: 'temporary folder',
} as const;

/** Formats the result of clean for the terminal. */
export function formatCleanResult(cleaned: CleanResult, dryRun: boolean, root: string): string {
  const kinds = ['snapshots', 'copies', 'logs', 'temporary'] as const;
  const rows = kinds.flatMap((kind) =>
    cleaned[kind].map((name) => `  ${LEFTOVER_KINDS[kind]}: ${removeInvisibleCharacters(toDisplayPath(name, root))}`),
  );
  const [verb, nothing] = dryRun ? ['Would remove', 'Nothing would be removed'] : ['Removed', 'Nothing to remove'];
  const head = rows.length === 0 ? [`${nothing}.`] : [`${verb} ${rows.length}:`, ...rows];
  const busy = cleaned.busy.map((loop) => `Skipped, because it is in use: fix loop ${loop}`);
  return [...head, ...busy, ...cleaned.problems.map(removeInvisibleCharacters)].join('\n');
}

function toDisplayPath(name: string, root: string): string {
  const relative = path.relative(root, name);
  return path.isAbsolute(name) && !relative.startsWith('..') ? relative : name;
}

export interface ForgetResult {
  /** Files and folders with their sizes in bytes. */
  entries: { path: string; bytes: number }[];
  /** False if they were only listed. */
  deleted: boolean;
}

/** Formats the result of forget for the terminal. */
export function formatForgetResult({ entries, deleted }: ForgetResult): string {
  if (entries.length === 0) return 'Nothing is recorded for this project.';
  return joinLines([
    deleted ? 'Deleted:' : 'This deletes:',
    formatTable(entries.map(({ path, bytes }) => [`  ${formatFileSize(bytes)}`, path])),
    !deleted && 'Nothing was deleted. Stop the agents that use Argus here, then add --yes. You cannot undo this.',
  ]);
}

interface ServedViewer extends Pick<ViewedMemoryInfo, 'project' | 'database' | 'history'> {
  url: string;
}

/** Formats the address of the viewer for the terminal. */
export function formatServedViewer({ url, project, database, history }: ServedViewer) {
  const emptyText = history
    ? 'Nothing is recorded yet. The page shows the first run after it is recorded, or opens a database file that you drop on it.'
    : 'The history is disabled (history.enabled in argus.yaml). The page opens a database file that you drop on it.';
  return joinLines([
    `Viewer of ${project}: ${paint.bold(url)}`,
    database === null && emptyText,
    'The address contains a token, so do not share it. Press Ctrl-C to stop the viewer.',
  ]);
}

export function formatExportResult({ file, bytes, databaseBytes, warnings }: ExportResult): string {
  const content =
    databaseBytes === null
      ? 'without data, because nothing is recorded yet'
      : `with a snapshot of ${formatFileSize(databaseBytes)}`;
  return joinLines([`${file}: ${formatFileSize(bytes)}, ${content}`, ...warnings]);
}
