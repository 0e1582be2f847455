// Builds everything that runs: the engine as wasm, its npm package, the viewer's page, and the bundle of the MCP
// server. Parts that have not changed are skipped. `quick` builds the engine in a third of the time, for trying it out
// but not for publishing or benchmarks. setup.mjs prepares the machine.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, runNpm } from './lib/exec.mjs';
import { pass } from './lib/machine.mjs';
import { hashOf, recall, remember } from './lib/stamp.mjs';
import { main, mustPass, step } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const RUST = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo', 'crates'];
const PACKAGES = ['package-lock.json', '.tsconfig.base.json'];

/** Parts in the order of their dependencies. A part counts as built only if the paths in `makes` exist. */
const PARTS = [
  {
    name: 'engine compiled to wasm',
    lane: 'cargo',
    inputs: RUST,
    makes: ['npm/engine/src/wasm'],
    run: (title, onLine, quick) => pass(title, 'cargo', ['xtask', 'wasm', ...(quick ? ['--start'] : [])], onLine),
  },
  {
    name: 'argus-engine bundled',
    lane: 'node',
    inputs: [...RUST, ...PACKAGES, 'npm/engine'],
    makes: ['npm/engine/dist/node.mjs'],
    run: (title, onLine) => npmBuild(title, 'argus-engine', onLine),
  },
  {
    name: 'viewer built',
    lane: 'node',
    inputs: [...RUST, ...PACKAGES, 'npm/engine', 'packages/viewer'],
    makes: ['packages/viewer/dist/index.html', 'packages/viewer/dist/app.html'],
    run: (title, onLine) => npmBuild(title, 'argus-viewer', onLine),
  },
  {
    name: 'argus-mcp bundled',
    lane: 'node',
    inputs: [...RUST, ...PACKAGES, 'npm/engine', 'packages/viewer', 'packages/mcp', 'docs/manual'],
    makes: ['packages/mcp/dist/cli.mjs'],
    run: (title, onLine) => npmBuild(title, 'argus-mcp', onLine),
  },
];

/** Values of a stamp that record how a part was built. All parts contain the engine or are built from it. */
const FULL = 'full';
const QUICK = 'quick';

export async function build({ quick = false } = {}) {
  for (const part of PARTS) {
    if (!isBuilt(part, quick)) await step(part.name, (onLine) => buildPart(part, quick, onLine));
  }
}

/** The build as steps of a suite, either quick or optimized. */
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
  const made = isThere ? recall(stampOf(name), hashOf(inputs)) : null;
  return made === FULL || (quick && made === QUICK);
}

async function buildPart({ name, inputs, run }, quick, onLine) {
  const hash = hashOf(inputs);
  await run(name, onLine, quick);
  remember(stampOf(name), hash, quick ? QUICK : FULL);
}

const stampOf = (name) => name.replaceAll(' ', '-');

async function npmBuild(title, workspace, onLine) {
  return mustPass(title, await runNpm(['run', 'build', '--if-present', '--workspace', workspace], { onLine }));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setUp();
    await build();
  });
}
