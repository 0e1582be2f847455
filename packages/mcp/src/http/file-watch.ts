/** Detects changes of a file by any process, and streams the changes of a memory to the viewer's pages. */

import { type FSWatcher, type Stats, statSync, watch } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { sendHead } from './responses.ts';

/** Shorter than the idle timeout of proxies and browsers. */
const HEARTBEAT_INTERVAL_MS = 15_000;
const CHANGE_LINE = '{"changed":true}\n';

/** A source of changes that can be closed. */
interface Closable {
  close(): void;
}

/** Resolves to true as long as a listener may receive lines. */
type AccessCheck = () => Promise<boolean>;

/** Starts to watch for changes. */
type WatchStarter = (changed: () => void) => readonly Closable[];

/**
 * `GET /api/events`: a stream with a line for each change of the memory, and empty lines as heartbeats. A line does not
 * describe the change, because the page loads everything that it shows again.
 */
export class ChangeStream {
  readonly #watchAll: WatchStarter;
  readonly #listeners = new Map<ServerResponse, AccessCheck>();
  #watching: { readonly watched: readonly Closable[]; readonly heart: NodeJS.Timeout } | undefined;

  /** Watching starts when the first listener is added. */
  constructor(watch: WatchStarter) {
    this.#watchAll = watch;
  }

  /** `isAllowed` is called before each line, because a stream may outlive the token of the listener. */
  addListener(response: ServerResponse, isAllowed: AccessCheck = async () => true): void {
    sendHead(response, 200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.write('\n');
    this.#listeners.set(response, isAllowed);
    this.#watching ??= this.#watch();
    response.once('close', () => {
      this.#listeners.delete(response);
      if (this.#listeners.size === 0) this.close();
    });
  }

  close(): void {
    for (const watched of this.#watching?.watched ?? []) watched.close();
    clearInterval(this.#watching?.heart);
    this.#watching = undefined;
    for (const listener of this.#listeners.keys()) listener.end();
    this.#listeners.clear();
  }

  #watch() {
    const watched = this.#watchAll(() => this.#send(CHANGE_LINE));
    return { watched, heart: setInterval(() => this.#send('\n'), HEARTBEAT_INTERVAL_MS).unref() };
  }

  #send(line: string): void {
    for (const [listener, isAllowed] of this.#listeners) {
      isAllowed().then(
        (allowed) => (allowed ? writeTo(listener, line) : listener.end()),
        // The check itself failed. The page will reconnect.
        () => listener.end(),
      );
    }
  }
}

function writeTo(listener: ServerResponse, line: string): void {
  // Do not write to a page that does not read, for example in a suspended tab, because the buffer would grow.
  if (listener.writable && listener.writableLength < CHANGE_LINE.length * 16) listener.write(line);
}

/**
 * Changes within this time are reported once. A person hardly notices the delay, and a run with many writes does not
 * flood the page.
 */
const DEBOUNCE_MS = 100;
const CHECK_INTERVAL_MS = 1_000;

/**
 * Detects changes of a file by any process. It uses the file events of the operating system and also checks the file's
 * metadata every second, because network folders send no events, and because the file or its folder may be created
 * later. The file is never opened, because closing it could release locks of the engine.
 */
export class FileWatcher {
  readonly #file: string;
  readonly #changed: () => void;
  readonly #timer: NodeJS.Timeout;
  #facts: string;
  #watcher: { readonly folder: number; readonly system: FSWatcher } | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(file: string, changed: () => void) {
    this.#file = file;
    this.#changed = changed;
    this.#facts = readFileStamp(file);
    this.#watchFolder();
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
    this.#watcher?.system.close();
    this.#watcher = undefined;
  }

  #check(): void {
    this.#watchFolder();
    if (readFileStamp(this.#file) !== this.#facts) this.#reportChange();
  }

  #reportChange(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#facts = readFileStamp(this.#file);
      this.#changed();
    }, DEBOUNCE_MS);
  }

  /** Watches the folder, because the file may be replaced. Watches again if the folder was replaced. */
  #watchFolder(): void {
    const folder = path.dirname(this.#file);
    const inode = readStats(folder)?.ino;
    if (inode === this.#watcher?.folder) return;
    this.#watcher?.system.close();
    this.#watcher = undefined;
    if (inode === undefined) return;
    try {
      const system = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || name === path.basename(this.#file)) this.#reportChange();
      });
      // Ignored, because the check every second continues.
      system.on('error', () => system.close());
      this.#watcher = { folder: inode, system };
    } catch {
      // Possible if the system has no free watches.
    }
  }
}

/**
 * Returns a string that changes with every write. It has several values, because the time may be too coarse and the
 * size may stay the same.
 */
function readFileStamp(file: string): string {
  const stat = readStats(file);
  return stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
}

function readStats(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
