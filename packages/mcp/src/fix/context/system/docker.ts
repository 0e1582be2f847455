/**
 * Shows the state of the containers that the configuration names, or else of those that compose started here. Nothing
 * is changed. A missing tool is reported as the reason for a missing answer.
 */

import { type Asked, ask } from '../../../system/ask.ts';
import type { Finding } from '../context-model.ts';
import { addContainerEvidence } from '../hypothesis.ts';
import type { ContextScope } from '../scope.ts';

const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];
const MAX_CONTAINERS = 15;

/** One line per container, without empty fields. */
const STATE =
  '{{.Name}}: {{.State.Status}}{{if not .State.Running}}, exit code {{.State.ExitCode}}{{end}}{{if .State.OOMKilled}}, OOMKilled{{end}}{{if .State.Health}}, {{.State.Health.Status}}{{end}}{{if .State.Error}}, {{.State.Error}}{{end}}';

export async function dockerState(scope: ContextScope): Promise<Finding> {
  const names = scope.request.config.containers ?? (await composeContainers(scope));
  if (typeof names === 'string') return { why_not: names };
  if (names.length === 0) return { why_not: 'docker knows no container of this project.' };
  // The command fails if a container is missing, but prints the other containers.
  const { stdout, problem } = await docker(scope, [
    'inspect',
    '--type',
    'container',
    '--format',
    STATE,
    '--',
    ...names,
  ]);
  const rows = stdout
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => `container ${row.replace(/^\//u, '')}`);
  if (rows.length === 0) return { why_not: `${problem ?? 'docker knows none of the containers'}.` };
  for (const row of rows) addContainerEvidence(scope, row);
  return { answer: [...rows, ...(problem === null ? [] : [problem])].join('\n'), source: 'docker inspect' };
}

/** The containers that compose started from this folder, or the reason why there are none. */
async function composeContainers(scope: ContextScope): Promise<string[] | string> {
  const { files } = scope;
  if (!COMPOSE_FILES.some((name) => files.has(name))) {
    return 'The project has no compose file, and argus.yaml names no containers.';
  }
  const filter = `label=com.docker.compose.project.working_dir=${files.root}`;
  const { stdout, problem } = await docker(scope, ['ps', '--all', '--filter', filter, '--format', '{{.Names}}']);
  return problem === null
    ? stdout
        .split('\n')
        .filter((name) => name !== '')
        .slice(0, MAX_CONTAINERS)
    : `${problem}.`;
}

async function docker({ files, request }: ContextScope, args: readonly string[]): Promise<Asked> {
  return await ask('docker', args, { cwd: files.root, signal: request.signal });
}
