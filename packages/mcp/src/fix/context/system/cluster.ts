/**
 * Shows the pods and deployments of the Kubernetes namespace, and why they fail, as kubectl prints it. It changes
 * nothing. If kubectl is missing, that is the reason for the missing answer.
 */

import { type ProgramResult, runProgram } from '../../../system/programs.ts';
import { formatCount } from '../../../text/count.ts';
import type { ContextScope, Finding } from '../context-model.ts';
import { addContainerEvidence } from '../hypothesis.ts';

/** An unreachable cluster must not delay the other answers. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Maximum number of pods that are described and whose logs are read. */
const MAX_DESCRIBED_PODS = 3;
const MAX_ROWS = 15;
const MAX_EVENTS = 5;
const LOG_LINES = 40;

/** The pattern for namespaces from RFC 1123, which Kubernetes requires. */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/** A pod. `status` is the column of kubectl: `CrashLoopBackOff`, `Init:Error`, `Running`. */
type Pod = { name: string; status: string; restarts: number; isUnhealthy: boolean; row: string };

/** The pods of the namespace. `why` is the reason why pods are missing, null if there are pods. */
type Cluster = { pods: Pod[]; why: string | null };

const clusterCache = new WeakMap<ContextScope, Promise<Cluster>>();

export async function describePods(scope: ContextScope): Promise<Finding> {
  const { pods, why } = await getCluster(scope);
  if (why !== null) return { why_not: why };
  const unwell = pods.filter(({ isUnhealthy }) => isUnhealthy);
  const described = await Promise.all(unwell.slice(0, MAX_DESCRIBED_PODS).map((pod) => describePod(scope, pod)));
  for (const text of [...described, ...unwell.map(({ status }) => status)]) addContainerEvidence(scope, text);
  const rows = [...unwell, ...pods.filter(({ isUnhealthy }) => !isUnhealthy)].map(({ row }) => row);
  const more = rows.length > MAX_ROWS ? [`(${rows.length - MAX_ROWS} more pods)`] : [];
  const answer = [
    `${formatCount(pods.length, 'pod')}, ${unwell.length} not well`,
    ...rows.slice(0, MAX_ROWS),
    ...more,
    ...described,
  ];
  return {
    answer: answer.filter((line) => line !== '').join('\n'),
    source: `kubectl get pods -n ${getNamespace(scope)}`,
  };
}

/** Returns the states of a pod's containers with their reasons, and the newest warning events. */
async function describePod(scope: ContextScope, { name }: Pod): Promise<string> {
  const { stdout } = await runKubectl(scope, ['describe', 'pod', name]);
  const fields = stdout.match(/^\s+(?:State|Last State|Reason|Message|Exit Code|memory):\s+\S.*$/gmu) ?? [];
  const states = [...new Set(fields.map((field) => field.trim().replaceAll(/\s+/gu, ' ')))].join(', ');
  const warnings = stdout.match(/^\s+Warning\s.*$/gmu) ?? [];
  const newestWarnings = warnings.slice(-MAX_EVENTS).map((row) => row.trim().replaceAll(/\s{2,}/gu, '  '));
  const lines = [states, ...newestWarnings].filter((line) => line !== '');
  return lines.length === 0 ? '' : `describe pod ${name}:\n  ${lines.join('\n  ')}`;
}

export async function describeDeployments(scope: ContextScope): Promise<Finding> {
  const findings = await Promise.all([listDeployments(scope), describeContainers(scope)]);
  const known = findings.filter((finding) => 'answer' in finding);
  if (known.length === 0) return { why_not: findings.map((one) => ('why_not' in one ? one.why_not : '')).join(' ') };
  return { answer: known.map((one) => one.answer).join('\n'), source: known.map((one) => one.source).join(', ') };
}

/** Returns the table of deployments. If a deployment is not ready, adds the newest warnings of the namespace. */
async function listDeployments(scope: ContextScope): Promise<Finding> {
  const { why } = await getCluster(scope);
  if (why !== null && !why.includes('has no pods')) return { why_not: why };
  const { stdout, problem } = await runKubectl(scope, ['get', 'deployments']);
  if (problem !== null) return { why_not: `kubectl get deployments: ${problem}.` };
  const rows = stdout
    .trim()
    .split('\n')
    .slice(0, MAX_ROWS + 1);
  if (rows.length < 2) return { why_not: 'The namespace has no deployments.' };
  const isUnready = rows.some((row) => /\s0\/[1-9]\d*\s|\s(\d+)\/(?!\1\s)\d+\s/u.test(row));
  const warned = isUnready ? await runKubectl(scope, ['get', 'events', '--field-selector', 'type=Warning']) : undefined;
  const events = warned?.stdout.trim().split('\n').slice(1).slice(-MAX_EVENTS) ?? [];
  return { answer: [...rows, ...events].join('\n'), source: 'kubectl get deployments' };
}

/**
 * Returns the logs of unhealthy pods: the output before the last restart, or the current output if there was no
 * restart.
 */
export async function readUnhealthyPodLogs(scope: ContextScope): Promise<string | null> {
  const { pods } = await getCluster(scope);
  // A pod that waits for its image or its node has not printed anything.
  const hasRun = ({ isUnhealthy, restarts, status }: Pod) =>
    isUnhealthy && (restarts > 0 || !/Image|Pending|Config/u.test(status));
  const logs = await Promise.all(
    pods
      .filter(hasRun)
      .slice(0, MAX_DESCRIBED_PODS)
      .map((pod) => readPodLog(scope, pod)),
  );
  return logs.filter((log) => log !== '').join('\n\n') || null;
}

