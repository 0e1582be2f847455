/**
 * Tests runs of commands, and keys of `argus.yaml` that change runs, stored data and answers.
 * packages/mcp/test/config/config.test.ts tests valid configurations.
 */

import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect, createProject } from '../harness.ts';
import { agent, openProject } from '../one-agent.ts';
import { formatJunit, MIXED_REPORT, PASSED_REPORT } from './reports.ts';

test('argus_run reads only new reports that match the configured pattern', async () => {
  const report = '<testsuite name="s"><testcase name="one"/><testcase name="two"/></testsuite>';
  const write = `require('fs').mkdirSync('out', { recursive: true }); require('fs').writeFileSync('out/new.xml', '${report}')`;
  const files = {
    'write.js': write,
    'out/old.xml': '<testsuite name="s"><testcase name="old"/></testsuite>',
    'argus.yaml': "test: { command: node write.js, report: 'out/*.xml' }\n",
  };
  const root = await openProject(files);
  const yesterday = new Date(Date.now() - 86_400_000);
  utimesSync(path.join(root, 'out/old.xml'), yesterday, yesterday);
  expect(await agent.data('argus_run', { projectPath: root })).toMatchObject({ totals: { passed: 2, failed: 0 } });
});

// The tests run concurrently, because they wait.
describe.skipIf(process.platform === 'win32')('time limits', { concurrent: true }, () => {
  test('test.timeout ends a command, and the run reports the timeout', async () => {
    const root = await openProject({ 'argus.yaml': 'test: { command: echo begun && sleep 60, timeout: 1 }\n' });
    const run = await agent.data('argus_run', { projectPath: root });
    const timedOut = expect.stringMatching(/^Command timed out after \d+ ms/u);
    expect(run).toMatchObject({ status: 'failed', failures: [{ category: 'TIMEOUT', headline: timedOut }] });
    const { cases } = await agent.data('argus_history', { projectPath: root, runId: run.runId });
    expect(cases).toMatchObject([{ runnerStatus: 'timedOut', category: 'TIMEOUT', error: timedOut }]);
    expect(JSON.stringify(cases), 'with what it printed last').toContain('begun');
  });

  test('timeoutSeconds of the call overrides test.timeout', async () => {
    const root = await openProject({ 'argus.yaml': 'test: { timeout: 1 }\n' });
    const run = await agent.data('argus_run', { projectPath: root, command: 'sleep 1.2', timeoutSeconds: 60 });
    expect(run).toMatchObject({ status: 'passed' });
  });

  test('an idle timeout ends a silent command, and the call overrides the configuration', async () => {
    const said = 'for tick in 1 2 3; do echo $tick; sleep 0.5; done; echo stuck; sleep 60';
    const root = await openProject({ 'argus.yaml': 'test: { idleTimeout: 2 }\n', 'silent.sh': said });
    const run = await agent.data('argus_run', { projectPath: root, command: 'sh silent.sh' });
    const headline = 'Command timed out: it printed nothing for 2000 ms';
    expect(run).toMatchObject({ status: 'failed', failures: [{ category: 'TIMEOUT', headline }] });
    expect(run.durationMs, 'what it prints keeps it going').toBeGreaterThanOrEqual(3_500);
    expect(run.durationMs).toBeLessThan(20_000);
    expect(run.notes).toContain('The command printed nothing for 2 s and was stopped.');
    const patient = { projectPath: root, command: 'sleep 2.2', idleTimeoutSeconds: 60 };
    expect(await agent.data('argus_run', patient)).toMatchObject({ status: 'passed' });
  });
});

test('missing container tools are a note', async () => {
  const root = await openProject({ 'argus.yaml': 'containers: [no-such-container-of-argus]\n' });
  const run = await agent.data('argus_run', { projectPath: root, command: 'exit 1' });
  expect(run.notes).toContainEqual(expect.stringMatching(/^Container state/u));
});

test.skipIf(process.platform === 'win32')(
  'tests in a container are read from their output, with advice on a complete report',
  async () => {
    const root = await openProject({ docker: '#!/bin/sh\necho "AssertionError: expected 3 to equal 4"; exit 1\n' });
    chmodSync(path.join(root, 'docker'), 0o755);
    const command = 'PATH=.:$PATH docker compose run --rm app npm test';
    const { failures, notes } = await agent.data('argus_run', { projectPath: root, command });
    expect(failures).toMatchObject([{ category: 'ASSERTION_MISMATCH' }]);
    expect(notes).toEqual([
      expect.stringMatching(/^Argus cannot add a reporter to tests in a container, .*test\.report/u),
    ]);
    const remote = await agent.data('argus_run', { projectPath: root, command: 'PATH=.:$PATH docker ps' });
    expect(remote.notes).toEqual([]);
  },
);

