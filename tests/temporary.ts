/**
 * Gives a whole run of tests one folder for its temporary files, and removes it at the end. Nothing is cleaned up
 * between tests: what a failed one left can be looked at until the run is over.
 */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export default function setup(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'argus-tests-'));
  // Tests of permissions work as another user, who must be able to pass through.
  chmodSync(folder, 0o755);
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
