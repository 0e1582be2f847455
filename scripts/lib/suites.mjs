// What `npm run check`, `npm test` and `npm run test:full` do: a list of steps each, in lanes that work side by side:
// `cargo`, `node`, `checks` for what reads the sources, and `network` for what mostly waits. How they are run: run-suite.mjs.
import { buildSteps } from '../build.mjs';
import { installWasmBindgen } from '../setup.mjs';
import { cargoTest, clippy, engineOnPostgres, NATIVE } from './cargo.mjs';
import { run, runTool } from './exec.mjs';
import { checkLayers } from './layers.mjs';
import { filesOf, vitest } from './vitest.mjs';

const RUST = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo', 'crates', '.rustfmt.toml'];
/** Of all TypeScript: the types of the engine come from `crates`. */
const ENGINE = ['package.json', 'package-lock.json', '.tsconfig.base.json', 'npm', 'crates'];
const VIEWER = [...ENGINE, 'packages/viewer'];
const SERVER = [...VIEWER, 'packages/mcp'];
const EVERYTHING = ['.'];
const UNIT_TESTS = ['npm/', 'packages/'];
const PACKAGING = ['tests/packaging/'];
const WASM = ['--target', 'wasm32-unknown-unknown'];

/** The profile of the quick engine, whose libraries are built already. */
const LIKE_START = ['--profile', 'start'];
/** Modules whose tests draw random cases, and how many cases each draws in the full run. */
const PROPERTIES = ['normalize::', 'counting', 'retention', 'random'];
const MANY_CASES = { PROPTEST_CASES: '1024' };

const BUILT = 'argus-mcp bundled';
const RUNNERS = 'test runners';
const OPTIMIZED = { optimized: true, suffix: ', optimized' };

/** What an edit can break, in the order in which it is found soonest. */
export function checkSuite() {
  return [
    ...texts(),
    ...buildSteps(),
    rustTests(),
    ...rustLint(),
    ...types(),
    typescriptTests('unit tests', 'test', UNIT_TESTS, [], BUILT),
  ];
}

export function testSuite() {
  return [
    testRunners(),
    command('rustfmt', 'cargo', RUST, ['cargo', 'fmt', '--check']),
    ...texts(),
    ...buildSteps(),
    rustTests(),
    ...rustLint(),
    ...types(),
    tool('knip', EVERYTHING, 'knip', 'bin/knip.js', ['--config', '.knip.json', '--no-progress'], BUILT),
    publint('npm/engine', ENGINE),
    publint('packages/mcp', SERVER),
    typescriptTests('TypeScript tests', 'test', [''], [], BUILT, RUNNERS),
    command(
      'npm start',
      'network',
      [...SERVER, 'scripts', 'tests/demo'],
      [process.execPath, 'scripts/start.mjs'],
      BUILT,
    ),
  ];
}

/** What `npm test` leaves out, because it takes long or needs programs that few machines have. */
export function fullSuite() {
  const [onWasm, onPostgres] = ['Rust tests on wasm', 'engine on PostgreSQL'];
  const expensive = 'TypeScript tests, full';
  return [
    ...buildSteps(),
    { name: 'wasm-bindgen', lane: 'cargo', work: installWasmBindgen },
    testRunners('--all'),
    rustStep(
      onWasm,
      (onLine) => cargoTest(['-p', 'argus-wasm', '--test', 'bindings', ...LIKE_START, ...WASM], onLine),
      'wasm-bindgen',
    ),
    rustStep('Rust documentation', (onLine) => cargoTest(['--workspace', '--doc'], onLine)),
    rustStep('Rust properties', (onLine) => cargoTest([...NATIVE, '--', ...PROPERTIES], onLine, MANY_CASES)),
    rustStep(onPostgres, engineOnPostgres),
    typescriptTests(expensive, 'full', [''], PACKAGING, BUILT, RUNNERS),
    // It replaces what the tests before it run.
    ...buildSteps({ ...OPTIMIZED, after: [onWasm, onPostgres, expensive] }),
    typescriptTests('packages', 'full', PACKAGING, [], `${BUILT}${OPTIMIZED.suffix}`),
  ];
}

function texts() {
  const agents = ['packages/agents', 'packages/mcp/package.json', '.claude-plugin', '.agents'];
  const generate = [process.execPath, 'packages/agents/generate.mjs', '--check'];
  return [
    tool('biome', EVERYTHING, '@biomejs/biome', 'bin/biome', ['ci', '--colors=off']),
    { name: 'layers', lane: 'checks', inputs: EVERYTHING, work: checkLayers },
    command('plugins and extensions are current', 'checks', agents, generate),
  ];
}

function types() {
  const folders = [
    ['npm/engine', ENGINE],
    ['packages/mcp', SERVER],
    ['packages/viewer/test', VIEWER],
    ['tests', [...SERVER, 'tests']],
  ];
  const tsc = (folder) => ['-p', folder, '--pretty', 'false'];
  // With the TypeScript of that package, because svelte-check knows none newer than 6.
  const svelteCheck = 'packages/viewer/node_modules/svelte-check/bin/svelte-check';
  const options = ['--workspace', 'packages/viewer', '--tsconfig', './tsconfig.json'];
  return [
    ...folders.map(([folder, inputs]) => tool(`tsc ${folder}`, inputs, 'typescript', 'bin/tsc', tsc(folder), BUILT)),
    command(
      'svelte-check',
      'checks',
      VIEWER,
      [process.execPath, svelteCheck, ...options, '--fail-on-warnings', '--output', 'human'],
      BUILT,
    ),
  ];
}

/** Installs what really runs in tests; a runner that cannot be had is told by the tests of it. */
function testRunners(...args) {
  const work = async (onLine) => void (await run(process.execPath, ['tests/e2e/setup.mjs', ...args], { onLine }));
  return { name: RUNNERS, lane: 'network', work };
}

function rustTests() {
  return rustStep('Rust tests', (onLine) => cargoTest(NATIVE, onLine));
}

function rustLint() {
  const wasmCrates = ['-p', 'argus-vfs', '-p', 'argus-wasm'];
  return [
    rustStep('clippy', (onLine) => clippy(['--workspace', '--all-targets'], onLine)),
    rustStep('clippy for wasm', (onLine) => clippy([...wasmCrates, '--no-deps', '--all-targets', ...WASM], onLine)),
  ];
}

function rustStep(name, work, ...after) {
  return { name, lane: 'cargo', inputs: [...RUST, 'tests/vectors', 'npm/engine/src/generated'], after, work };
}

/** Test files are remembered one by one, so the step itself has no inputs. */
function typescriptTests(name, suite, prefixes, except, ...after) {
  const work = (onLine, all) =>
    vitest({ name: name.replaceAll(/\W+/g, '-'), suite, files: filesOf(suite, prefixes, except), all, onLine });
  return { name, lane: 'node', after, work };
}

function publint(folder, inputs) {
  return tool(`publint ${folder}`, inputs, 'publint', 'src/cli.js', [folder, '--strict'], BUILT);
}

function tool(name, inputs, packageName, bin, args, ...after) {
  const work = (onLine) => runTool(packageName, bin, args, { onLine });
  return { name, lane: 'checks', inputs, after, work };
}

function command(name, lane, inputs, [program, ...args], ...after) {
  return { name, lane, inputs, after, work: (onLine) => run(program, args, { onLine }) };
}
