/**
 * ci: records the reports of a CI job, shows failures where people look (the job summary, annotations, one comment on
 * the pull request), and writes the run for other memories. The options are in ci-program.ts.
 */

import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { gateMarkdown } from '../../format/report/gate-markdown.ts';
import type { GateResult } from '../../format/report/gate-result.ts';
import { formatGate } from '../../format/report/gate-text.ts';
import { markdownReport } from '../../format/report/markdown.ts';
import type { RunReport } from '../../format/report/run-report.ts';
import { lines } from '../../format/terminal.ts';
import { conditions } from '../../run/conditions.ts';
import { ciFacts, gitFacts } from '../../run/git-state.ts';
import { isOfFork } from '../../system/ci.ts';
import { ciChange } from '../../system/ci-change.ts';
import { isWithin, lstat, realOr } from '../../system/files/way.ts';
import { io } from '../../system/io.ts';
import { mapTexts } from '../../text/untrusted.ts';
import { handleImport } from '../../tools/import.ts';
import { reported } from '../failures/report.ts';
import type { ImportOptions } from '../failures/run.ts';
import { adoptsInCi } from '../recorder.ts';
import { EXIT } from '../terminal/exit.ts';
import { answer, type Workplace } from '../terminal/output.ts';
import { annotationsOf } from './annotations.ts';
import { runLine } from './artifact.ts';
import { NOTHING_AGAIN } from './excuse.ts';
import { gateExit } from './gate.ts';
import { type GateOptions, gateFacts, judgingConfig } from './gate-facts.ts';
import { judge } from './gate-judgement.ts';
import { comment, MAX_COMMENT_BYTES } from './github/comment.ts';
import { type GitHubEvent, gitHubEvent } from './github/event.ts';
import { type Annotation, annotationLines, commandsOff } from './github/workflow-commands.ts';
import { rerun } from './rerun.ts';
import { unrecordedRun } from './unrecorded-run.ts';

/** Limit for one step. GitHub shows nothing of a longer summary. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

export interface CiOptions
  extends Pick<ImportOptions, 'project' | 'config' | 'json' | 'format' | 'environment'>,
    GateOptions {
  gate?: boolean;
  /**
   * Runs failures again that the gate excuses only after they passed. A string is the command; true uses the configured
   * or detected command.
   */
  rerun?: string | true;
  markdown?: string;
  artifact?: string;
  /** A string is the comment's name, which separates several comments on a pull request. */
  comment?: string | true;
}

interface CiResult {
  gate: GateResult;
  annotations: Annotation[];
  /** Sentences about completed and failed steps of handling the run. */
  done: string[];
  undone: string[];
  /** Notes of the import. */
  notes: string[];
}

export async function ci(reports: string, options: CiOptions): Promise<void> {
  // Names and output of tests must not act as commands to GitHub's runner.
  const guard = io().env.GITHUB_ACTIONS === 'true' && !options.json ? commandsOff() : undefined;
  if (guard !== undefined) io().stdout.write(guard.begin);
  let isOpen = guard !== undefined;
  await answer(
    options,
    (workplace) => reportedTo(workplace, reports, options),
    (result) => {
      if (guard === undefined) return formatCi(result);
      isOpen = false;
      return `${formatCi(result)}\n${guard.end}${annotationLines(result.annotations).join('\n')}`;
    },
    {
      exitCode: ({ gate }) => (options.gate ? gateExit(gate) : EXIT.done),
      adopts: adoptsInCi(),
      revised: (project, loaded) => judgingConfig(project, loaded, options.base),
    },
  );
  if (isOpen && guard !== undefined) io().stdout.write(guard.end);
}

