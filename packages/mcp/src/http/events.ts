/**
 * `GET /api/events`: a stream of lines, one for each time the memory has changed, empty ones in between to show that
 * the server lives. What has changed is not said: the page asks again for what it shows.
 */

import type { ServerResponse } from 'node:http';
import { sendHead } from './responses.ts';

/** Shorter than what proxies and browsers take for dead. */
const HEARTBEAT_MS = 15_000;
const CHANGED = '{"changed":true}\n';

/** What tells of changes until it is closed. */
interface Closing {
  close(): void;
}

/** Resolves to whether a listener may still receive lines. */
type IsAllowed = () => Promise<boolean>;

/** Begins to watch what can change. */
type Watch = (changed: () => void) => readonly Closing[];

export class Events {
  readonly #watchAll: Watch;
  readonly #listeners = new Map<ServerResponse, IsAllowed>();
  #watching: { readonly watched: readonly Closing[]; readonly heart: NodeJS.Timeout } | undefined;

  /** Nothing is watched before somebody listens. */
  constructor(watch: Watch) {
    this.#watchAll = watch;
  }

  /** `isAllowed` is asked before each line, because a stream outlives the token that it was asked for with. */
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

  /** Ends all streams. */
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
  // A page that does not read for long, as in a suspended tab, is told when it comes back.
  if (listener.writable && listener.writableLength < CHANGED.length * 16) listener.write(line);
}
