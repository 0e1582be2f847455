/** What a service of continuous integration says of the change that it runs; what it has checked out, and whose: ci.ts. */

import { defaultBranchOnGithub, type Environment } from './ci.ts';

/** Where a change is to go. */
export interface CiChange {
  /** The branch it is to go to: of a pull request its base, else the repository's default branch where that is told. */
  base: string | null;
  isPullRequest: boolean;
}

/** By the variables of the service that runs this. */
export function ciChange(env: Environment): CiChange {
  const change = (target: string | undefined, usual?: string): CiChange => ({
    base: target || usual || null,
    isPullRequest: Boolean(target),
  });
  if (env.GITHUB_ACTIONS === 'true') return change(env.GITHUB_BASE_REF, defaultBranchOnGithub(env));
  if (env.GITLAB_CI === 'true') return change(env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME, env.CI_DEFAULT_BRANCH);
  if (env.JENKINS_URL !== undefined) return change(env.CHANGE_TARGET);
  if (env.BUILDKITE === 'true') {
    return change(env.BUILDKITE_PULL_REQUEST_BASE_BRANCH, env.BUILDKITE_PIPELINE_DEFAULT_BRANCH);
  }
  // CircleCI names no branch that a pull request is to go to.
  return { base: null, isPullRequest: env.CIRCLECI === 'true' && Boolean(env.CIRCLE_PULL_REQUEST) };
}
