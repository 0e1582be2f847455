/**
 * Opens the scope of an error: bounds its texts, and looks for the repository and for the place of the error in the
 * project.
 */

import { createInspector } from 'argus-engine';
import { Git } from '../../git/git.ts';
import { repositoryOf } from '../../git/repository.ts';
import { ProjectFiles } from './code/files.ts';
import { findPlace } from './code/source-location.ts';
import { testedFunction } from './code/tested.ts';
import type { ContextRequest } from './context-model.ts';
import type { ContextScope, RunGit } from './scope.ts';

/** Limits, because regular expressions run over the texts. */
const MAX_HEADLINE_CHARACTERS = 1_000;
const MAX_ERROR_TEXT_CHARACTERS = 64 * 1024;

export async function openScope(given: ContextRequest): Promise<ContextScope> {
  const error = { ...given.error, headline: given.error.headline.slice(0, MAX_HEADLINE_CHARACTERS) };
  const request = { ...given, error, errorText: bothEnds(given.errorText, MAX_ERROR_TEXT_CHARACTERS) };
  const redact = request.redact ?? redactorOf(request);
  const files = new ProjectFiles(request.root, redact);
  const git = await gitOf(files.root, request.signal);
  const scope: ContextScope = { request, redact, files, ...git, place: null, tested: null, evidence: [] };
  // If the search fails, the place is unknown, and the questions give the reason.
  scope.place = await findPlace(scope).catch(() => null);
  if (scope.place !== null) scope.tested = await testedFunction(scope, scope.place).catch(() => null);
  return scope;
}

function bothEnds(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most / 2)}\n${text.slice(-most / 2)}`;
}

/** Uses the rules of the engine and of the project. */
function redactorOf({ config }: ContextRequest): (text: string) => string {
  const inspector = createInspector({
    rules: config.classify?.rules ?? [],
    secrets: config.redact?.patterns ?? [],
  });
  return (text) => inspector.inspect({ text }).redacted;
}

async function gitOf(
  root: string,
  signal: AbortSignal | undefined,
): Promise<Pick<ContextScope, 'runGit' | 'git' | 'noGit'>> {
  const git = new Git(root);
  const runGit: RunGit = (args) => git.run(args, { signal });
  const { problem } = await runGit(['rev-parse', '--git-dir']);
  if (problem === null) {
    const repository = await repositoryOf(root, signal);
    if (typeof repository === 'object') return { runGit, git: runGit, noGit: '' };
    const why = repository ?? 'its work tree is elsewhere';
    return { runGit, git: null, noGit: `The git repository is not used: ${why}.` };
  }
  const noGit = /not a git repository/u.test(problem) ? 'The project is not a git repository.' : `${problem}.`;
  return { runGit, git: null, noGit };
}
