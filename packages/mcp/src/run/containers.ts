/** Reads the state of a project's containers from docker and kubectl. A missing tool is a note, not an error. */

import type { ContainerFact } from 'argus-engine';
import { z } from 'zod';
import type { Config } from '../config/schema.ts';
import { getErrorMessage } from '../errors.ts';
import { runProgram } from '../system/programs.ts';

/** The time limit ensures that an unreachable cluster does not delay the answer for long. */
const PROGRAM_LIMITS = { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024 };

export interface ContainerFacts {
  containers: ContainerFact[];
  notes: string[];
}

/** Reads facts about the configured containers and the configured namespace. Both settings are optional. */
export async function readContainerFacts(root: string, config: Config, runStartedAt: number): Promise<ContainerFacts> {
  const parts = await Promise.all([
    config.containers?.length ? inspectContainers(root, config.containers) : createEmptyFacts(),
    config.kubernetes ? listPodContainers(root, config.kubernetes.namespace, runStartedAt) : createEmptyFacts(),
  ]);
  return { containers: parts.flatMap((part) => part.containers), notes: parts.flatMap((part) => part.notes) };
}

const createInspectSchema = () =>
  z.array(
    z.object({
      Name: z.string(),
      State: z.object({ Status: z.string(), OOMKilled: z.boolean().optional(), ExitCode: z.number().optional() }),
    }),
  );

/** Parses the output of `docker inspect`. */
export function parseDockerInspect(json: string): ContainerFact[] {
  return createInspectSchema()
    .parse(JSON.parse(json))
    .map(({ Name, State }) => ({
      name: Name.replace(/^\//u, ''),
      status: State.Status,
      oomKilled: State.OOMKilled ?? null,
      // A running container reports exit code 0, although it has not ended.
      exitCode: State.Status === 'running' ? null : (State.ExitCode ?? null),
    }));
}

const createTerminatedSchema = () =>
  z.object({
    reason: z.string().optional(),
    exitCode: z.number().optional(),
    finishedAt: z.string().nullish(),
  });
const createStateSchema = () =>
  z.object({
    waiting: z.object({ reason: z.string().optional() }).optional(),
    running: z.object({}).optional(),
    terminated: createTerminatedSchema().optional(),
  });
const createStatusSchema = () =>
  z.object({
    name: z.string(),
    state: createStateSchema().optional(),
    lastState: createStateSchema().optional(),
  });
const createPodListSchema = () =>
  z.object({
    items: z.array(
      z.object({
        metadata: z.object({ name: z.string() }),
        status: z
          .object({
            containerStatuses: z.array(createStatusSchema()).optional(),
            initContainerStatuses: z.array(createStatusSchema()).optional(),
          })
          .optional(),
      }),
    ),
  });

/**
 * Parses the output of `kubectl get pods -o json`. A container that ended before the run does not explain a failure.
 */
export function parsePodList(json: string, runStartedAt: number): ContainerFact[] {
  return createPodListSchema()
    .parse(JSON.parse(json))
    .items.flatMap(({ metadata, status }) => {
      const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
      return containers.map((container) => createPodContainerFact(metadata.name, container, runStartedAt));
    });
}

function createPodContainerFact(
  pod: string,
  container: z.infer<ReturnType<typeof createStatusSchema>>,
  runStartedAt: number,
): ContainerFact {
  const { state, lastState } = container;
  const last = lastState?.terminated;
  const recent = last && hasEndedSince(last.finishedAt, runStartedAt) ? last : undefined;
  const ended = state?.terminated ?? recent;
  return {
    name: `${pod}/${container.name}`,
    status: state?.waiting?.reason ?? ended?.reason ?? (state?.running ? 'running' : null),
    oomKilled: ended ? ended.reason === 'OOMKilled' : null,
    exitCode: ended?.exitCode ?? null,
  };
}

/** Also true if the end is unknown. The tolerance is a second, because Kubernetes reports whole seconds. */
function hasEndedSince(finishedAt: string | null | undefined, runStartedAt: number): boolean {
  return finishedAt ? Date.parse(finishedAt) >= runStartedAt - 1_000 : true;
}

async function inspectContainers(root: string, names: readonly string[]): Promise<ContainerFacts> {
  // Reads stdout even after a failure: docker fails if a container is missing, but still prints the others.
  const args = ['inspect', '--type', 'container', '--', ...names];
  const { stdout, problem } = await runProgram('docker', args, { cwd: root, ...PROGRAM_LIMITS });
  return parseWithNotes('docker', problem, () => parseDockerInspect(stdout || '[]'));
}

async function listPodContainers(root: string, namespace: string, runStartedAt: number): Promise<ContainerFacts> {
  const args = ['get', 'pods', `--namespace=${namespace}`, '--output=json'];
  const { stdout, problem } = await runProgram('kubectl', args, { cwd: root, ...PROGRAM_LIMITS });
  return parseWithNotes('kubectl', problem, () => (stdout ? parsePodList(stdout, runStartedAt) : []));
}

function parseWithNotes(program: string, problem: string | null, parse: () => ContainerFact[]): ContainerFacts {
  const notes = problem === null ? [] : [`Container state is incomplete: ${problem}`];
  try {
    return { containers: parse(), notes };
  } catch (thrown) {
    return {
      containers: [],
      notes: [
        ...notes,
        `Container state could not be read: ${program} answered ${getFirstLine(getErrorMessage(thrown))}`,
      ],
    };
  }
}

function getFirstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

function createEmptyFacts(): ContainerFacts {
  return { containers: [], notes: [] };
}