async function readPodLog(scope: ContextScope, { name }: Pod): Promise<string> {
  const options = [`--tail=${LOG_LINES}`, '--all-containers=true'];
  const previous = await runKubectl(scope, ['logs', name, '--previous', ...options]);
  const log = previous.problem === null ? previous : await runKubectl(scope, ['logs', name, ...options]);
  const text = scope.redact(log.stdout).trim();
  return text === '' ? '' : `kubectl logs ${name}${previous.problem === null ? ' --previous' : ''}:\n${text}`;
}

function getCluster(scope: ContextScope): Promise<Cluster> {
  const known = clusterCache.get(scope) ?? readCluster(scope);
  clusterCache.set(scope, known);
  return known;
}

export function getNamespace({ request }: ContextScope): string | undefined {
  return request.namespace ?? request.config.kubernetes?.namespace;
}

async function readCluster(scope: ContextScope): Promise<Cluster> {
  const namespace = getNamespace(scope);
  const withoutPods = (why: string): Cluster => ({ pods: [], why });
  if (namespace === undefined)
    return withoutPods('No namespace was given (--namespace), so Kubernetes is not involved.');
  if (!NAMESPACE.test(namespace)) return withoutPods(`'${namespace}' is not a valid namespace name.`);
  const { stdout, problem } = await runKubectl(scope, ['get', 'pods', '-o', 'wide']);
  if (problem !== null) return withoutPods(`kubectl failed: ${problem}.`);
  const [heading = '', ...rows] = stdout.trim().split('\n');
  if (heading !== '' && !/^NAME\s.*STATUS/u.test(heading))
    return withoutPods('The output of kubectl get pods could not be parsed.');
  if (rows.length === 0) return withoutPods(`The namespace ${namespace} has no pods, or does not exist.`);
  return { pods: rows.map(parsePod), why: null };
}

/** Parses a row such as `press-web  0/1  CrashLoopBackOff  9 (45s ago)  26m`. */
function parsePod(line: string): Pod {
  const [name = '', ready = '', status = '', restarts = ''] = line.split(/\s+/u);
  const [now, wanted] = ready.split('/');
  const isWell = /^(?:Completed|Succeeded|Terminating)$/u.test(status) || (status === 'Running' && now === wanted);
  const row = `${name}  ${ready}  ${status}  ${formatCount(Number.parseInt(restarts, 10) || 0, 'restart')}`;
  return { name, status, restarts: Number.parseInt(restarts, 10) || 0, isUnhealthy: !isWell, row };
}

async function runKubectl(scope: ContextScope, args: readonly string[]): Promise<ProgramResult> {
  const { files, request } = scope;
  const options = { cwd: files.root, signal: request.signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  return await runProgram('kubectl', [...args, '-n', getNamespace(scope) ?? ''], options);
}

const COMPOSE_FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml'];
const MAX_CONTAINERS = 15;

/** Template of `docker inspect` for a line per container, without empty fields. */
const STATE_TEMPLATE =
  '{{.Name}}: {{.State.Status}}{{if not .State.Running}}, exit code {{.State.ExitCode}}{{end}}{{if .State.OOMKilled}}, OOMKilled{{end}}{{if .State.Health}}, {{.State.Health.Status}}{{end}}{{if .State.Error}}, {{.State.Error}}{{end}}';

/**
 * Shows the state of the containers that the configuration names, otherwise of the containers that Docker Compose
 * started from this folder. It changes nothing. If docker is missing, that is the reason for the missing answer.
 */
async function describeContainers(scope: ContextScope): Promise<Finding> {
  const names = scope.request.config.containers ?? (await listComposeContainers(scope));
  if (typeof names === 'string') return { why_not: names };
  if (names.length === 0) return { why_not: 'docker has no container of this project.' };
  // The command fails if a container is missing, but still prints the other containers.
  const { stdout, problem } = await runDocker(scope, [
    'inspect',
    '--type',
    'container',
    '--format',
    STATE_TEMPLATE,
    '--',
    ...names,
  ]);
  const rows = stdout
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => `container ${row.replace(/^\//u, '')}`);
  if (rows.length === 0) return { why_not: `${problem ?? 'docker has none of these containers'}.` };
  for (const row of rows) addContainerEvidence(scope, row);
  return { answer: [...rows, ...(problem === null ? [] : [problem])].join('\n'), source: 'docker inspect' };
}

/** Returns the containers that Docker Compose started from this folder, or the reason why there are none. */
async function listComposeContainers(scope: ContextScope): Promise<string[] | string> {
  const { files } = scope;
  if (!COMPOSE_FILES.some((name) => files.has(name))) {
    return 'The project has no compose file, and argus.yaml names no containers.';
  }
  const filter = `label=com.docker.compose.project.working_dir=${files.root}`;
  const { stdout, problem } = await runDocker(scope, ['ps', '--all', '--filter', filter, '--format', '{{.Names}}']);
  return problem === null
    ? stdout
        .split('\n')
        .filter((name) => name !== '')
        .slice(0, MAX_CONTAINERS)
    : `${problem}.`;
}

async function runDocker({ files, request }: ContextScope, args: readonly string[]): Promise<ProgramResult> {
  return await runProgram('docker', args, { cwd: files.root, signal: request.signal });
}
