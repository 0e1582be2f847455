/** Recognizes addresses and names of this machine. */

import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** True for `localhost`, `127.0.0.1`, `::1`, `::ffff:127.0.0.1`. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  return host === 'localhost' || (family !== 0 && LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4'));
}

/** True when the header `Host` names this machine. A page that uses DNS rebinding sends its own name. */
export function namesLoopback(header: string | undefined): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return false;
  return isLoopback(new URL(`http://${header}`).hostname.replaceAll(/[[\]]/gu, ''));
}
