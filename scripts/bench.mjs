// Runs the benchmarks of tests/bench side by side and joins their tables into .bench/report.md. A goal that is missed
// is said in the table and fails nothing. `npm run bench -- text database` runs those alone.
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

/** Name -> folder in tests/bench, in the order of the report. */
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
 * The reader's own Node, not the newer one that npm puts first in its scripts' path: native packages are built for it,
 * and its headers came with it.
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
      // An old table must not stand for a run that fails.
      rmSync(tableOf(name), { force: true });
      await step(`bench ${name}`, (onLine) => pass(`bench ${name}`, node, [file], onLine));
    }
  } finally {
    // What was measured before one that cannot run is not lost.
    process.stdout.write(`\n${joined()}`);
  }
});

/** Into tests/bench alone: the project itself needs no native package. One that does not build is left out. */
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
