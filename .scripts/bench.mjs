// Runs the benchmarks of tests/bench side by side and joins their tables into .bench/report.md.
// Does not: pass or fail; a goal that is missed is said in the table. `npm run bench -- text database` runs those alone.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from './build.mjs';
import { root, runNpm } from './lib/exec.mjs';
import { pass } from './lib/machine.mjs';
import { main, step } from './lib/steps.mjs';
import { setUp } from './setup.mjs';

const NATIVE = ['build', '--quiet', '--release', '--package', 'argus-core', '--example', 'bench_text'];

/** In the order of the report. */
const BENCHES = ['text', 'database', 'import', 'spawn', 'stdio'];

await main(async () => {
  const wanted = process.argv.slice(2);
  const chosen = wanted.length === 0 ? BENCHES : BENCHES.filter((name) => wanted.includes(name));
  await setUp();
  await build();
  await step('the native side', (onLine) => pass('the native side', 'cargo', NATIVE, onLine));
  await step('databases to compare with', (onLine) => installDatabases(onLine));
  for (const name of chosen) {
    const file = join(root, 'tests', 'bench', `${name}.mjs`);
    await step(`bench ${name}`, (onLine) => pass(`bench ${name}`, process.execPath, ['--expose-gc', file], onLine));
  }
  process.stdout.write(`\n${joined()}`);
});

/** Into tests/bench alone: the project itself needs no native package. One that does not build is left out. */
async function installDatabases(onLine) {
  const folder = join(root, 'tests', 'bench');
  if (existsSync(join(folder, 'node_modules', 'better-sqlite3', 'build'))) return;
  // Where Node came with its headers, none need to be fetched.
  const node = join(dirname(process.execPath), '..');
  const extraEnv = existsSync(join(node, 'include', 'node')) ? { npm_config_nodedir: node } : {};
  const built = await runNpm(['ci', '--prefix', folder], { onLine, extraEnv });
  if (built.code !== 0) await runNpm(['ci', '--ignore-scripts', '--prefix', folder], { onLine });
}

function joined() {
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`;
  const parts = BENCHES.map((name) => join(root, '.bench', `${name}.md`)).filter(existsSync);
  const text = [`# Benchmarks\n\n${machine}\n`, ...parts.map((part) => readFileSync(part, 'utf8'))].join('\n');
  writeFileSync(join(root, '.bench', 'report.md'), text);
  return text;
}
