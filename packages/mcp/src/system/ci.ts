/** Facts from the CI service that runs this process: its environment variables or its event file. */

import { readText } from './files/read.ts';
import { io } from './io.ts';

/** Variables of the services that do not set `CI`: Azure Pipelines, AWS CodeBuild, TeamCity, older Jenkins. */
const SERVICES = ['TF_BUILD', 'CODEBUILD_BUILD_ID', 'TEAMCITY_VERSION', 'JENKINS_URL'];

/** True when a CI service runs this process. Most services set `CI`. */
export function isInCi(): boolean {
  const { env } = io();
  const { CI } = env;
  if (CI) return !['0', 'false'].includes(CI.toLowerCase());
  return SERVICES.some((name) => Boolean(env[name]));
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The branch and commit that a service has checked out. */
export interface CiCheckout {
  branch: string | null;
  commit: string | null;
}

/** Reads the variables of the service. Both values are null for an unknown service. */
export function ciCheckout(env: Environment): CiCheckout {
  const services: [boolean, { branch: string[]; commit: string }][] = [
    // The head branch of a pull request comes first, because the other variable then names the merge.
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
 * True when a pull request from another repository runs here. The author of its code, including its tests, may not be
 * allowed to write to this repository.
 */
export function isOfFork(env: Environment = io().env): boolean {
  if (env.GITHUB_ACTIONS === 'true') return isForkOnGithub(env.GITHUB_EVENT_PATH);
  if (env.GITLAB_CI === 'true') {
    // The pipeline may run in either project, and the merge request names its target project.
    const own = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID;
    return differs(env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID, own);
  }
  // Jenkins sets this variable only for forks.
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

/** Extracts `owner/name` from an address of any protocol. */
function repositoryName(address: string | undefined): string | undefined {
  return address
    ?.replace(/^[a-z+]+:\/\//iu, '')
    .replace(/^[^@/]*@/u, '')
    .replace(':', '/')
    .replace(/(?:\.git)?\/?$/iu, '');
}

/** The payload of the event that started a GitHub workflow. Undefined if it cannot be read. */
function githubPayload(file: string | undefined): unknown {
  if (!file) return undefined;
  try {
    return JSON.parse(readText(file, { maxBytes: MAX_EVENT_BYTES }));
  } catch {
    return undefined;
  }
}

/** The default branch of the repository in the payload of GitHub's event. */
export function defaultBranchOnGithub(env: Environment): string | undefined {
  const branch = at(githubPayload(env.GITHUB_EVENT_PATH), 'repository', 'default_branch');
  return typeof branch === 'string' ? branch : undefined;
}

/** Payloads of events have some hundred KB at most. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Compares the repositories in the payload of a pull request, or of the workflow that started this workflow. */
function isForkOnGithub(file: string | undefined): boolean {
  const event = githubPayload(file);
  const pull = at(event, 'pull_request');
  if (pull !== undefined) return isOther(at(pull, 'head', 'repo'), at(pull, 'base', 'repo'));
  const before = at(event, 'workflow_run');
  return before !== undefined && isOther(at(before, 'head_repository'), at(event, 'repository'));
}

/** A deleted fork has no repository, so its name differs from the base. */
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
