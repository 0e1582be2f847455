import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileOf, fixProblem, repository } from './fix-loop.ts';

/** Programs that replay, by the words of their arguments; what they are asked is kept in `asked`. */
function standIns(programs: Record<string, readonly (readonly [words: string, output: string])[]>) {
  const bin = realpathSync(mkdtempSync(path.join(tmpdir(), 'argus-bin-')));
  const asked = path.join(bin, 'asked');
  mkdirSync(path.join(bin, 'bin'));
  writeFileSync(asked, '');
  for (const [program, answers] of Object.entries(programs)) {
    const cases = answers.map(([words, output], index) => {
      const file = path.join(bin, `${program}-${index}`);
      writeFileSync(file, output);
      return `*'${words}'*) exec cat '${file}';;`;
    });
    const script = `#!/bin/sh\necho "${program} $*" >> '${asked}'\ncase "$*" in\n${cases.join('\n')}\nesac\necho "error: unknown" >&2; exit 1\n`;
    writeFileSync(path.join(bin, 'bin', program), script);
    chmodSync(path.join(bin, 'bin', program), 0o755);
  }
  const env = { PATH: `${path.join(bin, 'bin')}${path.delimiter}${process.env.PATH}` };
  return { env, asked: () => readFileSync(asked, 'utf8').trim().split('\n') };
}

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'mill-web-5d7c9', namespace: 'mill', uid: '4c21' },
  spec: { containers: [{ name: 'web', image: 'registry.test/mill:4', resources: { limits: { memory: '80Mi' } } }] },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'False', lastProbeTime: null }],
    containerStatuses: [
      {
        name: 'web',
        image: 'registry.test/mill:4',
        ready: false,
        restartCount: 5,
        started: false,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 80s restarting failed container=web' } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2032-02-03T04:05:06Z' } },
      },
    ],
  },
};

const DESCRIBED = `Name:             mill-web-5d7c9
Namespace:        mill
Status:           Running
Containers:
  web:
    Image:          registry.test/mill:4
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Ready:          False
    Restart Count:  5
    Environment:
      GRAIN_TOKEN:  grist-99-sesame
Events:
  Type     Reason   Age                From     Message
  ----     ------   ----               ----     -------
  Warning  BackOff  3s (x11 over 4m)   kubelet  Back-off restarting failed container web in pod mill-web-5d7c9
`;

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'mill-web' },
  spec: { replicas: 1 },
  status: {
    conditions: [
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'It has none.' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message: 'It has.' },
    ],
  },
};

const list = (...items: object[]) => JSON.stringify({ apiVersion: 'v1', items, kind: 'List', metadata: {} }, null, 4);

test('the namespace of a loop is looked at, and its state leads the research', async () => {
  const { env, asked } = standIns({
    kubectl: [
      ['get pods', list(POD)],
      ['describe pod mill-web-5d7c9', DESCRIBED],
      ['logs mill-web-5d7c9', 'grinding\nheap is full\n'],
      ['get deployments', list(DEPLOYMENT)],
    ],
  });
  const root = repository({ 'deploy.sh': 'echo "error: the rollout of mill-web is stuck" >&2; exit 1\n' });
  const args = ['--command', 'sh deploy.sh', '--desired', 'All pods running', '--namespace', 'mill', '--backoff', '0'];
  const { status, stdout, stderr } = await fixProblem(root, args, { env });
  expect(status, stderr).toBe(3);
  const brief = fileOf(root, 'brief.md');
  for (const text of [stdout, brief]) {
    expect(text).toContain('1 pod, 1 not well');
    expect(text).toContain('last ended with OOMKilled (exit code 137); memory limit 80Mi');
    expect(text).toContain('BackOff (3s (x11 over 4m)): Back-off restarting failed container web');
    expect(text).toContain('deployment mill-web: 0/1 ready; Available: MinimumReplicasUnavailable');
    expect(text).toContain('heap is full');
    expect(text).toMatch(
      /Query: How to fix .* when a container is killed because it needs more memory than its limit/u,
    );
    expect(text).not.toContain('grist-99-sesame');
  }
  // It is only ever read.
  for (const line of asked()) expect(line).toMatch(/^kubectl (?:get|describe|logs) .*(?:-n |--namespace=)mill\b/u);
});

test('containers of compose', async () => {
  const state = { Status: 'exited', Running: false, OOMKilled: false, Dead: false, ExitCode: 3, Error: '' };
  const { env } = standIns({
    docker: [
      ['ps --all', 'mill-db-1\n'],
      ['inspect', JSON.stringify([{ Id: 'ab12', Name: '/mill-db-1', State: state }])],
    ],
  });
  const root = repository({ 'compose.yaml': 'services: {}\n', 'run.sh': 'echo "no database" >&2; exit 1\n' });
  const args = ['--command', 'sh run.sh', '--desired', 'It runs', '--backoff', '0'];
  const { status, stdout, stderr } = await fixProblem(root, args, { env });
  expect(status, stderr).toBe(3);
  expect(stdout).toContain('container mill-db-1: exited, exit code 3');
});

test('a program that does not answer does not hold up the loop', async () => {
  const { env } = standIns({ kubectl: [] });
  const bin = env.PATH.split(path.delimiter)[0] ?? '';
  writeFileSync(path.join(bin, 'kubectl'), '#!/bin/sh\nsleep 600\n');
  const root = repository({ 'run.sh': 'echo "no pods" >&2; exit 1\n' });
  const args = ['--command', 'sh run.sh', '--desired', 'It runs', '--namespace', 'mill', '--backoff', '0'];
  const { status, stdout } = await fixProblem(root, args, { env });
  expect(status).toBe(3);
  expect(stdout).toContain('kubectl could not be asked: kubectl did not answer within 10 s.');
});
