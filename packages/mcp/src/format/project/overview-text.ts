/** Formats the overview of a project for the terminal, with the next steps. */

import type { RunRecord } from 'argus-engine';
import { count } from '../../text/count.ts';
import { shortLine } from '../../text/untrusted.ts';
import { VERSION } from '../../version.ts';
import { formatWarnings } from '../commands.ts';
import { lines, paint, table } from '../terminal.ts';

export interface Overview {
  project: { name: string; root: string; testCommand: string | null; runner: string | null };
  memory: 'own' | 'new' | 'foreign' | 'none';
  /** True when nothing is recorded and there are commits to learn from. */
  hasHistory: boolean;
  /** The number of patterns that the memory has learned. */
  learnedPatterns: number;
  runs: { total: number; newest: RunRecord | null } | null;
  /** Tests that are not healthy, worst first. */
  unwell: { caseName: string; state: string }[];
  agents: { using: string[]; without: string[] };
  warnings: string[];
}

export function formatOverview(overview: Overview): string {
  return lines([
    `${paint.bold(`Argus ${VERSION}`)}, a failure memory for coding agents`,
    '',
    table([
      ['project', projectOf(overview)],
      ['memory', memoryOf(overview)],
      ...overview.unwell.map(({ caseName, state }, at) => [
        at === 0 ? 'tests' : '',
        `${state}: ${shortLine(caseName)}`,
      ]),
      ['agents', agentsOf(overview)],
    ]),
    ...formatWarnings(overview.warnings),
    '',
    paint.bold('next'),
    table(nextSteps(overview).map(([command, why]) => [`  ${command}`, paint.dim(why)])),
    '',
    paint.dim('As an MCP server it starts where an agent starts it: stdin and stdout are pipes then.'),
  ]);
}

function projectOf({ project: { name, root, testCommand, runner } }: Overview): string {
  const tested =
    testCommand === null ? 'no test command found' : `${testCommand}${runner === null ? '' : ` (${runner})`}`;
  return `${name} in ${root}, ${tested}`;
}

function memoryOf({ memory, runs, learnedPatterns }: Overview): string {
  if (memory === 'none') return 'none: history is disabled, or there is no place for it';
  if (memory === 'foreign') return 'one that came with the project, and is not trusted';
  if (runs === null || runs.newest === null) return 'nothing is recorded yet';
  const { status, passed, failed, timestamp } = runs.newest;
  const newest = `the newest ${status} (${passed} passed, ${failed} failed, ${timestamp.slice(0, 16).replace('T', ' ')} UTC)`;
  return `${count(runs.total, 'run')}, ${newest}; ${count(learnedPatterns, 'learned pattern')}`;
}

function agentsOf({ agents: { using, without } }: Overview): string {
  const parts = [
    ...(using.length > 0 ? [`used by ${using.join(', ')}`] : []),
    ...(without.length > 0 ? [`not yet by ${without.join(', ')}`] : []),
  ];
  return parts.join('; ') || 'none found';
}

/** The most urgent step comes first. */
function nextSteps({ project, memory, hasHistory, runs, unwell, agents }: Overview): [string, string][] {
  const steps: [string, string][] = [];
  const newest = runs?.newest ?? null;
  if (memory === 'foreign') steps.push(['argus adopt', 'look at what came with the project, and make it yours']);
  if (newest !== null && newest.failed > 0)
    steps.push(['argus report', 'what failed in the newest run, by its causes']);
  if (unwell.length > 0) steps.push(['argus tests', 'which tests are broken, flaky, or bound to something']);
  if (agents.using.length === 0) {
    const which = agents.without.length > 0 ? '' : ' --agent NAME';
    steps.push([`argus install${which}`, 'let your agent use it; shows what it would write, and asks']);
  }
  if (hasHistory) steps.push(['argus learn --from-git', 'start with what its commits say of earlier fixes']);
  const command = project.testCommand === null ? ' "COMMAND"' : '';
  const why = newest === null ? 'run the tests, and record what they say' : 'run the tests again';
  steps.push([`argus run${command}`, why]);
  if (newest !== null) steps.push(['argus view --open', 'all of it in a browser']);
  return [...steps, ['argus --help', 'every command']];
}
