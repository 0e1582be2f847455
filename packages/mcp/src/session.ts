/**
 * Open projects: one session per real path, each with its configuration and, once needed, its engine.
 * Does not: know tools or transports, or touch the disk before something must be stored.
 */

import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Engine,
  EngineError,
  type OpenOptions,
  openEngine,
  type RecordRunParams,
  type RunResult,
} from 'argus-engine';
import { type LoadedConfig, loadConfig, patternError } from './config/load.ts';
import { ageInDays, type Config } from './config/schema.ts';
import { ArgusError, messageOf, systemCodeOf } from './errors.ts';
import { chooseLocale } from './locale.ts';
import { log } from './log.ts';

/** A value and what limits it. */
export interface Guarded<T> {
  value: T;
  /** Empty when all is well. */
  warnings: string[];
}

/** The engine that answers, and why it is not the project's database, if it is not. */
interface Primary {
  engine: Engine;
  warning: string | undefined;
}

export class Session {
  readonly root: string;
  readonly loaded: LoadedConfig;
  readonly databasePath: string;
  #durable: Promise<Engine> | undefined;
  #standIn: Promise<Engine> | undefined;
  /** Runs that could not be stored and live in the stand-in. */
  readonly #unstoredRuns = new Set<string>();

  constructor(root: string, loaded: LoadedConfig) {
    this.root = root;
    this.loaded = loaded;
    this.databasePath = path.resolve(root, loaded.config.history?.database ?? path.join('.argus', 'argus.db'));
  }

  get config(): Config {
    return this.loaded.config;
  }

  get historyEnabled(): boolean {
    return this.config.history?.enabled ?? true;
  }

  get locale() {
    return chooseLocale(this.config.locale);
  }

  /** One engine call. A run id says where a run is that could not be stored. */
  async ask<T>(call: (engine: Engine) => Promise<T>, runId?: string): Promise<Guarded<T>> {
    this.requireHistory();
    if (runId !== undefined && this.#unstoredRuns.has(runId)) {
      const value = await call(await this.#memory());
      return { value, warnings: ['This run could not be stored: what is learned from it ends with this session.'] };
    }
    const { engine, warning } = await this.#primary();
    return { value: await call(engine), warnings: warning === undefined ? [] : [warning] };
  }

  /** Records a run: in the database, or where that is not possible in memory, saying so. */
  async recordRun(params: RecordRunParams): Promise<Guarded<RunResult>> {
    this.requireHistory();
    try {
      const engine = await this.#openDurable();
      return { value: await engine.recordRun(params), warnings: [] };
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      const memory = await this.#memory();
      const value = await memory.recordRun(params);
      this.#unstoredRuns.add(value.runId);
      return { value, warnings: [notStored(thrown)] };
    }
  }

  /** What init tells about the memory, without creating anything. */
  overview() {
    return this.ask((engine) => engine.overview());
  }

  /** Proves that a write works, creating the database if there is none. */
  async checkWrite() {
    this.requireHistory();
    const engine = await this.#openDurable();
    return engine.checkWrite();
  }

  async close(): Promise<void> {
    const engines = [this.#durable, this.#standIn];
    this.#durable = undefined;
    this.#standIn = undefined;
    const opened = await Promise.allSettled(engines);
    await Promise.allSettled(opened.map((one) => (one.status === 'fulfilled' ? one.value?.close() : undefined)));
  }

  /** The database where there is one; before the first run an empty memory, so that reading creates nothing. */
  async #primary(): Promise<Primary> {
    if (this.#durable === undefined && !existsSync(this.databasePath)) {
      return { engine: await this.#memory(), warning: undefined };
    }
    try {
      return { engine: await this.#openDurable(), warning: undefined };
    } catch (thrown) {
      if (!isStorageProblem(thrown)) throw thrown;
      return { engine: await this.#memory(), warning: notStored(thrown) };
    }
  }

  /** A failed opening is tried again by the next call: a lock ends, a disk is freed. */
  #openDurable(): Promise<Engine> {
    this.#durable ??= this.#open(this.databasePath).catch((thrown: unknown) => {
      this.#durable = undefined;
      throw thrown;
    });
    return this.#durable;
  }

  #memory(): Promise<Engine> {
    this.#standIn ??= this.#open(':memory:');
    return this.#standIn;
  }

  async #open(databasePath: string): Promise<Engine> {
    if (databasePath !== ':memory:') prepareFolder(this.root, databasePath);
    try {
      return await openEngine(this.#options(databasePath));
    } catch (thrown) {
      if (!(thrown instanceof EngineError) || thrown.code !== 'INVALID_INPUT') throw thrown;
      // The only input of the engine that people write are the patterns of the configuration.
      throw await patternError(this.loaded, thrown.message);
    }
  }

