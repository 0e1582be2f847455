/**
 * What all questions share: the project's files, git, and the place of the error in the project.
 * Does not: answer.
 */

import { createInspector } from 'argus-engine';
import { type Asked, ask } from './ask.ts';
import { ProjectFiles } from './files.ts';
import type { ContextRequest } from './model.ts';
import { findPlace, type Place } from './place.ts';

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
  runGit: Git;
  /** Null where there is no repository; `noGit` says why. */
  git: Git | null;
  noGit: string;
  /** Null: no line of the project is known to be involved. */
  place: Place | null;
  clues: Clue[];
}

type Git = (args: readonly string[]) => Promise<Asked>;

/** Expressions run over it. */
const MAX_HEADLINE = 1_000;
const MAX_ERROR_TEXT = 64 * 1024;

export async function sceneOf(given: ContextRequest): Promise<Scene> {
  const error = { ...given.error, headline: given.error.headline.slice(0, MAX_HEADLINE) };
  const request = { ...given, error, errorText: bothEnds(given.errorText, MAX_ERROR_TEXT) };
  const redact = request.redact ?? redactorOf(request);
  const files = new ProjectFiles(request.root, redact);
  const git = await gitOf(files.root, request.signal);
  const scene: Scene = { request, redact, files, ...git, place: null, clues: [] };
  // What could not be looked for was not found; the questions say why.
  scene.place = await findPlace(scene).catch(() => null);
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

/** Reading must neither take a lock nor start what a repository's own settings name. */
const GIT_ENV = { GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_PAGER: 'cat' };
const GIT_SETTINGS = ['--no-pager', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', '-c', 'color.ui=false'];

async function gitOf(root: string, signal: AbortSignal | undefined): Promise<Pick<Scene, 'runGit' | 'git' | 'noGit'>> {
  const runGit: Git = (args) => ask('git', [...GIT_SETTINGS, ...args], { cwd: root, signal, env: GIT_ENV });
  const { problem } = await runGit(['rev-parse', '--git-dir']);
  if (problem === null) return { runGit, git: runGit, noGit: '' };
  const noGit = /not a git repository/u.test(problem) ? 'The project is not a git repository.' : `${problem}.`;
  return { runGit, git: null, noGit };
}
