// The steps of `npm run check`, `npm test` and `npm run test:full`. Steps run in parallel lanes: `cargo`, `node`,
// `checks` for everything that reads the sources, and `network` for steps that mostly wait. run-suite.mjs runs them.
import { buildSteps } from '../build.mjs';
import { installWasmBindgen } from '../setup.mjs';
import { cargoTest, clippy, engineOnPostgres, NATIVE } from './cargo.mjs';
import { run, runTool } from './exec.mjs';
import { checkLayers } from './layers.mjs';
import { filesOf, vitest } from './vitest.mjs';

const RUST = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo', 'crates', '.rustfmt.toml'];
/** Inputs of all TypeScript, because the types of the engine come from `crates`. */
const ENGINE = ['package.json', 'package-lock.json', '.tsconfig.base.json', 'npm', 'crates'];
const VIEWER = [...ENGINE, 'packages/viewer'];
const SERVER = [...VIEWER, 'packages/mcp'];
const EVERYTHING = ['.'];
const UNIT_TESTS = ['npm/', 'packages/'];
const PACKAGING = ['tests/packaging/'];
const WASM = ['--target', 'wasm32-unknown-unknown'];

/** The profile of the quick engine, because its libraries are already built. */
const LIKE_START = ['--profile', 'start'];
/** Modules whose tests use random cases, and the number of cases in the full run. */
const PROPERTIES = ['normalize::', 'counting', 'retention', 'random'];
const MANY_CASES = { PROPTEST_CASES: '1024' };

const BUILT = 'argus-mcp bundled';
const RUNNERS = 'test runners';
const OPTIMIZED = { optimized: true, suffix: ', optimized' };

/** Everything that an edit can break. Checks that find problems soonest come first. */
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

/** Tests that `npm test` leaves out, because they take long or need programs that few machines have. */
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
    // Comes last, because it replaces the build that earlier tests run.
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
  // Uses the TypeScript of the viewer package, because svelte-check does not support versions newer than 6.
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

/** Installs the test runners that the tests start. If a runner is missing, its tests report it. */
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

/** The step itself has no inputs, because passed test files are remembered individually. */
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
