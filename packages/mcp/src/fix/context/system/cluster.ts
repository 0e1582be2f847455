/**
 * What runs in the namespace of Kubernetes, and why it does not. Nothing is changed, and a missing tool is a reason,
 * not a failure. Reading what kubectl prints: kubectl.ts.
 */

import { type Asked, ask } from '../../../system/ask.ts';
import { count } from '../../../text/count.ts';
import type { Finding } from '../context-model.ts';
import { addContainerEvidence } from '../hypothesis.ts';
import type { ContextScope } from '../scope.ts';
import { dockerState } from './docker.ts';
import { isUnwell, type Pod, readDeployments, readDescription, readPods } from './kubectl.ts';

/** An unreachable cluster must not hold up the answer. */
const TIMEOUT_MS = 10_000;

/** A large namespace as JSON is megabytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Pods that are described and whose logs are read. */
const MAX_UNWELL_PODS = 3;
const MAX_PODS = 15;
const LOG_LINES = 30;

/** Read to find the message that a long stack belongs to. */
const LOG_TAIL_LINES = 300;
const FIRST_FRAME_LINES = 8;

/** RFC 1123, as Kubernetes demands of a namespace. */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

const cached = new WeakMap<ContextScope, Promise<Cluster>>();

interface Cluster {
  pods: Pod[];
  /** Why there are none, as a sentence. */
  why: string | null;
  source: string;
}

export async function clusterState(scope: ContextScope): Promise<Finding> {
  const { pods, why, source } = await clusterOf(scope);
  if (why !== null) return { why_not: why };
  if (pods.length === 0) return { why_not: `The namespace ${namespaceOf(scope)} has no pods, or does not exist.` };
  const unwell = pods.filter(isUnwell);
  const described = await Promise.all(unwell.slice(0, MAX_UNWELL_PODS).map((pod) => describe(scope, pod)));
  for (const text of [...unwell.flatMap(({ troubles }) => troubles), ...described]) addContainerEvidence(scope, text);
  const rows = [...unwell, ...pods.filter((pod) => !isUnwell(pod))].slice(0, MAX_PODS).map(podLine);
  const more = pods.length > MAX_PODS ? `(${pods.length - MAX_PODS} more pods)` : '';
  const answer = [`${count(pods.length, 'pod')}, ${unwell.length} not well`, ...rows, more, ...described];
  return { answer: answer.filter((line) => line !== '').join('\n'), source };
}

function podLine({ name, ready, status, restarts, troubles }: Pod): string {
  const why = troubles.filter((text) => text !== status);
  return `${name}  ${ready}  ${status}  ${count(restarts, 'restart')}${why.length > 0 ? `\n  ${why.join('\n  ')}` : ''}`;
}

async function describe(scope: ContextScope, pod: Pod): Promise<string> {
  const { stdout } = await kubectl(scope, ['describe', 'pod', pod.name]);
  const said = readDescription(stdout);
  return said.length === 0 ? '' : `describe pod ${pod.name}:\n  ${said.join('\n  ')}`;
}

export async function deploymentState(scope: ContextScope): Promise<Finding> {
  const [deployed, docker] = await Promise.all([deployments(scope), dockerState(scope)]);
  const known = [deployed, docker].filter((finding) => 'answer' in finding);
  if (known.length > 0) {
    return {
      answer: known.map(({ answer }) => answer).join('\n'),
      source: known.map(({ source }) => source).join(', '),
    };
  }
  const whys = [deployed, docker].flatMap((finding) => ('why_not' in finding ? [finding.why_not] : []));
  return { why_not: whys.join(' ') };
}

async function deployments(scope: ContextScope): Promise<Finding> {
  const { why } = await clusterOf(scope);
  if (why !== null) return { why_not: why };
  const { stdout, problem } = await kubectl(scope, ['get', 'deployments', '-o', 'json']);
  const found = problem === null ? readDeployments(stdout) : undefined;
  if (found === undefined) return { why_not: `kubectl get deployments: ${problem ?? 'its answer is not understood'}.` };
  if (found.length === 0) return { why_not: 'The namespace has no deployments.' };
  return { answer: found.join('\n'), source: 'kubectl get deployments' };
}

/** What containers printed before they ended. */
export async function previousLogs(scope: ContextScope): Promise<string | null> {
  const { pods, why } = await clusterOf(scope);
  if (why !== null) return null;
  const unwell = pods.filter(isUnwell).slice(0, MAX_UNWELL_PODS);
  const logs = await Promise.all(unwell.map((pod) => logOf(scope, pod)));
  const found = logs.filter((log) => log !== null);
  return found.length === 0 ? null : found.join('\n\n');
}

async function logOf(scope: ContextScope, { name, restarts, status }: Pod): Promise<string | null> {
  // A pod that waits for its image or its node has printed nothing.
  if (restarts === 0 && /Image|Pending|Config/u.test(status)) return null;
  const options = [`--tail=${LOG_TAIL_LINES}`, '--all-containers=true'];
  const before = await kubectl(scope, ['logs', name, '--previous', ...options]);
  const log = before.problem === null ? before : await kubectl(scope, ['logs', name, ...options]);
  const text = lastWords(scope.redact(log.stdout));
  return text === '' ? null : `kubectl logs ${name}${before.problem === null ? ' --previous' : ''}:\n${text}`;
}

/** The end of a log; where that is only the depth of a stack, with the message it belongs to. */
function lastWords(log: string): string {
  const lines = log.trimEnd().split('\n');
  const end = lines.slice(-LOG_LINES);
  if (!isFrame(end[0] ?? '')) return end.join('\n').trim();
  const message = lines.findLastIndex((line, index) => index < lines.length - LOG_LINES && !isFrame(line));
  return [...lines.slice(Math.max(0, message), message + FIRST_FRAME_LINES), '...', ...end.slice(-LOG_LINES / 2)].join(
    '\n',
  );
}

function isFrame(line: string): boolean {
  return /^\s+\S/u.test(line);
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
  const none = (why: string): Cluster => ({ pods: [], why, source: 'kubectl' });
  if (namespace === undefined) return none('No namespace was given (--namespace), so Kubernetes is not involved.');
  if (!NAMESPACE.test(namespace)) return none(`'${namespace}' cannot be the name of a namespace.`);
  const source = `kubectl get pods -n ${namespace}`;
  const asJson = await kubectl(scope, ['get', 'pods', '-o', 'json']);
  if (asJson.problem !== null) return none(`kubectl could not be asked: ${asJson.problem}.`);
  const pods = readPods(asJson.stdout) ?? readPods((await kubectl(scope, ['get', 'pods', '-o', 'wide'])).stdout);
  if (pods === undefined) return none('The answer of kubectl get pods is not understood.');
  return { pods, why: null, source };
}

async function kubectl(scope: ContextScope, args: readonly string[]): Promise<Asked> {
  const { files, request } = scope;
  const options = { cwd: files.root, signal: request.signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
  return await ask('kubectl', [...args, '-n', namespaceOf(scope) ?? ''], options);
}
