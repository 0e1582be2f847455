/**
 * Reads the target branch of a change from the variables of a CI service. `ci.ts` reads the checkout and its origin.
 */

import { defaultBranchOnGithub, type Environment } from './ci.ts';

/** The target of a change. */
export interface CiChange {
  /** The base branch of a pull request, otherwise the default branch of the repository if the service names it. */
  base: string | null;
  isPullRequest: boolean;
}

/** Reads the variables of the service that runs this process. */
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
  // CircleCI does not name the target branch of a pull request.
  return { base: null, isPullRequest: env.CIRCLECI === 'true' && Boolean(env.CIRCLE_PULL_REQUEST) };
}
