/**
 * Facts about the CI service that runs this process, from environment variables or from the event file of the service.
 */

import { readText } from './files/read.ts';
import { io } from './io.ts';

/** Variables of services that do not set `CI`: Azure Pipelines, AWS CodeBuild, TeamCity, older Jenkins. */
const SERVICE_VARIABLES = ['TF_BUILD', 'CODEBUILD_BUILD_ID', 'TEAMCITY_VERSION', 'JENKINS_URL'];

/** True if a CI service runs this process. Most services set `CI`. */
export function isInCi(): boolean {
  const { env } = io();
  const { CI } = env;
  if (CI) return !['0', 'false'].includes(CI.toLowerCase());
  return SERVICE_VARIABLES.some((name) => Boolean(env[name]));
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The branch and commit that a service has checked out. */
interface CiCheckout {
  branch: string | null;
  commit: string | null;
}

/** Reads the checkout from the variables of the service. Both values are null for an unknown service. */
export function readCiCheckout(env: Environment): CiCheckout {
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
 * True if a pull request from another repository runs here. Its author, who also wrote the tests, may not be allowed to
 * write to this repository.
 */
export function isForkBuild(env: Environment = io().env): boolean {
  if (env.GITHUB_ACTIONS === 'true') return isForkOnGithub(env.GITHUB_EVENT_PATH);
  if (env.GITLAB_CI === 'true') {
    // The pipeline may run in either project. The merge request names its target project.
    const own = env.CI_MERGE_REQUEST_PROJECT_ID || env.CI_PROJECT_ID;
    return isDifferentName(env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID, own);
  }
  // Jenkins sets this variable only for forks.
  if (env.JENKINS_URL !== undefined) return (env.CHANGE_FORK ?? '') !== '';
  if (env.BUILDKITE === 'true') {
    const from = env.BUILDKITE_PULL_REQUEST === 'false' ? undefined : env.BUILDKITE_PULL_REQUEST_REPO;
    return isDifferentName(extractRepositoryName(from), extractRepositoryName(env.BUILDKITE_REPO));
  }
  if (env.CIRCLECI === 'true') {
    return (
      isDifferentName(env.CIRCLE_PR_USERNAME, env.CIRCLE_PROJECT_USERNAME) ||
      isDifferentName(env.CIRCLE_PR_REPONAME, env.CIRCLE_PROJECT_REPONAME)
    );
  }
  return false;
}

function isDifferentName(theirs: string | undefined, own: string | undefined): boolean {
  return Boolean(theirs) && theirs?.toLowerCase() !== own?.toLowerCase();
}

/** Extracts `owner/name` from the URL of a repository, with any protocol. */
function extractRepositoryName(address: string | undefined): string | undefined {
  return address
    ?.replace(/^[a-z+]+:\/\//iu, '')
    .replace(/^[^@/]*@/u, '')
    .replace(':', '/')
    .replace(/(?:\.git)?\/?$/iu, '');
}

/** Returns the payload of the event that started a GitHub workflow, or undefined if it cannot be read. */
function readGithubPayload(file: string | undefined): unknown {
  if (!file) return undefined;
  try {
    return JSON.parse(readText(file, { maxBytes: MAX_EVENT_BYTES }));
  } catch {
    return undefined;
  }
}

/** Returns the default branch of the repository from the payload of GitHub's event. */
function readGithubDefaultBranch(env: Environment): string | undefined {
  const branch = getNested(readGithubPayload(env.GITHUB_EVENT_PATH), 'repository', 'default_branch');
  return typeof branch === 'string' ? branch : undefined;
}

/** Payloads have some hundred KB at most. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Compares the repositories in the payload of a pull request, or of the workflow that started this workflow. */
function isForkOnGithub(file: string | undefined): boolean {
  const event = readGithubPayload(file);
  const pull = getNested(event, 'pull_request');
  if (pull !== undefined) return isOtherRepository(getNested(pull, 'head', 'repo'), getNested(pull, 'base', 'repo'));
  const startingWorkflow = getNested(event, 'workflow_run');
  return (
    startingWorkflow !== undefined &&
    isOtherRepository(getNested(startingWorkflow, 'head_repository'), getNested(event, 'repository'))
  );
}

/** True if the repositories differ. A deleted fork has no repository, which counts as different. */
function isOtherRepository(head: unknown, base: unknown): boolean {
  const [theirs, own] = [getNested(head, 'full_name'), getNested(base, 'full_name')];
  return typeof own === 'string' ? theirs !== own : getNested(head, 'fork') === true;
}

function getNested(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** The branch into which a change will be merged. */
interface CiChange {
  /** The base branch of a pull request, otherwise the default branch of the repository if the service names it. */
  base: string | null;
  isPullRequest: boolean;
}

/** Reads the target branch of a change from the variables of the service. */
export function readCiChange(env: Environment): CiChange {
  const createChange = (target: string | undefined, usual?: string): CiChange => ({
    base: target || usual || null,
    isPullRequest: Boolean(target),
  });
  if (env.GITHUB_ACTIONS === 'true') return createChange(env.GITHUB_BASE_REF, readGithubDefaultBranch(env));
  if (env.GITLAB_CI === 'true') return createChange(env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME, env.CI_DEFAULT_BRANCH);
  if (env.JENKINS_URL !== undefined) return createChange(env.CHANGE_TARGET);
  if (env.BUILDKITE === 'true') {
    return createChange(env.BUILDKITE_PULL_REQUEST_BASE_BRANCH, env.BUILDKITE_PIPELINE_DEFAULT_BRANCH);
  }
  // CircleCI does not name the target branch of a pull request.
  return { base: null, isPullRequest: env.CIRCLECI === 'true' && Boolean(env.CIRCLE_PULL_REQUEST) };
}
