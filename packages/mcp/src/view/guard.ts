/**
 * Who may speak to the viewer's server: a page of its own, in a browser that was given the token.
 * Does not: answer.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Nobody guesses 256 bits. */
const TOKEN_BYTES = 32;

/** An address for one use; a browser starts in less. */
const TICKET_MS = 60_000;

/** A new secret, as it stands in an address. */
function secret(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export class Guard {
  readonly token = secret();
  #ticket: { readonly digest: Buffer; readonly until: number } | undefined;

  /**
   * Whether a request comes from where the server is: a page that has lured a browser here names another host (DNS
   * rebinding) or another origin.
   */
  isAtHome(headers: IncomingHttpHeaders, port: number): boolean {
    // As a browser writes it: without the port where that is the usual one.
    const hosts = ['127.0.0.1', 'localhost'].map((name) => new URL(`http://${name}:${port}`).host);
    if (headers.host === undefined || !hosts.includes(headers.host)) return false;
    if (headers.origin !== undefined && !hosts.some((host) => headers.origin === `http://${host}`)) return false;
    const site = headers['sec-fetch-site'];
    return site === undefined || site === 'same-origin' || site === 'none';
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
    this.#ticket = { digest: digest(ticket), until: Date.now() + TICKET_MS };
    return ticket;
  }

  /** True once. */
  redeem(ticket: string): boolean {
    const known = this.#ticket;
    if (known === undefined || !timingSafeEqual(digest(ticket), known.digest)) return false;
    this.#ticket = undefined;
    return Date.now() <= known.until;
  }
}

/** Of equal length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
