/**
 * Bundles the server and command line, minified, and copies the engine's wasm and the viewer's page beside them. Code
 * that only some calls need is in separate files, so that a start does not read it. The wasm and the page must be built
 * before, in their packages.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { esModuleOptions, isReplacedBuiltin, nodeBundleOptions } from '../../scripts/lib/bundle-for-node.mjs';
import { listBundledFiles, writeThirdParty } from '../../scripts/lib/third-party.mjs';
import { asking, recordStart } from './record-start.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const engine = path.resolve(here, '../../npm/engine');
const viewer = path.resolve(here, '../viewer/dist');
const out = path.join(here, 'dist');
const manifest = JSON.parse(readFileSync(path.join(here, 'package.json'), 'utf8'));
const require = createRequire(import.meta.url);

/** The version for browsers, because the version for Node is CommonJS, which has no named exports behind `import()`. */
const yaml = path.join(path.dirname(require.resolve('yaml/package.json')), 'browser/index.js');

/** The ES module, because the version for Node is UMD, whose parts a bundler cannot find. */
const jsonc = path.join(path.dirname(require.resolve('jsonc-parser/package.json')), 'lib/esm/main.js');

/**
 * Modules that are bundled into a single file with all their imports, because Node needs as much time to load a small
 * file as a large file. Ordered by the time of loading: a module that two groups share is in the earlier group's file.
 */
const READ_TOGETHER = [
  { name: 'start', entry: 'src/system/v8.ts' },
  { name: 'hook', entry: 'src/hook/hook.ts' },
  { name: 'failure-marks', entry: 'src/hook/failure-marks.ts' },
  { name: 'hook-location', entry: 'src/hook/hook-location.ts' },
  { name: 'command-line', entry: 'src/cli/main.ts' },
  { name: 'look', entry: 'src/run/git-state.ts' },
  { name: 'run', entry: 'src/cli/failures/run.ts' },
  { name: 'tools', entry: 'src/tools/shared/registry.ts' },
];

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { output } = await build({
  cwd: here,
  input: { cli: 'src/cli.ts', hook: 'src/hook.ts', 'project-worker': path.join(engine, 'src/node/project-worker.ts') },
  ...nodeBundleOptions,
  // Some modules are imported statically by a command and dynamically by another command.
  checks: { ineffectiveDynamicImport: false },
  // Optional native packages that are loaded at run time if they are installed.
  external: ['fs-native-extensions', 'pg'],
  resolve: { alias: { 'argus-engine': path.join(engine, 'src/node.ts'), yaml, 'jsonc-parser': jsonc } },
  transform: { ...nodeBundleOptions.transform, define: { ARGUS_VERSION: JSON.stringify(manifest.version) } },
  output: {
    ...esModuleOptions,
    dir: out,
    codeSplitting: {
      groups: READ_TOGETHER.map(({ name, entry }, index) => ({
        name,
        // The first group includes the small stubs for Node's built-in modules, because they are needed first.
        test: (id) => id === path.join(here, entry) || (index === 0 && isReplacedBuiltin(id)),
        priority: READ_TOGETHER.length - index,
      })),
    },
  },
});
for (const program of ['cli.mjs', 'hook.mjs']) chmodSync(path.join(out, program), 0o755);

// The launcher has no recorded answers yet, so these come from the server.
for (const profile of ['full', 'core']) {
  const start = await recordStart(() => connectTo([path.join(out, 'cli.mjs'), '--profile', profile]));
  writeFileSync(path.join(out, `start-${profile}.json`), JSON.stringify(start));
}

const wasm = path.join(engine, 'src/wasm/argus_wasm_bg.wasm');
if (!existsSync(wasm)) throw new Error('the engine is not built: run `cargo xtask wasm` first');
copyFileSync(wasm, path.join(out, 'argus_engine.wasm'));
// These files are copied unchanged, because other programs load them.
cpSync(path.join(here, 'src/run/reporters'), path.join(out, 'reporters'), { recursive: true });
for (const name of ['argus.schema.json', 'argus-quarantine.schema.json', 'src/generated/argus-shared.schema.json']) {
  copyFileSync(path.join(here, name), path.join(out, path.basename(name)));
}

// The manual is part of the package.
const manual = path.join(here, 'docs');
rmSync(manual, { recursive: true, force: true });
cpSync(path.resolve(here, '../../docs/manual'), manual, { recursive: true });

mkdirSync(path.join(out, 'viewer'));
for (const name of ['index.html', 'app.html', 'csp.json']) {
  const built = path.join(viewer, name);
  if (!existsSync(built)) throw new Error(`the viewer is not built (${built}): npm run build -w argus-viewer`);
  copyFileSync(built, path.join(out, 'viewer', name));
}

const inPage = JSON.parse(readFileSync(path.join(viewer, 'modules.json'), 'utf8'));
writeThirdParty(manifest, [...listBundledFiles(output), ...inPage.map((file) => path.resolve(viewer, file))], out);

const bytes = output.reduce((sum, { code = '' }) => sum + Buffer.byteLength(code), 0);
process.stdout.write(`packages/mcp: dist/*.mjs ${Math.round(bytes / 1024)} KiB\n`);

/** Starts a built server. */
function connectTo(args) {
  const server = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const { ask, receive } = asking((message) => server.stdin.write(`${JSON.stringify(message)}\n`));
  createInterface({ input: server.stdout }).on('line', (line) => receive(JSON.parse(line)));
  const close = async () => {
    const gone = once(server, 'exit');
    server.stdin.end();
    await gone;
  };
  return { ask, close };
}
