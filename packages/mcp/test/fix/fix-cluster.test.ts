/** Tests the state of pods and containers in a brief, which is read from the output of kubectl and docker. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ContextRequest, type FixContext, gatherContext } from '../../src/fix/context/gather-context.ts';
import { createFolder } from '../project.ts';
import { createPathWithPrograms, getAnswer, runWithEnvironment } from './gathering.ts';

type CommandAnswers = readonly (readonly [pattern: string, output: string, exitCode?: number])[];

/** Creates a program that records its calls and prints the output of the first pattern that matches its arguments. */
function createFakeProgram(program: string, answers: CommandAnswers) {
  const printed = createFolder(Object.fromEntries(answers.map(([, output], index) => [`answer-${index}`, output])));
  const caseBranches = answers.map(([pattern, , exitCode = 0], index) => {
    const to = exitCode === 0 ? '' : ' >&2';
    return `${pattern.replaceAll(' ', '\\ ')}) cat '${printed}/answer-${index}'${to}; exit ${exitCode};;`;
  });
  const script = `echo "$*" >> '${printed}/asked'\ncase "$*" in\n${caseBranches.join('\n')}\n*) exit 1;;\nesac\n`;
  return {
    env: createPathWithPrograms({ [program]: script }),
    asked: () => readFileSync(path.join(printed, 'asked'), 'utf8').trim().split('\n'),
  };
}

function gatherTestContext(env: NodeJS.ProcessEnv, rest: Partial<ContextRequest> = {}): Promise<FixContext> {
  const error = { error_type: 'Error', category: 'UNKNOWN', headline: 'rollout failed', location: null };
  const request = { root: createFolder(), errorText: 'rollout failed', error, config: {}, namespace: 'press', ...rest };
  return runWithEnvironment(env, () => gatherContext(request));
}

const PODS_HEADER = 'NAME  READY  STATUS  RESTARTS  AGE  IP  NODE  NOMINATED NODE  READINESS GATES';
const RUNNING_POD = 'press-queue-0  1/1  Running  0  5d3h  10.244.1.17  node-a  <none>  <none>';

const formatPods = (...rows: string[]) => `${[PODS_HEADER, ...rows].join('\n')}\n`;
const formatDeployments = (...rows: string[]) => ['NAME  READY  UP-TO-DATE  AVAILABLE  AGE', ...rows].join('\n');

const formatDescribedPod = (reason: string, ...events: string[]) => `Name:             press-web-6c9f
Node:             <none>
Containers:
  web:
    Image:          registry.test/press/web:latestt
    State:          Waiting
      Reason:       ${reason}
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
    Restart Count:  0
    Limits:
      memory:       96Mi
Events:
  Type     Reason     Age                From               Message
  ----     ------     ----               ----               -------
  Normal   Scheduled  80s                default-scheduler  Successfully assigned press/press-web-6c9f to node-a
${events.map((event) => `  ${event}\n`).join('')}`;
const IMAGE_PULL_EVENT =
  'Warning  Failed     33s (x3 over 81s)  kubelet            Failed to pull image "registry.test/press/web:latestt": not found';

