// Builds everything that runs: the engine to wasm, its npm package, the viewer's page, the MCP server's bundle. Skips
// what has not changed since it was built. `quick`: the engine in a third of the time, to be tried and not to be
// published or measured. Setting the machine up: setup.mjs.
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

/** In the order in which one needs the other; `makes` must exist for a step to count as done. */
const STEPS = [
  {
    name: 'engine-wasm',
    title: 'engine compiled to wasm',
    inputs: RUST,
    makes: ['npm/engine/src/wasm'],
    run: (title, onLine, quick) => pass(title, 'cargo', ['xtask', 'wasm', ...(quick ? ['--start'] : [])], onLine),
  },
  {
    name: 'engine-package',
    title: 'argus-engine bundled',
    inputs: [...RUST, ...PACKAGES, 'npm/engine'],
    makes: ['npm/engine/dist/node.mjs'],
    run: (title, onLine) => npmBuild(title, 'argus-engine', onLine),
  },
  {
    name: 'viewer-page',
    title: 'viewer built',
    inputs: [...RUST, ...PACKAGES, 'npm/engine', 'packages/viewer'],
    makes: ['packages/viewer/dist/index.html', 'packages/viewer/dist/app.html'],
    run: (title, onLine) => npmBuild(title, 'argus-viewer', onLine),
  },
  {
    name: 'mcp-package',
    title: 'argus-mcp bundled',
    inputs: [...RUST, ...PACKAGES, 'npm/engine', 'packages/viewer', 'packages/mcp'],
    makes: ['packages/mcp/dist/cli.mjs'],
    run: (title, onLine) => npmBuild(title, 'argus-mcp', onLine),
  },
];

export async function build({ quick = false } = {}) {
  for (const { name, title, inputs, makes, run } of STEPS) {
    const hash = hashOf(inputs);
    const made = makes.every((path) => existsSync(join(root, path))) ? recall(name, hash) : null;
    if (made === FULL || (quick && made === QUICK)) continue;
    await step(title, (onLine) => run(title, onLine, quick));
    remember(name, hash, quick ? QUICK : FULL);
  }
}

/** What a stamp says of how something was built; everything else holds the engine or is built from it. */
const FULL = 'full';
const QUICK = 'quick';

async function npmBuild(title, workspace, onLine) {
  return mustPass(title, await runNpm(['run', 'build', '--if-present', '--workspace', workspace], { onLine }));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(async () => {
    await setUp();
    await build();
  });
}
