/**
 * `GET /api/events`: a stream with one line for each change of the memory, and empty lines as heartbeats. A line does
 * not describe the change, because the page reloads what it shows.
 */

import type { ServerResponse } from 'node:http';
import { sendHead } from './responses.ts';

/** Shorter than the idle timeout of proxies and browsers. */
const HEARTBEAT_MS = 15_000;
const CHANGED = '{"changed":true}\n';

/** A source of changes that can be closed. */
interface Closing {
  close(): void;
}

/** Resolves to true while a listener may receive lines. */
type IsAllowed = () => Promise<boolean>;

/** Starts to watch for changes. */
type Watch = (changed: () => void) => readonly Closing[];

export class Events {
  readonly #watchAll: Watch;
  readonly #listeners = new Map<ServerResponse, IsAllowed>();
  #watching: { readonly watched: readonly Closing[]; readonly heart: NodeJS.Timeout } | undefined;

  /** Watching starts with the first listener. */
  constructor(watch: Watch) {
    this.#watchAll = watch;
  }

  /** `isAllowed` is called before each line, because a stream can outlive its token. */
  add(response: ServerResponse, isAllowed: IsAllowed = async () => true): void {
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
    const watched = this.#watchAll(() => this.#send(CHANGED));
    return { watched, heart: setInterval(() => this.#send('\n'), HEARTBEAT_MS).unref() };
  }

  #send(line: string): void {
    for (const [listener, isAllowed] of this.#listeners) {
      isAllowed().then(
        (is) => (is ? writeTo(listener, line) : listener.end()),
        // The check itself failed. The page reconnects.
        () => listener.end(),
      );
    }
  }
}

function writeTo(listener: ServerResponse, line: string): void {
  // Stops writing to a page that does not read, for example a suspended tab, so that the buffer stays small.
  if (listener.writable && listener.writableLength < CHANGED.length * 16) listener.write(line);
}
