/**
 * `GET /api/events`: a stream of lines, one for each time the memory has changed, empty ones in between to show that
 * the server lives. What has changed is not said: the page asks again for what it shows.
 */

import type { ServerResponse } from 'node:http';
import { FileWatch } from './file-watch.ts';
import { sendHead } from './responses.ts';

/** Shorter than what proxies and browsers take for dead. */
const HEARTBEAT_MS = 15_000;
const CHANGED = '{"changed":true}\n';

export class Events {
  readonly #files: readonly string[];
  readonly #listeners = new Set<ServerResponse>();
  #watching: { readonly files: readonly FileWatch[]; readonly heart: NodeJS.Timeout } | undefined;

  /** Nothing is watched before somebody listens. */
  constructor(files: readonly string[]) {
    this.#files = files;
  }

  add(response: ServerResponse): void {
    sendHead(response, 200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
    if (response.req.method === 'HEAD') {
      response.end();
      return;
    }
    response.write('\n');
    this.#listeners.add(response);
    this.#watching ??= this.#watch();
    response.once('close', () => {
      this.#listeners.delete(response);
      if (this.#listeners.size === 0) this.close();
    });
  }

  /** Ends all streams. */
  close(): void {
    for (const file of this.#watching?.files ?? []) file.close();
    clearInterval(this.#watching?.heart);
    this.#watching = undefined;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }

  #watch() {
    const files = this.#files.map((file) => new FileWatch(file, () => this.#send(CHANGED)));
    return { files, heart: setInterval(() => this.#send('\n'), HEARTBEAT_MS).unref() };
  }

  #send(line: string): void {
    for (const listener of this.#listeners) {
      // A page that does not read for long, as in a suspended tab, is told when it comes back.
      if (listener.writableLength < CHANGED.length * 16) listener.write(line);
    }
  }
}
