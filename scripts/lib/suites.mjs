// The steps of `npm run check`, `npm test` and `npm run test:full`. Steps run in parallel lanes: `cargo`, `node`,
// `checks` for everything that reads the sources, and `network` for steps that mostly wait. run-suite.mjs runs the
// steps.
import { buildSteps } from '../build.mjs';
import { installWasmBindgen } from '../setup.mjs';
import { NATIVE_TEST_ARGS, runCargoTests, runClippy, runPostgresTests } from './cargo.mjs';
import { run, runTool } from './exec.mjs';
import { checkDependencies } from './layers.mjs';
import { runVitest, selectTestFiles } from './vitest.mjs';

const RUST_INPUTS = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo', 'crates', '.rustfmt.toml'];
/** Inputs of all TypeScript, because `crates` determines the types of the engine. */
const ENGINE_INPUTS = ['package.json', 'package-lock.json', '.tsconfig.base.json', 'npm', 'crates'];
const VIEWER_INPUTS = [...ENGINE_INPUTS, 'packages/viewer'];
const SERVER_INPUTS = [...VIEWER_INPUTS, 'packages/mcp'];
const ALL_INPUTS = ['.'];
const UNIT_TEST_PREFIXES = ['npm/', 'packages/'];
const PACKAGING_PREFIXES = ['tests/packaging/'];
const WASM_TARGET_ARGS = ['--target', 'wasm32-unknown-unknown'];

/** The profile of the quick engine, because its libraries are already built. */
const QUICK_PROFILE_ARGS = ['--profile', 'start'];
/** Modules whose tests use random cases, and the number of cases in the full run. */
const RANDOM_TEST_FILTERS = ['normalize::', 'counting', 'retention', 'random'];
const MANY_CASES_ENVIRONMENT = { PROPTEST_CASES: '1024' };

const BUILD_STEP = 'argus-mcp bundled';
const RUNNERS_STEP = 'test runners';
const OPTIMIZED_BUILD = { optimized: true, suffix: ', optimized' };

/** Returns the checks of everything that an edit can break. Checks that find problems soonest come first. */
export function createCheckSuite() {
  return [
    ...sourceCheckSteps(),
    ...buildSteps(),
    rustTestStep(),
    ...rustLintSteps(),
    ...typeSteps(),
    typescriptTestStep('unit tests', 'test', UNIT_TEST_PREFIXES, [], BUILD_STEP),
  ];
}

export function createTestSuite() {
  return [
    installRunnersStep(),
    commandStep('rustfmt', 'cargo', RUST_INPUTS, ['cargo', 'fmt', '--check']),
    ...sourceCheckSteps(),
    ...buildSteps(),
    rustTestStep(),
    ...rustLintSteps(),
    ...typeSteps(),
    toolStep('knip', ALL_INPUTS, 'knip', 'bin/knip.js', ['--config', '.knip.json', '--no-progress'], BUILD_STEP),
    publintStep('npm/engine', ENGINE_INPUTS),
    publintStep('packages/mcp', SERVER_INPUTS),
    typescriptTestStep('TypeScript tests', 'test', [''], [], BUILD_STEP, RUNNERS_STEP),
    commandStep(
      'npm start',
      'network',
      [...SERVER_INPUTS, 'scripts', 'tests/demo'],
      [process.execPath, 'scripts/start.mjs'],
      BUILD_STEP,
    ),
  ];
}

/** Returns the tests that `npm test` leaves out, because they take long or need programs that few machines have. */
export function createFullSuite() {
  const [onWasm, onPostgres] = ['Rust tests on wasm', 'engine on PostgreSQL'];
  const expensive = 'TypeScript tests, full';
  return [
    ...buildSteps(),
    { name: 'wasm-bindgen', lane: 'cargo', work: installWasmBindgen },
    installRunnersStep('--all'),
    rustStep(
      onWasm,
      (onLine) =>
        runCargoTests(['-p', 'argus-wasm', '--test', 'bindings', ...QUICK_PROFILE_ARGS, ...WASM_TARGET_ARGS], onLine),
      'wasm-bindgen',
    ),
    rustStep('Rust documentation', (onLine) => runCargoTests(['--workspace', '--doc'], onLine)),
    rustStep('Rust properties', (onLine) =>
      runCargoTests([...NATIVE_TEST_ARGS, '--', ...RANDOM_TEST_FILTERS], onLine, MANY_CASES_ENVIRONMENT),
    ),
    rustStep(onPostgres, runPostgresTests),
    typescriptTestStep(expensive, 'full', [''], PACKAGING_PREFIXES, BUILD_STEP, RUNNERS_STEP),
    // Comes last, because it replaces the build that earlier tests run.
    ...buildSteps({ ...OPTIMIZED_BUILD, after: [onWasm, onPostgres, expensive] }),
    typescriptTestStep('packages', 'full', PACKAGING_PREFIXES, [], `${BUILD_STEP}${OPTIMIZED_BUILD.suffix}`),
  ];
}

