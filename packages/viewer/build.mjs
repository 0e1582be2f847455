/**
 * Builds the page and the MCP App, each as a single HTML file without dependencies, and checks their size. The engine
 * is not part of the files: the page loads it, or an export adds it.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, loadConfigFromFile } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, 'dist');
/** The limit for the whole page without the engine, gzipped. */
const MAX_PAGE_BYTES = 150_000;

const viteConfig = await loadConfigFromFile(
  { command: 'build', mode: 'production' },
  path.join(here, 'vite.config.ts'),
);
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const scriptHashes = {};
const bundledModules = new Set();
for (const page of ['index', 'app']) scriptHashes[page] = await buildPage(page);
// The hashes of the inline scripts, for a Content-Security-Policy without 'unsafe-inline'.
writeFileSync(path.join(out, 'csp.json'), JSON.stringify(scriptHashes, null, 2));
// The modules whose licenses the published notices must contain.
writeFileSync(path.join(out, 'modules.json'), JSON.stringify([...bundledModules].sort(), null, 2));

async function buildPage(page) {
  const { config } = viteConfig;
  const input = path.join(here, `${page}.html`);
  const build_ = { ...config.build, rolldownOptions: { input, checks: { pluginTimings: false } } };
  const { output } = await build({ ...config, logLevel: 'warn', build: build_ });
  const chunk = findOnlyOutput(output, (it) => it.type === 'chunk');
  for (const file of chunk.moduleIds)
    if (path.isAbsolute(file)) bundledModules.add(path.relative(out, file.split('?')[0]));
  const script = escapeScript(chunk.code);
  const style = String(findOnlyOutput(output, (it) => it.fileName.endsWith('.css')).source).trim();
  const html = String(findOnlyOutput(output, (it) => it.fileName === `${page}.html`).source)
    .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
    .replace(
      /\s*<script type="module"[^>]*><\/script>/,
      () => `\n    <style>${style}</style>\n    <script type="module">${script}</script>`,
    );
  const bytes = gzipSync(html, { level: 9 }).length;
  if (bytes > MAX_PAGE_BYTES) throw new Error(`${page}.html has ${bytes} bytes gzipped, more than ${MAX_PAGE_BYTES}`);
  writeFileSync(path.join(out, `${page}.html`), html);
  process.stdout.write(`packages/viewer: dist/${page}.html ${Math.round(bytes / 1000)} kB gzipped\n`);
  return { script: [hashOf(script)], style: [hashOf(style)] };
}

/**
 * Escapes a script for inlining. Invisible characters are escaped too, because the minifier writes them unescaped and
 * an editor may lose them.
 */
function escapeScript(code) {
  return code
    .replaceAll('</script', '<\\/script')
    .replace(/[^\P{C}\n\t]/gu, escapeCharacter)
    .trim();
}

/** Returns an escape such as `\u007f`. A character of two UTF-16 units becomes two escapes. */
function escapeCharacter(character) {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16));
  return units.map((unit) => `\\u${unit.padStart(4, '0')}`).join('');
}

function findOnlyOutput(output, fits) {
  const found = output.filter(fits);
  if (found.length === 1) return found[0];
  throw new Error(`the page must be one file, but has: ${output.map((it) => it.fileName).join(', ')}`);
}

function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
