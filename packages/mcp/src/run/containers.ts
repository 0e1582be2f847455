/** Reads the state of a project's containers from docker and kubectl. A missing tool is a note, not an error. */

import type { ContainerFact } from 'argus-engine';
import { z } from 'zod';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../errors.ts';
import { ask } from '../system/ask.ts';

/** An unreachable cluster must not hold up the answer. */
const LIMITS = { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024 };

export interface ContainerFacts {
  containers: ContainerFact[];
  notes: string[];
}

/** Facts about the containers and the namespace in the configuration. Both may be missing. */
export async function containerFacts(root: string, config: Config, runStartedAt: number): Promise<ContainerFacts> {
  const parts = await Promise.all([
    config.containers?.length ? fromDocker(root, config.containers) : nothing(),
    config.kubernetes ? fromKubernetes(root, config.kubernetes.namespace, runStartedAt) : nothing(),
  ]);
  return { containers: parts.flatMap((part) => part.containers), notes: parts.flatMap((part) => part.notes) };
}

const dockerInspect = () =>
  z.array(
    z.object({
      Name: z.string(),
      State: z.object({ Status: z.string(), OOMKilled: z.boolean().optional(), ExitCode: z.number().optional() }),
    }),
  );

/** Parses the output of `docker inspect`. */
export function readDockerInspect(json: string): ContainerFact[] {
  return dockerInspect()
    .parse(JSON.parse(json))
    .map(({ Name, State }) => ({
      name: Name.replace(/^\//u, ''),
      status: State.Status,
      oomKilled: State.OOMKilled ?? null,
      // A running container reports exit code 0, although it has not ended.
      exitCode: State.Status === 'running' ? null : (State.ExitCode ?? null),
    }));
}

const terminated = () =>
  z.object({
    reason: z.string().optional(),
    exitCode: z.number().optional(),
    finishedAt: z.string().nullish(),
  });
const containerState = () =>
  z.object({
    waiting: z.object({ reason: z.string().optional() }).optional(),
    running: z.object({}).optional(),
    terminated: terminated().optional(),
  });
const containerStatus = () =>
  z.object({
    name: z.string(),
    state: containerState().optional(),
    lastState: containerState().optional(),
  });
const podList = () =>
  z.object({
    items: z.array(
      z.object({
        metadata: z.object({ name: z.string() }),
        status: z
          .object({
            containerStatuses: z.array(containerStatus()).optional(),
            initContainerStatuses: z.array(containerStatus()).optional(),
          })
          .optional(),
      }),
    ),
  });

/**
 * Parses the output of `kubectl get pods -o json`. A container that ended before the run does not explain a failure.
 */
export function readPodList(json: string, runStartedAt: number): ContainerFact[] {
  return podList()
    .parse(JSON.parse(json))
    .items.flatMap(({ metadata, status }) => {
      const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
      return containers.map((container) => podContainerFact(metadata.name, container, runStartedAt));
    });
}

function podContainerFact(
  pod: string,
  container: z.infer<ReturnType<typeof containerStatus>>,
  runStartedAt: number,
): ContainerFact {
  const { state, lastState } = container;
  const last = lastState?.terminated;
  const recent = last && endedSince(last.finishedAt, runStartedAt) ? last : undefined;
  const ended = state?.terminated ?? recent;
  return {
    name: `${pod}/${container.name}`,
    status: state?.waiting?.reason ?? ended?.reason ?? (state?.running ? 'running' : null),
    oomKilled: ended ? ended.reason === 'OOMKilled' : null,
    exitCode: ended?.exitCode ?? null,
  };
}

/** Kubernetes reports whole seconds. */
function endedSince(finishedAt: string | null | undefined, runStartedAt: number): boolean {
  return finishedAt ? Date.parse(finishedAt) >= runStartedAt - 1_000 : true;
}

async function fromDocker(root: string, names: readonly string[]): Promise<ContainerFacts> {
  // Reads stdout even after a failure: docker fails if a container is missing, but still prints the others.
  const args = ['inspect', '--type', 'container', '--', ...names];
  const { stdout, problem } = await ask('docker', args, { cwd: root, ...LIMITS });
  return read('docker', problem, () => readDockerInspect(stdout || '[]'));
}

async function fromKubernetes(root: string, namespace: string, runStartedAt: number): Promise<ContainerFacts> {
  const args = ['get', 'pods', `--namespace=${namespace}`, '--output=json'];
  const { stdout, problem } = await ask('kubectl', args, { cwd: root, ...LIMITS });
  return read('kubectl', problem, () => (stdout ? readPodList(stdout, runStartedAt) : []));
}

function read(program: string, problem: string | null, parse: () => ContainerFact[]): ContainerFacts {
  const notes = problem === null ? [] : [`Container state is incomplete: ${problem}`];
  try {
    return { containers: parse(), notes };
  } catch (thrown) {
    return {
      containers: [],
      notes: [...notes, `Container state not read: ${program} answered ${firstLine(messageOf(thrown))}`],
    };
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function nothing(): ContainerFacts {
  return { containers: [], notes: [] };
}
