/**
 * Who may speak to the viewer's server: a page of its own, in a browser that was given the token.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { io } from '../system/io.ts';

/** Nobody guesses 256 bits. */
const TOKEN_BYTES = 32;

/** An address for one use; a browser starts in less. */
const TICKET_MS = 60_000;

/** Headers that decide who is answered, and what. */
const ONCE = ['host', 'origin', 'authorization', 'sec-fetch-site', 'content-length', 'content-type'];

/** A new secret, as it stands in an address. */
function secret(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What a request says of where it goes. */
type Asked = Pick<IncomingMessage, 'url' | 'headers' | 'headersDistinct'>;

export class Guard {
  readonly token = secret();
  #ticket: { readonly digest: Buffer; readonly until: number } | undefined;

  /**
   * The path of a request that comes from where the server is, else none: a page that has lured a browser here names
   * another host (DNS rebinding) or another origin.
   */
  pathAtHome({ url = '/', headers, headersDistinct }: Asked, port: number): string | undefined {
    // As a browser writes it: without the port where that is the usual one.
    const hosts = ['127.0.0.1', 'localhost'].map((name) => new URL(`http://${name}:${port}`).host);
    // Of two, another program on the way may have believed the one that is not believed here.
    if (ONCE.some((name) => (headersDistinct[name]?.length ?? 0) > 1)) return undefined;
    if (headers.host === undefined || !hosts.includes(headers.host)) return undefined;
    if (headers.origin !== undefined && !hosts.some((host) => headers.origin === `http://${host}`)) return undefined;
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return undefined;
    return pathOf(url, hosts);
  }

  /** Whether the header `Authorization: Bearer …` has the token; takes as long for a wrong one as for the right one. */
  isBearer(authorization: string | undefined): boolean {
    const given = /^Bearer (\S+)$/u.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(given), digest(this.token));
  }

  /**
   * What a program that opens a browser may be told: its arguments can be seen by every user of a machine, as long as
   * the browser runs. It is exchanged for the token once, and soon.
   */
  newTicket(): string {
    const ticket = secret();
    this.#ticket = { digest: digest(ticket), until: io().now() + TICKET_MS };
    return ticket;
  }

  /** True once. */
  redeem(ticket: string): boolean {
    const known = this.#ticket;
    if (known === undefined || !timingSafeEqual(digest(ticket), known.digest)) return false;
    this.#ticket = undefined;
    return io().now() <= known.until;
  }
}

/** A target may name its host itself, as for a proxy, and after two slashes does so without looking like it. */
function pathOf(target: string, hosts: readonly string[]): string | undefined {
  const home = `http://${hosts[0]}`;
  if (!URL.canParse(target, home)) return undefined;
  const { protocol, host, username, password, pathname } = new URL(target, home);
  const isHere = protocol === 'http:' && hosts.includes(host) && username === '' && password === '';
  return isHere ? pathname : undefined;
}

/** Of equal length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
