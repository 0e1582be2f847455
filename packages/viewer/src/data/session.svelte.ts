/** The opened data, and the progress of opening it. */

import { i18n } from '../i18n/i18n.svelte.ts';
import { hasEmbeddedEngine, readEmbeddedEngine, readEmbeddedSnapshot } from './file/embedded.ts';
import { EngineWorker, FileSource } from './file/file-source.ts';
import { followChanges, LiveSource, ServerConnection } from './live/live-source.ts';
import { answerOtherTabs, requestTokenFromOtherTabs, token } from './live/token.ts';
import {
  describeFolder,
  type Method,
  type Params,
  Problem,
  type Result,
  type Source,
  type SourceFacts,
  toProblem,
} from './source.ts';

/** Changes within this time are combined, because recording a run changes the file many times. */
const CHANGE_DELAY_MS = 100;

export type SessionStage = 'opening' | 'open' | 'none';

/** A project that is served but has no memory to show. */
export interface UnrecordedProject {
  /** Name of the project's folder. */
  readonly name: string;
  /** False if the project's configuration disables recording. */
  readonly history: boolean;
}

let stage = $state<SessionStage>('opening');
let problem = $state.raw<Problem>();
let source = $state.raw<Source>();
let version = $state(0);
let changedAt = $state(0);
let connected = $state(true);
let unrecorded = $state.raw<UnrecordedProject>();
let server: ServerConnection | undefined;
let isTokenShared = false;
let engineBytes: Promise<Uint8Array> | undefined;
let inspector: Promise<EngineWorker> | undefined;

export const session = {
  get stage(): SessionStage {
    return stage;
  },
  /** The reason why nothing is open. */
  get problem(): Problem | undefined {
    return problem;
  },
  get about(): SourceFacts | undefined {
    return source?.about;
  },
  get live(): boolean {
    return source?.live ?? false;
  },
  get editable(): boolean {
    return source?.editable ?? false;
  },
  /** The served project, if nothing is open because the project has no memory yet. */
  get unrecorded(): UnrecordedProject | undefined {
    return unrecorded;
  },
  /** True while the server of live data responds. */
  get connected(): boolean {
    return connected;
  },
  /** Increases with every change of the stored data. */
  get version(): number {
    return version;
  },
  /** Time of the last change since the page was opened, in milliseconds since the epoch. 0 if nothing has changed. */
  get changedAt(): number {
    return changedAt;
  },

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    return source ? source.call(method, params) : Promise.reject(new Problem('NOTHING_OPEN', 'No database is open.'));
  },

  /**
   * Analyzes a text with the engine in this page. A running server then adds its project's rules and the knowledge of
   * its memory, and receives the text without secrets.
   */
  async inspect(params: Params<'viewInspection'>): Promise<Result<'viewInspection'>> {
    if (source && !source.live) return source.call('viewInspection', params);
    inspector ??= startInspector();
    const explained = await (await inspector).call('viewInspection', params);
    if (!source) return explained;
    const { redacted, redactions } = explained.inspection;
    const known = await source.call('viewInspection', { ...params, event: { ...params.event, text: redacted } });
    const all = [...new Set([...redactions, ...known.inspection.redactions])];
    return { ...known, inspection: { ...known.inspection, redactions: all } };
  },

  /** Clears the error of the last file, after the reader has read it. */
  clearProblem(): void {
    problem = undefined;
  },

  /** Called after an edit, so that every view requests its data again. */
  changed(): void {
    version += 1;
  },

  async start(): Promise<void> {
    await openSource(async () => {
      const snapshot = await readEmbeddedSnapshot();
      if (snapshot) return openFile(snapshot.database, snapshot.about);
      return hasEmbeddedEngine() ? undefined : connectToServer();
    });
  },

  async openFile(file: Blob, name: string): Promise<void> {
    await openSource(() => openFile(file, { name, bytes: file.size }));
  },
};

async function openSource(open: () => Promise<Source | undefined>): Promise<void> {
  // The open data stays visible until the new data is open.
  if (!source) stage = 'opening';
  problem = undefined;
  try {
    const opened = await open();
    useSource(opened ?? source);
  } catch (thrown) {
    problem = toProblem(thrown);
    stage = source ? 'open' : 'none';
  }
}

function useSource(opened: Source | undefined): void {
  if (opened !== source) source?.close();
  source = opened;
  stage = opened ? 'open' : 'none';
  version += 1;
  let waiting = false;
  opened?.onChange(() => {
    if (waiting) return;
    waiting = true;
    setTimeout(() => {
      waiting = false;
      version += 1;
      changedAt = Date.now();
    }, CHANGE_DELAY_MS);
  });
}

async function connectToServer(): Promise<Source | undefined> {
  if (!location.protocol.startsWith('http')) return undefined;
  const given = token.value ?? (await requestTokenFromOtherTabs());
  server = new ServerConnection(given);
  const facts = await server.facts();
  if (given !== undefined) shareToken(given);
  if (facts.database !== null) {
    return new LiveSource(server, facts, (yes) => {
      connected = yes;
    });
  }
  unrecorded = { name: describeFolder(facts.project).name, history: facts.history };
  void awaitDatabase(server);
  return undefined;
}

/** Stores a valid token for reloads of this tab, and gives it to other tabs of the server. */
function shareToken(good: string): void {
  if (isTokenShared) return;
  isTokenShared = true;
  token.value = good;
  answerOtherTabs(() => (connected ? good : undefined));
}

/**
 * Waits for the first run, which creates the project's database, and then opens the database unless a file was opened
 * before.
 */
async function awaitDatabase(from: ServerConnection): Promise<void> {
  const ended = new AbortController();
  const changed = () => {
    ended.abort();
    if (stage === 'none') void openSource(connectToServer);
  };
  await followChanges(from, { changed, connected: () => {} }, ended.signal);
}

async function openFile(file: Blob, about: SourceFacts): Promise<Source> {
  return FileSource.open(await copyEngineBytes(), file, about, i18n.language);
}

/** After a failure, the next call tries again. */
async function startInspector(): Promise<EngineWorker> {
  try {
    return await EngineWorker.open(await copyEngineBytes(), undefined, i18n.language);
  } catch (thrown) {
    inspector = undefined;
    throw thrown;
  }
}

/** Returns a new copy in each call, because the bytes move to the worker. */
async function copyEngineBytes(): Promise<Uint8Array<ArrayBuffer>> {
  engineBytes ??= loadEngine().catch((thrown) => {
    engineBytes = undefined;
    throw thrown;
  });
  return new Uint8Array(await engineBytes);
}

async function loadEngine(): Promise<Uint8Array> {
  const inside = await readEmbeddedEngine();
  if (inside) return inside;
  const answer = await (server ?? new ServerConnection(undefined)).request('engine.wasm');
  return new Uint8Array(await answer.arrayBuffer());
}
