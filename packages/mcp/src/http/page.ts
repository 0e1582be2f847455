/**
 * Finds the built files of the viewer's page and the wasm module of the engine, and creates the page's content security
 * policy. The source of the page is in `packages/viewer`.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/**
 * The first path is next to the published bundle. The second path is the build output, which is used when the program
 * runs from source.
 */
const ASSET_PATHS = {
  page: ['./viewer/index.html', '../../../viewer/dist/index.html'],
  app: ['./viewer/app.html', '../../../viewer/dist/app.html'],
  policy: ['./viewer/csp.json', '../../../viewer/dist/csp.json'],
  engine: ['./argus_engine.wasm', '../../../../npm/engine/src/wasm/argus_wasm_bg.wasm'],
} as const;

/** Comments in the built page that are replaced by the policy and by the data. */
export const POLICY_MARKER = '<!--argus:csp-->';
export const DATA_MARKER = '<!--argus:data-->';

export function findAsset(name: keyof typeof ASSET_PATHS): string {
  const candidates = ASSET_PATHS[name].map((file) => fileURLToPath(new URL(file, import.meta.url)));
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`${candidates[0]} is missing: install argus-mcp again`);
  return found;
}

/**
 * Creates the schema of the file with hashes from the build. It is a function, because servers without a page load this
 * file too and do not need the schema.
 */
const createPolicySchema = () => {
  const hashes = z.object({ script: z.array(z.string()), style: z.array(z.string()) });
  return z.object({ index: hashes, app: hashes });
};

/** Where the page is: on a server (`served`) or in a file (`exported`). */
type PageOrigin = 'served' | 'exported';

/**
 * Returns a policy that allows only the scripts and styles whose hashes are from the build. The served page may connect
 * only to its server, and an exported page to nothing.
 */
export async function createContentSecurityPolicy(place: PageOrigin): Promise<string> {
  const { script, style } = createPolicySchema().parse(JSON.parse(await readFile(findAsset('policy'), 'utf8'))).index;
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
    // Browsers ignore this directive unless it is in a header.
    ...(place === 'served' ? ["frame-ancestors 'none'"] : []),
  ];
  return directives.join('; ');
}

/** Escapes a text for the content or an attribute of an element. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