describe('pods', () => {
  test('reports cause, limit and previous log of a pod that was killed for memory', async () => {
    const killed = 'press-web-6c9f  0/1  CrashLoopBackOff  6 (45s ago)  26m  10.244.2.8  node-b  <none>  <none>';
    const log = 'loading the whole archive\nAuthorization: Bearer abcdefghijklmnop1234567890\n';
    const { env, asked: getCalls } = createFakeProgram('kubectl', [
      ['get pods*', formatPods(RUNNING_POD, killed)],
      ['describe pod press-web-6c9f*', formatDescribedPod('CrashLoopBackOff')],
      ['logs press-web-6c9f --previous*', log],
      ['get deployments*', formatDeployments('press-web  0/2  2  0  5d3h')],
      [
        'get events*',
        'LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n45s  Warning  BackOff  pod/press-web-6c9f  Back-off\n',
      ],
    ]);
    const context = await gatherTestContext(env);
    const { answer, source } = getAnswer(context, 9);
    expect(source).toBe('kubectl get pods -n press');
    expect(answer).toContain('2 pods, 1 not well\npress-web-6c9f  0/1  CrashLoopBackOff  6 restarts');
    expect(answer).toContain('Last State: Terminated, Reason: OOMKilled, Exit Code: 137, memory: 96Mi');
    expect(getAnswer(context, 11).answer).toContain('press-web  0/2');
    expect(getAnswer(context, 11).answer).toContain('Warning  BackOff  pod/press-web-6c9f  Back-off');
    expect(getAnswer(context, 12).answer).toContain(
      'kubectl logs press-web-6c9f --previous:\nloading the whole archive',
    );
    expect(JSON.stringify(context)).not.toContain('abcdefghijklmnop1234567890');
    expect(context.hypothesis).toBe('a container is killed because it needs more memory than its limit');
    expect(context.environment).toBe('kubernetes (namespace press)');
    for (const line of getCalls()) expect(line).toMatch(/^(?:get|describe|logs) .*-n press$/u);
  });

  test('reports a pod whose image cannot be pulled, in the namespace of the configuration', async () => {
    const { env } = createFakeProgram('kubectl', [
      ['get pods*', formatPods('press-web-6c9f  0/1  ImagePullBackOff  0  26m')],
      [
        'describe pod press-web-6c9f*',
        formatDescribedPod('ImagePullBackOff', IMAGE_PULL_EVENT).replace('OOMKilled', 'Error'),
      ],
      ['get deployments*', formatDeployments()],
    ]);
    const context = await gatherTestContext(env, {
      namespace: undefined,
      config: { kubernetes: { namespace: 'press' } },
    });
    const { answer } = getAnswer(context, 9);
    expect(answer).toContain('press-web-6c9f  0/1  ImagePullBackOff');
    expect(answer).toContain(
      'Warning  Failed  33s (x3 over 81s)  kubelet  Failed to pull image "registry.test/press/web:latestt": not found',
    );
    expect(context.hypothesis).toBe('the image of a container cannot be pulled');
    expect(getAnswer(context, 11).why_not).toContain('The namespace has no deployments.');
  });

  test('reads the current log of a container without a previous run', async () => {
    const { env } = createFakeProgram('kubectl', [
      ['get pods*', formatPods(RUNNING_POD, 'press-web  0/1  Error  2  1m', 'press-migrate  0/1  Completed  0  2d')],
      ['logs press-web --previous*', 'previous terminated container not found', 1],
      ['logs press-web*', 'no database\n'],
    ]);
    const context = await gatherTestContext(env);
    expect(getAnswer(context, 9).answer).toContain('3 pods, 1 not well\npress-web  0/1  Error  2 restarts');
    expect(getAnswer(context, 12).answer).toContain('kubectl logs press-web:\nno database');
  });

  test.each<[name: string, answers: CommandAnswers, reason: string]>([
    [
      'a server that refuses',
      [
        [
          '*',
          'E0506 07:08:09.100000   77 memcache.go:265] "Unhandled Error" err="dial tcp"\nThe connection to the server 10.0.0.1:6443 was refused\n',
          1,
        ],
      ],
      'kubectl failed: The connection to the server',
    ],
    ['a user without the right', [['*', 'Error from server (Forbidden): pods is forbidden', 1]], 'pods is forbidden'],
    ['a text', [['*', 'Unable to say.\n']], 'could not be parsed'],
    ['no pods', [['get pods*', '']], 'The namespace press has no pods, or does not exist.'],
  ])('names %s as the reason', async (_, answers, reason) => {
    const { env } = createFakeProgram('kubectl', answers);
    expect(getAnswer(await gatherTestContext(env), 9).why_not).toContain(reason);
  });

  test('adds the events of a deployment that has no pods', async () => {
    const { env } = createFakeProgram('kubectl', [
      ['get pods*', ''],
      ['get deployments*', formatDeployments('press-web  0/1  0  0  1m')],
      ['get events*', 'LAST SEEN  TYPE  REASON\n1m  Warning  FailedCreate  replicaset/press-web  exceeded quota\n'],
    ]);
    expect(getAnswer(await gatherTestContext(env), 11).answer).toMatch(
      /^press-web {2}0\/1.*\n.*FailedCreate.*exceeded quota$/mu,
    );
  });

  test.each([
    ['an invalid namespace', {}, 'a; rm -rf /', "'a; rm -rf /' is not a valid namespace name."],
    ['no kubectl', { PATH: createFolder() }, 'press', 'kubectl failed: kubectl is not installed.'],
  ])('names %s as the reason', async (_, env, namespace, reason) => {
    expect(getAnswer(await gatherTestContext(env, { namespace }), 9).why_not).toBe(reason);
  });
});

describe('docker', () => {
  const NONE = { namespace: undefined };

  test("reports the containers that compose started in the project's folder", async () => {
    const root = createFolder({ 'compose.yaml': 'services: {}\n' });
    const { env, asked: getCalls } = createFakeProgram('docker', [
      ['ps *', 'press-db-1\n'],
      ['inspect *', '/press-db-1: exited, exit code 137, OOMKilled\n'],
    ]);
    const context = await gatherTestContext(env, { root, ...NONE });
    expect(getAnswer(context, 11)).toMatchObject({
      answer: 'container press-db-1: exited, exit code 137, OOMKilled',
      source: 'docker inspect',
    });
    expect(getCalls().join()).toContain(`working_dir=${root}`);
    expect(context.hypothesis).toContain('more memory than its limit');
  });

  test('reports health, start errors and a missing container', async () => {
    const states = '/press-web-1: running, unhealthy\n/press-job-1: created, exit code 127, exec: "prss": not found';
    // docker prints the containers that exist, and then fails.
    const env = createPathWithPrograms({
      docker: `echo '${states}'; echo 'Error: No such container: gone' >&2; exit 1`,
    });
    const context = await gatherTestContext(env, {
      ...NONE,
      config: { containers: ['press-web-1', 'press-job-1', 'gone'] },
    });
    expect(getAnswer(context, 11).answer?.split('\n')).toEqual([
      'container press-web-1: running, unhealthy',
      'container press-job-1: created, exit code 127, exec: "prss": not found',
      'Error: No such container: gone',
    ]);
  });

  test('gives the reason if the docker daemon does not answer', async () => {
    const { env } = createFakeProgram('docker', [
      ['inspect *', 'Cannot connect to the Docker daemon at unix:///x.sock.', 1],
    ]);
    const context = await gatherTestContext(env, { ...NONE, config: { containers: ['press-db-1'] } });
    expect(getAnswer(context, 11).why_not).toContain('Cannot connect to the Docker daemon');
    expect(context.environment).toBe('docker');
  });
});
