/**
 * The viewer's page as it was built, the engine's module for it, and what the page may do in a browser. What the page
 * shows: packages/viewer.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Beside the bundle when published; where the builds put them when run from source. */
const FILES = {
  page: ['./viewer/index.html', '../../../viewer/dist/index.html'],
  app: ['./viewer/app.html', '../../../viewer/dist/app.html'],
  policy: ['./viewer/csp.json', '../../../viewer/dist/csp.json'],
  engine: ['./argus_engine.wasm', '../../../../npm/engine/src/wasm/argus_wasm_bg.wasm'],
} as const;

/** Where the build leaves room for a policy and for data. */
export const POLICY_MARKER = '<!--argus:csp-->';
export const DATA_MARKER = '<!--argus:data-->';

/** The path of one of the files. */
export function assetPath(name: keyof typeof FILES): string {
  const candidates = FILES[name].map((file) => fileURLToPath(new URL(file, import.meta.url)));
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`${candidates[0]} is missing: install argus-mcp again`);
  return found;
}

/** What the build has hashed; made when it is needed, for a server of tools reads this file too. */
const policies = () => {
  const hashes = z.object({ script: z.array(z.string()), style: z.array(z.string()) });
  return z.object({ index: hashes, app: hashes });
};

/** Where the page is. */
type Place = 'served' | 'exported';

/**
 * Nothing runs but the scripts the build has hashed, nothing is sent but to the server, and an exported page sends
 * nothing at all.
 */
export async function contentSecurityPolicy(place: Place): Promise<string> {
  const { script, style } = policies().parse(JSON.parse(await readFile(assetPath('policy'), 'utf8'))).index;
  const directives = [
    "default-src 'none'",
    // Compiling wasm counts as a script.
    `script-src ${script.join(' ')} 'wasm-unsafe-eval'`,
    `style-src ${style.join(' ')}`,
    // The engine's worker is a part of the page.
    'worker-src blob:',
    `connect-src ${place === 'served' ? "'self'" : "'none'"}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    // Browsers heed it only in a header.
    ...(place === 'served' ? ["frame-ancestors 'none'"] : []),
  ];
  return directives.join('; ');
}
