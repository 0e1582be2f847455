/**
 * Collects the context of an error: answers the fifteen questions of the contract with programs where possible. It
 * changes nothing and does not use the network. A missing program is the reason for a missing answer, not an error.
 */

import { createInspector } from 'argus-engine';
import { getEnvironment } from '../../environment/project-environment.ts';
import { getErrorMessage } from '../../errors.ts';
import { Git } from '../../git/git.ts';
import { findRepository } from '../../git/repository.ts';
import { createCancelledError } from '../../system/programs.ts';
import { clip, removeInvisibleCharacters } from '../../text/untrusted-text.ts';
import { describeFailingCode, describeSignature, findSimilarCode } from './code/failing-code.ts';
import { ProjectFiles } from './code/project-files.ts';
import {
  describeErrorType,
  describeFunction,
  describeLocation,
  findSourceLocation,
  listProjectFrames,
} from './code/source-location.ts';
import { findTestExpectations, findTestedFunction } from './code/test-expectations.ts';
import { findRecentChanges, findSimilarCommits, findWhenErrorStarted, readUncommittedDiff } from './commit-history.ts';
import type { Answer, ContextRequest, ContextScope, Finding, FixContext, Layer, RunGit } from './context-model.ts';
import { formulateHypothesis } from './hypothesis.ts';
import { describeDeployments, describePods, getNamespace } from './system/cluster.ts';
import { listDependencies } from './system/dependencies.ts';
import { findLogEntries } from './system/logs.ts';
import { listEnvironmentVariables } from './system/variables.ts';

export type { Answer, ContextRequest, FixContext } from './context-model.ts';

/** Limit for an answer, so that fifteen answers stay readable for people and short for an agent. */
const MAX_ANSWER_CHARACTERS = 2_400;

/**
 * Time limit for all questions together. Each program has its own limit, but in a huge repository a sequence of
 * programs takes too long.
 */
const MAX_WAIT_MS = 25_000;
const TIMED_OUT_FINDING: Finding = { why_not: 'The programs that answer this took too long.' };

/** The questions in the order and the words of `docs/contract/fix-problem.md`. Their number is the position. */
const QUESTIONS: readonly [Layer, string, (scope: ContextScope) => Promise<Finding> | Finding][] = [
  ['Error Context', 'What is the exact error type? (syntax, runtime, timeout, permission, etc.)', describeErrorType],
  ['Error Context', 'What file/line is the error occurring in?', describeLocation],
  ['Error Context', 'What function/method is involved?', describeFunction],
  ['Error Context', 'When did this start happening?', findWhenErrorStarted],
  ['Code Context', 'What does the failing code do?', describeFailingCode],
  ['Code Context', 'What are the inputs/outputs expected?', describeSignature],
  ['Code Context', 'What dependencies are involved?', listDependencies],
  ['Code Context', 'Are there similar patterns elsewhere that work?', findSimilarCode],
  ['Environment Context', 'What K8s resources are involved? (if applicable)', describePods],
  ['Environment Context', 'What environment variables are relevant?', listEnvironmentVariables],
  ['Environment Context', 'What is the deployment state?', describeDeployments],
  ['Environment Context', 'Are there related log entries?', findLogEntries],
  ['Historical Context', 'Has this code been modified recently?', findRecentChanges],
  ['Historical Context', 'Are there similar past issues in git history?', findSimilarCommits],
  ['Historical Context', 'What do the tests expect?', findTestExpectations],
];

/** Answers the questions. Rejects only with CANCELLED, if the caller aborts. */
export async function gatherContext(request: ContextRequest): Promise<FixContext> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), MAX_WAIT_MS);
  try {
    const signal = request.signal ? AbortSignal.any([timeout.signal, request.signal]) : timeout.signal;
    return await answerQuestions(await createScope({ ...request, signal }), request);
  } finally {
    clearTimeout(timer);
  }
}

