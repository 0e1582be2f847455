/** The opened data, and the progress of opening it. */

import { i18n } from '../i18n/i18n.svelte.ts';
import { engineInside, hasEngine, snapshotInside } from './file/embedded.ts';
import { EngineWorker } from './file/engine-worker.ts';
import { FileSource } from './file/file.ts';
import { follow, LiveSource, Server } from './live/live.ts';
import { answerOtherTabs, askOtherTabs } from './live/tabs.ts';
import { token } from './live/token.ts';
import {
  type About,
  aboutFolder,
  type Method,
  type Params,
  Problem,
  problemOf,
  type Result,
  type Source,
} from './source.ts';

/** Combines changes, because recording a run changes the file many times. */
const TOGETHER_MS = 100;

export type Stage = 'opening' | 'open' | 'none';

/** A served project that has no memory to show. */
export interface Unrecorded {
  /** The name of its folder. */
  readonly name: string;
  /** False if its configuration disables recording. */
  readonly history: boolean;
}

let stage = $state<Stage>('opening');
let problem = $state.raw<Problem>();
let source = $state.raw<Source>();
let version = $state(0);
let changedAt = $state(0);
let connected = $state(true);
let unrecorded = $state.raw<Unrecorded>();
let server: Server | undefined;
let sharing = false;
let engineBytes: Promise<Uint8Array> | undefined;
let inspector: Promise<EngineWorker> | undefined;

export const session = {
  get stage(): Stage {
    return stage;
  },
  /** The reason why nothing is open. */
  get problem(): Problem | undefined {
    return problem;
  },
  get about(): About | undefined {
    return source?.about;
  },
  get live(): boolean {
    return source?.live ?? false;
  },
  get editable(): boolean {
    return source?.editable ?? false;
  },
  /** Set when nothing is open although a project is served. */
  get unrecorded(): Unrecorded | undefined {
    return unrecorded;
  },
  /** True while the server of live data answers. */
  get connected(): boolean {
    return connected;
  },
  /** Increases with every change of the stored data. */
  get version(): number {
    return version;
  },
  /** The time of the last change while the page was open. 0 without a change. */
  get changedAt(): number {
    return changedAt;
  },

  call<M extends Method>(method: M, params: Params<M>): Promise<Result<M>> {
    return source ? source.call(method, params) : Promise.reject(new Problem('NOTHING_OPEN', 'No database is open.'));
  },

  /**
   * Analyzes a text with the engine in this page. A running server then adds its project's rules and the knowledge of
   * its memory. It receives the text without secrets.
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

  /** Called when the reader has read why the last file could not be opened. */
  forgive(): void {
    problem = undefined;
  },

  /** Called after an edit, so that every view requests its data again. */
  changed(): void {
    version += 1;
  },

  async start(): Promise<void> {
    await attempt(async () => {
      const snapshot = await snapshotInside();
      if (snapshot) return openFile(snapshot.database, snapshot.about);
      return hasEngine() ? undefined : connect();
    });
  },

  async openFile(file: Blob, name: string): Promise<void> {
    await attempt(() => openFile(file, { name, bytes: file.size }));
  },
};

async function attempt(open: () => Promise<Source | undefined>): Promise<void> {
  // The open data stays visible until the new data is open.
  if (!source) stage = 'opening';
  problem = undefined;
  try {
    const opened = await open();
    use(opened ?? source);
  } catch (thrown) {
    problem = problemOf(thrown);
    stage = source ? 'open' : 'none';
  }
}

function use(opened: Source | undefined): void {
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
    }, TOGETHER_MS);
  });
}

async function connect(): Promise<Source | undefined> {
  if (!location.protocol.startsWith('http')) return undefined;
  const given = token.value ?? (await askOtherTabs());
  server = new Server(given);
  const facts = await server.facts();
  if (given !== undefined) share(given);
  if (facts.database !== null) {
    return new LiveSource(server, facts, (yes) => {
      connected = yes;
    });
  }
  unrecorded = { name: aboutFolder(facts.project).name, history: facts.history };
  void awaitDatabase(server);
  return undefined;
}

/** Keeps a valid token for reloads of this tab and for other tabs of the server. */
function share(good: string): void {
  if (sharing) return;
  sharing = true;
  token.value = good;
  answerOtherTabs(() => (connected ? good : undefined));
}

/**
 * Waits for the first run, which creates the project's database, and then opens it unless a file was opened meanwhile.
 */
async function awaitDatabase(from: Server): Promise<void> {
  const ended = new AbortController();
  const changed = () => {
    ended.abort();
    if (stage === 'none') void attempt(connect);
  };
  await follow(from, { changed, connected: () => {} }, ended.signal);
}

async function openFile(file: Blob, about: About): Promise<Source> {
  return FileSource.open(await bytesOfEngine(), file, about, i18n.language);
}

/** The next call tries again after a failure. */
async function startInspector(): Promise<EngineWorker> {
  try {
    return await EngineWorker.open(await bytesOfEngine(), undefined, i18n.language);
  } catch (thrown) {
    inspector = undefined;
    throw thrown;
  }
}

/** Returns a copy each time, because the bytes move to the worker. */
async function bytesOfEngine(): Promise<Uint8Array<ArrayBuffer>> {
  engineBytes ??= loadEngine().catch((thrown) => {
    engineBytes = undefined;
    throw thrown;
  });
  return new Uint8Array(await engineBytes);
}

async function loadEngine(): Promise<Uint8Array> {
  const inside = await engineInside();
  if (inside) return inside;
  const answer = await (server ?? new Server(undefined)).request('engine.wasm');
  return new Uint8Array(await answer.arrayBuffer());
}
