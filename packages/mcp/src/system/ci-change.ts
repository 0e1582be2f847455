/** What a service of continuous integration says of the change that it runs; what it has checked out: ci.ts. */

import type { Environment } from './ci.ts';

/** Where a change comes from, and where it is to go. */
export interface CiChange {
  /** The branch it is to go to: of a pull request its base, else the repository's default branch where that is told. */
  base: string | null;
  isPullRequest: boolean;
  /** Its commits are somebody's who may not write to this repository. GitHub says it in the event alone. */
  isFromFork: boolean;
}

/** By the variables of the service that runs this. */
export function ciChange(env: Environment): CiChange {
  const change = (target: string | undefined, usual: string | undefined, isFromFork: boolean): CiChange => ({
    base: target || usual || null,
    isPullRequest: Boolean(target),
    isFromFork,
  });
  if (env.GITHUB_ACTIONS === 'true') return change(env.GITHUB_BASE_REF, undefined, false);
  if (env.GITLAB_CI === 'true') {
    const isFork = differ(env.CI_MERGE_REQUEST_SOURCE_PROJECT_ID, env.CI_MERGE_REQUEST_PROJECT_ID);
    return change(env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME, env.CI_DEFAULT_BRANCH, isFork);
  }
  if (env.JENKINS_URL !== undefined) return change(env.CHANGE_TARGET, undefined, Boolean(env.CHANGE_FORK));
  if (env.BUILDKITE === 'true') {
    const isFork = differ(repositoryName(env.BUILDKITE_PULL_REQUEST_REPO), repositoryName(env.BUILDKITE_REPO));
    return change(env.BUILDKITE_PULL_REQUEST_BASE_BRANCH, env.BUILDKITE_PIPELINE_DEFAULT_BRANCH, isFork);
  }
  // It names no branch that a pull request is to go to, and this number only for those of forks.
  const isCircle = env.CIRCLECI === 'true';
  return {
    base: null,
    isPullRequest: isCircle && Boolean(env.CIRCLE_PULL_REQUEST),
    isFromFork: isCircle && Boolean(env.CIRCLE_PR_NUMBER),
  };
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return Boolean(one) && Boolean(other) && one !== other;
}

/** `git://github.com/acme/shop.git` and `git@github.com:acme/shop.git` are one. */
function repositoryName(address: string | undefined): string | undefined {
  return address
    ?.replace(/\.git\/?$/u, '')
    .split(/[/:]/u)
    .slice(-2)
    .join('/')
    .toLowerCase();
}