  #options(databasePath: string): OpenOptions {
    const { history, classify, redact } = this.config;
    const maxAge = history?.retention?.maxAge;
    return {
      databasePath,
      projectRoot: this.root,
      locale: this.locale,
      rules: classify?.rules ?? [],
      secrets: redact?.patterns ?? [],
      retention: {
        maxAgeDays: maxAge === undefined ? null : ageInDays(maxAge),
        maxRuns: history?.retention?.maxRuns ?? null,
      },
      log,
    };
  }

  /** Throws where the configuration says that nothing may be stored. */
  requireHistory(): void {
    if (this.historyEnabled) return;
    const where = this.loaded.path ?? 'argus.yaml';
    const advice = `Set history.enabled to true in ${where} and call argus_init again.`;
    throw new ArgusError('HISTORY_DISABLED', `History is disabled for ${this.root}. ${advice}`);
  }
}

export class SessionManager {
  readonly #sessions = new Map<string, Session>();

  /** Opens a project; again on an open one is no error, and takes over a changed configuration. */
  async init(projectPath: string, configFile?: string): Promise<Session> {
    const root = realProjectPath(projectPath);
    const loaded = await loadConfig(root, configFile);
    const key = sessionKey(root);
    const open = this.#sessions.get(key);
    if (open && open.loaded.path === loaded.path && open.loaded.text === loaded.text) return open;
    await open?.close();
    const session = new Session(root, loaded);
    this.#sessions.set(key, session);
    return session;
  }

  /** The session of an open project. */
  getOrThrow(projectPath: string): Session {
    requireAbsolute(projectPath);
    const session = this.#sessions.get(sessionKey(realPathOrSame(projectPath)));
    if (session) return session;
    const advice = 'Call argus_init with this projectPath first.';
    throw new ArgusError('SESSION_NOT_FOUND', `No active session for '${projectPath}'. ${advice}`);
  }

  /** Open sessions, the newest first. */
  all(): Session[] {
    return [...this.#sessions.values()].reverse();
  }

  async closeAll(): Promise<void> {
    const sessions = this.all();
    this.#sessions.clear();
    await Promise.allSettled(sessions.map((session) => session.close()));
  }
}

/** Windows has one file under `c:` and `C:`. */
export function sessionKey(realPath: string): string {
  return realPath.replace(/^[a-z]:/u, (drive) => drive.toUpperCase());
}

/** Where the database cannot be used at all: everything else is the caller's to know. */
function isStorageProblem(thrown: unknown): boolean {
  return thrown instanceof EngineError && thrown.code.startsWith('DATABASE_');
}

function notStored(thrown: unknown): string {
  return `Nothing is stored: ${messageOf(thrown)}`;
}

/** The folder of the database; inside the project's `.argus` also the mark that keeps git away from it. */
function prepareFolder(root: string, databasePath: string): void {
  const folder = path.dirname(databasePath);
  try {
    mkdirSync(folder, { recursive: true });
    const own = path.join(root, '.argus');
    if (folder === own || folder.startsWith(own + path.sep)) ignoreInGit(own);
  } catch (thrown) {
    const message = `${folder} cannot be written (${systemCodeOf(thrown) ?? messageOf(thrown)})`;
    throw new EngineError('DATABASE_UNAVAILABLE', message);
  }
}

function ignoreInGit(folder: string): void {
  const file = path.join(folder, '.gitignore');
  if (!existsSync(file)) writeFileSync(file, '*\n');
}

function realProjectPath(projectPath: string): string {
  requireAbsolute(projectPath);
  const advice = 'Pass the absolute path of the project directory.';
  try {
    const real = realpathSync.native(projectPath);
    if (statSync(real).isDirectory()) {
      accessSync(real, constants.R_OK | constants.X_OK);
      return real;
    }
  } catch (thrown) {
    const missing = ['ENOENT', 'ENOTDIR'].includes(systemCodeOf(thrown) ?? '');
    if (missing) throw new ArgusError('PROJECT_NOT_FOUND', `Project '${projectPath}' does not exist. ${advice}`);
    const reason = systemCodeOf(thrown) ?? messageOf(thrown);
    throw new ArgusError('INVALID_INPUT', `Project '${projectPath}' cannot be read (${reason}). ${advice}`);
  }
  throw new ArgusError('INVALID_INPUT', `Project '${projectPath}' is a file. ${advice}`);
}

function requireAbsolute(projectPath: string): void {
  if (path.isAbsolute(projectPath) && !projectPath.includes('\0')) return;
  throw new ArgusError('INVALID_INPUT', `projectPath must be an absolute path, not '${projectPath}'.`);
}

function realPathOrSame(projectPath: string): string {
  try {
    return realpathSync.native(projectPath);
  } catch {
    return path.resolve(projectPath);
  }
}
