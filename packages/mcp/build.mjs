/**
 * Bundles the server and command line, minified, with the engine's wasm and the viewer's page beside it. What only some
 * calls need is in files of its own: a start reads nothing else. Compiling the wasm and building the page comes before:
 * in their packages.
 */

import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledFiles, writeThirdParty } from '../../.scripts/lib/third-party.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const engine = path.resolve(here, '../../npm/engine');
const viewer = path.resolve(here, '../viewer/dist');
const out = path.join(here, 'dist');
const manifest = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'));

/** For Node it is CommonJS, which has no named exports behind an `import()`; the same library for browsers is a module. */
const yaml = path.join(path.dirname(createRequire(import.meta.url).resolve('yaml/package.json')), 'browser/index.js');

/** For Node it is UMD, whose parts no bundler finds; the same library is a module too. */
const jsonc = path.join(
  path.dirname(createRequire(import.meta.url).resolve('jsonc-parser/package.json')),
  'lib/esm/main.js',
);

/** The SDK's default validator is ajv; the other one it ships starts faster. */
const lighterValidator = {
  name: 'lighter-validator',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({ path: 'shims', namespace: 'argus' }));
    onLoad({ filter: /^shims$/, namespace: 'argus' }, () => ({
      contents: `
        export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
        export { default as process } from 'node:process';`,
      resolveDir: here,
    }));
  },
};

/** zod's messages in fifty languages are a quarter of the bundle, and nobody reads them here in any but English. */
const englishOnly = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: [path.join(here, 'src/cli.ts')],
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Native, optional, and found at run time or not.
  external: ['fs-native-extensions', 'pg'],
  alias: { 'argus-engine': path.join(engine, 'src/node.ts'), yaml, 'jsonc-parser': jsonc },
  define: { ARGUS_VERSION: JSON.stringify(manifest.version) },
  // CommonJS packages in the bundle ask for node's own modules.
  banner: {
    js: "import { createRequire as argusRequire } from 'node:module'; const require = argusRequire(import.meta.url);",
  },
  plugins: [lighterValidator, englishOnly],
  metafile: true,
  logLevel: 'warning',
});
chmodSync(path.join(out, 'cli.mjs'), 0o755);

const wasm = path.join(engine, 'src/wasm/argus_wasm_bg.wasm');
if (!existsSync(wasm)) throw new Error('the engine is not built: run `cargo xtask wasm` first');
copyFileSync(wasm, path.join(out, 'argus_engine.wasm'));
// Other programs load these as they are.
cpSync(path.join(here, 'src/run/reporters'), path.join(out, 'reporters'), { recursive: true });
for (const name of ['argus.schema.json', 'argus-quarantine.schema.json', 'src/generated/argus-shared.schema.json']) {
  copyFileSync(path.join(here, name), path.join(out, path.basename(name)));
}

mkdirSync(path.join(out, 'viewer'));
for (const name of ['index.html', 'app.html', 'csp.json']) {
  const built = path.join(viewer, name);
  if (!existsSync(built)) throw new Error(`the viewer is not built (${built}): npm run build -w argus-viewer`);
  copyFileSync(built, path.join(out, 'viewer', name));
}

const inPage = JSON.parse(readFileSync(path.join(viewer, 'modules.json'), 'utf8'));
writeThirdParty(manifest, [...bundledFiles(metafile, here), ...inPage.map((file) => path.resolve(viewer, file))], out);

const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
process.stdout.write(`packages/mcp: dist/*.mjs ${Math.round(bytes / 1024)} KiB\n`);
