/** Configures the build of the page. `build.mjs` combines the output into one file. */

import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** Removes the default URL of the wasm, because the page always passes the bytes itself. */
const noFetch: Plugin = {
  name: 'no-fetch',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('argus_wasm.js')) return;
    return { code: code.replace(/new URL\('argus_wasm_bg\.wasm', import\.meta\.url\)/, 'undefined'), map: null };
  },
};

export default defineConfig({
  root: here('.'),
  configFile: false,
  plugins: [noFetch, svelte()],
  worker: { plugins: () => [noFetch] },
  resolve: { alias: { 'argus-engine/browser': here('../../npm/engine/src/browser.ts') } },
  build: {
    // Chromium, Firefox and Safari of the last two years.
    target: ['chrome120', 'firefox121', 'safari17.4'],
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    write: false,
  },
});
