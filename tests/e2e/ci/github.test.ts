/** argus ci as a step of GitHub Actions: summary, annotations, one comment, and the run for other memories. */

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { repository } from '../fix-loop/fix-loop.ts';
import { project } from '../harness.ts';
import { type Comment, type GitHub, startGitHub, step, withToken } from './github.ts';
import { type Failures, pick, REGRESSED, reportOf } from './history.ts';

const MARK = '<!-- argus-ci:test -->';

let gitHub: GitHub;
let root: string;

beforeEach(async () => {
  gitHub = await startGitHub();
  root = repository({ 'package.json': '{}\n', 'src/cart.js': 'exports.total = 1;\n', '.gitignore': 'report.json\n' });
});

afterEach(() => gitHub.close());

function ci(event: string, failures: Failures, args: string[] = [], env: Record<string, string> = {}) {
  writeFileSync(path.join(root, 'report.json'), reportOf(failures));
  return step(root, event, ['ci', 'report.json', '--comment', ...args], { ...withToken(gitHub), ...env });
}

function stranger(id: number, body: string): Comment {
  return { id, body, user: { login: 'eve', type: 'User' } };
}

const bodies = () => gitHub.comments.filter(({ user }) => user.type === 'Bot').map(({ body }) => body);

test('a pull request has one comment, which is updated in place and found among all others', async () => {
  gitHub.comments = Array.from({ length: 130 }, (_, at) => stranger(at + 1, at === 3 ? `${MARK}\nmine now` : 'hm'));
  const first = await ci('pull_request', pick(REGRESSED));
  expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: '' });
  expect(first.stdout).toContain(
    'The comment was created: https://github.com/Codertocat/Hello-World/pull/2#issuecomment-',
  );
  expect(bodies()).toEqual([expect.stringMatching(/^<!-- argus-ci:test -->\n## ❌ failed: 4 passed, 1 failed/u)]);
  expect(first.summary).toContain('**Gate failed**: 1 to mend');

  const second = await ci('pull_request', {});
  expect(second.stdout).toContain('The comment was updated: ');
  expect(bodies()).toEqual([expect.stringMatching(/^<!-- argus-ci:test -->\n## ✅ passed: 5 passed/u)]);
  expect(gitHub.comments).toHaveLength(131);
  expect(gitHub.comments[3]?.body, 'of a stranger').toBe(`${MARK}\nmine now`);
  expect(gitHub.requests.filter((one) => /^(?:POST|PATCH)/u.test(one))).toHaveLength(2);
});

test('nothing is said where nothing failed, and what several jobs say is kept apart', async () => {
  await ci('pull_request', {});
  expect(bodies()).toEqual([]);
  await ci('pull_request', pick(REGRESSED), ['--comment', 'on windows -->']);
  await ci('pull_request', pick(REGRESSED));
  expect(bodies().map((body) => body.split('\n')[0])).toEqual(['<!-- argus-ci:on-windows- -->', MARK]);
});

test('a fork has the summary alone, and its run is foreign', async () => {
  const artifact = path.join(project(), 'runs.jsonl');
  const { status, stdout, summary } = await ci('pull_request-fork', pick(REGRESSED), [
    '--artifact',
    artifact,
    '--gate',
  ]);
  expect(status).toBe(1);
  expect(gitHub.requests).toEqual([]);
  expect(stdout).toContain('of a fork, whose jobs may not write comments');
  expect(summary).toContain(`\`${REGRESSED}\``);
  expect(JSON.parse(readFileSync(artifact, 'utf8'))).toMatchObject({ foreign: true });
});

test('a push asks for nothing', async () => {
  const { status, summary } = await ci('push', pick(REGRESSED));
  expect(status).toBe(0);
  expect(gitHub.requests).toEqual([]);
  expect(summary).toContain('❌ failed');
});

test('the run is known in another memory by the same signature, and only once', async () => {
  const artifact = path.join(project(), 'runs.jsonl');
  await ci('push', pick(REGRESSED), ['--artifact', artifact, '--environment', 'browser=firefox']);
  const line = JSON.parse(readFileSync(artifact, 'utf8'));
  expect(line).toMatchObject({ branch: 'main', dirty: false, environment: { ci: 'true', browser: 'firefox' } });
  expect(line).not.toHaveProperty('foreign');
  const other = project({ 'package.json': '{}\n' });
  const imported = async () => (await argus(['import', '--runs', artifact], { cwd: other })).stdout;
  expect(await imported()).toContain('1 run read, 0 known before; 1 failure judged');
  expect(await imported()).toContain('1 run read, 1 known before');
  const cases = async (cwd: string) =>
    JSON.parse((await argus(['history', line.id, '--json'], { cwd })).stdout).data.cases.map(
      ({ caseName, status, signature }: Record<string, unknown>) => ({ caseName, status, signature }),
    );
  expect(await cases(other)).toEqual(await cases(root));
});

test.each([
  [403, 'may not write comments here (403). Give the job permissions: pull-requests: write'],
  [422, 'GitHub answered 422.'],
  [429, 'takes no more requests'],
])('a comment that GitHub refuses with %i changes no exit code', async (refused, message) => {
  gitHub.failures = { POST: [refused] };
  const { status, stdout, summary, commands } = await ci('pull_request', pick(REGRESSED));
  expect(status).toBe(0);
  expect(stdout).toContain(message);
  expect(summary).toContain('❌ failed');
  expect(commands.at(-1)).toMatchObject({ name: 'warning', message: expect.stringContaining(message) });
});

test.each([false, true])('an answer of 502 is asked for once more; done all the same: %s', async (failsLate) => {
  gitHub.failures = { POST: [502] };
  gitHub.failsLate = failsLate;
  const { stdout } = await ci('pull_request', pick(REGRESSED));
  expect(stdout).toMatch(failsLate ? /The comment was updated/u : /The comment was created/u);
  expect(bodies()).toHaveLength(1);
  gitHub.failures = { GET: [502, 502] };
  expect((await ci('pull_request', pick(REGRESSED))).stdout).toContain('GitHub answered 502.');
});

test('annotations: one a cause, ten of a level, at places of the repository', async () => {
  const stack = `TypeError: no total\n    at total (${path.join(root, 'src/cart.js')}:1:9)\n    at node:internal/x:1:1`;
  const many = Array.from({ length: 12 }, (_, at) => [
    `m${at}.test.js > case ${at}`,
    `Error: number ${'x'.repeat(at + 1)}`,
  ]);
  const { commands } = await ci('push', { 'a.test.js > adds': stack, ...Object.fromEntries(many) });
  expect(commands.map(({ name }) => name)).toEqual(Array(10).fill('error'));
  expect(commands.find(({ message }) => message.includes('no total'))).toEqual({
    name: 'error',
    properties: { file: 'src/cart.js', line: '1', title: 'Argus: new: no earlier run has this test' },
    message: 'TypeError: no total\na.test.js > adds',
  });
});

const HOSTILE = [
  '::error::forged',
  'x\n::error file=a::forged',
  '##[error]forged',
  `${MARK} @everyone \\| <img src=x> [a](http://evil.example) \`\``,
  '</details> ``` @acme/team \\\\|',
  '::stop-commands::x',
];

test('what tests are called and say is no command, mention, mark or HTML', async () => {
  const failures = Object.fromEntries(
    HOSTILE.map((text, at) => [`h${at}.test.js > ${text}`, `Error: ${text}\n${text}`]),
  );
  const { stdout, stderr, summary, commands } = await ci('pull_request', failures);
  expect(stderr).toBe('');
  expect(commands).toHaveLength(HOSTILE.length);
  expect(commands.map(({ name, properties }) => [name, properties.title])).toEqual(
    Array(HOSTILE.length).fill(['error', 'Argus: new: no earlier run has this test']),
  );
  expect(stdout).toContain('forged');
  const [body = ''] = bodies();
  expect(body.startsWith(`${MARK}\n## `)).toBe(true);
  for (const text of [summary, body.slice(MARK.length)]) {
    const outside = text.replaceAll(/(`+)[\s\S]*?[^`]\1(?!`)/gu, '');
    expect(outside).not.toMatch(/@|<img|<!--|evil\.example|forged/u);
  }
});

test('pull_request_target is refused, and an event that cannot be read is told', async () => {
  const target = await ci('pull_request', {}, [], { GITHUB_EVENT_NAME: 'pull_request_target' });
  expect(target.status).toBe(2);
  expect(target.stderr).toContain('Run the tests on pull_request.');
  const broken = await ci('pull_request', {}, [], { GITHUB_EVENT_PATH: path.join(root, 'package-lock.json') });
  expect(broken).toMatchObject({ status: 2, stderr: expect.stringContaining('The event of GitHub in') });
  expect(broken.commands).toEqual([]);
  expect(gitHub.requests).toEqual([]);
});

test('elsewhere it writes files alone; --json is one object', async () => {
  writeFileSync(path.join(root, 'report.json'), reportOf(pick(REGRESSED)));
  const env = { CI: 'true', GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'main' };
  const args = ['ci', 'report.json', '--markdown', 'out/argus.md', '--artifact', 'out/runs.jsonl', '--gate'];
  const { status, stdout } = await argus([...args, '--json'], { cwd: root, env });
  expect(status).toBe(1);
  expect(JSON.parse(stdout).data).toMatchObject({ gate: { passes: false }, annotations: [] });
  expect(readFileSync(path.join(root, 'out/argus.md'), 'utf8')).toContain('**Gate failed**');
  expect(readFileSync(path.join(root, 'out/runs.jsonl'), 'utf8')).toContain('"branch":"main"');
  expect(await argus(['ci', 'none.xml'], { cwd: root, env })).toMatchObject({ status: 2 });
});