/** Returns a fake of docker or kubectl that only prints, so that tests need no daemon and no cluster. */
function fakeProgram(json: object, complaint = ''): string {
  return `#!/bin/sh\ncat <<'END'\n${JSON.stringify(json)}\nEND\n${complaint && `echo '${complaint}' >&2; exit 1`}\n`;
}

test.skipIf(process.platform === 'win32')('the state of containers explains an unclear error', async () => {
  const killed = { Status: 'exited', OOMKilled: true, ExitCode: 137 };
  const containerStatuses = [{ name: 'api', state: { waiting: { reason: 'CrashLoopBackOff' } } }];
  const pods = { items: [{ metadata: { name: 'shop-1' }, status: { containerStatuses } }] };
  const programs = createProject({
    docker: fakeProgram([{ Name: '/shop-db', State: killed }], 'Error: No such container: gone'),
    kubectl: fakeProgram(pods),
  });
  for (const name of ['docker', 'kubectl']) chmodSync(path.join(programs, name), 0o755);
  const own = await connect('2026-07-28', { PATH: `${programs}${path.delimiter}${process.env.PATH ?? ''}` });
  const category = async (config: string, command: string) => {
    const root = createProject({ 'argus.yaml': config });
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
  await own.close();
});

const createConfiguredProject = (config: string, files: Record<string, string>) =>
  openProject({ ...files, 'argus.yaml': config });

const importReport = (root: string, file: string) => agent.data('argus_import', { projectPath: root, path: file });

test('rules of classify.rules come before the built-in rules, and redact.patterns hide their matches', async () => {
  const root = await createConfiguredProject(
    `classify: { rules: [{ name: quota, category: HTTP_ERROR, pattern: 'quota exceeded' }] }
redact: { patterns: [{ name: badge, pattern: 'BADGE-(\\d+)' }] }
`,
    { 'a.xml': formatJunit([{ name: 'fails', failure: { message: 'TypeError: quota exceeded for BADGE-471199' } }]) },
  );
  const run = await importReport(root, 'a.xml');
  expect(run.failures).toMatchObject([{ category: 'HTTP_ERROR' }]);
  const diagnosis = await agent.data('argus_diagnose', { projectPath: root, runId: run.runId, caseName: 'fails' });
  expect(diagnosis.rule).toContain('quota');
  expect(JSON.stringify([run, diagnosis])).not.toContain('471199');
});

test('history.retention keeps the newest runs and every pattern', async () => {
  const files = { 'mixed.xml': MIXED_REPORT, 'passed.xml': PASSED_REPORT };
  const root = await createConfiguredProject('history: { retention: { maxRuns: 2 } }\n', files);
  const first = await importReport(root, 'mixed.xml');
  const args = { projectPath: root, runId: first.runId, caseName: 'parses' };
  await agent.data('argus_report_fix', { ...args, fixDescription: 'Loaded the user first' });
  for (let run = 0; run < 3; run += 1) await importReport(root, 'passed.xml');
  expect(await agent.data('argus_history', { projectPath: root })).toMatchObject({ total: 2 });
  expect((await agent.error('argus_diagnose', args)).code).toBe('RUN_NOT_FOUND');
  const { patterns } = await agent.data('argus_patterns', { projectPath: root, source: 'learned' });
  expect(patterns).toMatchObject([{ suggestedFix: 'Loaded the user first' }]);
});

test('with history.enabled false, no run is found and no id is completed', async () => {
  const own = await connect('2026-07-28');
  onTestFinished(() => own.close());
  const root = createProject({ 'mixed.xml': MIXED_REPORT });
  await own.data('argus_init', { projectPath: root });
  const { runId } = await own.data('argus_import', { projectPath: root, path: 'mixed.xml' });
  expect(await own.complete('argus://run/{id}', 'run-')).toEqual([runId]);
  writeFileSync(path.join(root, 'argus.yaml'), 'history: { enabled: false }\n');
  await own.data('argus_init', { projectPath: root });
  expect(await own.complete('argus://run/{id}', 'run-')).toEqual([]);
  await expect(own.read(`argus://run/${runId}`)).rejects.toThrow(/Not found in any open project/u);
});
