// Runs the benchmarks of tests/bench one after another and joins their tables into .bench/report.md. A missed goal is
// marked in the table but does not fail the command. `npm run bench -- text database` runs only these two.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { build } from './build.mjs';
import { root, runNpm } from './lib/exec.mjs';
import { pass } from './lib/machine.mjs';
import { main, step } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const NATIVE = ['build', '--quiet', '--release', '--package', 'argus-core', '--example', 'bench_text'];

/** Benchmark name -> folder in tests/bench, in the order of the report. */
const FOLDERS = {
  text: 'text',
  database: 'database',
  import: 'database',
  memory: 'memory',
  start: 'server',
  spawn: 'server',
  stdio: 'server',
  team: 'server',
  tree: 'server',
  view: 'view',
};
const BENCHES = Object.keys(FOLDERS);

/**
 * The user's own Node, not the newer Node that npm puts first in the PATH of scripts, because native packages are built
 * for the user's Node and its headers.
 */
const node = plainNode();

await main(async () => {
  const wanted = process.argv.slice(2);
  const chosen = wanted.length === 0 ? BENCHES : BENCHES.filter((name) => wanted.includes(name));
  // The viewer is measured in the browser that the tests use.
  await setUp({ forTests: chosen.includes('view') });
  await build();
  await step('the native side', (onLine) => pass('the native side', 'cargo', NATIVE, onLine));
  await step('databases to compare with', (onLine) => installDatabases(onLine));
  try {
    for (const name of chosen) {
      const file = join(root, 'tests', 'bench', FOLDERS[name], `${name}.mjs`);
      // Otherwise the table of an earlier run would appear in the report if this run fails.
      rmSync(tableOf(name), { force: true });
      await step(`bench ${name}`, (onLine) => pass(`bench ${name}`, node, [file], onLine));
    }
  } finally {
    // Keeps the results so far if a later benchmark cannot run.
    process.stdout.write(`\n${joined()}`);
  }
});

/**
 * Installs native databases only into tests/bench, because the project itself needs none. A package that does not build
 * is left out.
 */
async function installDatabases(onLine) {
  const folder = join(root, 'tests', 'bench');
  if (existsSync(join(folder, 'node_modules', 'better-sqlite3', 'build'))) return;
  const home = join(dirname(realpathSync(node)), '..');
  const headers = existsSync(join(home, 'include', 'node')) ? { npm_config_nodedir: home } : {};
  const extraEnv = { ...headers, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const built = await runNpm(['ci', '--prefix', folder], { onLine, extraEnv });
  if (built.code !== 0) await runNpm(['ci', '--ignore-scripts', '--prefix', folder], { onLine });
}

function plainNode() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const found = folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path));
  return found ?? process.execPath;
}

function version() {
  return execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
}

function tableOf(name) {
  return join(root, '.bench', `${name}.md`);
}

function joined() {
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${version()}`;
  const parts = BENCHES.map(tableOf).filter(existsSync);
  const text = [`# Benchmarks\n\n${machine}\n`, ...parts.map((part) => readFileSync(part, 'utf8'))].join('\n');
  writeFileSync(join(root, '.bench', 'report.md'), text);
  return text;
}
