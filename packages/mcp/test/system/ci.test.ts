/** Detects forks from the variables and payloads that each service documents. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Environment, isOfFork } from '../../src/system/ci.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'argus-ci-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function github(event: unknown): Environment {
  const file = path.join(folder, 'event.json');
  writeFileSync(file, typeof event === 'string' ? event : JSON.stringify(event));
  return { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: file };
}

const own = { full_name: 'acme/shop', fork: false };
const theirs = { full_name: 'mallory/shop', fork: true };
const pull = (head: unknown, base: unknown = own) => ({ pull_request: { head: { repo: head }, base: { repo: base } } });

test.each<[string, unknown, boolean]>([
  ['a pull request of a fork', pull(theirs), true],
  ['one of a fork that is gone', pull(null), true],
  ['one of a branch here', pull(own), false],
  ['one of a branch of a repository that is a fork itself', pull(theirs, theirs), false],
  ['a push', { repository: own, ref: 'refs/heads/main' }, false],
  ['a workflow after that of a fork', { workflow_run: { head_repository: theirs }, repository: own }, true],
  ['a workflow after one here', { workflow_run: { head_repository: own }, repository: own }, false],
  ['a file that is none', '{', false],
  ['something else', 'null', false],
])('GitHub: %s', (_, event, expected) => expect(isOfFork(github(event))).toBe(expected));

const gitlab = { GITLAB_CI: 'true', CI_PROJECT_ID: '7', CI_MERGE_REQUEST_PROJECT_ID: '7' };
const jenkins = { JENKINS_URL: 'https://ci/', CHANGE_ID: '3' };
const buildkite = { BUILDKITE: 'true', BUILDKITE_PULL_REQUEST: '3', BUILDKITE_REPO: 'git@github.com:acme/shop.git' };
const circleci = { CIRCLECI: 'true', CIRCLE_PROJECT_USERNAME: 'acme', CIRCLE_PROJECT_REPONAME: 'shop' };

test.each<[string, Environment, boolean]>([
  ['GitLab, of a fork', { ...gitlab, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '8' }, true],
  ['GitLab, in the fork', { ...gitlab, CI_PROJECT_ID: '8', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '8' }, true],
  ['GitLab, of a branch here', { ...gitlab, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '7' }, false],
  ['GitLab, no merge request', { GITLAB_CI: 'true', CI_PROJECT_ID: '7' }, false],
  ['Jenkins, of a fork', { ...jenkins, CHANGE_FORK: 'mallory' }, true],
  ['Jenkins, of a branch here', jenkins, false],
  ['Buildkite, of a fork', { ...buildkite, BUILDKITE_PULL_REQUEST_REPO: 'git://github.com/mallory/shop.git' }, true],
  [
    'Buildkite, of a branch here, by another way',
    { ...buildkite, BUILDKITE_PULL_REQUEST_REPO: 'https://github.com/Acme/shop' },
    false,
  ],
  [
    'Buildkite, no pull request',
    { ...buildkite, BUILDKITE_PULL_REQUEST: 'false', BUILDKITE_PULL_REQUEST_REPO: '' },
    false,
  ],
  ['CircleCI, of a fork', { ...circleci, CIRCLE_PR_USERNAME: 'mallory', CIRCLE_PR_REPONAME: 'shop' }, true],
  ['CircleCI, of a branch here', circleci, false],
  ['no service', { CHANGE_FORK: 'mallory' }, false],
])('%s', (_, env, expected) => expect(isOfFork(env)).toBe(expected));