function sourceCheckSteps() {
  const agents = ['packages/agents', 'packages/mcp/package.json', '.claude-plugin', '.agents'];
  const generate = [process.execPath, 'packages/agents/generate.mjs', '--check'];
  return [
    toolStep('biome', ALL_INPUTS, '@biomejs/biome', 'bin/biome', ['ci', '--colors=off']),
    { name: 'layers', lane: 'checks', inputs: ALL_INPUTS, work: checkDependencies },
    commandStep('plugins and extensions are current', 'checks', agents, generate),
  ];
}

function typeSteps() {
  const folders = [
    ['npm/engine', ENGINE_INPUTS],
    ['packages/mcp', SERVER_INPUTS],
    ['packages/viewer/test', VIEWER_INPUTS],
    ['tests', [...SERVER_INPUTS, 'tests']],
  ];
  const tsc = (folder) => ['-p', folder, '--pretty', 'false'];
  // Uses the TypeScript of the viewer package, because svelte-check does not support versions newer than 6.
  const svelteCheck = 'packages/viewer/node_modules/svelte-check/bin/svelte-check';
  const options = ['--workspace', 'packages/viewer', '--tsconfig', './tsconfig.json'];
  return [
    ...folders.map(([folder, inputs]) =>
      toolStep(`tsc ${folder}`, inputs, 'typescript', 'bin/tsc', tsc(folder), BUILD_STEP),
    ),
    commandStep(
      'svelte-check',
      'checks',
      VIEWER_INPUTS,
      [process.execPath, svelteCheck, ...options, '--fail-on-warnings', '--output', 'human'],
      BUILD_STEP,
    ),
  ];
}

/** Installs the test runners that the tests start. If a runner is missing, its tests report that. */
function installRunnersStep(...args) {
  const work = async (onLine) => void (await run(process.execPath, ['tests/e2e/setup.mjs', ...args], { onLine }));
  return { name: RUNNERS_STEP, lane: 'network', work };
}

function rustTestStep() {
  return rustStep('Rust tests', (onLine) => runCargoTests(NATIVE_TEST_ARGS, onLine));
}

function rustLintSteps() {
  const wasmCrates = ['-p', 'argus-vfs', '-p', 'argus-wasm'];
  return [
    rustStep('clippy', (onLine) => runClippy(['--workspace', '--all-targets'], onLine)),
    rustStep('clippy for wasm', (onLine) =>
      runClippy([...wasmCrates, '--no-deps', '--all-targets', ...WASM_TARGET_ARGS], onLine),
    ),
  ];
}

function rustStep(name, work, ...after) {
  return { name, lane: 'cargo', inputs: [...RUST_INPUTS, 'tests/vectors', 'npm/engine/src/generated'], after, work };
}

/** The step itself has no inputs, because each test file that passed is remembered separately. */
function typescriptTestStep(name, suite, prefixes, except, ...after) {
  const work = (onLine, all) =>
    runVitest({
      name: name.replaceAll(/\W+/g, '-'),
      suite,
      files: selectTestFiles(suite, prefixes, except),
      all,
      onLine,
    });
  return { name, lane: 'node', after, work };
}

function publintStep(folder, inputs) {
  return toolStep(`publint ${folder}`, inputs, 'publint', 'src/cli.js', [folder, '--strict'], BUILD_STEP);
}

function toolStep(name, inputs, packageName, bin, args, ...after) {
  const work = (onLine) => runTool(packageName, bin, args, { onLine });
  return { name, lane: 'checks', inputs, after, work };
}

function commandStep(name, lane, inputs, [program, ...args], ...after) {
  return { name, lane, inputs, after, work: (onLine) => run(program, args, { onLine }) };
}
