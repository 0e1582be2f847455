/** Detects pull requests of forks from the variables and event files that each service documents. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Environment, isForkBuild, readCiChange } from '../../src/system/ci.ts';

const eventFolder = mkdtempSync(path.join(tmpdir(), 'argus-ci-'));
afterAll(() => rmSync(eventFolder, { recursive: true, force: true }));

function githubEnvironment(event: unknown): Environment {
  const file = path.join(eventFolder, 'event.json');
  writeFileSync(file, typeof event === 'string' ? event : JSON.stringify(event));
  return { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: file };
}

const ownRepository = { full_name: 'acme/shop', fork: false };
const forkedRepository = { full_name: 'mallory/shop', fork: true };
const pullRequestEvent = (head: unknown, base: unknown = ownRepository) => ({
  pull_request: { head: { repo: head }, base: { repo: base } },
});

test.each<[string, unknown, boolean]>([
  ['a pull request of a fork', pullRequestEvent(forkedRepository), true],
  ['a pull request of a deleted fork', pullRequestEvent(null), true],
  ['a pull request of an own branch', pullRequestEvent(ownRepository), false],
  ['a pull request inside a repository that is a fork', pullRequestEvent(forkedRepository, forkedRepository), false],
  ['a push', { repository: ownRepository, ref: 'refs/heads/main' }, false],
  [
    'a workflow after the run of a fork',
    { workflow_run: { head_repository: forkedRepository }, repository: ownRepository },
    true,
  ],
  [
    'a workflow after an own run',
    { workflow_run: { head_repository: ownRepository }, repository: ownRepository },
    false,
  ],
  ['an event file that is not JSON', '{', false],
  ['something else', 'null', false],
])('GitHub: %s', (_, event, expected) => expect(isForkBuild(githubEnvironment(event))).toBe(expected));

const gitlabEnvironment = { GITLAB_CI: 'true', CI_PROJECT_ID: '7', CI_MERGE_REQUEST_PROJECT_ID: '7' };
const jenkinsEnvironment = { JENKINS_URL: 'https://ci/', CHANGE_ID: '3' };
const buildkiteEnvironment = {
  BUILDKITE: 'true',
  BUILDKITE_PULL_REQUEST: '3',
  BUILDKITE_REPO: 'git@github.com:acme/shop.git',
};
const circleciEnvironment = { CIRCLECI: 'true', CIRCLE_PROJECT_USERNAME: 'acme', CIRCLE_PROJECT_REPONAME: 'shop' };

test.each<[string, Environment, boolean]>([
  ['GitLab, of a fork', { ...gitlabEnvironment, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '8' }, true],
  ['GitLab, in the fork', { ...gitlabEnvironment, CI_PROJECT_ID: '8', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '8' }, true],
  ['GitLab, of a branch here', { ...gitlabEnvironment, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '7' }, false],
  ['GitLab, no merge request', { GITLAB_CI: 'true', CI_PROJECT_ID: '7' }, false],
  ['Jenkins, of a fork', { ...jenkinsEnvironment, CHANGE_FORK: 'mallory' }, true],
  ['Jenkins, of a branch here', jenkinsEnvironment, false],
  [
    'Buildkite, of a fork',
    { ...buildkiteEnvironment, BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/mallory/shop.git' },
    true,
  ],
  [
    'Buildkite, of a branch here, by another way',
    { ...buildkiteEnvironment, BUILDKITE_PULL_REQUEST_REPO: 'https://github.com/Acme/shop' },
    false,
  ],
  [
    'Buildkite, no pull request',
    { ...buildkiteEnvironment, BUILDKITE_PULL_REQUEST: 'false', BUILDKITE_PULL_REQUEST_REPO: '' },
    false,
  ],
  ['CircleCI, of a fork', { ...circleciEnvironment, CIRCLE_PR_USERNAME: 'mallory', CIRCLE_PR_REPONAME: 'shop' }, true],
  ['CircleCI, of a branch here', circleciEnvironment, false],
  ['no service', { CHANGE_FORK: 'mallory' }, false],
])('detects whether a fork is built: %s', (_, env, expected) => expect(isForkBuild(env)).toBe(expected));

const NO_PULL_REQUEST = { base: null, isPullRequest: false };
const PULL_REQUEST = { base: 'main', isPullRequest: true };

test.each<[string, Record<string, string>, object]>([
  ['no service', { GITHUB_BASE_REF: 'main', CI_DEFAULT_BRANCH: 'main', CHANGE_TARGET: 'main' }, NO_PULL_REQUEST],
  ['GitHub: a push', { GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: '' }, NO_PULL_REQUEST],
  ['GitHub: a pull request', { GITHUB_ACTIONS: 'true', GITHUB_BASE_REF: 'main' }, PULL_REQUEST],
  ['GitLab: a push', { GITLAB_CI: 'true', CI_DEFAULT_BRANCH: 'main' }, { ...NO_PULL_REQUEST, base: 'main' }],
  ['GitLab: a merge request', { GITLAB_CI: 'true', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' }, PULL_REQUEST],
  ['Jenkins', { JENKINS_URL: 'https://ci', CHANGE_TARGET: 'main' }, PULL_REQUEST],
  ['Buildkite', { BUILDKITE: 'true', BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main' }, PULL_REQUEST],
  [
    'Buildkite: a push',
    { BUILDKITE: 'true', BUILDKITE_PIPELINE_DEFAULT_BRANCH: 'main' },
    { ...NO_PULL_REQUEST, base: 'main' },
  ],
  ['CircleCI', { CIRCLECI: 'true', CIRCLE_PULL_REQUEST: 'https://x' }, { ...NO_PULL_REQUEST, isPullRequest: true }],
])('reads the base of a change: %s', (_, env, change) => {
  expect(readCiChange(env)).toEqual(change);
});
