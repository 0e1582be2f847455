/**
 * Decides which requests the viewer's server answers: only requests of its own page in a browser that has the token.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { io } from '../system/io.ts';

/** 256 bits cannot be guessed. */
const TOKEN_BYTES = 32;

/** Longer than a browser needs to start. */
const TICKET_MS = 60_000;

/** Headers that affect the decision or the body. They may occur only once. */
const ONCE = ['host', 'origin', 'authorization', 'sec-fetch-site', 'content-length', 'content-type'];

/** A new secret that is safe in a URL. */
function secret(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The parts of a request that name its target. */
type Asked = Pick<IncomingMessage, 'url' | 'headers' | 'headersDistinct'>;

export class Guard {
  readonly token = secret();
  #ticket: { readonly digest: Buffer; readonly until: number } | undefined;

  /**
   * Returns the path of a request to this server. Returns undefined for another host (DNS rebinding) or another origin,
   * because a malicious page sends such requests.
   */
  pathAtHome({ url = '/', headers, headersDistinct }: Asked, port: number): string | undefined {
    // Like a browser writes it: without the port if it is the default port.
    const hosts = ['127.0.0.1', 'localhost'].map((name) => new URL(`http://${name}:${port}`).host);
    // With two headers, a proxy may have used the header that this server ignores.
    if (ONCE.some((name) => (headersDistinct[name]?.length ?? 0) > 1)) return undefined;
    if (headers.host === undefined || !hosts.includes(headers.host)) return undefined;
    if (headers.origin !== undefined && !hosts.some((host) => headers.origin === `http://${host}`)) return undefined;
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return undefined;
    return pathOf(url, hosts);
  }

  /** True if the header `Authorization: Bearer …` has the token. Compares in constant time. */
  isBearer(authorization: string | undefined): boolean {
    const given = /^Bearer (\S+)$/u.exec(authorization ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(given), digest(this.token));
  }

  /**
   * A secret for starting a browser, whose arguments every user of the machine can see. It can be exchanged for the
   * token once and only for a short time.
   */
  newTicket(): string {
    const ticket = secret();
    this.#ticket = { digest: digest(ticket), until: io().now() + TICKET_MS };
    return ticket;
  }

  /** Returns true only once per ticket. */
  redeem(ticket: string): boolean {
    const known = this.#ticket;
    if (known === undefined || !timingSafeEqual(digest(ticket), known.digest)) return false;
    this.#ticket = undefined;
    return io().now() <= known.until;
  }
}

/** A target may contain a host, as in requests to a proxy. A target with two slashes contains a host too. */
function pathOf(target: string, hosts: readonly string[]): string | undefined {
  const home = `http://${hosts[0]}`;
  if (!URL.canParse(target, home)) return undefined;
  const { protocol, host, username, password, pathname } = new URL(target, home);
  const isHere = protocol === 'http:' && hosts.includes(host) && username === '' && password === '';
  return isHere ? pathname : undefined;
}

/** Makes inputs equally long for `timingSafeEqual`. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
