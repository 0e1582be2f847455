import { expect, test } from 'vitest';
import { ciChange } from '../../src/system/ci-change.ts';

const NOTHING = { base: null, isPullRequest: false };
const PULL_REQUEST = { base: 'main', isPullRequest: true };

test.each<[string, Record<string, string>, object]>([
  ['no service', { GITHUB_BASE_REF: 'main', CI_DEFAULT_BRANCH: 'main', CHANGE_TARGET: 'main' }, NOTHING],
  ['GitHub: a push', { GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: '' }, NOTHING],
  ['GitHub: a pull request', { GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main' }, PULL_REQUEST],
  ['GitLab: a push', { GITLAB_CI: 'true', CI_DEFAULT_BRANCH: 'main' }, { ...NOTHING, base: 'main' }],
  ['GitLab: a merge request', { GITLAB_CI: 'true', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' }, PULL_REQUEST],
  ['Jenkins', { JENKINS_URL: 'https://ci', CHANGE_TARGET: 'main' }, PULL_REQUEST],
  ['Buildkite', { BUILDKITE: 'true', BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main' }, PULL_REQUEST],
  ['Buildkite: a push', { BUILDKITE: 'true', BUILDKITE_PIPELINE_DEFAULT_BRANCH: 'main' }, { ...NOTHING, base: 'main' }],
  ['CircleCI', { CIRCLECI: 'true', CIRCLE_PULL_REQUEST: 'https://x' }, { ...NOTHING, isPullRequest: true }],
])('%s', (_, env, change) => {
  expect(ciChange(env)).toEqual(change);
});
