/**
 * Collects the facts that the gate needs in addition to the run: the base of the change and its configuration, the
 * tests of the base, and how the command ended.
 */

import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { MissingTestsResult, RunRecord } from 'argus-engine';
import { CONFIG_NAMES, type LoadedConfig, MAX_CONFIG_BYTES, parseConfig } from '../../config/load.ts';
import { type QuarantineVersions, readQuarantineVersions } from '../../config/quarantine.ts';
import type { Config } from '../../config/schema.ts';
import type { StepOutcome } from '../../format/report/gate.ts';
import {
  type BaseQuery,
  type BaseRevision,
  type BaseRevisionResult,
  findBaseRevision,
  listBaseCommits,
  readFileAtCommit,
} from '../../git/base-revision.ts';
import { listFoldersUpToRoot, type Project } from '../../owner/project.ts';
import type { Session } from '../../sessions/session.ts';
import { isInCi, readCiChange, readCiCheckout } from '../../system/ci.ts';
import { isWithin } from '../../system/files/path-safety.ts';
import { io } from '../../system/io.ts';
import type { GateBase, GateFacts } from './gate-judgement.ts';
import { findNonTestReasons } from './non-test-reasons.ts';

/** Number of newest runs among which to look for runs of the base. */
const MAX_RUNS = 100;
const MAX_BASE_RUNS = 10;

export interface GateOptions {
  base?: string;
  outcome?: StepOutcome;
  /** File with the output of the tests. */
  log?: string;
}

/**
 * Returns a query for the base in the options, or else for the base in the environment variables of the CI service.
 */
function createBaseQuery(base: string | undefined): BaseQuery {
  const change = readCiChange(io().env);
  const target = base ?? change.base;
  const isBaseBuild = !change.isPullRequest && target !== null && readCiCheckout(io().env).branch === target;
  return { base: target, isInCi: isInCi(), isBaseBuild };
}

/**
 * Returns the configuration with which the gate judges the change. Outside CI and without a named base, this is the
 * configuration of the checkout.
 */
export async function loadGateConfig(project: Project, loaded: LoadedConfig, base?: string): Promise<LoadedConfig> {
  const query = createBaseQuery(base);
  if (query.isBaseBuild || (!query.isInCi && query.base === null)) return loaded;
  const found = await findBaseRevision(project.top, query);
  if (found === undefined) return loaded;
  return mergeBaseConfig(project, loaded, 'missing' in found ? null : found);
}

interface GateInput {
  facts: Omit<GateFacts, 'unread' | 'committed' | 'again'>;
  quarantine: QuarantineVersions;
}

/**
 * Collects the facts and the quarantine. `isRecorded` is false if the memory does not have the run, so that the run
 * cannot be compared with runs of the base.
 */
export async function collectGateFacts(
  session: Session,
  run: RunRecord,
  { base, outcome, log }: GateOptions,
  isRecorded = true,
): Promise<GateInput> {
  const found = await findBaseRevision(session.project.top, createBaseQuery(base));
  const commits = await readGateBase(found);
  const facts = {
    outcome,
    today: getTodayUtc(),
    base: commits,
    missing: isRecorded ? await findMissingTests(session, run, commits) : null,
    missingFails: session.config.gate?.missingTests === 'fail',
    otherReasons: findNonTestReasons(session.root, log),
  };
  return { facts, quarantine: await readQuarantineVersions(session.project, found) };
}

function getTodayUtc(): string {
  return new Date(io().now()).toISOString().slice(0, 10);
}

async function readGateBase(found: BaseRevisionResult): Promise<GateBase> {
  if (found === undefined)
    return { commits: null, problem: 'this is not a git repository, so runs without this change are unknown' };
  if ('missing' in found) return { commits: null, problem: found.missing };
  const { commits, isShallow } = await listBaseCommits(found);
  const shallow = 'this clone is shallow, so runs of the base are unknown: check out with fetch-depth: 0';
  return { commits, problem: isShallow ? shallow : null };
}

async function findMissingTests(
  session: Session,
  { id, gitCommit }: RunRecord,
  { commits }: GateBase,
): Promise<MissingTestsResult | null> {
  if (commits === null) return null;
  const { value } = await session.withEngine((engine) => engine.history({ limit: MAX_RUNS }));
  const isBaseRun = (run: RunRecord) =>
    run.gitCommit !== null && run.gitCommit !== gitCommit && commits.has(run.gitCommit) && run.dirty === false;
  const baseRunIdsNewestFirst = value.runs.filter((run) => isBaseRun(run) && run.foreign !== true).map((run) => run.id);
  let compared: MissingTestsResult | null = null;
  // More than one batch may be needed, because the newest runs of the base may all belong to other jobs of a matrix.
  for (let at = 0; at < baseRunIdsNewestFirst.length && compared?.baseRunId == null; at += MAX_BASE_RUNS) {
    const baseRunIds = baseRunIdsNewestFirst.slice(at, at + MAX_BASE_RUNS);
    compared = (await session.withEngine((engine) => engine.missingTests({ runId: id, baseRunIds }))).value;
  }
  return compared;
}

/*
 * The configuration with which CI judges a change is the configuration of the base plus the redaction patterns that the
 * change adds. Otherwise a change could set its own `classify`, `test` or `history` and so decide about itself.
 */

/** If `base` is null (not known), only the redaction patterns of the checkout count. */
async function mergeBaseConfig(
  project: Project,
  loaded: LoadedConfig,
  base: BaseRevision | null,
): Promise<LoadedConfig> {
  // A configuration outside the repository belongs to the user, so the change cannot have edited it.
  if (loaded.path !== null && !isWithin(loaded.path, project.top)) return loaded;
  const paths = loaded.path === null ? listConfigPaths(project) : [loaded.path, ...listConfigPaths(project)];
  const written = base === null ? null : await readFirstFileAt(base, project, paths);
  // An invalid configuration in the base counts as empty, so that a change can correct it.
  const config = written === null ? {} : await parseConfig(written.text, written.file).catch((): Config => ({}));
  const merged: Config = { ...config, ...mergeRedaction(config, loaded.config) };
  return { path: loaded.path, config: merged, text: JSON.stringify(merged) };
}

function listConfigPaths(project: Project): string[] {
  return listFoldersUpToRoot(project).flatMap((folder) => CONFIG_NAMES.map((name) => path.join(folder, name)));
}

async function readFirstFileAt(
  base: BaseRevision,
  { top }: Project,
  files: readonly string[],
): Promise<{ file: string; text: string } | null> {
  for (const file of files) {
    const name = path.relative(top, file).replaceAll(path.sep, '/');
    const written = await readFileAtCommit(base, base.commit, name, MAX_CONFIG_BYTES);
    if (written !== null && !written.cut) return { file, text: written.text };
  }
  return null;
}

function mergeRedaction(base: Config, here: Config): Pick<Config, 'redact'> {
  const known = base.redact?.patterns ?? [];
  const added = (here.redact?.patterns ?? []).filter((one) => !known.some((other) => isDeepStrictEqual(one, other)));
  const patterns = [...known, ...added];
  return patterns.length === 0 ? {} : { redact: { patterns } };
}
