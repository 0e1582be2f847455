import { expect, test } from 'vitest';
import { ciChange } from '../../src/system/ci-change.ts';

const NOTHING = { base: null, isPullRequest: false, isFromFork: false };

test.each<[string, Record<string, string>, object]>([
  ['no service', { GITHUB_BASE_REF: 'main', CI_DEFAULT_BRANCH: 'main', CHANGE_TARGET: 'main' }, NOTHING],
  ['GitHub: a push', { GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: '' }, NOTHING],
  [
    'GitHub: a pull request',
    { GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main' },
    { base: 'main', isPullRequest: true, isFromFork: false },
  ],
  ['GitLab: a push', { GITLAB_CI: 'true', CI_DEFAULT_BRANCH: 'main' }, { ...NOTHING, base: 'main' }],
  [
    'GitLab: of a fork',
    {
      GITLAB_CI: 'true',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_PROJECT_ID: '1',
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '2',
    },
    { base: 'main', isPullRequest: true, isFromFork: true },
  ],
  [
    'Jenkins',
    { JENKINS_URL: 'https://ci', CHANGE_TARGET: 'main' },
    { base: 'main', isPullRequest: true, isFromFork: false },
  ],
  [
    'Jenkins: of a fork',
    { JENKINS_URL: 'https://ci', CHANGE_TARGET: 'main', CHANGE_FORK: 'eve' },
    { base: 'main', isPullRequest: true, isFromFork: true },
  ],
  [
    'Buildkite: one repository by two addresses',
    {
      BUILDKITE: 'true',
      BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main',
      BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/acme/shop.git',
      BUILDKITE_REPO: 'git@github.com:acme/shop.git',
    },
    { base: 'main', isPullRequest: true, isFromFork: false },
  ],
  [
    'Buildkite: of a fork',
    {
      BUILDKITE: 'true',
      BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main',
      BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/eve/shop.git',
      BUILDKITE_REPO: 'git@github.com:acme/shop.git',
    },
    { base: 'main', isPullRequest: true, isFromFork: true },
  ],
  [
    'Buildkite: a push',
    { BUILDKITE: 'true', BUILDKITE_PULL_REQUEST_REPO: '', BUILDKITE_PIPELINE_DEFAULT_BRANCH: 'main' },
    { ...NOTHING, base: 'main' },
  ],
  ['CircleCI', { CIRCLECI: 'true', CIRCLE_PULL_REQUEST: 'https://x' }, { ...NOTHING, isPullRequest: true }],
  [
    'CircleCI: of a fork',
    { CIRCLECI: 'true', CIRCLE_PULL_REQUEST: 'https://x', CIRCLE_PR_NUMBER: '7' },
    { base: null, isPullRequest: true, isFromFork: true },
  ],
])('%s', (_, env, change) => {
  expect(ciChange(env)).toEqual(change);
});
