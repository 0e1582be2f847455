/** What a brief tells of pods and containers: what kubectl and docker print, read and put into words. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ContextRequest, type FixContext, gatherContext } from '../../src/fix/context/gather-context.ts';
import { isUnwell, readDescription, readPods } from '../../src/fix/context/system/kubectl.ts';
import { folder } from '../project.ts';
import { answerOf, programs, withEnvironment } from './gathering.ts';

type Answers = readonly (readonly [pattern: string, output: string, exitCode?: number])[];

/** A program that prints a file for the first pattern its arguments fit, and keeps what it was asked. */
function standIn(program: string, answers: Answers) {
  const printed = folder(Object.fromEntries(answers.map(([, output], index) => [`answer-${index}`, output])));
  const cases = answers.map(([pattern, , exitCode = 0], index) => {
    const to = exitCode === 0 ? '' : ' >&2';
    return `${pattern.replaceAll(' ', '\\ ')}) cat '${printed}/answer-${index}'${to}; exit ${exitCode};;`;
  });
  const script = `echo "$*" >> '${printed}/asked'\ncase "$*" in\n${cases.join('\n')}\n*) exit 1;;\nesac\n`;
  return {
    env: programs({ [program]: script }),
    asked: () => readFileSync(path.join(printed, 'asked'), 'utf8').trim().split('\n'),
  };
}

function context(env: NodeJS.ProcessEnv, rest: Partial<ContextRequest> = {}): Promise<FixContext> {
  const error = { error_type: 'Error', category: 'UNKNOWN', headline: 'rollout failed', location: null };
  const request = { root: folder(), errorText: 'rollout failed', error, config: {}, namespace: 'press', ...rest };
  return withEnvironment(env, () => gatherContext(request));
}

/** A pod with one container in the given state. */
function pod(name: string, phase: string, container: object = {}, status: object = {}) {
  const conditions = [{ type: 'Ready', status: 'False', lastProbeTime: null }];
  const containerStatuses = [{ name: 'web', image: 'registry.test/press/web:7', restartCount: 0, ...container }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'press', uid: 'd5f1' },
    spec: { containers: [{ name: 'web', resources: { limits: { memory: '96Mi' } } }], nodeName: 'node-a' },
    status: { phase, conditions, ...('state' in container ? { containerStatuses } : {}), ...status },
  };
}

const list = (...items: object[]) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items }, null, 4);

const WELL = pod('press-queue-0', 'Running', {
  state: { running: { startedAt: '2031-05-06T07:00:00Z' } },
  ready: true,
});

const described = (...events: string[]) => `Name:             press-web-6c9f
Node:             <none>
Containers:
  web:
    Image:          registry.test/press/web:latestt
    State:          Waiting
      Reason:       ImagePullBackOff
    Restart Count:  0
    Environment:    <none>
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
  Normal   Scheduled  80s                default-scheduler  Successfully assigned press/press-web-6c9f to node-a
${events.map((event) => `  ${event}\n`).join('')}`;
const DESCRIBED = described(
  'Warning  Failed     33s (x3 over 81s)  kubelet            Failed to pull image "registry.test/press/web:latestt": not found',
);

const TABLE = `NAME                        READY   STATUS             RESTARTS      AGE     IP             NODE     NOMINATED NODE   READINESS GATES   LABELS
press-queue-0               1/1     Running            0             5d3h    10.244.1.17    node-a   <none>           <none>            app=queue
press-web-6c9f-vwq2x        0/1     CrashLoopBackOff   9 (45s ago)   26m     10.244.2.8     node-b   <none>           <none>            app=press
press-migrate-hs7k2         0/1     Completed          0             2d11h   10.244.1.23    node-a   <none>           <none>            job=migrate
`;

