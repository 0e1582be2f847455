// Mines red-to-green pairs: commits of which the new tests fail before the change of the source, and pass after it.
// Argus does not run here. The list is written once, and frozen before any measurement:
//
//   node mine.mjs [--repos DIR] [PART...]    adds the pairs of the repositories whose name contains a PART
import { appendFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkOut, git, prepareRepository, readLines, runTests, WORK } from './checkout.mjs';
import { REPOSITORIES } from './repositories.mjs';

export const PAIRS_FILE = fileURLToPath(new URL('pairs.jsonl', import.meta.url));
const MAX_COMMITS = 1000;
const MAX_PAIRS = 5;
/** Maximum number of commits that are tried, because each takes two runs. */
const MAX_TRIES = 24;
const MAX_SOURCE_FILES = 3;
const MAX_SOURCE_LINES = 40;

/** Returns the commits, newest first, that change few lines of one to three source files, and a test. */
function findCommits(folder, { source, tests }) {
  const format = ['--no-merges', '--no-renames', '--numstat', '--diff-filter=AMD', '--format=@%H'];
  const log = git(folder, 'log', '-n', String(MAX_COMMITS), ...format);
  return log
    .split('@')
    .slice(1)
    .flatMap((entry) => {
      const [commit, ...rows] = entry.split('\n').filter((line) => line !== '');
      const files = rows
        .map((row) => row.split('\t'))
        .map(([added, removed, file]) => ({ file, lines: +added + +removed }));
      const changed = files.filter(({ file }) => source.test(file) && !tests.test(file));
      const tested = files.filter(({ file }) => tests.test(file)).map(({ file }) => file);
      const lines = changed.reduce((sum, one) => sum + one.lines, 0);
      if (tested.length === 0 || changed.length === 0 || changed.length > MAX_SOURCE_FILES) return [];
      return lines > MAX_SOURCE_LINES ? [] : [{ commit, sources: changed.map(({ file }) => file), tests: tested }];
    });
}

const formatCommand = ({ run, ecosystem }, tests) => {
  const folders = tests.map((file) => (dirname(file) === '.' ? '.' : `./${dirname(file)}`));
  return [run, ...new Set(ecosystem === 'go' ? folders : tests)].join(' ');
};

/** Returns why the commit is no pair, or undefined if it is one. */
function refuse(folder, repository, { commit, sources, command }) {
  const status = git(folder, 'diff', '--name-status', '--no-renames', `${commit}^`, commit, '--', ...sources);
  if (/^[AD]/mu.test(status)) return 'adds or removes a source file';
  checkOut(folder, commit);
  const green = runTests(folder, command);
  if (green.code !== 0) return 'fails after the change';
  git(folder, 'checkout', '--quiet', `${commit}^`, '--', ...sources);
  const red = runTests(folder, command);
  if (red.code === 0) return 'passes before the change';
  if (red.code === null) return 'takes too long';
  return buildsAndFails(red, repository) ? undefined : 'does not build before';
}

/** Returns whether the tests of a run failed, rather than their build. */
export function buildsAndFails({ code, stdout, stderr }, { broken, passed }) {
  const text = stdout + stderr;
  return code !== 0 && code !== null && broken?.test(text) !== true && passed?.test(text) !== false;
}

/** Returns the pairs of a repository. Each commit that was tried is noted with the reason of its refusal. */
function minePairs(repository, repositories) {
  const folder = prepareRepository(repository, repositories);
  git(folder, 'checkout', '--quiet', '--force', '--detach', 'origin/HEAD');
  const pairs = [];
  for (const { commit, sources, tests } of findCommits(folder, repository).slice(0, MAX_TRIES)) {
    if (pairs.length === MAX_PAIRS) break;
    const pair = {
      repository: repository.repository,
      commit,
      sources,
      tests,
      command: formatCommand(repository, tests),
    };
    let reason;
    try {
      reason = refuse(folder, repository, pair);
    } catch (error) {
      reason = error.message.slice(0, 200);
    }
    appendFileSync(join(WORK, 'mined.jsonl'), `${JSON.stringify({ ...pair, reason })}\n`);
    if (reason === undefined) pairs.push(pair);
  }
  return pairs;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({ options: { repos: { type: 'string' } }, allowPositionals: true });
  for (const repository of REPOSITORIES) {
    if (positionals.length > 0 && !positionals.some((part) => repository.repository.includes(part))) continue;
    const pairs = minePairs(repository, values.repos);
    const others = readLines(PAIRS_FILE).filter((pair) => pair.repository !== repository.repository);
    writeFileSync(PAIRS_FILE, [...others, ...pairs].map((pair) => `${JSON.stringify(pair)}\n`).join(''));
    process.stderr.write(`${repository.repository}: ${pairs.length} pairs\n`);
  }
}
