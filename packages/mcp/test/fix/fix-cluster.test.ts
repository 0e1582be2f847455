import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ContextRequest, type FixContext, gatherContext } from '../../src/fix/context/gather-context.ts';
import { isUnwell, readDescription, readPods } from '../../src/fix/context/system/kubectl.ts';
import { folder } from '../project.ts';
import { answerOf, programs } from './gathering.ts';

afterEach(() => vi.unstubAllEnvs());

/** A program on the PATH that prints a file for the first pattern its arguments fit, and keeps what it was asked. */
function standIn(program: string, answers: readonly [pattern: string, output: string, exitCode?: number][]): string {
  const said = folder(Object.fromEntries(answers.map(([, output], index) => [`answer-${index}`, output])));
  const asked = path.join(said, 'asked');
  const cases = answers.map(([pattern, , exitCode = 0], index) => {
    const to = exitCode === 0 ? '' : ' >&2';
    return `${pattern.replaceAll(' ', '\\ ')}) cat '${path.join(said, `answer-${index}`)}'${to}; exit ${exitCode};;`;
  });
  programs({ [program]: `echo "$*" >> '${asked}'\ncase "$*" in\n${cases.join('\n')}\n*) exit 1;;\nesac\n` });
  return asked;
}

async function context(rest: Partial<ContextRequest> = {}): Promise<FixContext> {
  const error = { error_type: 'Error', category: 'UNKNOWN', headline: 'rollout failed', location: null };
  return await gatherContext({ root: folder(), errorText: 'rollout failed', error, config: {}, ...rest });
}

interface PodParts {
  name: string;
  phase?: string;
  state?: object;
  lastState?: object;
  restarts?: number;
  ready?: boolean;
  conditions?: object[];
}

const pod = ({
  name,
  phase = 'Running',
  state,
  lastState = {},
  restarts = 0,
  ready = false,
  conditions,
}: PodParts) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'press', uid: 'd5f1' },
  spec: {
    containers: [{ name: 'web', image: 'registry.test/press/web:7', resources: { limits: { memory: '96Mi' } } }],
    nodeName: 'node-a',
  },
  status: {
    phase,
    conditions: conditions ?? [{ type: 'Ready', status: ready ? 'True' : 'False', lastProbeTime: null }],
    ...(state
      ? {
          containerStatuses: [
            {
              name: 'web',
              image: 'registry.test/press/web:7',
              ready,
              restartCount: restarts,
              started: ready,
              state,
              lastState,
            },
          ],
        }
      : {}),
  },
});

const list = (...items: object[]) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items }, null, 4);

const WELL = pod({ name: 'press-queue-0', state: { running: { startedAt: '2031-05-06T07:00:00Z' } }, ready: true });
const LOOPING = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container=web' } };

const DESCRIBED = `Name:             press-web-6c9f
Namespace:        press
Priority:         0
Node:             <none>
Labels:           app=press
Status:           Pending
IP:
Containers:
  web:
    Image:          registry.test/press/web:latestt
    Port:           8080/TCP
    State:          Waiting
      Reason:       ImagePullBackOff
    Ready:          False
    Restart Count:  0
    Environment:    <none>
Conditions:
  Type              Status
  Ready             False
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
  Normal   Scheduled  80s                default-scheduler  Successfully assigned press/press-web-6c9f to node-a
  Warning  Failed     33s (x3 over 81s)  kubelet            Failed to pull image "registry.test/press/web:latestt": not found
  Warning  Failed     33s (x3 over 81s)  kubelet            Error: ErrImagePull
  Normal   BackOff    4s (x5 over 80s)   kubelet            Back-off pulling image "registry.test/press/web:latestt"
`;

const UNPLACED = `Name:             press-import
Namespace:        press
Node:             <none>
Status:           Pending
Containers:
  web:
    Image:        registry.test/press/web:7
    Environment:  <none>
Conditions:
  Type           Status
  PodScheduled   False
Events:
  Type     Reason            Age   From               Message
  ----     ------            ----  ----               -------
  Warning  FailedScheduling  52s   default-scheduler  0/2 nodes are available: 2 Insufficient memory. preemption: not helpful.
`;

const TABLE = `NAME                        READY   STATUS             RESTARTS      AGE     IP             NODE     NOMINATED NODE   READINESS GATES   LABELS
press-queue-0               1/1     Running            0             5d3h    10.244.1.17    node-a   <none>           <none>            app=queue
press-web-6c9f-vwq2x        0/1     CrashLoopBackOff   9 (45s ago)   26m     10.244.2.8     node-b   <none>           <none>            app=press
press-migrate-hs7k2         0/1     Completed          0             2d11h   10.244.1.23    node-a   <none>           <none>            job=migrate
`;

