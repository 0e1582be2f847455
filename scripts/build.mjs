// Builds everything that runs: the engine as wasm, its npm package, the viewer's page, and the bundle of the MCP
// server. Unchanged parts are skipped. `quick` builds the engine in a third of the time, for trying it out but not for
// publishing or benchmarks. setup.mjs prepares the machine.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, runNpm } from './lib/exec.mjs';
import { runOrFail } from './lib/required-programs.mjs';
import { hashOf, recall, remember } from './lib/step-cache.mjs';
import { requireSuccess, runMain, runStep } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const RUST_INPUTS = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo', 'crates'];
const PACKAGE_INPUTS = ['package-lock.json', '.tsconfig.base.json'];

/** Parts in the order of their dependencies. A part counts as built only if the paths in `makes` exist. */
const PARTS = [
  {
    name: 'engine compiled to wasm',
    lane: 'cargo',
    inputs: RUST_INPUTS,
    makes: ['npm/engine/src/wasm'],
    run: (title, onLine, quick) => runOrFail(title, 'cargo', ['xtask', 'wasm', ...(quick ? ['--start'] : [])], onLine),
  },
  {
    name: 'argus-engine bundled',
    lane: 'node',
    inputs: [...RUST_INPUTS, ...PACKAGE_INPUTS, 'npm/engine'],
    makes: ['npm/engine/dist/node.mjs'],
    run: (title, onLine) => buildWorkspace(title, 'argus-engine', onLine),
  },
  {
    name: 'viewer built',
    lane: 'node',
    inputs: [...RUST_INPUTS, ...PACKAGE_INPUTS, 'npm/engine', 'packages/viewer'],
    makes: ['packages/viewer/dist/index.html', 'packages/viewer/dist/app.html'],
    run: (title, onLine) => buildWorkspace(title, 'argus-viewer', onLine),
  },
  {
    name: 'argus-mcp bundled',
    lane: 'node',
    inputs: [...RUST_INPUTS, ...PACKAGE_INPUTS, 'npm/engine', 'packages/viewer', 'packages/mcp', 'docs/manual'],
    makes: ['packages/mcp/dist/cli.mjs'],
    run: (title, onLine) => buildWorkspace(title, 'argus-mcp', onLine),
  },
];

/** How a part was built, as recorded in its stamp. All parts contain the engine or are built from it. */
const FULL = 'full';
const QUICK = 'quick';

export async function build({ quick = false } = {}) {
  for (const part of PARTS) {
    if (!isBuilt(part, quick)) await runStep(part.name, (onLine) => buildPart(part, quick, onLine));
  }
}

/** Returns the build as steps of a suite, either quick or optimized. */
export function buildSteps({ optimized = false, suffix = '', after = [] } = {}) {
  return PARTS.map((part, index) => ({
    name: `${part.name}${suffix}`,
    lane: part.lane,
    after: index === 0 ? after : [`${PARTS[index - 1].name}${suffix}`],
    isDone: () => isBuilt(part, !optimized),
    work: (onLine) => buildPart(part, !optimized, onLine),
  }));
}

function isBuilt({ name, inputs, makes }, quick) {
  const isThere = makes.every((path) => existsSync(join(root, path)));
  const made = isThere ? recall(stampName(name), hashOf(inputs)) : null;
  return made === FULL || (quick && made === QUICK);
}

async function buildPart({ name, inputs, run }, quick, onLine) {
  const hash = hashOf(inputs);
  await run(name, onLine, quick);
  remember(stampName(name), hash, quick ? QUICK : FULL);
}

const stampName = (name) => name.replaceAll(' ', '-');

async function buildWorkspace(title, workspace, onLine) {
  return requireSuccess(title, await runNpm(['run', 'build', '--if-present', '--workspace', workspace], { onLine }));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runMain(async () => {
    await setUp();
    await build();
  });
}
