// Prepares a fresh machine for the build: system packages, the Rust toolchain with the wasm target, and node modules.
// Every part checks first and does nothing if it is already installed. build.mjs builds.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findProgram, readOutput, root, runNpm, toolsDir } from './lib/exec.mjs';
import {
  BUILD_PROGRAMS,
  installIfPossible,
  requireNode,
  requirePrograms,
  requireRustup,
  runOrFail,
} from './lib/required-programs.mjs';
import { hashOf, recall, remember } from './lib/step-cache.mjs';
import { requireSuccess, runMain, runStep } from './lib/steps.mjs';

/**
 * Prepares the machine. `programs` are additional programs for tests. If such a program cannot be installed, this is
 * reported, and its tests are skipped.
 */
export async function setUp({ programs = [] } = {}) {
  requireNode();
  await requirePrograms(BUILD_PROGRAMS);
  if (programs.length > 0) await installIfPossible(programs);
  requireRustup();
  await setUpToolchain();
  await setUpNodeModules();
}

/**
 * Installs the toolchain explicitly, because rustup does not read the toolchain file itself with RUSTUP_AUTO_INSTALL=0
 * or in older versions.
 */
async function setUpToolchain() {
  const wanted = readToolchainFile();
  const has = (kind) =>
    readOutput('rustup', [kind, 'list', '--toolchain', wanted.channel, '--installed'])?.split('\n') ?? [];
  const components = has('component');
  const missing = [
    ...wanted.components.filter((name) => !components.some((line) => line.startsWith(name))),
    ...wanted.targets.filter((name) => !has('target').includes(name)),
  ];
  if (components.length > 0 && missing.length === 0) return;
  const options = [...wanted.components.flatMap((c) => ['-c', c]), ...wanted.targets.flatMap((t) => ['-t', t])];
  const title = `Rust ${wanted.channel} with ${[...wanted.components, ...wanted.targets].join(', ')}`;
  await runStep(title, (onLine) =>
    runOrFail(
      title,
      'rustup',
      ['toolchain', 'install', wanted.channel, '--profile', 'minimal', '--no-self-update', ...options],
      onLine,
    ),
  );
}

function readToolchainFile() {
  const text = readFileSync(join(root, 'rust-toolchain.toml'), 'utf8');
  const list = (key) =>
    [...(text.match(new RegExp(`^${key} *= *\\[(.*)\\]`, 'm'))?.[1] ?? '').matchAll(/"([^"]+)"/g)].map((m) => m[1]);
  return {
    channel: text.match(/^channel *= *"([^"]+)"/m)[1],
    components: list('components'),
    targets: list('targets'),
  };
}

/** Installs the test runner for wasm, which must have exactly the version that the crates use. */
export async function installWasmBindgen(onLine) {
  const version = readFileSync(join(root, 'Cargo.toml'), 'utf8').match(/^wasm-bindgen *= *"=([^"]+)"/m)[1];
  if (readOutput('wasm-bindgen', ['--version'])?.endsWith(` ${version}`)) return;
  // A different version on PATH is not replaced, because another project may need it.
  const place = findProgram('wasm-bindgen') ? ['--root', toolsDir] : [];
  const args = ['install', 'wasm-bindgen-cli', '--version', version, '--locked', ...place];
  await runOrFail('wasm-bindgen', 'cargo', args, onLine);
}

async function setUpNodeModules() {
  const hash = hashOf(
    [
      'package-lock.json',
      'package.json',
      'npm/engine/package.json',
      'packages/mcp/package.json',
      'packages/viewer/package.json',
    ],
    process.platform,
  );
  if (recall('node-modules', hash) && existsSync(join(root, 'node_modules', 'typescript'))) return;
  // Does not use `npm ci`, because that refuses a lock file without the optional packages of other platforms, which a
  // partial mirror cannot list. Versions and hashes still come from the lock file.
  const args = ['install', '--no-save', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await runStep('node modules', async (onLine) => requireSuccess('node modules', await runNpm(args, { onLine })));
  // The Node that the conformance suite needs must not become the default `node`.
  rmSync(join(root, 'node_modules', '.bin', 'node'), { force: true });
  remember('node-modules', hash);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runMain(setUp);
}
