/**
 * Reads what kubectl prints: pods as JSON or as a table, and the parts of a description that say why one does not run.
 * Running it: cluster.ts.
 */

import { z } from 'zod';
import { parsed } from '../../../environment/facts.ts';
import { count } from '../../../text/count.ts';

export interface Pod {
  name: string;
  ready: string;
  /** As kubectl's own column shows it: `CrashLoopBackOff`, `Init:Error`, `Running`. */
  status: string;
  restarts: number;
  /** Why it is not well, one sentence per container; empty for a healthy one. */
  troubles: string[];
}

const terminated = () =>
  z.object({ reason: z.string().nullish(), exitCode: z.number().nullish(), signal: z.number().nullish() });
const state = () =>
  z.object({
    waiting: z.object({ reason: z.string().nullish(), message: z.string().nullish() }).nullish(),
    running: z.looseObject({}).nullish(),
    terminated: terminated().nullish(),
  });
const containerStatus = () =>
  z.object({
    name: z.string(),
    ready: z.boolean().nullish(),
    restartCount: z.number().nullish(),
    image: z.string().nullish(),
    state: state().nullish(),
    lastState: state().nullish(),
  });
const conditions = () =>
  z
    .array(
      z.object({
        type: z.string(),
        status: z.string(),
        reason: z.string().nullish(),
        message: z.string().nullish(),
      }),
    )
    .nullish();
const podSchema = () =>
  z.object({
    metadata: z.object({ name: z.string(), deletionTimestamp: z.string().nullish() }),
    spec: z
      .object({
        containers: z
          .array(
            z.object({
              name: z.string(),
              image: z.string().nullish(),
              resources: z.object({ limits: z.record(z.string(), z.unknown()).nullish() }).nullish(),
            }),
          )
          .nullish(),
      })
      .nullish(),
    status: z
      .object({
        phase: z.string().nullish(),
        reason: z.string().nullish(),
        message: z.string().nullish(),
        conditions: conditions(),
        containerStatuses: z.array(containerStatus()).nullish(),
        initContainerStatuses: z.array(containerStatus()).nullish(),
      })
      .nullish(),
  });

type RawPod = z.infer<ReturnType<typeof podSchema>>;
type Container = z.infer<ReturnType<typeof containerStatus>>;

/** `kubectl get pods`, as JSON (a list or a single pod) or as its table; undefined when it is neither. */
export function readPods(text: string): Pod[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  return trimmed.startsWith('{') ? readJson(trimmed) : readTable(trimmed);
}

function readJson(text: string): Pod[] | undefined {
  const value = parsed(JSON.parse, text);
  const list = z.object({ items: z.array(podSchema()) }).safeParse(value);
  if (list.success) return list.data.items.map(podOf);
  const single = podSchema().safeParse(value);
  return single.success ? [podOf(single.data)] : undefined;
}

function podOf(raw: RawPod): Pod {
  const containers = raw.status?.containerStatuses ?? [];
  const inits = raw.status?.initContainerStatuses ?? [];
  const total = raw.spec?.containers?.length ?? containers.length;
  return {
    name: raw.metadata.name,
    ready: `${containers.filter(({ ready }) => ready).length}/${total}`,
    status: statusColumn(raw, inits, containers),
    restarts: containers.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0),
    troubles: [...podTroubles(raw), ...[...inits, ...containers].flatMap((one) => containerTroubles(one, raw))],
  };
}

/** The same order in which kubectl decides what its column shows. */
function statusColumn(raw: RawPod, inits: readonly Container[], containers: readonly Container[]): string {
  if (raw.metadata.deletionTimestamp) return 'Terminating';
  const init = inits.find(({ state: now }) => now?.terminated?.exitCode !== 0 && !now?.running);
  const initReason = init && (init.state?.terminated?.reason ?? init.state?.waiting?.reason);
  if (initReason && initReason !== 'PodInitializing') return `Init:${initReason}`;
  const reasons = containers.map(({ state: now }) => now?.waiting?.reason ?? endReason(now?.terminated));
  const reason =
    reasons.find((one) => one !== undefined && one !== 'Completed') ?? reasons.find((one) => one !== undefined);
  if (reason === 'Completed' && containers.some(({ ready }) => ready)) return 'Running';
  return reason ?? raw.status?.reason ?? raw.status?.phase ?? 'Unknown';
}

type Terminated = z.infer<ReturnType<typeof terminated>>;

function endReason(end: Terminated | null | undefined): string | undefined {
  if (!end) return undefined;
  return end.reason ?? (end.signal ? `Signal:${end.signal}` : `ExitCode:${end.exitCode ?? '?'}`);
}

function podTroubles({ status }: RawPod): string[] {
  const unscheduled = status?.conditions?.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  return [
    ...(unscheduled
      ? [`not scheduled (${unscheduled.reason ?? 'no reason given'}): ${unscheduled.message ?? ''}`]
      : []),
    ...(status?.reason ? [`${status.reason}: ${status.message ?? ''}`] : []),
  ].map((text) => text.trim());
}

function containerTroubles(container: Container, raw: RawPod): string[] {
  const { state: now, lastState, name } = container;
  const restarts = container.restartCount ? `, ${count(container.restartCount, 'restart')}` : '';
  const end = now?.terminated ?? lastState?.terminated;
  const failed = end && (end.exitCode !== 0 || end.reason === 'OOMKilled') ? end : undefined;
  const waiting = now?.waiting?.reason && !/^(?:ContainerCreating|PodInitializing)$/u.test(now.waiting.reason);
  if (!waiting && !failed) return [];
  const parts = [
    waiting && `${now?.waiting?.reason}${now?.waiting?.message ? `: ${now.waiting.message}` : ''}`,
    failed &&
      `${now?.terminated ? 'ended' : 'last ended'} with ${endReason(failed)} (exit code ${failed.exitCode ?? '?'})`,
    failed?.reason === 'OOMKilled' && memoryLimit(raw, name),
  ].filter((part) => typeof part === 'string' && part !== '');
  const image =
    /Image|ErrImage/u.test(now?.waiting?.reason ?? '') && container.image ? ` (image ${container.image})` : '';
  return [`container ${name}: ${parts.join('; ')}${image}${restarts}`];
}

