/** Runs argus ci as a step of GitHub Actions: summary, annotations, a single comment, and the run as an artifact. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createRepository, writeProjectFile } from '../fix-loop/fix-loop.ts';
import { createProject, type Data } from '../harness.ts';
import { type Comment, type GitHub, runStep, startGitHub, tokenEnvironment } from './github.ts';
import { createReport, type ErrorsByCase, errorsOf, REGRESSED_CASE } from './history.ts';

const COMMENT_MARK = '<!-- argus-ci:test -->';

/** A CI job of a repository. A fake GitHub stores its comments. */
class Job {
  readonly root = createRepository({
    'package.json': '{}\n',
    'src/cart.js': 'exports.total = 1;\n',
    '.gitignore': 'report.json\n',
  });
  readonly gitHub: GitHub;

  private constructor(gitHub: GitHub) {
    this.gitHub = gitHub;
  }

  static async start(): Promise<Job> {
    return new Job(await startGitHub());
  }

  ci(event: string, failures: ErrorsByCase, args: string[] = [], env: Record<string, string> = {}) {
    writeProjectFile(this.root, 'report.json', createReport(failures));
    const words = ['ci', 'report.json', '--comment', ...args];
    return runStep(this.root, event, (variables) =>
      argus(words, { cwd: this.root, env: { ...variables, ...tokenEnvironment(this.gitHub), ...env } }),
    );
  }

  /** Returns the comments that Argus wrote. */
  get bodies(): string[] {
    return this.gitHub.comments.filter(({ user }) => user.type === 'Bot').map(({ body }) => body);
  }
}

function strangersComment(id: number, body: string): Comment {
  return { id, body, user: { login: 'eve', type: 'User' } };
}

