/**
 * Collects the facts that the gate needs in addition to the run: the base of the change, the tests of the base, and the
 * ending of the command.
 */

import type { MissingTestsResult, RunRecord } from 'argus-engine';
import type { LoadedConfig } from '../../config/load.ts';
import { type QuarantineVersions, quarantineVersions } from '../../config/quarantine-versions.ts';
import { type BaseQuery, baseRevision, commitsOfBase, type FoundBase } from '../../git/base-revision.ts';
import type { Project } from '../../owner/project.ts';
import type { Session } from '../../sessions/session.ts';
import { ciCheckout, isInCi } from '../../system/ci.ts';
import { ciChange } from '../../system/ci-change.ts';
import { io } from '../../system/io.ts';
import { configOfBase } from './base-config.ts';
import type { GateBase } from './excuse.ts';
import type { GateFacts } from './gate-judgement.ts';
import { otherReasons } from './other-reasons.ts';
import type { Outcome } from './outcomes.ts';

/** Number of newest runs in which to look for runs of the base, and number of base runs to compare. */
const MAX_RUNS = 100;
const MAX_BASE_RUNS = 10;

export interface GateOptions {
  base?: string;
  outcome?: Outcome;
  /** File with the output of the tests. */
  log?: string;
}

/** Returns the base from the options, otherwise from the variables of the CI service. */
export function baseQuery(base: string | undefined): BaseQuery {
  const change = ciChange(io().env);
  const target = base ?? change.base;
  const isOfBase = !change.isPullRequest && target !== null && ciCheckout(io().env).branch === target;
  return { base: target, isInCi: isInCi(), isOfBase };
}

/**
 * Returns the configuration that judges the change. Outside CI and without a named base, this is the configuration of
 * the checkout.
 */
export async function judgingConfig(project: Project, loaded: LoadedConfig, base?: string): Promise<LoadedConfig> {
  const query = baseQuery(base);
  if (query.isOfBase || (!query.isInCi && query.base === null)) return loaded;
  const found = await baseRevision(project.top, query);
  if (found === undefined) return loaded;
  return configOfBase(project, loaded, 'missing' in found ? null : found);
}

export interface Collected {
  facts: Omit<GateFacts, 'unread' | 'again'>;
  quarantine: QuarantineVersions;
}

/** `isRecorded` is false if the memory does not have the run, which then cannot be compared. */
export async function gateFacts(
  session: Session,
  run: RunRecord,
  { base, outcome, log }: GateOptions,
  isRecorded = true,
): Promise<Collected> {
  const found = await baseRevision(session.project.top, baseQuery(base));
  const commits = await gateBase(found);
  const facts = {
    outcome,
    today: today(),
    base: commits,
    missing: isRecorded ? await missingTests(session, run, commits) : null,
    missingFails: session.config.gate?.missingTests === 'fail',
    otherReasons: otherReasons(session.root, log),
  };
  return { facts, quarantine: await quarantineVersions(session.project, found) };
}

function today(): string {
  return new Date(io().now()).toISOString().slice(0, 10);
}

async function gateBase(found: FoundBase): Promise<GateBase> {
  if (found === undefined)
    return { commits: null, problem: 'there is no git repository, so no run without this change' };
  if ('missing' in found) return { commits: null, problem: found.missing };
  const { commits, isShallow } = await commitsOfBase(found);
  const shallow = 'this clone is shallow, so runs of the base are not known: check out with fetch-depth: 0';
  return { commits, problem: isShallow ? shallow : null };
}

async function missingTests(
  session: Session,
  { id, gitCommit }: RunRecord,
  { commits }: GateBase,
): Promise<MissingTestsResult | null> {
  if (commits === null) return null;
  const { value } = await session.withEngine((engine) => engine.history({ limit: MAX_RUNS }));
  const isOfBase = (run: RunRecord) =>
    run.gitCommit !== null && run.gitCommit !== gitCommit && commits.has(run.gitCommit) && run.dirty === false;
  const baseRunIds = value.runs.filter((run) => isOfBase(run) && run.foreign !== true).map((run) => run.id);
  if (baseRunIds.length === 0) return null;
  const compared = { runId: id, baseRunIds: baseRunIds.slice(0, MAX_BASE_RUNS) };
  return (await session.withEngine((engine) => engine.missingTests(compared))).value;
}