function memoryLimit({ spec }: RawPod, name: string): string {
  const limit = spec?.containers?.find((one) => one.name === name)?.resources?.limits?.memory;
  return typeof limit === 'string' ? `memory limit ${limit}` : 'no memory limit of its own';
}

/** Columns begin where their headings do; `7 (32s ago)` holds spaces. */
function readTable(text: string): Pod[] | undefined {
  const [heading = '', ...rows] = text.split('\n');
  const columns = [...heading.matchAll(/\S+(?: \S+)*/gu)].map((match) => ({ name: match[0], start: match.index }));
  if (!columns.some(({ name }) => name === 'NAME') || !columns.some(({ name }) => name === 'STATUS')) return undefined;
  const cell = (row: string, name: string) => {
    const index = columns.findIndex((column) => column.name === name);
    return index < 0 ? '' : row.slice(columns[index]?.start, columns[index + 1]?.start).trim();
  };
  return rows
    .filter((row) => row.trim() !== '')
    .map((row) => {
      const status = cell(row, 'STATUS');
      const ready = cell(row, 'READY');
      return {
        name: cell(row, 'NAME'),
        ready,
        status,
        restarts: Number.parseInt(cell(row, 'RESTARTS'), 10) || 0,
        troubles: isWell(status, ready) ? [] : [status],
      };
    });
}

function isWell(status: string, ready: string): boolean {
  if (status === 'Completed' || status === 'Succeeded' || status === 'Terminating') return true;
  const [now, wanted] = ready.split('/');
  return status === 'Running' && now === wanted;
}

/** A pod that needs looking at. */
export function isUnwell(pod: Pod): boolean {
  return !isWell(pod.status, pod.ready) || (pod.troubles.length > 0 && pod.status !== 'Completed');
}

/** Of `kubectl describe pod`: states with their reasons, and the warnings among the events. */
export function readDescription(text: string): string[] {
  return [...statesIn(text), ...warningsIn(text)];
}

const STATE_FIELD = /^\s+(?<field>State|Last State|Reason|Message|Exit Code|Restart Count|Image):\s+(?<value>\S.*)$/u;

/** Container by container, in one line each, where something is wrong. */
function statesIn(text: string): string[] {
  const section = /^(?:Init )?Containers:\n(?<body>(?:[ \t].*\n?)*)/gmu;
  const found: string[] = [];
  for (const { groups } of text.matchAll(section)) {
    const bodies = (groups?.body ?? '').split(/^ {2}(?=[\w.-]+:\s*$)/mu).filter((one) => one.trim() !== '');
    for (const body of bodies) {
      const name = body.split(':', 1)[0]?.trim() ?? '';
      const fields = body.split('\n').flatMap((line) => {
        const match = STATE_FIELD.exec(line)?.groups;
        return match ? [{ name: match.field ?? '', value: match.value?.trim() ?? '' }] : [];
      });
      const isTrouble = fields.some(
        ({ name: field, value }) =>
          field === 'Reason' && !/^(?:Completed|ContainerCreating|PodInitializing)$/u.test(value),
      );
      if (!isTrouble) continue;
      const told = fields.filter(
        ({ name: field, value }) => field !== 'Image' || /Image/u.test(body.replace(value, '')),
      );
      found.push(`container ${name}: ${told.map(({ name: field, value }) => `${field} ${value}`).join(', ')}`);
    }
  }
  return found;
}

/** `Warning  FailedScheduling  38s  default-scheduler  0/1 nodes ...`; the newest few, each once. */
function warningsIn(text: string): string[] {
  const events = /^Events:[ \t]*\n(?<body>[\s\S]*)$/mu.exec(text)?.groups?.body ?? '';
  const rows = events.split('\n').filter((row) => /^\s*Warning\s/u.test(row));
  const told = rows.map((row) => {
    const [, reason = '', age = '', , ...message] = row.trim().split(/\s{2,}/u);
    return `${reason} (${age}): ${message.join(' ')}`;
  });
  return [...new Set(told)].slice(-5);
}

const deploymentList = () =>
  z.object({
    items: z.array(
      z.object({
        metadata: z.object({ name: z.string() }),
        spec: z.object({ replicas: z.number().nullish() }).nullish(),
        status: z
          .object({
            readyReplicas: z.number().nullish(),
            updatedReplicas: z.number().nullish(),
            conditions: conditions(),
          })
          .nullish(),
      }),
    ),
  });

/** `kubectl get deployments`, as JSON or as its table; one line each. */
export function readDeployments(text: string): string[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (!trimmed.startsWith('{')) return /^NAME\s+READY/u.test(trimmed) ? trimmed.split('\n').slice(0, 20) : undefined;
  const list = deploymentList().safeParse(parsed(JSON.parse, trimmed));
  if (!list.success) return undefined;
  return list.data.items.map(({ metadata, spec, status }) => {
    const wrong = (status?.conditions ?? [])
      .filter(({ type, status: value }) => (type === 'ReplicaFailure' ? value === 'True' : value === 'False'))
      .map(({ type, reason, message }) => `${type}: ${reason ?? ''} ${message ?? ''}`.trim());
    const ready = `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 1} ready`;
    return `deployment ${metadata.name}: ${[ready, ...wrong].join('; ')}`;
  });
}