async function answerQuestions(scope: ContextScope, request: ContextRequest): Promise<FixContext> {
  const cleanText = (text: string) =>
    clip(scope.redact(removeInvisibleCharacters(text)).replace(/^\s*\n|\s+$/gu, ''), MAX_ANSWER_CHARACTERS);
  const answers = await Promise.all(
    QUESTIONS.map(async ([layer, question, answer], index): Promise<Answer> => {
      const finding = await answerQuestion(scope, answer);
      const isKnown = 'answer' in finding;
      return {
        number: index + 1,
        layer,
        question,
        answer: isKnown ? cleanText(finding.answer) : null,
        why_not: isKnown ? null : cleanText(finding.why_not),
        source: isKnown ? cleanText(finding.source) : null,
      };
    }),
  );
  const uncommitted = await readUncommittedDiff(scope).catch(() => null);
  if (request.signal?.aborted) throw createCancelledError();
  return {
    answers,
    error_type: request.error.error_type,
    location: scope.place === null ? null : cleanText(`${scope.place.file}:${scope.place.line}`),
    function: scope.place?.function == null ? null : cleanText(scope.place.function),
    frames: listProjectFrames(scope).map(cleanText),
    uncommitted: uncommitted === null ? null : cleanText(uncommitted),
    hypothesis: cleanText(formulateHypothesis(scope)),
    tech_stack: detectTechStack(scope),
    environment: describeEnvironment(scope),
  };
}

async function answerQuestion(scope: ContextScope, findAnswer: (typeof QUESTIONS)[number][2]): Promise<Finding> {
  try {
    return await findAnswer(scope);
  } catch (thrown) {
    return scope.request.signal?.aborted
      ? TIMED_OUT_FINDING
      : { why_not: `This could not be answered: ${getErrorMessage(thrown)}.` };
  }
}

/** Returns the technologies of the project for the research query, such as `typescript 5`, `react 18`, `node 20`. */
function detectTechStack({ files }: ContextScope): string[] {
  const { language, language_major, framework, framework_major, runtime } = getEnvironment(files.root);
  const technologies = [
    [language, language_major],
    [framework, framework_major],
    [runtime?.replace('-', ' '), undefined],
  ];
  return technologies.flatMap(([name, version]) => (name ? [version ? `${name} ${version}` : name] : []));
}

function describeEnvironment(scope: ContextScope): string {
  const namespace = getNamespace(scope);
  if (namespace !== undefined) return `kubernetes (namespace ${namespace})`;
  return scope.request.config.containers?.length ? 'docker' : 'local';
}

/** Limits of texts, because regular expressions run over them. */
const MAX_HEADLINE_CHARACTERS = 1_000;
const MAX_ERROR_TEXT_CHARACTERS = 64 * 1024;

/**
 * Creates the scope of the questions: limits the texts, and finds the repository and the location of the error in the
 * project.
 */
async function createScope(given: ContextRequest): Promise<ContextScope> {
  const error = { ...given.error, headline: given.error.headline.slice(0, MAX_HEADLINE_CHARACTERS) };
  const request = { ...given, error, errorText: keepBothEnds(given.errorText, MAX_ERROR_TEXT_CHARACTERS) };
  const redact = request.redact ?? createRedactor(request);
  const files = new ProjectFiles(request.root, redact);
  const git = await openGit(files.root, request.signal);
  const scope: ContextScope = { request, redact, files, ...git, place: null, tested: null, evidence: [] };
  // If the search fails, the location is unknown, and the answers give the reason.
  scope.place = await findSourceLocation(scope).catch(() => null);
  if (scope.place !== null) scope.tested = await findTestedFunction(scope, scope.place).catch(() => null);
  return scope;
}

function keepBothEnds(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters / 2)}\n${text.slice(-maxCharacters / 2)}`;
}

/** Creates a redactor with the rules of the engine and of the project. */
function createRedactor({ config }: ContextRequest): (text: string) => string {
  const inspector = createInspector({
    rules: config.classify?.rules ?? [],
    secrets: config.redact?.patterns ?? [],
  });
  return (text) => inspector.inspect({ text }).redacted;
}

async function openGit(
  root: string,
  signal: AbortSignal | undefined,
): Promise<Pick<ContextScope, 'runGit' | 'git' | 'noGit'>> {
  const git = new Git(root);
  const runGit: RunGit = (args) => git.run(args, { signal });
  const { problem } = await runGit(['rev-parse', '--git-dir']);
  if (problem === null) {
    const repository = await findRepository(root, signal);
    if (typeof repository === 'object') return { runGit, git: runGit, noGit: '' };
    const why = repository ?? 'its work tree is in another folder';
    return { runGit, git: null, noGit: `The git repository is not used: ${why}.` };
  }
  const noGit = /not a git repository/u.test(problem) ? 'The project is not a git repository.' : `${problem}.`;
  return { runGit, git: null, noGit };
}
