/** What a service of continuous integration says of what it runs: all of it by variables, or by the file of an event. */

import { readText } from './files/read.ts';
import { io } from './io.ts';

/** Set by the services that do not set `CI`: Azure Pipelines, AWS CodeBuild, TeamCity, older Jenkins. */
const SERVICES = ['TF_BUILD', 'CODEBUILD_BUILD_ID', 'TEAMCITY_VERSION', 'JENKINS_URL'];

/** Whether a service of continuous integration runs this; most of them set `CI`. */
export function isInCi(): boolean {
  const { env } = io();
  const { CI } = env;
  if (CI) return !['0', 'false'].includes(CI.toLowerCase());
  return SERVICES.some((name) => Boolean(env[name]));
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a service has checked out. */
export interface CiCheckout {
  branch: string | null;
  commit: string | null;
}

/** By the variables of the service that runs this; nothing where it is none of those known. */
export function ciCheckout(env: Environment): CiCheckout {
  const services: [boolean, { branch: string[]; commit: string }][] = [
    // The branch of a pull request comes first: the other variable has the name of a merge there.
    [env.GITHUB_ACTIONS === 'true', { branch: ['GITHUB_HEAD_REF', 'GITHUB_REF_NAME'], commit: 'GITHUB_SHA' }],
    [
      env.GITLAB_CI === 'true',
      { branch: ['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', 'CI_COMMIT_REF_NAME'], commit: 'CI_COMMIT_SHA' },
    ],
    [env.JENKINS_URL !== undefined, { branch: ['CHANGE_BRANCH', 'BRANCH_NAME', 'GIT_BRANCH'], commit: 'GIT_COMMIT' }],
    [env.BUILDKITE === 'true', { branch: ['BUILDKITE_BRANCH'], commit: 'BUILDKITE_COMMIT' }],
    [env.CIRCLECI === 'true', { branch: ['CIRCLE_BRANCH'], commit: 'CIRCLE_SHA1' }],
  ];
  const [, names] = services.find(([isThere]) => isThere) ?? [];
  const first = (variables: string[]) => variables.map((name) => env[name]).find((value) => value) ?? null;
  return { branch: first(names?.branch ?? []), commit: first(names ? [names.commit] : []) };
}

/**
 * Whether what runs here is of a pull request of another repository: its code, and with it what its tests do, is that of
 * somebody who may not write here.
 */
export function isOfFork(env: Environment = io().env): boolean {
  if (env.GITHUB_ACTIONS === 'true') return isForkOnGithub(env.GITHUB_EVENT_PATH);
  if (env.GITLAB_CI === 'true') {
    // The pipeline may run in either project; the merge request says into which one it wants.
    const own = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID;
    return differs(env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID, own);
  }
  // Jenkins says it of a fork only.
  if (env.JENKINS_URL !== undefined) return (env.CHANGE_FORK ?? '') !== '';
  if (env.BUILDKITE === 'true') {
    const from = env.BUILDKITE_PULL_REQUEST === 'false' ? undefined : env.BUILDKITE_PULL_REQUEST_REPO;
    return differs(repositoryName(from), repositoryName(env.BUILDKITE_REPO));
  }
  if (env.CIRCLECI === 'true') {
    return (
      differs(env.CIRCLE_PR_USERNAME, env.CIRCLE_PROJECT_USERNAME) ||
      differs(env.CIRCLE_PR_REPONAME, env.CIRCLE_PROJECT_REPONAME)
    );
  }
  return false;
}

function differs(theirs: string | undefined, own: string | undefined): boolean {
  return Boolean(theirs) && theirs?.toLowerCase() !== own?.toLowerCase();
}

/** `owner/name` of an address, whatever it is fetched by. */
function repositoryName(address: string | undefined): string | undefined {
  return address
    ?.replace(/^[a-z+]+:\/\//iu, '')
    .replace(/^[^@/]*@/u, '')
    .replace(':', '/')
    .replace(/(?:\.git)?\/?$/iu, '');
}

/** The payload of the event that started a workflow of GitHub; undefined where it cannot be read. */
function githubPayload(file: string | undefined): unknown {
  if (!file) return undefined;
  try {
    return JSON.parse(readText(file, { maxBytes: MAX_EVENT_BYTES }));
  } catch {
    return undefined;
  }
}

/** The default branch of the repository, as the payload of GitHub's event names it. */
export function defaultBranchOnGithub(env: Environment): string | undefined {
  const branch = at(githubPayload(env.GITHUB_EVENT_PATH), 'repository', 'default_branch');
  return typeof branch === 'string' ? branch : undefined;
}

/** Payloads of events are some hundred KB at most. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** What the payload of an event says of where a change comes from: of a pull request, or of the workflow before this one. */
function isForkOnGithub(file: string | undefined): boolean {
  const event = githubPayload(file);
  const pull = at(event, 'pull_request');
  if (pull !== undefined) return isOther(at(pull, 'head', 'repo'), at(pull, 'base', 'repo'));
  const before = at(event, 'workflow_run');
  return before !== undefined && isOther(at(before, 'head_repository'), at(event, 'repository'));
}

/** A fork that is gone is no repository any more. */
function isOther(head: unknown, base: unknown): boolean {
  const [theirs, own] = [at(head, 'full_name'), at(base, 'full_name')];
  return typeof own === 'string' ? theirs !== own : at(head, 'fork') === true;
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
