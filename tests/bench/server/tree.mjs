// Measures how long it takes to record the state of the work tree and the id of its files before a run starts, in a
// repository of 10,000 files with no, few or several hundred changed files. A run starts later by this time.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { formatGoal, formatTable, median, OUT, ROOT, writeReport } from '../measure.mjs';

const FILE_COUNT = Number(process.argv[2] ?? 10_000);
const ROUNDS = Number(process.argv[3] ?? 9);
const FILES_IN_FOLDER = 100;
const GOAL_MS = 100;

mkdirSync(OUT, { recursive: true });
const repositoryFolder = mkdtempSync(join(OUT, 'tree-'));
const runGit = (...args) => execFileSync('git', args, { cwd: repositoryFolder, stdio: 'pipe', encoding: 'utf8' });
const fileName = (file) => `src/part${Math.floor(file / FILES_IN_FOLDER)}/file${file}.ts`;
const writeFile = (file, text) => writeFileSync(join(repositoryFolder, fileName(file)), text.repeat(40));

// The module is bundled, because the program also contains it as part of its bundle.
const bundlePath = join(repositoryFolder, '.git-state.mjs');
await build({
  input: join(ROOT, 'packages/mcp/src/run/git-state.ts'),
  platform: 'node',
  external: 'argus-engine',
  output: { file: bundlePath, codeSplitting: false },
});
const { startReadingGit } = await import(bundlePath);
rmSync(bundlePath);

runGit('init', '--quiet');
for (let file = 0; file < FILE_COUNT; file += 1) {
  if (file % FILES_IN_FOLDER === 0) mkdirSync(join(repositoryFolder, fileName(file), '..'), { recursive: true });
  writeFile(file, `export const value${file} = ${file};\n`);
}
runGit('add', '--all');
runGit('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '--message', 'All of it');

/** Returns the median duration, after checking that the id equals git's own. */
async function measure(changed) {
  // Each folder gets a single changed file.
  for (let file = 0; file < changed; file += 1) {
    const first = (file * FILES_IN_FOLDER) % FILE_COUNT;
    writeFile(first + Math.floor((file * FILES_IN_FOLDER) / FILE_COUNT), `changed ${file}\n`);
  }
  const times = [];
  let tree;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const { treeRead, readFacts } = startReadingGit(repositoryFolder);
    await treeRead;
    times.push(performance.now() - start);
    tree = (await readFacts()).tree;
  }
  const env = { ...process.env, GIT_INDEX_FILE: join(repositoryFolder, '.git', 'bench-index') };
  const inOtherIndex = (...args) => execFileSync('git', args, { cwd: repositoryFolder, env, encoding: 'utf8' }).trim();
  inOtherIndex('read-tree', 'HEAD');
  inOtherIndex('add', '--all');
  if (inOtherIndex('write-tree') !== tree)
    throw new Error(`with ${changed} changed files the id is another than git's`);
  return median(times);
}

const rows = [];
for (const changed of [0, 5, 200]) {
  const time = await measure(changed);
  rows.push([`${changed} changed`, `${time.toFixed(0)} ms`, changed > 5 ? '-' : formatGoal(time, '<=', GOAL_MS)]);
}
rmSync(repositoryFolder, { recursive: true, force: true });

writeReport(
  'tree',
  `State of a work tree of ${FILE_COUNT.toLocaleString('en')} files`,
  `Medians of ${ROUNDS} rounds; the processes of git are in it.`,
  formatTable([['files', 'time', 'goal'], ...rows]),
);