async function reportedTo(
  { projectPath, sessionManager, session }: Workplace,
  reports: string,
  options: CiOptions,
): Promise<CiResult> {
  const { format, environment, base } = options;
  const event = await gitHubEvent(io().env);
  const change = ciChange(io().env);
  const recorded = await handleImport({ projectPath, path: reports, format, environment }, sessionManager);
  const isWaiting = recorded.stored === false;
  const report = isWaiting
    ? unrecordedRun(recorded)
    : await reported(session, recorded.runId, base ?? change.base ?? undefined);
  const unread = recorded.skipped.map(({ at, reason }) => `${at}: ${reason}`);
  const { facts, quarantine } = await gateFacts(session, report.run, options, !isWaiting);
  const first = judge(report, quarantine, { ...facts, unread, again: NOTHING_AGAIN });
  const again = await rerun(first, options.rerun, projectPath, sessionManager);
  const judged = judge(report, quarantine, { ...facts, unread, again });
  const gate = mapTexts(judged, (text) => session.fitToLeave(text));

  const result: CiResult = { gate, annotations: [], done: again.done, undone: again.undone, notes: recorded.notes };
  if (isWaiting) result.undone.push(`The run is not recorded yet (${recorded.code}): each of its failures counts.`);
  if (!isWaiting && options.artifact !== undefined) {
    const git = (await gitFacts(session.root)) ?? ciFacts();
    const circumstances = { git, environment: { ...conditions(session.root), ...environment } };
    writeOutput(projectPath, options.artifact, runLine(report, circumstances));
    result.done.push(`${options.artifact} has the run for argus import --runs.`);
  }
  writeSummary(options, projectPath, markdownReport(report, gateMarkdown(gate)), result);
  if (options.comment !== undefined && event?.pullRequest != null) {
    await writeComment({ ...event, pullRequest: event.pullRequest }, options.comment, report, result);
  }
  if (event !== null) result.annotations = await annotationsOf(session, gate, result.undone);
  return result;
}

function writeSummary(options: CiOptions, projectPath: string, markdown: string, result: CiResult): void {
  if (options.markdown !== undefined) {
    writeOutput(projectPath, options.markdown, `${markdown}\n`);
    result.done.push(`${options.markdown} has the summary.`);
  }
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY: summary } = io().env;
  if (GITHUB_ACTIONS !== 'true' || summary === undefined || summary === '') return;
  const text = `${markdown}\n\n`;
  const size = statSync(summary, { throwIfNoEntry: false })?.size ?? 0;
  if (size + Buffer.byteLength(text) > MAX_SUMMARY_BYTES) {
    result.undone.push('The summary of this step is full: nothing was added to it.');
    return;
  }
  appendFileSync(summary, text);
  result.done.push('The summary of the job has it.');
}

async function writeComment(
  { repository, pullRequest }: GitHubEvent & { pullRequest: number },
  name: string | true,
  report: RunReport,
  { gate, done, undone }: CiResult,
): Promise<void> {
  const { GITHUB_TOKEN: token, GITHUB_API_URL: api = 'https://api.github.com', GITHUB_JOB: job = 'ci' } = io().env;
  if (isOfFork()) {
    done.push('The pull request is of a fork, whose jobs may not write comments: the summary of the job has it.');
    return;
  }
  if (token === undefined || token === '') {
    undone.push('The comment was not written: GITHUB_TOKEN is not set. The summary of the job has the same.');
    return;
  }
  const { failing, problems, reported, quarantined, quarantine } = gate;
  const told = [failing, problems, reported, quarantined, quarantine.added, quarantine.changed, quarantine.removed];
  const text = {
    body: markdownReport(report, gateMarkdown(gate), MAX_COMMENT_BYTES),
    isAllWell: told.every(({ length }) => length === 0),
  };
  const place = { api, token, repository, pullRequest, name: name === true ? job : name };
  const answered = await comment(place, text);
  if (typeof answered === 'string') undone.push(answered);
  else if (answered.done !== 'nothing') done.push(`The comment was ${answered.done}: ${answered.url ?? pullRequest}`);
}

/**
 * Writes an output file. A file or link in the checkout may come from the change, so this never writes through a link
 * that leaves the project, or into a pipe.
 */
function writeOutput(root: string, name: string, text: string): void {
  const file = path.resolve(root, name);
  const leadsOut = isWithin(file, root) && !isWithin(realOr(folderThere(file)), realOr(root));
  if (leadsOut || (lstat(file) !== undefined && !lstat(file)?.isFile())) {
    const reason = leadsOut ? 'a link in its path leads out of the project' : 'what lies there is no regular file';
    throw new ArgusError('INVALID_INPUT', `${name} is not written: ${reason}. Remove it, or name another file.`);
  }
  mkdirSync(path.dirname(file), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, text, { flag: 'wx' });
}

/** Returns the nearest parent folder that exists. */
function folderThere(file: string): string {
  const folder = path.dirname(file);
  return lstat(folder) === undefined && folder !== file ? folderThere(folder) : folder;
}

function formatCi({ gate, done, undone, notes }: CiResult): string {
  return lines([formatGate(gate), ...notes, ...done, ...undone.map((warning) => `warning: ${warning}`)]);
}