describe('pods', () => {
  test('killed for memory: the cause, its limit, what it printed before', async () => {
    const end = { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: '2031-05-06T07:01:00Z' } };
    const killed = pod({ name: 'press-web-6c9f', state: LOOPING, lastState: end, restarts: 6 });
    const asked = standIn('kubectl', [
      ['get pods*', list(WELL, killed)],
      ['describe pod press-web-6c9f*', DESCRIBED.replaceAll('ImagePullBackOff', 'CrashLoopBackOff')],
      [
        'logs press-web-6c9f --previous*',
        'loading the whole archive\nAuthorization: Bearer abcdefghijklmnop1234567890\n',
      ],
      [
        'get deployments*',
        list({
          metadata: { name: 'press-web' },
          spec: { replicas: 2 },
          status: {
            conditions: [
              {
                type: 'Available',
                status: 'False',
                reason: 'MinimumReplicasUnavailable',
                message: 'Deployment does not have minimum availability.',
              },
            ],
          },
        }),
      ],
    ]);
    const found = await context({ namespace: 'press' });
    expect(answerOf(found, 9)).toMatchObject({ source: 'kubectl get pods -n press' });
    expect(answerOf(found, 9).answer).toContain(
      '2 pods, 1 not well\npress-web-6c9f  0/1  CrashLoopBackOff  6 restarts',
    );
    expect(answerOf(found, 9).answer).toContain('last ended with OOMKilled (exit code 137); memory limit 96Mi');
    expect(answerOf(found, 11).answer).toContain(
      'deployment press-web: 0/2 ready; Available: MinimumReplicasUnavailable',
    );
    expect(answerOf(found, 12).answer).toContain('kubectl logs press-web-6c9f --previous:\nloading the whole archive');
    expect(JSON.stringify(found)).not.toContain('abcdefghijklmnop1234567890');
    expect(found.hypothesis).toBe('a container is killed because it needs more memory than its limit');
    expect(found.environment).toBe('kubernetes (namespace press)');
    const lines = readFileSync(asked, 'utf8').trim().split('\n');
    expect(lines.every((line) => line.endsWith('-n press'))).toBe(true);
    expect(lines.every((line) => /^(?:get|describe|logs) /u.test(line))).toBe(true);
  });

  test('an image that cannot be pulled, and a pod without a node', async () => {
    const waiting = {
      waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "registry.test/press/web:latestt"' },
    };
    const conditions = [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/2 nodes are available: 2 Insufficient memory.',
      },
    ];
    standIn('kubectl', [
      [
        'get pods*',
        list(
          pod({ name: 'press-web-6c9f', phase: 'Pending', state: waiting }),
          pod({ name: 'press-import', phase: 'Pending', conditions }),
        ),
      ],
      ['describe pod press-web-6c9f*', DESCRIBED],
      ['describe pod press-import*', UNPLACED],
      ['get deployments*', list()],
    ]);
    const found = await context({ config: { kubernetes: { namespace: 'press' } } });
    const { answer } = answerOf(found, 9);
    expect(answer).toContain('press-web-6c9f  0/1  ImagePullBackOff');
    expect(answer).toContain(
      'Failed (33s (x3 over 81s)): Failed to pull image "registry.test/press/web:latestt": not found',
    );
    expect(answer).toContain('press-import  0/1  Pending  0 restarts\n  not scheduled (Unschedulable): 0/2 nodes');
    expect(found.hypothesis).toBe('the image of a container cannot be pulled');
    expect(answerOf(found, 11).why_not).toContain('The namespace has no deployments.');
  });

  test('a kubectl that only knows tables', async () => {
    standIn('kubectl', [
      ['get pods*', TABLE],
      ['describe pod*', UNPLACED],
      ['logs press-web-6c9f-vwq2x --previous*', 'previous terminated container not found', 1],
      ['logs press-web-6c9f-vwq2x*', 'no database\n'],
    ]);
    const found = await context({ namespace: 'press' });
    expect(answerOf(found, 9).answer).toContain(
      '3 pods, 1 not well\npress-web-6c9f-vwq2x  0/1  CrashLoopBackOff  9 restarts',
    );
    expect(answerOf(found, 12).answer).toContain('kubectl logs press-web-6c9f-vwq2x:\nno database');
  });

  test.each([
    [
      [
        [
          '*',
          'E0506 07:08:09.100000   77 memcache.go:265] "Unhandled Error" err="dial tcp"\nThe connection to the server 10.0.0.1:6443 was refused\n',
          1,
        ],
      ],
      'kubectl could not be asked: The connection to the server',
    ],
    [[['*', 'Error from server (Forbidden): pods is forbidden', 1]], 'pods is forbidden'],
    [[['*', 'No resources found in press namespace.\n']], 'is not understood'],
    [[['get pods*', list()]], 'The namespace press has no pods, or does not exist.'],
    [[['*', '{"items": [{"metadata"']], 'is not understood'],
  ] as const)('%j is a reason', async (answers, reason) => {
    standIn(
      'kubectl',
      answers.map(([pattern, output, code]) => [pattern, output, code ?? 0]),
    );
    expect(answerOf(await context({ namespace: 'press' }), 9).why_not).toContain(reason);
  });

  test('no pods at all: the deployment says why', async () => {
    const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' };
    const deployment = { metadata: { name: 'press-web' }, spec: {}, status: { conditions: [condition] } };
    standIn('kubectl', [
      ['get pods*', list()],
      ['get deployments*', list(deployment)],
    ]);
    const { answer } = answerOf(await context({ namespace: 'press' }), 11);
    expect(answer).toBe('deployment press-web: 0/1 ready; ReplicaFailure: FailedCreate exceeded quota');
  });

  test('a long stack is shown with the message it belongs to', async () => {
    const frames = Array.from({ length: 90 }, (_, index) => `\tat press.Fold.fold(Fold.java:${index + 10})`);
    const log = ['starting', 'press.TooDeep: folded 900 times', ...frames].join('\n');
    standIn('kubectl', [
      ['get pods*', TABLE],
      ['logs press-web-6c9f-vwq2x --previous*', log],
    ]);
    const { answer } = answerOf(await context({ namespace: 'press' }), 12);
    expect(answer).toContain('--previous:\npress.TooDeep: folded 900 times\n\tat press.Fold.fold(Fold.java:10)');
    expect(answer).toMatch(/Fold\.java:99\)$/u);
    expect(answer?.split('\n').length).toBeLessThan(30);
  });

  test('without kubectl, and with a name that is none', async () => {
    expect(answerOf(await context({ namespace: 'a; rm -rf /' }), 9).why_not).toContain(
      'cannot be the name of a namespace',
    );
    vi.stubEnv('PATH', folder());
    expect(answerOf(await context({ namespace: 'press' }), 9).why_not).toBe(
      'kubectl could not be asked: kubectl is not installed.',
    );
  });

  test('the column kubectl would show', () => {
    const shown = (...items: object[]) => readPods(list(...items))?.map(({ status }) => status);
    const init = { ...pod({ name: 'a', phase: 'Pending', state: { waiting: { reason: 'PodInitializing' } } }) };
    const failing = {
      name: 'wait',
      ready: false,
      restartCount: 2,
      state: { terminated: { reason: 'Error', exitCode: 1 } },
    };
    expect(
      shown(
        WELL,
        { ...init, status: { ...init.status, initContainerStatuses: [failing] } },
        pod({ name: 'b', phase: 'Succeeded', state: { terminated: { reason: 'Completed', exitCode: 0 } } }),
        pod({ name: 'c', phase: 'Failed', state: { terminated: { exitCode: 3 } } }),
        pod({ name: 'd', phase: 'Pending' }),
        { ...WELL, metadata: { name: 'e', deletionTimestamp: '2031-05-06T07:00:00Z' } },
      ),
    ).toEqual(['Running', 'Init:Error', 'Completed', 'ExitCode:3', 'Pending', 'Terminating']);
    expect(
      readPods(TABLE)
        ?.filter(isUnwell)
        .map(({ name }) => name),
    ).toEqual(['press-web-6c9f-vwq2x']);
    expect(readDescription('')).toEqual([]);
  });
});

