/**
 * How the project's containers stand, as docker says: those the configuration names, else those compose started here.
 * Nothing is changed or started, and a missing tool is a reason, not a failure.
 */

import { z } from 'zod';
import { type Asked, ask } from '../../../system/ask.ts';
import type { Finding } from '../context-model.ts';
import { addContainerEvidence } from '../hypothesis.ts';
import type { ContextScope } from '../scope.ts';

const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];

const MAX_CONTAINERS = 15;

/** Of `docker inspect`, as the Engine's API documents it. */
const inspected = () =>
  z.array(
    z.object({
      Name: z.string(),
      State: z.object({
        Status: z.string(),
        OOMKilled: z.boolean().nullish(),
        ExitCode: z.number().nullish(),
        Error: z.string().nullish(),
        Health: z.object({ Status: z.string() }).nullish(),
      }),
    }),
  );

export async function dockerState(scope: ContextScope): Promise<Finding> {
  const names = scope.request.config.containers ?? (await composeContainers(scope));
  if (typeof names === 'string') return { why_not: names };
  if (names.length === 0) return { why_not: 'docker knows no container of this project.' };
  // It fails when one of several is missing, and still prints the others.
  const { stdout, problem } = await docker(scope, ['inspect', '--type', 'container', '--', ...names]);
  const containers = inspected().parse(JSON.parse(stdout.trim() || '[]'));
  if (containers.length === 0) return { why_not: `${problem ?? 'docker knows none of the containers'}.` };
  for (const { State } of containers) addContainerEvidence(scope, State.OOMKilled ? 'OOMKilled' : State.Status);
  const rows = containers.map(({ Name, State }) => `container ${Name.replace(/^\//u, '')}: ${stateWords(State)}`);
  return { answer: [...rows, ...(problem === null ? [] : [problem])].join('\n'), source: 'docker inspect' };
}

type State = z.infer<ReturnType<typeof inspected>>[number]['State'];

function stateWords({ Status, ExitCode, OOMKilled, Error: error, Health }: State): string {
  const words = [
    Status,
    // A running container reports 0 for an end that has not come.
    Status !== 'running' && typeof ExitCode === 'number' && `exit code ${ExitCode}`,
    OOMKilled && 'killed for lack of memory',
    Status === 'running' && Health && Health.Status !== 'none' && Health.Status,
    error,
  ];
  return words.filter((word) => word).join(', ');
}

/** The containers that compose started from this folder, or why there are none to ask about. */
async function composeContainers(scope: ContextScope): Promise<string[] | string> {
  const { files } = scope;
  if (!COMPOSE_FILES.some((name) => files.has(name))) {
    return 'The project has no compose file, and argus.yaml names no containers.';
  }
  const filter = `label=com.docker.compose.project.working_dir=${files.root}`;
  const { stdout, problem } = await docker(scope, ['ps', '--all', '--filter', filter, '--format', '{{.Names}}']);
  if (problem !== null) return `${problem}.`;
  return stdout
    .split('\n')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .slice(0, MAX_CONTAINERS);
}

async function docker({ files, request }: ContextScope, args: readonly string[]): Promise<Asked> {
  return await ask('docker', args, { cwd: files.root, signal: request.signal });
}
