/**
 * argus_run with commands that start no test runner: their record, their end, and the state of git and of containers.
 * Runners: tests/runners. Cancelling: contract/run.test.ts.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connect, project } from '../harness.ts';
import { agent, opened } from '../one-agent.ts';

test('a command without a report is one case', async () => {
  const root = await opened();
  const command = `node -e "console.error('Error: connect ECONNREFUSED 127.0.0.1:6379'); process.exit(7)"`;
  const run = await agent.data('argus_run', { projectPath: root, command });
  expect(run).toMatchObject({
    status: 'failed',
    totals: { passed: 0, failed: 1, skipped: 0, flaky: 0 },
    failures: [{ category: 'CONNECTION_REFUSED', headline: expect.stringContaining('ECONNREFUSED') }],
  });
  expect(await agent.data('argus_run', { projectPath: root, command: 'echo fine' })).toMatchObject({
    status: 'passed',
    totals: { passed: 1, failed: 0 },
  });
});

test('a report that the configuration names', async () => {
  const report = '<testsuite name="s"><testcase name="one"/><testcase name="two"/></testsuite>';
  const write = `require('fs').mkdirSync('out', { recursive: true }); require('fs').writeFileSync('out/new.xml', '${report}')`;
  const files = {
    'write.js': write,
    'out/old.xml': '<testsuite name="s"><testcase name="old"/></testsuite>',
    'argus.yaml': "test: { command: node write.js, report: 'out/*.xml' }\n",
  };
  const root = await opened(files);
  const yesterday = new Date(Date.now() - 86_400_000);
  utimesSync(path.join(root, 'out/old.xml'), yesterday, yesterday);
  expect(await agent.data('argus_run', { projectPath: root })).toMatchObject({ totals: { passed: 2, failed: 0 } });
});

/** A test command that hangs, with a child of its own that goes on working; neither heeds a polite signal. */
const HANGING = `trap '' TERM
(while :; do sleep 0.1; done) &
echo $! > child
echo 'waiting for the database'
while :; do sleep 1; done
`;

test.skipIf(process.platform === 'win32')(
  'test.timeout ends the whole process group, and the run says that it timed out',
  async () => {
    const config = 'test: { command: sh hanging.sh, timeout: 1 }\n';
    const root = await opened({ 'hanging.sh': HANGING, 'argus.yaml': config });
    const run = await agent.data('argus_run', { projectPath: root });
    expect(run.durationMs).toBeGreaterThanOrEqual(1_000);
    expect(run.durationMs).toBeLessThan(20_000);
    const timedOut = expect.stringMatching(/^Command timed out after \d+ ms/u);
    expect(run).toMatchObject({
      status: 'failed',
      totals: { passed: 0, failed: 1 },
      failures: [{ caseName: 'sh hanging.sh', category: 'TIMEOUT', headline: timedOut }],
    });
    const detail = await agent.data('argus_history', { projectPath: root, runId: run.runId });
    expect(detail.cases).toMatchObject([{ runnerStatus: 'timedOut', category: 'TIMEOUT', error: timedOut }]);
    expect(JSON.stringify(detail.cases), 'with what it printed last').toContain('waiting for the database');
    const child = readFileSync(path.join(root, 'child'), 'utf8').trim();
    const state = () => spawnSync('ps', ['-o', 'stat=', '-p', child], { encoding: 'utf8' }).stdout;
    // A process that has ended may wait to be noticed.
    await expect.poll(state, { message: 'its child is ended too' }).toMatch(/^$|^Z/u);
  },
);

test('timeoutSeconds of the call counts, not test.timeout', async () => {
  const root = await opened({ 'argus.yaml': 'test: { timeout: 1 }\n' });
  const run = await agent.data('argus_run', { projectPath: root, command: 'sleep 1.2', timeoutSeconds: 60 });
  expect(run).toMatchObject({ status: 'passed' });
});

test('a silence ends a command where that is asked for, by the call before the configuration', async () => {
  const said = 'for tick in 1 2 3; do echo $tick; sleep 0.5; done; echo stuck; sleep 60';
  const root = await opened({ 'argus.yaml': 'test: { idleTimeout: 1 }\n', 'silent.sh': said });
  const run = await agent.data('argus_run', { projectPath: root, command: 'sh silent.sh' });
  const headline = 'Command timed out: it printed nothing for 1000 ms';
  expect(run).toMatchObject({ status: 'failed', failures: [{ category: 'TIMEOUT', headline }] });
  expect(run.durationMs, 'what it prints keeps it going').toBeGreaterThanOrEqual(2_500);
  expect(run.durationMs).toBeLessThan(20_000);
  expect(run.notes).toContain('The command had printed nothing for 1 s and was ended.');
  const patient = { projectPath: root, command: 'sleep 1.2', idleTimeoutSeconds: 60 };
  expect(await agent.data('argus_run', patient)).toMatchObject({ status: 'passed' });
});