describe('pods', () => {
  test('a pod that was killed for memory: cause, limit and previous log', async () => {
    const killed = pod('press-web-6c9f', 'Running', {
      restartCount: 6,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=web' } },
      lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: '2031-05-06T07:01:00Z' } },
    });
    const condition = { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'None.' };
    const deployment = { metadata: { name: 'press-web' }, spec: { replicas: 2 }, status: { conditions: [condition] } };
    const log = 'loading the whole archive\nAuthorization: Bearer abcdefghijklmnop1234567890\n';
    const { env, asked } = standIn('kubectl', [
      ['get pods*', list(WELL, killed)],
      ['describe pod press-web-6c9f*', DESCRIBED.replaceAll('ImagePullBackOff', 'CrashLoopBackOff')],
      ['logs press-web-6c9f --previous*', log],
      ['get deployments*', list(deployment)],
    ]);
    const found = await context(env);
    const { answer, source } = answerOf(found, 9);
    expect(source).toBe('kubectl get pods -n press');
    expect(answer).toContain('2 pods, 1 not well\npress-web-6c9f  0/1  CrashLoopBackOff  6 restarts');
    expect(answer).toContain('last ended with OOMKilled (exit code 137); memory limit 96Mi');
    expect(answerOf(found, 11).answer).toContain('deployment press-web: 0/2 ready; Available: MinimumReplicas');
    expect(answerOf(found, 12).answer).toContain('kubectl logs press-web-6c9f --previous:\nloading the whole archive');
    expect(JSON.stringify(found)).not.toContain('abcdefghijklmnop1234567890');
    expect(found.hypothesis).toBe('a container is killed because it needs more memory than its limit');
    expect(found.environment).toBe('kubernetes (namespace press)');
    for (const line of asked()) expect(line).toMatch(/^(?:get|describe|logs) .*-n press$/u);
  });

  test('a pod whose image cannot be pulled, and a pod without a node', async () => {
    const message = '0/2 nodes are available: 2 Insufficient memory.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    const state = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image' } };
    const { env } = standIn('kubectl', [
      [
        'get pods*',
        list(pod('press-web-6c9f', 'Pending', { state }), pod('press-import', 'Pending', {}, { conditions })),
      ],
      ['describe pod press-web-6c9f*', DESCRIBED],
      ['get deployments*', list()],
    ]);
    const found = await context(env, { namespace: undefined, config: { kubernetes: { namespace: 'press' } } });
    const { answer } = answerOf(found, 9);
    expect(answer).toContain('press-web-6c9f  0/1  ImagePullBackOff');
    expect(answer).toContain(
      'Failed (33s (x3 over 81s)): Failed to pull image "registry.test/press/web:latestt": not found',
    );
    expect(answer).toContain('press-import  0/1  Pending  0 restarts\n  not scheduled (Unschedulable): 0/2 nodes');
    expect(found.hypothesis).toBe('the image of a container cannot be pulled');
    expect(answerOf(found, 11).why_not).toContain('The namespace has no deployments.');
  });

  test('a kubectl that only prints tables, and a long stack with its message', async () => {
    const frames = Array.from({ length: 90 }, (_, index) => `\tat press.Fold.fold(Fold.java:${index + 10})`);
    const log = ['starting', 'press.TooDeep: folded 900 times', ...frames].join('\n');
    const before = 'logs press-web-6c9f-vwq2x --previous*';
    const answers: Answers = [
      ['get pods*', TABLE],
      ['describe pod*', described()],
    ];
    const found = await context(standIn('kubectl', [...answers, [before, log]]).env);
    expect(answerOf(found, 9).answer).toContain(
      '3 pods, 1 not well\npress-web-6c9f-vwq2x  0/1  CrashLoopBackOff  9 restarts',
    );
    const { answer } = answerOf(found, 12);
    expect(answer).toContain('--previous:\npress.TooDeep: folded 900 times\n\tat press.Fold.fold(Fold.java:10)');
    expect(answer).toMatch(/Fold\.java:99\)$/u);
    expect(answer?.split('\n').length).toBeLessThan(30);

    const now: Answers = [
      [before, 'previous terminated container not found', 1],
      ['logs press-web-6c9f-vwq2x*', 'no database\n'],
    ];
    const running = await context(standIn('kubectl', [...answers, ...now]).env);
    expect(answerOf(running, 12).answer).toContain('kubectl logs press-web-6c9f-vwq2x:\nno database');
  });

  test.each<[name: string, answers: Answers, reason: string]>([
    [
      'a server that refuses',
      [
        [
          '*',
          'E0506 07:08:09.100000   77 memcache.go:265] "Unhandled Error" err="dial tcp"\nThe connection to the server 10.0.0.1:6443 was refused\n',
          1,
        ],
      ],
      'kubectl could not be asked: The connection to the server',
    ],
    ['a user without the right', [['*', 'Error from server (Forbidden): pods is forbidden', 1]], 'pods is forbidden'],
    ['a text', [['*', 'No resources found in press namespace.\n']], 'is not understood'],
    ['no pods', [['get pods*', list()]], 'The namespace press has no pods, or does not exist.'],
    ['broken JSON', [['*', '{"items": [{"metadata"']], 'is not understood'],
  ])('names %s as the reason', async (_, answers, reason) => {
    const { env } = standIn('kubectl', answers);
    expect(answerOf(await context(env), 9).why_not).toContain(reason);
  });

  test('no pods at all: the deployment says why', async () => {
    const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' };
    const deployment = { metadata: { name: 'press-web' }, spec: {}, status: { conditions: [condition] } };
    const { env } = standIn('kubectl', [
      ['get pods*', list()],
      ['get deployments*', list(deployment)],
    ]);
    const { answer } = answerOf(await context(env), 11);
    expect(answer).toBe('deployment press-web: 0/1 ready; ReplicaFailure: FailedCreate exceeded quota');
  });

  test.each([
    ['a namespace that cannot be one', {}, 'a; rm -rf /', "'a; rm -rf /' cannot be the name of a namespace."],
    ['no kubectl', { PATH: folder() }, 'press', 'kubectl could not be asked: kubectl is not installed.'],
  ])('names %s as the reason', async (_, env, namespace, reason) => {
    expect(answerOf(await context(env, { namespace }), 9).why_not).toBe(reason);
  });

  test('have the status that kubectl would show', () => {
    const waits = pod('a', 'Pending', { state: { waiting: { reason: 'PodInitializing' } } });
    const failing = { name: 'wait', restartCount: 2, state: { terminated: { reason: 'Error', exitCode: 1 } } };
    const pods = readPods(
      list(
        WELL,
        { ...waits, status: { ...waits.status, initContainerStatuses: [failing] } },
        pod('b', 'Succeeded', { state: { terminated: { reason: 'Completed', exitCode: 0 } } }),
        pod('c', 'Failed', { state: { terminated: { exitCode: 3 } } }),
        pod('d', 'Pending'),
        { ...WELL, metadata: { name: 'e', deletionTimestamp: '2031-05-06T07:00:00Z' } },
      ),
    );
    const shown = ['Running', 'Init:Error', 'Completed', 'ExitCode:3', 'Pending', 'Terminating'];
    expect(pods?.map(({ status }) => status)).toEqual(shown);
    const unwell = readPods(TABLE)?.filter(isUnwell);
    expect(unwell?.map(({ name }) => name)).toEqual(['press-web-6c9f-vwq2x']);
    expect(readDescription('')).toEqual([]);
  });
});

