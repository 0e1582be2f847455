/**
 * Reports what runs in a Kubernetes namespace and why it does not, with the output of kubectl. It changes nothing. A
 * missing tool is a reason, not a failure.
 */

import { type Asked, ask } from '../../../system/ask.ts';
import { count } from '../../../text/count.ts';
import type { Finding } from '../context-model.ts';
import { addContainerEvidence } from '../hypothesis.ts';
import type { ContextScope } from '../scope.ts';
import { dockerState } from './docker.ts';

/** An unreachable cluster must not delay the answer. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Limit for the pods to describe and whose logs to read. */
const MAX_UNWELL_PODS = 3;
const MAX_ROWS = 15;
const MAX_EVENTS = 5;
const LOG_LINES = 40;

/** RFC 1123 label, which Kubernetes requires for a namespace. */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/** `status` is kubectl's column, for example `CrashLoopBackOff`, `Init:Error`, `Running`. */
type Pod = { name: string; status: string; restarts: number; isUnwell: boolean; row: string };

/** `why` is a sentence with the reason for a missing list of pods. */
type Cluster = { pods: Pod[]; why: string | null };

const cached = new WeakMap<ContextScope, Promise<Cluster>>();

export async function clusterState(scope: ContextScope): Promise<Finding> {
  const { pods, why } = await clusterOf(scope);
  if (why !== null) return { why_not: why };
  const unwell = pods.filter(({ isUnwell }) => isUnwell);
  const described = await Promise.all(unwell.slice(0, MAX_UNWELL_PODS).map((pod) => describe(scope, pod)));
  for (const text of [...described, ...unwell.map(({ status }) => status)]) addContainerEvidence(scope, text);
  const rows = [...unwell, ...pods.filter(({ isUnwell }) => !isUnwell)].map(({ row }) => row);
  const more = rows.length > MAX_ROWS ? [`(${rows.length - MAX_ROWS} more pods)`] : [];
  const answer = [
    `${count(pods.length, 'pod')}, ${unwell.length} not well`,
    ...rows.slice(0, MAX_ROWS),
    ...more,
    ...described,
  ];
  return {
    answer: answer.filter((line) => line !== '').join('\n'),
    source: `kubectl get pods -n ${namespaceOf(scope)}`,
  };
}

/** Returns the states of the pod's containers with their reasons, and the warnings in its events. */
async function describe(scope: ContextScope, { name }: Pod): Promise<string> {
  const { stdout } = await kubectl(scope, ['describe', 'pod', name]);
  const fields = stdout.match(/^\s+(?:State|Last State|Reason|Message|Exit Code|memory):\s+\S.*$/gmu) ?? [];
  const states = [...new Set(fields.map((field) => field.trim().replaceAll(/\s+/gu, ' ')))].join(', ');
  const warnings = stdout.match(/^\s+Warning\s.*$/gmu) ?? [];
  const told = warnings.slice(-MAX_EVENTS).map((row) => row.trim().replaceAll(/\s{2,}/gu, '  '));
  const lines = [states, ...told].filter((line) => line !== '');
  return lines.length === 0 ? '' : `describe pod ${name}:\n  ${lines.join('\n  ')}`;
}

export async function deploymentState(scope: ContextScope): Promise<Finding> {
  const findings = await Promise.all([deployments(scope), dockerState(scope)]);
  const known = findings.filter((finding) => 'answer' in finding);
  if (known.length === 0) return { why_not: findings.map((one) => ('why_not' in one ? one.why_not : '')).join(' ') };
  return { answer: known.map((one) => one.answer).join('\n'), source: known.map((one) => one.source).join(', ') };
}

