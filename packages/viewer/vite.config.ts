/** Configures the build of the page. `build.mjs` combines the output into a single file. */

import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const resolveHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** Removes the default URL of the wasm, because the page always passes the bytes to the engine. */
const removeDefaultWasmUrl: Plugin = {
  name: 'no-fetch',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('argus_wasm.js')) return;
    return { code: code.replace(/new URL\('argus_wasm_bg\.wasm', import\.meta\.url\)/, 'undefined'), map: null };
  },
};

export default defineConfig({
  root: resolveHere('.'),
  configFile: false,
  plugins: [removeDefaultWasmUrl, svelte()],
  worker: { plugins: () => [removeDefaultWasmUrl] },
  resolve: { alias: { 'argus-engine/browser': resolveHere('../../npm/engine/src/browser.ts') } },
  build: {
    // The versions of Chromium, Firefox and Safari of the last two years.
    target: ['chrome120', 'firefox121', 'safari17.4'],
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    write: false,
  },
});