describe('docker', () => {
  const container = (Name: string, State: object) => ({ Id: 'f00d', Name, State: { Error: '', ...State } });
  const NONE = { namespace: undefined };

  test('containers that compose started here', async () => {
    const root = folder({ 'compose.yaml': 'services: {}\n' });
    const state = { Status: 'exited', Running: false, OOMKilled: true, ExitCode: 137 };
    const { env, asked } = standIn('docker', [
      ['ps *', 'press-db-1\n'],
      ['inspect *', JSON.stringify([container('/press-db-1', state)])],
    ]);
    const found = await context(env, { root, ...NONE });
    expect(answerOf(found, 11)).toMatchObject({
      answer: 'container press-db-1: exited, exit code 137, killed for lack of memory',
      source: 'docker inspect',
    });
    expect(asked().join()).toContain(`working_dir=${root}`);
    expect(found.hypothesis).toContain('more memory than its limit');
  });

  test('health, what could not be started, and one of several that is missing', async () => {
    const states = JSON.stringify([
      container('/press-web-1', { Status: 'running', ExitCode: 0, Health: { Status: 'unhealthy' } }),
      container('/press-job-1', { Status: 'created', ExitCode: 127, Error: 'exec: "prss": not found' }),
    ]);
    // It prints those there are, and fails.
    const env = programs({ docker: `echo '${states}'; echo 'Error: No such container: gone' >&2; exit 1` });
    const found = await context(env, { ...NONE, config: { containers: ['press-web-1', 'press-job-1', 'gone'] } });
    expect(answerOf(found, 11).answer?.split('\n')).toEqual([
      'container press-web-1: running, unhealthy',
      'container press-job-1: created, exit code 127, exec: "prss": not found',
      'Error: No such container: gone',
    ]);
  });

  test('a daemon that does not answer is a reason', async () => {
    const { env } = standIn('docker', [['inspect *', 'Cannot connect to the Docker daemon at unix:///x.sock.', 1]]);
    const found = await context(env, { ...NONE, config: { containers: ['press-db-1'] } });
    expect(answerOf(found, 11).why_not).toContain('Cannot connect to the Docker daemon');
    expect(found.environment).toBe('docker');
  });
});