test('a pull request gets a single comment, which is updated in place and found among many comments', async () => {
  const job = await Job.start();
  job.gitHub.comments = Array.from({ length: 130 }, (_, at) =>
    strangersComment(at + 1, at === 3 ? `${COMMENT_MARK}\nmine now` : 'hm'),
  );
  const first = await job.ci('pull_request', errorsOf(REGRESSED_CASE));
  expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: '' });
  expect(first.stdout).toContain(
    'The comment was created: https://github.com/Codertocat/Hello-World/pull/2#issuecomment-',
  );
  expect(job.bodies).toEqual([expect.stringMatching(/^<!-- argus-ci:test -->\n## ❌ failed: 4 passed, 1 failed/u)]);
  expect(first.summary).toContain('**Gate failed**: 1 to fix');

  const second = await job.ci('pull_request', {});
  expect(second.stdout).toContain('The comment was updated: ');
  expect(job.bodies).toEqual([expect.stringMatching(/^<!-- argus-ci:test -->\n## ✅ passed: 5 passed/u)]);
  expect(job.gitHub.comments).toHaveLength(131);
  expect(job.gitHub.comments[3]?.body, 'of a stranger').toBe(`${COMMENT_MARK}\nmine now`);
  expect(job.gitHub.requests.filter((one) => /^(?:POST|PATCH)/u.test(one))).toHaveLength(2);
});

test('argus ci comments only on failures, and each job has its own comment', async () => {
  const job = await Job.start();
  await job.ci('pull_request', {});
  expect(job.bodies).toEqual([]);
  await job.ci('pull_request', errorsOf(REGRESSED_CASE), ['--comment', 'on windows -->']);
  await job.ci('pull_request', errorsOf(REGRESSED_CASE));
  expect(job.bodies.map((body) => body.split('\n')[0])).toEqual(['<!-- argus-ci:on-windows- -->', COMMENT_MARK]);
});

test('a push and a fork get only the summary, and the run of a fork is foreign', async () => {
  const job = await Job.start();
  const artifact = path.join(createProject(), 'runs.jsonl');
  const fork = await job.ci('pull_request-fork', errorsOf(REGRESSED_CASE), ['--artifact', artifact, '--gate']);
  expect(fork.status).toBe(1);
  expect(fork.stdout).toContain('jobs of a fork may not comment on the pull request');
  expect(fork.summary).toContain(`\`${REGRESSED_CASE}\``);
  expect(JSON.parse(readFileSync(artifact, 'utf8'))).toMatchObject({ foreign: true });
  const push = await job.ci('push', errorsOf(REGRESSED_CASE));
  expect(push).toMatchObject({ status: 0, summary: expect.stringContaining('❌ failed') });
  expect(job.gitHub.requests).toEqual([]);
});

test('another memory imports the run of the artifact once and recognizes its failures', async () => {
  const job = await Job.start();
  const artifact = path.join(createProject(), 'runs.jsonl');
  await job.ci('push', errorsOf(REGRESSED_CASE), ['--artifact', artifact, '--environment', 'browser=firefox']);
  const line = JSON.parse(readFileSync(artifact, 'utf8'));
  expect(line).toMatchObject({ branch: 'main', dirty: false, environment: { ci: 'true', browser: 'firefox' } });
  expect(line).not.toHaveProperty('foreign');
  const other = createProject({ 'package.json': '{}\n' });
  const imported = async () => (await argus(['import', '--runs', artifact], { cwd: other })).stdout;
  expect(await imported()).toContain('1 run read, 0 already known; 1 failure judged');
  expect(await imported()).toContain('1 run read, 1 already known');
  const cases = async (cwd: string) => {
    const { data } = JSON.parse((await argus(['history', line.id, '--json'], { cwd })).stdout);
    return data.cases.map(({ caseName, status, signature }: Data) => ({ caseName, status, signature }));
  };
  expect(await cases(other)).toEqual(await cases(job.root));
});

test('a comment that GitHub refuses changes no exit code', async () => {
  const job = await Job.start();
  for (const [refused, message] of [
    [403, 'may not write comments here (403). Give the job permissions: pull-requests: write'],
    [422, 'GitHub answered 422.'],
    [429, 'accepts no more requests'],
  ] as const) {
    job.gitHub.failures = { POST: [refused] };
    const { status, stdout, summary, commands } = await job.ci('pull_request', errorsOf(REGRESSED_CASE));
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(message) });
    expect(summary).toContain('❌ failed');
    expect(commands.at(-1)).toMatchObject({ name: 'warning', message: expect.stringContaining(message) });
  }
});

test.each([false, true])('repeats a request once after a 502; GitHub has done it: %s', async (failsLate) => {
  const job = await Job.start();
  job.gitHub.failures = { POST: [502] };
  job.gitHub.failsLate = failsLate;
  const { stdout } = await job.ci('pull_request', errorsOf(REGRESSED_CASE));
  expect(stdout).toMatch(failsLate ? /The comment was updated/u : /The comment was created/u);
  expect(job.bodies).toHaveLength(1);
  job.gitHub.failures = { GET: [502, 502] };
  expect((await job.ci('pull_request', errorsOf(REGRESSED_CASE))).stdout).toContain('GitHub answered 502.');
});

test('argus ci writes an annotation for each cause, at most ten of a level, at places of the repository', async () => {
  const job = await Job.start();
  const stack = `TypeError: no total\n    at total (${path.join(job.root, 'src/cart.js')}:1:9)\n    at node:internal/x:1:1`;
  const many = Array.from({ length: 12 }, (_, at) => [`m${at}.test.js > case ${at}`, `Error: ${'x'.repeat(at + 1)}`]);
  const { commands } = await job.ci('push', { 'a.test.js > adds': stack, ...Object.fromEntries(many) });
  expect(commands.map(({ name }) => name)).toEqual(Array(10).fill('error'));
  expect(commands.find(({ message }) => message.includes('no total'))).toEqual({
    name: 'error',
    properties: { file: 'src/cart.js', line: '1', title: NEW_VERDICT },
    message: 'TypeError: no total\na.test.js > adds',
  });
});

const NEW_VERDICT = 'Argus: new: first time this test was recorded';

const HOSTILE_TEXTS = [
  '::error::forged',
  'x\n::error file=a::forged',
  '##[error]forged',
  `${COMMENT_MARK} @everyone \\| <img src=x> [a](http://evil.example) \`\``,
  '</details> ``` @acme/team \\\\|',
  '::stop-commands::x',
];

test('names and errors of tests cannot act as commands, marks, mentions or HTML', async () => {
  const job = await Job.start();
  const failures = Object.fromEntries(
    HOSTILE_TEXTS.map((text, at) => [`h${at}.test.js > ${text}`, `Error: ${text}\n${text}`]),
  );
  const { stdout, stderr, summary, commands } = await job.ci('pull_request', failures);
  expect(stderr).toBe('');
  const annotated = commands.map(({ name, properties }) => [name, properties.title]);
  expect(annotated).toEqual(HOSTILE_TEXTS.map(() => ['error', NEW_VERDICT]));
  expect(stdout).toContain('forged');
  const [body = ''] = job.bodies;
  expect(body.startsWith(`${COMMENT_MARK}\n## `)).toBe(true);
  for (const text of [summary, body.slice(COMMENT_MARK.length)]) {
    const outside = text.replaceAll(/(`+)[\s\S]*?[^`]\1(?!`)/gu, '');
    expect(outside).not.toMatch(/@|<img|<!--|evil\.example|forged/u);
  }
});

test('argus ci refuses pull_request_target, and reports an unreadable event', async () => {
  const job = await Job.start();
  const target = await job.ci('pull_request', {}, [], { GITHUB_EVENT_NAME: 'pull_request_target' });
  expect(target.status).toBe(2);
  expect(target.stderr).toContain('Run the tests on pull_request.');
  const broken = await job.ci('pull_request', {}, [], { GITHUB_EVENT_PATH: path.join(job.root, 'package-lock.json') });
  expect(broken).toMatchObject({ status: 2, stderr: expect.stringContaining('The event of GitHub in') });
  expect(broken.commands).toEqual([]);
  expect(job.gitHub.requests).toEqual([]);
});

test('outside GitHub, argus ci only writes files, and --json prints a single object', async () => {
  const job = await Job.start();
  writeProjectFile(job.root, 'report.json', createReport(errorsOf(REGRESSED_CASE)));
  const env = { CI: 'true', GITLAB_CI: 'true', CI_COMMIT_REF_NAME: 'main' };
  const args = ['ci', 'report.json', '--markdown', 'out/argus.md', '--artifact', 'out/runs.jsonl', '--gate'];
  const { status, stdout } = await argus([...args, '--json'], { cwd: job.root, env });
  expect(status).toBe(1);
  expect(JSON.parse(stdout).data).toMatchObject({ gate: { passes: false }, annotations: [] });
  expect(readFileSync(path.join(job.root, 'out/argus.md'), 'utf8')).toContain('**Gate failed**');
  expect(readFileSync(path.join(job.root, 'out/runs.jsonl'), 'utf8')).toContain('"branch":"main"');
  expect(await argus(['ci', 'none.xml'], { cwd: job.root, env })).toMatchObject({ status: 2 });
});
