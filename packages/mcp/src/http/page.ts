/**
 * Finds the built files of the viewer's page and the engine's module for it, and defines the page's content security
 * policy. `packages/viewer` is the source of the page.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The first path is beside the published bundle, the second is the build output when running from source. */
const FILES = {
  page: ['./viewer/index.html', '../../../viewer/dist/index.html'],
  app: ['./viewer/app.html', '../../../viewer/dist/app.html'],
  policy: ['./viewer/csp.json', '../../../viewer/dist/csp.json'],
  engine: ['./argus_engine.wasm', '../../../../npm/engine/src/wasm/argus_wasm_bg.wasm'],
} as const;

/** Marks in the built page where the policy and the data are inserted. */
export const POLICY_MARKER = '<!--argus:csp-->';
export const DATA_MARKER = '<!--argus:data-->';

export function assetPath(name: keyof typeof FILES): string {
  const candidates = FILES[name].map((file) => fileURLToPath(new URL(file, import.meta.url)));
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`${candidates[0]} is missing: install argus-mcp again`);
  return found;
}

/**
 * The hashes from the build. A function, because a server without a page loads this file too and need not build
 * schemas.
 */
const policies = () => {
  const hashes = z.object({ script: z.array(z.string()), style: z.array(z.string()) });
  return z.object({ index: hashes, app: hashes });
};

/** The page comes from a server, or from an exported file. */
type Place = 'served' | 'exported';

/**
 * Allows only the scripts and styles that the build has hashed. The served page may connect only to its server, the
 * exported page to nothing.
 */
export async function contentSecurityPolicy(place: Place): Promise<string> {
  const { script, style } = policies().parse(JSON.parse(await readFile(assetPath('policy'), 'utf8'))).index;
  const directives = [
    "default-src 'none'",
    // Browsers treat the compilation of wasm as a script.
    `script-src ${script.join(' ')} 'wasm-unsafe-eval'`,
    `style-src ${style.join(' ')}`,
    // The engine's worker is part of the page.
    'worker-src blob:',
    `connect-src ${place === 'served' ? "'self'" : "'none'"}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    // Browsers ignore this directive outside a header.
    ...(place === 'served' ? ["frame-ancestors 'none'"] : []),
  ];
  return directives.join('; ');
}
