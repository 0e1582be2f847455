/** The state of pods and containers in a brief, from the output of kubectl and docker. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ContextRequest, type FixContext, gatherContext } from '../../src/fix/context/gather-context.ts';
import { folder } from '../project.ts';
import { answerOf, programs, withEnvironment } from './gathering.ts';

type Answers = readonly (readonly [pattern: string, output: string, exitCode?: number])[];

/** A program that prints a file for the first pattern that matches its arguments, and records its calls. */
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

const WIDE = 'NAME  READY  STATUS  RESTARTS  AGE  IP  NODE  NOMINATED NODE  READINESS GATES';
const WELL = 'press-queue-0  1/1  Running  0  5d3h  10.244.1.17  node-a  <none>  <none>';

const pods = (...rows: string[]) => `${[WIDE, ...rows].join('\n')}\n`;
const deployments = (...rows: string[]) => ['NAME  READY  UP-TO-DATE  AVAILABLE  AGE', ...rows].join('\n');

const described = (reason: string, ...events: string[]) => `Name:             press-web-6c9f
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
const PULL =
  'Warning  Failed     33s (x3 over 81s)  kubelet            Failed to pull image "registry.test/press/web:latestt": not found';

describe('pods', () => {
  test('reports cause, limit and previous log of a pod that was killed for memory', async () => {
    const killed = 'press-web-6c9f  0/1  CrashLoopBackOff  6 (45s ago)  26m  10.244.2.8  node-b  <none>  <none>';
    const log = 'loading the whole archive\nAuthorization: Bearer abcdefghijklmnop1234567890\n';
    const { env, asked } = standIn('kubectl', [
      ['get pods*', pods(WELL, killed)],
      ['describe pod press-web-6c9f*', described('CrashLoopBackOff')],
      ['logs press-web-6c9f --previous*', log],
      ['get deployments*', deployments('press-web  0/2  2  0  5d3h')],
      [
        'get events*',
        'LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n45s  Warning  BackOff  pod/press-web-6c9f  Back-off\n',
      ],
    ]);
    const found = await context(env);
    const { answer, source } = answerOf(found, 9);
    expect(source).toBe('kubectl get pods -n press');
    expect(answer).toContain('2 pods, 1 not well\npress-web-6c9f  0/1  CrashLoopBackOff  6 restarts');
    expect(answer).toContain('Last State: Terminated, Reason: OOMKilled, Exit Code: 137, memory: 96Mi');
    expect(answerOf(found, 11).answer).toContain('press-web  0/2');
    expect(answerOf(found, 11).answer).toContain('Warning  BackOff  pod/press-web-6c9f  Back-off');
    expect(answerOf(found, 12).answer).toContain('kubectl logs press-web-6c9f --previous:\nloading the whole archive');
    expect(JSON.stringify(found)).not.toContain('abcdefghijklmnop1234567890');
    expect(found.hypothesis).toBe('a container is killed because it needs more memory than its limit');
    expect(found.environment).toBe('kubernetes (namespace press)');
    for (const line of asked()) expect(line).toMatch(/^(?:get|describe|logs) .*-n press$/u);
  });

  test('reports a pod whose image cannot be pulled, in the namespace of the configuration', async () => {
    const { env } = standIn('kubectl', [
      ['get pods*', pods('press-web-6c9f  0/1  ImagePullBackOff  0  26m')],
      ['describe pod press-web-6c9f*', described('ImagePullBackOff', PULL).replace('OOMKilled', 'Error')],
      ['get deployments*', deployments()],
    ]);
    const found = await context(env, { namespace: undefined, config: { kubernetes: { namespace: 'press' } } });
    const { answer } = answerOf(found, 9);
    expect(answer).toContain('press-web-6c9f  0/1  ImagePullBackOff');
    expect(answer).toContain(
      'Warning  Failed  33s (x3 over 81s)  kubelet  Failed to pull image "registry.test/press/web:latestt": not found',
    );
    expect(found.hypothesis).toBe('the image of a container cannot be pulled');
    expect(answerOf(found, 11).why_not).toContain('The namespace has no deployments.');
  });

  test('reads the current log of a container without a previous run', async () => {
    const { env } = standIn('kubectl', [
      ['get pods*', pods(WELL, 'press-web  0/1  Error  2  1m', 'press-migrate  0/1  Completed  0  2d')],
      ['logs press-web --previous*', 'previous terminated container not found', 1],
      ['logs press-web*', 'no database\n'],
    ]);
    const found = await context(env);
    expect(answerOf(found, 9).answer).toContain('3 pods, 1 not well\npress-web  0/1  Error  2 restarts');
    expect(answerOf(found, 12).answer).toContain('kubectl logs press-web:\nno database');
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
    ['a text', [['*', 'Unable to say.\n']], 'is not understood'],
    ['no pods', [['get pods*', '']], 'The namespace press has no pods, or does not exist.'],
  ])('names %s as the reason', async (_, answers, reason) => {
    const { env } = standIn('kubectl', answers);
    expect(answerOf(await context(env), 9).why_not).toContain(reason);
  });

  test('adds the events of a deployment that has no pods', async () => {
    const { env } = standIn('kubectl', [
      ['get pods*', ''],
      ['get deployments*', deployments('press-web  0/1  0  0  1m')],
      ['get events*', 'LAST SEEN  TYPE  REASON\n1m  Warning  FailedCreate  replicaset/press-web  exceeded quota\n'],
    ]);
    expect(answerOf(await context(env), 11).answer).toMatch(/^press-web {2}0\/1.*\n.*FailedCreate.*exceeded quota$/mu);
  });

  test.each([
    ['a namespace that cannot be one', {}, 'a; rm -rf /', "'a; rm -rf /' cannot be the name of a namespace."],
    ['no kubectl', { PATH: folder() }, 'press', 'kubectl could not be asked: kubectl is not installed.'],
  ])('names %s as the reason', async (_, env, namespace, reason) => {
    expect(answerOf(await context(env, { namespace }), 9).why_not).toBe(reason);
  });
});

describe('docker', () => {
  const NONE = { namespace: undefined };

  test('reports the containers that compose started here', async () => {
    const root = folder({ 'compose.yaml': 'services: {}\n' });
    const { env, asked } = standIn('docker', [
      ['ps *', 'press-db-1\n'],
      ['inspect *', '/press-db-1: exited, exit code 137, OOMKilled\n'],
    ]);
    const found = await context(env, { root, ...NONE });
    expect(answerOf(found, 11)).toMatchObject({
      answer: 'container press-db-1: exited, exit code 137, OOMKilled',
      source: 'docker inspect',
    });
    expect(asked().join()).toContain(`working_dir=${root}`);
    expect(found.hypothesis).toContain('more memory than its limit');
  });

  test('reports health, start errors and a missing container', async () => {
    const states = '/press-web-1: running, unhealthy\n/press-job-1: created, exit code 127, exec: "prss": not found';
    // docker prints the existing containers and then fails.
    const env = programs({ docker: `echo '${states}'; echo 'Error: No such container: gone' >&2; exit 1` });
    const found = await context(env, { ...NONE, config: { containers: ['press-web-1', 'press-job-1', 'gone'] } });
    expect(answerOf(found, 11).answer?.split('\n')).toEqual([
      'container press-web-1: running, unhealthy',
      'container press-job-1: created, exit code 127, exec: "prss": not found',
      'Error: No such container: gone',
    ]);
  });

  test('gives a reason if the daemon does not answer', async () => {
    const { env } = standIn('docker', [['inspect *', 'Cannot connect to the Docker daemon at unix:///x.sock.', 1]]);
    const found = await context(env, { ...NONE, config: { containers: ['press-db-1'] } });
    expect(answerOf(found, 11).why_not).toContain('Cannot connect to the Docker daemon');
    expect(found.environment).toBe('docker');
  });
});
