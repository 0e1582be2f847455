/**
 * Opens the scope of one error: its texts bounded, the repository looked for, its place in the project found.
 */

import { createInspector } from 'argus-engine';
import { Git } from '../../git/git.ts';
import { repositoryOf } from '../../git/repository.ts';
import { ProjectFiles } from './code/files.ts';
import { findPlace } from './code/source-location.ts';
import { testedFunction } from './code/tested.ts';
import type { ContextRequest } from './context-model.ts';
import type { ContextScope, RunGit } from './scope.ts';

/** Expressions run over it. */
const MAX_HEADLINE_CHARACTERS = 1_000;
const MAX_ERROR_TEXT_CHARACTERS = 64 * 1024;

export async function openScope(given: ContextRequest): Promise<ContextScope> {
  const error = { ...given.error, headline: given.error.headline.slice(0, MAX_HEADLINE_CHARACTERS) };
  const request = { ...given, error, errorText: bothEnds(given.errorText, MAX_ERROR_TEXT_CHARACTERS) };
  const redact = request.redact ?? redactorOf(request);
  const files = new ProjectFiles(request.root, redact);
  const git = await gitOf(files.root, request.signal);
  const scope: ContextScope = { request, redact, files, ...git, place: null, tested: null, evidence: [] };
  // What could not be looked for was not found; the questions say why.
  scope.place = await findPlace(scope).catch(() => null);
  if (scope.place !== null) scope.tested = await testedFunction(scope, scope.place).catch(() => null);
  return scope;
}

function bothEnds(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most / 2)}\n${text.slice(-most / 2)}`;
}

/** The engine's own rules and the project's. */
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
