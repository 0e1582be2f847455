/**
 * What all questions share: the project's files, git, and the place of the error in the project.
 * Does not: answer.
 */

import { createInspector } from 'argus-engine';
import type { Asked } from '../../ask.ts';
import { Git, type GitArgs } from '../../git/git.ts';
import { repositoryOf } from '../../git/repository.ts';
import { ProjectFiles } from './code/files.ts';
import { findPlace, type Place } from './code/source-location.ts';
import { type Tested, testedFunction } from './code/tested.ts';
import type { ContextRequest } from './model.ts';

/** Something a question found that may be the cause, surest first. */
export interface Clue {
  weight: number;
  /** Half a sentence after "when". */
  text: string;
}

export interface Scene {
  request: ContextRequest;
  /** Before a part of a text is shown: a secret of several lines is not known by its middle. */
  redact: (text: string) => string;
  files: ProjectFiles;
  /** For what needs no repository. */
  runGit: RunGit;
  /** Null where there is no repository; `noGit` says why. */
  git: RunGit | null;
  noGit: string;
  /** Null: no line of the project is known to be involved. */
  place: Place | null;
  /** Where that line is a test's: the function of the project that it calls. */
  tested: Tested | null;
  clues: Clue[];
}

type RunGit = (args: GitArgs) => Promise<Asked>;

/** Expressions run over it. */
const MAX_HEADLINE = 1_000;
const MAX_ERROR_TEXT = 64 * 1024;

export async function sceneOf(given: ContextRequest): Promise<Scene> {
  const error = { ...given.error, headline: given.error.headline.slice(0, MAX_HEADLINE) };
  const request = { ...given, error, errorText: bothEnds(given.errorText, MAX_ERROR_TEXT) };
  const redact = request.redact ?? redactorOf(request);
  const files = new ProjectFiles(request.root, redact);
  const git = await gitOf(files.root, request.signal);
  const scene: Scene = { request, redact, files, ...git, place: null, tested: null, clues: [] };
  // What could not be looked for was not found; the questions say why.
  scene.place = await findPlace(scene).catch(() => null);
  if (scene.place !== null) scene.tested = await testedFunction(scene, scene.place).catch(() => null);
  return scene;
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

async function gitOf(root: string, signal: AbortSignal | undefined): Promise<Pick<Scene, 'runGit' | 'git' | 'noGit'>> {
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
