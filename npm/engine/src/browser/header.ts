/**
 * Checks the first bytes of a file to decide whether it can be opened on its own. The engine decides which versions it
 * can open.
 */

import { EngineError } from '../errors.ts';

/** Size of the header of a SQLite database; its format is public (https://www.sqlite.org/fileformat.html). */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const WAL_FORMAT_VERSION = 2;

const ADVICE = 'The memory of a project is the file .argus/argus.db in it.';

/** Rejects an unusable file with an `EngineError` whose message contains advice. */
export async function checkHeader(blob: Blob): Promise<void> {
  const header = await headerOf(blob);
  if (blob.size === 0) throw corrupt(`The file is empty. ${ADVICE}`);
  if (blob.size < HEADER_BYTES || !magicIn(header)) throw corrupt(`The file is not a database. ${ADVICE}`);
  if (header.getUint8(19) === WAL_FORMAT_VERSION) {
    throw new EngineError(
      'DATABASE_UNAVAILABLE',
      "The database is in WAL mode: its newest content may be in the file with '-wal' at the end of its name. Run: sqlite3 FILE 'PRAGMA journal_mode = DELETE' and open it again.",
    );
  }
  const missing = sizeIn(header) - blob.size;
  if (missing > 0) {
    throw corrupt(`The file is damaged: ${missing} bytes are missing at its end. It may be an unfinished copy.`);
  }
}

async function headerOf(blob: Blob): Promise<DataView<ArrayBuffer>> {
  try {
    const bytes = new Uint8Array(HEADER_BYTES);
    bytes.set(new Uint8Array(await blob.slice(0, HEADER_BYTES).arrayBuffer()));
    return new DataView(bytes.buffer);
  } catch (cause) {
    // The file may be a dropped folder, or it was deleted meanwhile.
    throw new EngineError('DATABASE_UNAVAILABLE', `The file cannot be read. ${ADVICE}`, { cause });
  }
}

function magicIn(header: DataView): boolean {
  return [...MAGIC].every((letter, index) => header.getUint8(index) === letter.charCodeAt(0));
}

/** The size that the file should have in bytes. Returns 0 if an old program has not updated the page count. */
function sizeIn(header: DataView): number {
  const changes = header.getUint32(24);
  const changesWhenCounted = header.getUint32(92);
  const pageSize = header.getUint16(16);
  return changes === changesWhenCounted ? header.getUint32(28) * (pageSize === 1 ? 65_536 : pageSize) : 0;
}

function corrupt(message: string): EngineError {
  return new EngineError('DATABASE_CORRUPT', message);
}
