/**
 * The command `ci`: records the reports of a CI job, shows failures in the job summary, in annotations and in a comment
 * on the pull request, and writes the run to a file that other memories can import. The options are in ci-program.ts.
 */

import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BriefVerdict } from 'argus-engine';
import { getRunConditions } from '../../environment/project-environment.ts';
import { ArgusError } from '../../errors.ts';
import { formatGate, type GateFailure, type GateResult } from '../../format/report/gate.ts';
import { formatGateMarkdown, formatMarkdownReport } from '../../format/report/markdown.ts';
import type { RunReport } from '../../format/report/run-report.ts';
import { joinLines } from '../../format/terminal.ts';
import { findUnchangedFiles } from '../../git/repository.ts';
import { createCiFacts, readGitFacts } from '../../run/git-state.ts';
import { isForkBuild, readCiChange } from '../../system/ci.ts';
import { isWithin, resolveRealPath, tryLstat } from '../../system/files/path-safety.ts';
import { io } from '../../system/io.ts';
import { findReportFiles, handleImport } from '../../tools/import.ts';
import { formatRunLine } from '../failures/import-runs.ts';
import { readRunReport } from '../failures/report.ts';
import type { ImportOptions } from '../failures/run.ts';
import { EXIT_CODES } from '../terminal/exit.ts';
import { type CommandContext, isAdoptionAllowedInCi, runProjectCommand } from '../terminal/output.ts';
import { type Annotation, collectAnnotations, createCommandGuard, formatAnnotations } from './annotations.ts';
import { getGateExitCode } from './gate.ts';
import { collectGateFacts, type GateOptions, loadGateConfig } from './gate-facts.ts';
import { judgeRun, NO_RERUNS } from './gate-judgement.ts';
import { type GitHubEvent, MAX_COMMENT_BYTES, readGitHubEvent, writeComment } from './github.ts';
import { addPreviousFixes } from './previous-fixes.ts';
import { rerunFailures } from './rerun.ts';
import { createUnrecordedRunReport } from './unrecorded-run.ts';

/** GitHub's limit for the summary of a step. GitHub rejects a longer summary completely. */
const MAX_SUMMARY_BYTES = 1024 * 1024;

export interface CiOptions
  extends Pick<ImportOptions, 'project' | 'config' | 'json' | 'format' | 'environment'>,
    GateOptions {
  gate?: boolean;
  /**
   * Reruns the failures that the gate excuses only after they passed again. A string is the command to run; true uses
   * the configured or detected command.
   */
  rerun?: string | true;
  markdown?: string;
  artifact?: string;
  /** A string is the name of the comment, which separates several comments on a pull request. */
  comment?: string | true;
}

interface CiResult {
  gate: GateResult;
  annotations: Annotation[];
  /** Messages about completed steps, such as "Added to the job summary." */
  done: string[];
  /** Messages about steps that failed. */
  undone: string[];
  /** Notes of the import. */
  notes: string[];
}

export async function runCiCommand(reports: string, options: CiOptions): Promise<void> {
  // Names and output of tests must not act as commands to GitHub's runner.
  const guard = io().env.GITHUB_ACTIONS === 'true' && !options.json ? createCommandGuard() : undefined;
  if (guard !== undefined) io().stdout.write(guard.begin);
  let isOpen = guard !== undefined;
  await runProjectCommand(
    options,
    (workplace) => recordAndReport(workplace, reports, options),
    (result) => {
      if (guard === undefined) return formatCi(result);
      isOpen = false;
      return `${formatCi(result)}\n${guard.end}${formatAnnotations(result.annotations).join('\n')}`;
    },
    {
      exitCode: ({ gate }) => (options.gate ? getGateExitCode(gate) : EXIT_CODES.done),
      adopts: isAdoptionAllowedInCi(),
      reviseConfig: (project, loaded) => loadGateConfig(project, loaded, options.base),
    },
  );
  if (isOpen && guard !== undefined) io().stdout.write(guard.end);
}

async function recordAndReport(
  { projectPath, sessionManager, session }: CommandContext,
  reports: string,
  options: CiOptions,
): Promise<CiResult> {
  const { format, environment, base } = options;
  const event = await readGitHubEvent(io().env);
  const change = readCiChange(io().env);
  const committed = await findUnchangedFiles(session.project.top, await findReportFiles(session.root, reports));
  const recorded = await handleImport({ projectPath, path: reports, format, environment }, sessionManager);
  const isUnrecorded = recorded.stored === false;
  const report = isUnrecorded
    ? createUnrecordedRunReport(recorded)
    : await readRunReport(session, recorded.runId, base ?? change.base ?? undefined);
  const missing = recorded.skipped.filter(({ incomplete }) => incomplete !== false);
  const unread = missing.map(({ at, reason }) => `${at}: ${reason}`);
  const { facts, quarantine } = await collectGateFacts(session, report.run, options, !isUnrecorded);
  const first = judgeRun(report, quarantine, { ...facts, committed, unread, again: NO_RERUNS });
  const again = await rerunFailures(first, options.rerun, projectPath, sessionManager);
  const judged = judgeRun(report, quarantine, { ...facts, committed, unread, again });
  const gate = mapGateTexts(await addPreviousFixes(session, judged), (text) => session.sanitize(text));

  const result: CiResult = { gate, annotations: [], done: again.done, undone: again.undone, notes: recorded.notes };
  if (isUnrecorded) result.undone.push(`The run is not recorded yet (${recorded.code}), so all of its failures count.`);
  if (!isUnrecorded && options.artifact !== undefined) {
    const git = (await readGitFacts(session.root)) ?? createCiFacts();
    const circumstances = { git, environment: { ...getRunConditions(session.root), ...environment } };
    writeOutput(projectPath, options.artifact, formatRunLine(report, circumstances));
    result.done.push(`${options.artifact} has the run for argus import --runs.`);
  }
  writeSummary(options, projectPath, formatMarkdownReport(report, formatGateMarkdown(gate)), result);
  if (options.comment !== undefined && event?.pullRequest != null) {
    await postComment({ ...event, pullRequest: event.pullRequest }, options.comment, report, result);
  }
  if (event !== null) result.annotations = await collectAnnotations(session, gate, result.undone);
  return result;
}