test('git facts', async () => {
  const root = project({ 'a.txt': 'a' });
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: root });
  git('init', '-q', '-b', 'trunk');
  git('add', '.');
  git('commit', '-q', '-m', 'one');
  await agent.data('argus_init', { projectPath: root });
  await agent.data('argus_run', { projectPath: root, command: 'true' });
  writeFileSync(path.join(root, 'a.txt'), 'b');
  await agent.data('argus_run', { projectPath: root, command: 'true' });
  const { runs } = await agent.data('argus_history', { projectPath: root });
  const facts = { gitCommit: expect.stringMatching(/^[0-9a-f]{40}$/u), gitBranch: 'trunk' };
  expect(runs).toMatchObject([
    { ...facts, dirty: true },
    { ...facts, dirty: false },
  ]);
});

test('outside a repository the commit is the one that CI names', async () => {
  const commit = 'ab'.repeat(20);
  const names = { GITHUB_ACTIONS: 'true', GITHUB_REF_NAME: 'main', GITHUB_SHA: commit };
  const inCi = await connect('2026-07-28', names);
  try {
    const root = project({ 'report.xml': '<testsuite><testcase name="adds"/></testsuite>' });
    await inCi.data('argus_init', { projectPath: root });
    await inCi.data('argus_run', { projectPath: root, command: 'true' });
    await inCi.data('argus_import', { projectPath: root, path: 'report.xml' });
    const { runs } = await inCi.data('argus_history', { projectPath: root });
    const facts = { gitCommit: commit, gitBranch: 'main', dirty: false };
    expect(runs).toMatchObject([facts, facts]);
  } finally {
    await inCi.close();
  }
});

test('missing container tools are a note', async () => {
  const root = await opened({ 'argus.yaml': 'containers: [no-such-container-of-argus]\n' });
  const run = await agent.data('argus_run', { projectPath: root, command: 'exit 1' });
  expect(run.notes).toContainEqual(expect.stringMatching(/^Container state/u));
});

test.skipIf(process.platform === 'win32')(
  'tests in a container: what they printed, and how to have all of it',
  async () => {
    const root = await opened({ docker: '#!/bin/sh\necho "AssertionError: expected 3 to equal 4"; exit 1\n' });
    chmodSync(path.join(root, 'docker'), 0o755);
    const command = 'PATH=.:$PATH docker compose run --rm app npm test';
    const { failures, notes } = await agent.data('argus_run', { projectPath: root, command });
    expect(failures).toMatchObject([{ category: 'ASSERTION_MISMATCH' }]);
    expect(notes).toEqual([expect.stringMatching(/^Where tests run in a container, .*test\.report/u)]);
    const remote = await agent.data('argus_run', { projectPath: root, command: 'PATH=.:$PATH docker ps' });
    expect(remote.notes).toEqual([]);
  },
);

/** A program that only prints, as docker and kubectl would: tests must not need a daemon or a cluster. */
function printing(json: object, complaint = ''): string {
  return `#!/bin/sh\ncat <<'END'\n${JSON.stringify(json)}\nEND\n${complaint && `echo '${complaint}' >&2; exit 1`}\n`;
}

test.skipIf(process.platform === 'win32')('the state of containers explains what an error does not say', async () => {
  const killed = { Status: 'exited', OOMKilled: true, ExitCode: 137 };
  const containerStatuses = [{ name: 'api', state: { waiting: { reason: 'CrashLoopBackOff' } } }];
  const pods = { items: [{ metadata: { name: 'shop-1' }, status: { containerStatuses } }] };
  const programs = project({
    docker: printing([{ Name: '/shop-db', State: killed }], 'Error: No such container: gone'),
    kubectl: printing(pods),
  });
  for (const name of ['docker', 'kubectl']) chmodSync(path.join(programs, name), 0o755);
  const own = await connect('2026-07-28', { PATH: `${programs}${path.delimiter}${process.env.PATH ?? ''}` });
  const category = async (config: string, command: string) => {
    const root = project({ 'argus.yaml': config });
    await own.data('argus_init', { projectPath: root });
    const { failures, notes } = await own.data('argus_run', { projectPath: root, command });
    return { failures, notes };
  };
  const docker = await category('containers: [shop-db, gone]\n', 'echo it went wrong; exit 1');
  expect(docker).toMatchObject({
    failures: [{ category: 'CONTAINER_OOM' }],
    notes: ['Container state is incomplete: Error: No such container: gone'],
  });
  const kubernetes = await category('kubernetes: { namespace: shop }\n', 'echo it went wrong; exit 1');
  expect(kubernetes).toMatchObject({ failures: [{ category: 'CONTAINER_CRASH' }], notes: [] });
  const told = await category('containers: [shop-db]\n', 'echo "AssertionError: expected 3 to equal 4"; exit 1');
  expect(told, 'an error that speaks for itself is believed').toMatchObject({
    failures: [{ category: 'ASSERTION_MISMATCH' }],
  });
  await own.close();
});

test('a program that leaves a server behind does not hold up the answer', async () => {
  const root = await opened();
  const run = await agent.data('argus_run', { projectPath: root, command: '(sleep 20 &) ; echo done' });
  expect(run.durationMs).toBeLessThan(10_000);
});