/** Returns the table of deployments. If a deployment is not ready, adds the newest warnings of the namespace. */
async function deployments(scope: ContextScope): Promise<Finding> {
  const { why } = await clusterOf(scope);
  if (why !== null && !why.includes('has no pods')) return { why_not: why };
  const { stdout, problem } = await kubectl(scope, ['get', 'deployments']);
  if (problem !== null) return { why_not: `kubectl get deployments: ${problem}.` };
  const rows = stdout
    .trim()
    .split('\n')
    .slice(0, MAX_ROWS + 1);
  if (rows.length < 2) return { why_not: 'The namespace has no deployments.' };
  const isUnready = rows.some((row) => /\s0\/[1-9]\d*\s|\s(\d+)\/(?!\1\s)\d+\s/u.test(row));
  const warned = isUnready ? await kubectl(scope, ['get', 'events', '--field-selector', 'type=Warning']) : undefined;
  const events = warned?.stdout.trim().split('\n').slice(1).slice(-MAX_EVENTS) ?? [];
  return { answer: [...rows, ...events].join('\n'), source: 'kubectl get deployments' };
}

/** Returns the last output of containers that ended. */
export async function previousLogs(scope: ContextScope): Promise<string | null> {
  const { pods } = await clusterOf(scope);
  // A pod that waits for its image or its node has no output.
  const hasRun = ({ isUnwell, restarts, status }: Pod) =>
    isUnwell && (restarts > 0 || !/Image|Pending|Config/u.test(status));
  const logs = await Promise.all(
    pods
      .filter(hasRun)
      .slice(0, MAX_UNWELL_PODS)
      .map((pod) => logOf(scope, pod)),
  );
  return logs.filter((log) => log !== '').join('\n\n') || null;
}

async function logOf(scope: ContextScope, { name }: Pod): Promise<string> {
  const options = [`--tail=${LOG_LINES}`, '--all-containers=true'];
  const before = await kubectl(scope, ['logs', name, '--previous', ...options]);
  const log = before.problem === null ? before : await kubectl(scope, ['logs', name, ...options]);
  const text = scope.redact(log.stdout).trim();
  return text === '' ? '' : `kubectl logs ${name}${before.problem === null ? ' --previous' : ''}:\n${text}`;
}

function clusterOf(scope: ContextScope): Promise<Cluster> {
  const known = cached.get(scope) ?? askCluster(scope);
  cached.set(scope, known);
  return known;
}

export function namespaceOf({ request }: ContextScope): string | undefined {
  return request.namespace ?? request.config.kubernetes?.namespace;
}

async function askCluster(scope: ContextScope): Promise<Cluster> {
  const namespace = namespaceOf(scope);
  const none = (why: string): Cluster => ({ pods: [], why });
  if (namespace === undefined) return none('No namespace was given (--namespace), so Kubernetes is not involved.');
  if (!NAMESPACE.test(namespace)) return none(`'${namespace}' cannot be the name of a namespace.`);
  const { stdout, problem } = await kubectl(scope, ['get', 'pods', '-o', 'wide']);
  if (problem !== null) return none(`kubectl could not be asked: ${problem}.`);
  const [heading = '', ...rows] = stdout.trim().split('\n');
  if (heading !== '' && !/^NAME\s.*STATUS/u.test(heading))
    return none('The answer of kubectl get pods is not understood.');
  if (rows.length === 0) return none(`The namespace ${namespace} has no pods, or does not exist.`);
  return { pods: rows.map(podIn), why: null };
}

/** Parses a line such as `press-web  0/1  CrashLoopBackOff  9 (45s ago)  26m`. */
function podIn(line: string): Pod {
  const [name = '', ready = '', status = '', restarts = ''] = line.split(/\s+/u);
  const [now, wanted] = ready.split('/');
  const isWell = /^(?:Completed|Succeeded|Terminating)$/u.test(status) || (status === 'Running' && now === wanted);
  const row = `${name}  ${ready}  ${status}  ${count(Number.parseInt(restarts, 10) || 0, 'restart')}`;
  return { name, status, restarts: Number.parseInt(restarts, 10) || 0, isUnwell: !isWell, row };
}

async function kubectl(scope: ContextScope, args: readonly string[]): Promise<Asked> {
  const { files, request } = scope;
  const options = { cwd: files.root, signal: request.signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  return await ask('kubectl', [...args, '-n', namespaceOf(scope) ?? ''], options);
}
