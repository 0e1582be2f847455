// Time to record the state of the work tree and the id of its files before a run starts, in a repository of 10,000
// files with no, few or several hundred changed files. The run starts later by this time.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { goal, median, OUT, ROOT, report, table } from '../measure.mjs';

const FILES = Number(process.argv[2] ?? 10_000);
const ROUNDS = Number(process.argv[3] ?? 9);
const FILES_IN_FOLDER = 100;
const GOAL_MS = 100;

mkdirSync(OUT, { recursive: true });
const folder = mkdtempSync(join(OUT, 'tree-'));
const git = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'pipe', encoding: 'utf8' });
const nameOf = (file) => `src/part${Math.floor(file / FILES_IN_FOLDER)}/file${file}.ts`;
const write = (file, text) => writeFileSync(join(folder, nameOf(file)), text.repeat(40));

// Bundled, because the program also contains it as part of its bundle.
const bundle = join(folder, '.git-state.mjs');
await build({
  input: join(ROOT, 'packages/mcp/src/run/git-state.ts'),
  platform: 'node',
  external: 'argus-engine',
  output: { file: bundle, codeSplitting: false },
});
const { lookAtGit } = await import(bundle);
rmSync(bundle);

git('init', '--quiet');
for (let file = 0; file < FILES; file += 1) {
  if (file % FILES_IN_FOLDER === 0) mkdirSync(join(folder, nameOf(file), '..'), { recursive: true });
  write(file, `export const value${file} = ${file};\n`);
}
git('add', '--all');
git('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '--message', 'All of it');

/** Returns the median, after checking that the id is the same as git's own. */
async function measured(changed) {
  // A single changed file per folder.
  for (let file = 0; file < changed; file += 1) {
    const first = (file * FILES_IN_FOLDER) % FILES;
    write(first + Math.floor((file * FILES_IN_FOLDER) / FILES), `changed ${file}\n`);
  }
  const times = [];
  let tree;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const { treeSeen, facts } = lookAtGit(folder);
    await treeSeen;
    times.push(performance.now() - start);
    tree = (await facts()).tree;
  }
  const env = { ...process.env, GIT_INDEX_FILE: join(folder, '.git', 'bench-index') };
  const inOtherIndex = (...args) => execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' }).trim();
  inOtherIndex('read-tree', 'HEAD');
  inOtherIndex('add', '--all');
  if (inOtherIndex('write-tree') !== tree)
    throw new Error(`with ${changed} changed files the id is another than git's`);
  return median(times);
}

const rows = [];
for (const changed of [0, 5, 200]) {
  const time = await measured(changed);
  rows.push([`${changed} changed`, `${time.toFixed(0)} ms`, changed > 5 ? '-' : goal(time, '<=', GOAL_MS)]);
}
rmSync(folder, { recursive: true, force: true });

report(
  'tree',
  `State of a work tree of ${FILES.toLocaleString('en')} files`,
  `Medians of ${ROUNDS} rounds; the processes of git are in it.`,
  table([['files', 'time', 'goal'], ...rows]),
);
