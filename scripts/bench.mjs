// Runs the benchmarks of tests/bench one after another, and joins their tables into .bench/report.md. A missed goal is
// marked in the table but does not make the command fail. `npm run bench -- text database` runs only these two, and
// `npm run bench -- green --repos DIR` the benchmark of tests/bench/green, which takes hours. Options go to the benchmark.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { build } from './build.mjs';
import { root, runNpm } from './lib/exec.mjs';
import { runOrFail, TEST_PROGRAMS } from './lib/required-programs.mjs';
import { runMain, runStep } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const NATIVE_BUILD_ARGS = ['build', '--quiet', '--release', '--package', 'argus-core', '--example', 'bench_text'];

/** Maps the name of a benchmark to its folder in tests/bench, in the order of the report. */
const BENCHMARK_FOLDERS = {
  text: 'text',
  database: 'database',
  import: 'database',
  scale: 'database',
  memory: 'memory',
  start: 'server',
  spawn: 'server',
  stdio: 'server',
  team: 'server',
  tree: 'server',
  view: 'view',
  green: 'green',
};
const BENCHMARK_NAMES = Object.keys(BENCHMARK_FOLDERS);
/** Benchmarks that run only if they are named. */
const NAMED_ONLY = ['green'];

/**
 * The user's own Node instead of the newer Node that npm puts first in the PATH of scripts, because native packages are
 * built for the user's Node and its headers.
 */
const userNode = findUserNode();

await runMain(async () => {
  const words = process.argv.slice(2);
  const firstOption = words.findIndex((word) => word.startsWith('--'));
  const [wanted, options] = firstOption < 0 ? [words, []] : [words.slice(0, firstOption), words.slice(firstOption)];
  const chosen = BENCHMARK_NAMES.filter((name) =>
    wanted.length === 0 ? !NAMED_ONLY.includes(name) : wanted.includes(name),
  );
  // The viewer is measured in the browser that the tests use.
  await setUp({ programs: chosen.includes('view') ? TEST_PROGRAMS : [] });
  await build();
  await runStep('the native side', (onLine) => runOrFail('the native side', 'cargo', NATIVE_BUILD_ARGS, onLine));
  await runStep('databases to compare with', (onLine) => installDatabases(onLine));
  try {
    for (const name of chosen) {
      const file = join(root, 'tests', 'bench', BENCHMARK_FOLDERS[name], `${name}.mjs`);
      // Remove the table of an earlier run. Otherwise it would appear in the report if this run fails.
      rmSync(getTablePath(name), { force: true });
      await runStep(`bench ${name}`, (onLine) => runOrFail(`bench ${name}`, userNode, [file, ...options], onLine));
    }
  } finally {
    // Write the report even if a benchmark cannot run, so that the results of the earlier benchmarks are kept.
    process.stdout.write(`\n${writeBenchReport()}`);
  }
});

/**
 * Installs native databases only into tests/bench, because the project itself needs none. A package that does not build
 * is left out.
 */
async function installDatabases(onLine) {
  const folder = join(root, 'tests', 'bench');
  if (existsSync(join(folder, 'node_modules', 'better-sqlite3', 'build'))) return;
  const home = join(dirname(realpathSync(userNode)), '..');
  const headers = existsSync(join(home, 'include', 'node')) ? { npm_config_nodedir: home } : {};
  const extraEnv = { ...headers, PATH: [dirname(userNode), process.env.PATH].join(delimiter) };
  const built = await runNpm(['ci', '--prefix', folder], { onLine, extraEnv });
  if (built.code !== 0) await runNpm(['ci', '--ignore-scripts', '--prefix', folder], { onLine });
}

function findUserNode() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const found = folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path));
  return found ?? process.execPath;
}

function describeVersion() {
  return execFileSync(userNode, ['--version'], { encoding: 'utf8' }).trim();
}

function getTablePath(name) {
  return join(root, '.bench', `${name}.md`);
}

function writeBenchReport() {
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${describeVersion()}`;
  const parts = BENCHMARK_NAMES.map(getTablePath).filter(existsSync);
  const text = [`# Benchmarks\n\n${machine}\n`, ...parts.map((part) => readFileSync(part, 'utf8'))].join('\n');
  writeFileSync(join(root, '.bench', 'report.md'), text);
  return text;
}