/**
 * Applies `convertText` to each text of the gate's result. Names of fields and kinds of verdicts stay as they are,
 * because a redaction pattern of the project may match them.
 */
function mapGateTexts(gate: GateResult, convertText: (text: string) => string): GateResult {
  const verdict = (one: BriefVerdict): BriefVerdict =>
    one.since?.edited === undefined
      ? one
      : { ...one, since: { ...one.since, edited: one.since.edited.map(convertText) } };
  const failure = <F extends GateFailure>(one: F): F => ({
    ...one,
    caseName: convertText(one.caseName),
    headline: convertText(one.headline),
    verdict: one.verdict && verdict(one.verdict),
    ...(one.refused === undefined ? {} : { refused: convertText(one.refused) }),
    ...(one.mendedBefore?.files && {
      mendedBefore: { ...one.mendedBefore, files: one.mendedBefore.files.map(convertText) },
    }),
  });
  const { added, changed, removed } = gate.quarantine;
  return {
    ...gate,
    failing: gate.failing.map(failure),
    problems: gate.problems.map(convertText),
    reported: gate.reported.map(failure),
    quarantined: gate.quarantined.map((one) => ({
      ...failure(one),
      reason: convertText(one.reason),
      owner: convertText(one.owner),
    })),
    quarantine: {
      ...gate.quarantine,
      added: added.map(convertText),
      changed: changed.map(convertText),
      removed: removed.map(convertText),
    },
    missing: gate.missing.map(convertText),
    notes: gate.notes.map(convertText),
  };
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
    result.undone.push('The step summary is full, so nothing was added to it.');
    return;
  }
  appendFileSync(summary, text);
  result.done.push('Added to the job summary.');
}

async function postComment(
  { repository, pullRequest }: GitHubEvent & { pullRequest: number },
  name: string | true,
  report: RunReport,
  { gate, done, undone }: CiResult,
): Promise<void> {
  const { GITHUB_TOKEN: token, GITHUB_API_URL: api = 'https://api.github.com', GITHUB_JOB: job = 'ci' } = io().env;
  if (isForkBuild()) {
    done.push(
      'No comment was written, because jobs of a fork may not comment on the pull request. See the job summary.',
    );
    return;
  }
  if (token === undefined || token === '') {
    undone.push('The comment was not written, because GITHUB_TOKEN is not set. See the job summary.');
    return;
  }
  const { failing, problems, reported, quarantined, quarantine } = gate;
  const reportedLists = [
    failing,
    problems,
    reported,
    quarantined,
    quarantine.added,
    quarantine.changed,
    quarantine.removed,
  ];
  const text = {
    body: formatMarkdownReport(report, formatGateMarkdown(gate), MAX_COMMENT_BYTES),
    isAllWell: reportedLists.every(({ length }) => length === 0),
  };
  const place = { api, token, repository, pullRequest, name: name === true ? job : name };
  const answered = await writeComment(place, text);
  if (typeof answered === 'string') undone.push(answered);
  else if (answered.done !== 'nothing') done.push(`The comment was ${answered.done}: ${answered.url ?? pullRequest}`);
}

/**
 * Writes an output file. A file or link in the checkout may come from the change, so this function never writes into a
 * pipe or through a link that leaves the project.
 */
function writeOutput(root: string, name: string, text: string): void {
  const file = path.resolve(root, name);
  const leadsOut =
    isWithin(file, root) && !isWithin(resolveRealPath(findNearestExistingFolder(file)), resolveRealPath(root));
  if (leadsOut || (tryLstat(file) !== undefined && !tryLstat(file)?.isFile())) {
    const reason = leadsOut ? 'a link in its path points outside the project' : 'it is not a regular file';
    throw new ArgusError('INVALID_INPUT', `${name} is not written: ${reason}. Remove it, or name another file.`);
  }
  mkdirSync(path.dirname(file), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, text, { flag: 'wx' });
}

/** Returns the nearest existing parent folder of a file. */
function findNearestExistingFolder(file: string): string {
  const folder = path.dirname(file);
  return tryLstat(folder) === undefined && folder !== file ? findNearestExistingFolder(folder) : folder;
}

function formatCi({ gate, done, undone, notes }: CiResult): string {
  return joinLines([formatGate(gate), ...notes, ...done, ...undone.map((warning) => `warning: ${warning}`)]);
}
