// What `npm test` runs, fast ones first. Each entry: its inputs, and how to run it and count.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, runTool } from './exec.mjs';
import { checkLayers } from './layers.mjs';
import { startPostgres } from './postgres.mjs';

const RUST = ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml', '.cargo', 'crates', '.rustfmt.toml'];
const TYPESCRIPT = ['package.json', 'package-lock.json', '.tsconfig.base.json', 'npm', 'packages', 'tests'];
const DOCUMENTS = ['README.md', 'LICENSE', '.github'];
const MARKETPLACES = ['.claude-plugin', '.agents'];
const EVERYTHING = [
  ...RUST,
  ...TYPESCRIPT,
  ...DOCUMENTS,
  ...MARKETPLACES,
  '.scripts',
  '.fuzz',
  '.biome.json',
  '.knip.json',
];

/** Need no build. */
export const BEFORE_BUILD = [
  check('rustfmt', RUST, (onLine) => run('cargo', ['fmt', '--check'], { onLine })),
  check('biome', EVERYTHING, (onLine) => runTool('@biomejs/biome', 'bin/biome', ['ci', '--colors=off'], { onLine })),
  check('layers', EVERYTHING, checkLayers),
  check(
    'plugins and extensions are current',
    ['packages/agents', 'packages/mcp/package.json', ...MARKETPLACES],
    (onLine) => run(process.execPath, ['packages/agents/generate.mjs', '--check'], { onLine }),
  ),
];

export const AFTER_BUILD = [
  check('generated files are current', [...RUST, 'npm/engine', 'packages/mcp'], (onLine) =>
    xtask(['types', '--check'], onLine),
  ),
  ...typeChecks(),
  check('svelte-check packages/viewer', [...TYPESCRIPT, 'crates'], svelteCheck),
  check('knip', EVERYTHING, (onLine) =>
    runTool('knip', 'bin/knip.js', ['--config', '.knip.json', '--no-progress'], { onLine }),
  ),
  check('publint argus-engine', TYPESCRIPT, (onLine) => publint('npm/engine', onLine)),
  check('publint argus-mcp', TYPESCRIPT, (onLine) => publint('packages/mcp', onLine)),
  check('clippy', RUST, (onLine) => clippy(['--workspace', '--all-targets'], onLine)),
  check('clippy for wasm', RUST, (onLine) =>
    clippy(['-p', 'argus-vfs', '-p', 'argus-wasm', '--all-targets', '--target', 'wasm32-unknown-unknown'], onLine),
  ),
  tests('cargo test', [...RUST, 'tests/vectors'], (onLine) => cargoTest(['--workspace'], onLine)),
  tests('cargo test on wasm', [...RUST, 'tests/vectors'], (onLine) =>
    cargoTest(['-p', 'argus-wasm', '--target', 'wasm32-unknown-unknown'], onLine),
  ),
  tests('engine on PostgreSQL', RUST, engineOnPostgres),
  check('npm start', EVERYTHING, (onLine) => run(process.execPath, ['.scripts/start.mjs'], { onLine })),
  ...vitestRunners(),
];