describe('docker', () => {
  const INSPECTED = JSON.stringify([
    {
      Id: 'f00d',
      Name: '/press-db-1',
      State: { Status: 'exited', Running: false, OOMKilled: true, Dead: false, ExitCode: 137, Error: '' },
    },
  ]);
  const STATES = JSON.stringify([
    {
      Id: 'beef',
      Name: '/press-web-1',
      State: {
        Status: 'running',
        Running: true,
        OOMKilled: false,
        ExitCode: 0,
        Error: '',
        Health: { Status: 'unhealthy' },
      },
    },
    {
      Id: 'cafe',
      Name: '/press-job-1',
      State: { Status: 'created', Running: false, OOMKilled: false, ExitCode: 127, Error: 'exec: "prss": not found' },
    },
  ]);

  test('containers that compose started here', async () => {
    const root = folder({ 'compose.yaml': 'services: {}\n' });
    const asked = standIn('docker', [
      ['ps *', 'press-db-1\n'],
      ['inspect *', INSPECTED],
    ]);
    const found = await context({ root });
    expect(answerOf(found, 11)).toMatchObject({
      answer: 'container press-db-1: exited, exit code 137, killed for lack of memory',
      source: 'docker inspect',
    });
    expect(readFileSync(asked, 'utf8')).toContain(`working_dir=${root}`);
    expect(found.hypothesis).toContain('more memory than its limit');
  });

  test('health, what could not be started, and one of several that is missing', async () => {
    // It prints those there are, and fails.
    const states = path.join(folder({ states: STATES }), 'states');
    programs({ docker: `cat '${states}'; echo 'Error: No such container: gone' >&2; exit 1` });
    const found = await context({ config: { containers: ['press-web-1', 'press-job-1', 'gone'] } });
    expect(answerOf(found, 11).answer?.split('\n')).toEqual([
      'container press-web-1: running, unhealthy',
      'container press-job-1: created, exit code 127, exec: "prss": not found',
      'Error: No such container: gone',
    ]);
  });

  test('containers that the configuration names, and a daemon that does not answer', async () => {
    standIn('docker', [['inspect *', 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', 1]]);
    const found = await context({ config: { containers: ['press-db-1'] } });
    expect(answerOf(found, 11).why_not).toContain('Cannot connect to the Docker daemon');
    expect(found.environment).toBe('docker');
  });
});
