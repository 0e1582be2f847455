/**
 * Notes for people: stderr for what matters now, a file for what an INTERNAL_ERROR refers to.
 * Does not: write to stdout, which belongs to the protocol.
 */

import { appendFileSync, mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/** One line to stderr. */
export function log(line: string): void {
  process.stderr.write(`argus: ${line}\n`);
}

/** What an agent is told in place of a stack trace. */
export interface LogReference {
  id: string;
  file: string;
}

/** Writes the whole error to the log file; the caller has taken secrets out of the text. */
export function logUnexpected(text: string): LogReference {
  const id = `err-${crypto.randomUUID().slice(0, 8)}`;
  const file = path.join(logFolder(), 'argus.log');
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    appendFileSync(file, `${new Date().toISOString()} ${id} ${text}\n`, { mode: 0o600 });
  } catch {
    // A full disk must not hide the error it caused.
    log(`${id} ${text}`);
  }
  return { id, file };
}

/** Per user, so that the folder of one is no obstacle to another. */
function logFolder(): string {
  return process.env.ARGUS_LOG_DIR ?? path.join(tmpdir(), `argus-${ownerName()}`);
}

function ownerName(): string {
  try {
    return userInfo().username.replaceAll(/\W/gu, '_');
  } catch {
    // A uid without a passwd entry, as in some containers.
    return String(process.getuid?.() ?? 'user');
  }
}