function check(name, inputs, work) {
  const runCheck = async (onLine) => {
    const { code, output } = await work(onLine);
    return { code, output, summary: '', passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
  };
  return { name, inputs, run: runCheck };
}

function tests(name, inputs, work) {
  return { name, inputs, run: work };
}

const xtask = (args, onLine) => run('cargo', ['run', '--quiet', '--package', 'xtask', '--', ...args], { onLine });
const clippy = (args, onLine) => run('cargo', ['clippy', ...args, '--', '-D', 'warnings'], { onLine });
const publint = (folder, onLine) => runTool('publint', 'src/cli.js', [folder, '--strict'], { onLine });

function typeChecks() {
  return ['npm/engine', 'packages/mcp', 'packages/viewer/test', 'tests'].map((folder) =>
    check(`tsc ${folder}`, [...TYPESCRIPT, 'crates'], (onLine) =>
      runTool('typescript', 'bin/tsc', ['-p', folder, '--pretty', 'false'], { onLine }),
    ),
  );
}

/** With the TypeScript of that package: svelte-check knows none newer than 6. */
function svelteCheck(onLine) {
  const folder = join(root, 'packages', 'viewer');
  const args = ['--tsconfig', 'tsconfig.json', '--fail-on-warnings', '--output', 'human'];
  const program = join(folder, 'node_modules', 'svelte-check', 'bin', 'svelte-check');
  return run(process.execPath, [program, ...args], { cwd: folder, onLine });
}

/**
 * The store's own tests of it, and the engine's whole suite but what takes a minute for what no database changes, and
 * learned commits, which only a memory of this machine has.
 */
async function engineOnPostgres(onLine) {
  const server = await startPostgres();
  try {
    const extraEnv = { ARGUS_TEST_POSTGRES: server.url };
    const skipped = ['--skip', 'no_run_goes_before_its_time', '--skip', 'tests::evidence::learned_commits'];
    const runs = [];
    for (const args of [
      ['-p', 'argus-store', '--test', 'postgres', '--', '--ignored'],
      ['-p', 'argus-engine', '--lib', '--', '--ignored', 'tests::every_call::round_trips', 'tests::every_call::once'],
      ['-p', 'argus-engine', '--lib', '--', ...skipped],
    ]) {
      runs.push(await cargoTest(args, onLine, extraEnv));
    }
    const [passed, failed] = ['passed', 'failed'].map((key) => runs.reduce((sum, it) => sum + it[key], 0));
    const code = Math.max(...runs.map((it) => it.code));
    return finish(code, runs.map((it) => it.output).join(''), passed, failed, `${passed} passed, ${failed} failed`);
  } finally {
    await server.stop();
  }
}

async function cargoTest(args, onLine, extraEnv = {}) {
  const { code, output } = await run('cargo', ['test', ...args], { onLine, extraEnv });
  const counts = [...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  const sum = (column) => counts.reduce((total, match) => total + Number(match[column]), 0);
  return finish(code, output, sum(1), sum(2), `${sum(1)} passed, ${sum(2)} failed, ${sum(3)} ignored`);
}

/** Unit tests beside the sources, then what drives the built product; what a person would try first goes first. */
function vitestRunners() {
  const product = ['e2e', 'faults', 'hostile', 'packaging'].map((name) =>
    tests(`tests/${name}`, name === 'packaging' ? EVERYTHING : [...RUST, ...TYPESCRIPT], (onLine) =>
      vitest(name, [`tests/${name}`], onLine, RETRY[name]),
    ),
  );
  return [
    tests('unit tests', [...RUST, ...TYPESCRIPT], (onLine) => vitest('unit', ['npm', 'packages'], onLine)),
    ...product,
  ];
}

/**
 * Browsers, runners and package managers share a machine of continuous integration with others, and nobody is there to
 * start them again: their tests get a second try, and which one needed it is said.
 */
const RETRY = process.env.CI ? { e2e: ['--retry=1'], hostile: ['--retry=1'] } : {};

async function vitest(name, folders, onLine, more = []) {
  mkdirSync(join(root, 'target', 'logs'), { recursive: true });
  const report = join(root, 'target', 'logs', `vitest-${name}.json`);
  rmSync(report, { force: true });
  const filters = folders.map((folder) => `${folder}/`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const args = ['run', '--config', 'tests/vitest.config.ts', '--passWithNoTests', ...more, ...reporters, ...filters];
  const { code, output } = await runTool('vitest', 'vitest.mjs', args, { onLine, extraEnv: { NO_COLOR: '1' } });
  if (!existsSync(report)) return finish(code, output, 0, 0, 'no tests');
  const counts = JSON.parse(readFileSync(report, 'utf8'));
  const skipped = counts.numPendingTests + counts.numTodoTests;
  const totals = `${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${skipped} skipped`;
  const summary = [totals, ...passedAtSecondTry(counts.testResults)].join('\n   ');
  return finish(code, output, counts.numPassedTests, counts.numFailedTests, summary);
}

function passedAtSecondTry(files) {
  const cases = files.flatMap((file) => file.assertionResults);
  return cases
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
    .map(({ fullName, failureMessages }) => {
      const [what, where = ''] = failureMessages[0].split(/\n\s*(?=at )/u);
      return `passed at the second try: ${fullName}: ${what} ${where}`;
    });
}

/** A runner that ended badly without naming a failed test (it did not compile, say) is one failure. */
function finish(code, output, passed, failed, summary) {
  return { code, output, summary, passed, failed: code !== 0 && failed === 0 ? 1 : failed };
}
