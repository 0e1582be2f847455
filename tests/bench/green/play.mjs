// Plays the pairs of a repository, oldest first: records red and green, and brings the fault and its siblings back.
// Each result is a line of JSON in the work folder, so that an interrupted benchmark continues with the next pair.
//
//   node play.mjs REPOSITORY [--repos DIR] [--unrelated COUNT]
import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkOut, git, readLines, readText, runProgram, runTests } from './checkout.mjs';
import { listMutations } from './code.mjs';
import { buildsAndFails, PAIRS_FILE } from './mine.mjs';
import { Project, resultsFile } from './project.mjs';
import { REPOSITORIES } from './repositories.mjs';

/** Numbers of real commits after the fix on which the fault comes back. */
const ADVANCES = [0, 5, 50];
const SIBLINGS = ['operator', 'call site'];
/** Number of mutations that are tried until a test fails. */
const MAX_TRIES = 6;
const MAX_MUTATIONS_OF_FILE = 4;

const isAt = (one) => (other) => one.file === other.file && one.symbol === other.symbol;

/** Records red and green in the order of a developer: the tests of the commit, then its source. */
function record(project, pair) {
  const { folder } = project;
  const { commit, sources, command } = pair;
  checkOut(folder, `${commit}^`);
  git(folder, 'checkout', '--quiet', commit, '--', '.');
  git(folder, 'checkout', '--quiet', `${commit}^`, '--', ...sources);
  git(folder, 'reset', '--quiet');
  project.argus('learn', '--from-git');
  const { text, caseNames, error } = project.runWithArgus(command);
  if (caseNames.length === 0) return 'red does not fail';
  project.hook(command, text, { failed: true, records: true });
  git(folder, 'checkout', '--quiet', commit, '--', ...sources);
  git(folder, 'reset', '--quiet');
  const green = project.runWithArgus(command);
  if (green.data.status !== 'passed') return 'green does not pass';
  project.hook(command, green.text, { failed: false, records: true });
  const recorded = { pair, truth: project.locateChange(pair), caseNames, error };
  project.recorded.push(recorded);
  project.copyMemories('save');
  project.note({ kind: 'recorded', recorded });
  return undefined;
}

/** Brings the fault back on top of `advance` later commits, hidden in the newest of them. */
function playIdentical(project, pair, facts) {
  const { folder } = project;
  const { commit, sources } = pair;
  const range = ['--reverse', '--topo-order', '--ancestry-path', `${commit}..origin/HEAD`];
  const later = git(folder, 'rev-list', ...range)
    .trim()
    .split('\n');
  const at = [commit, ...later][facts.advance];
  if (!at) return 'too few later commits';
  checkOut(folder, at);
  const input = git(folder, 'diff', commit, `${commit}^`, '--', ...sources);
  const { code } = runProgram('git', ['apply', '--index', '-'], folder, { input });
  if (code !== 0) return 'no longer applies';
  git(folder, 'commit', '--quiet', '--amend', '--no-edit', '--no-verify', '--allow-empty');
  return project.query(pair, at, facts, project.recorded.at(-1).truth);
}

/** Breaks another operator in the changed function, or a line elsewhere that calls it. */
function playSibling(project, pair, facts) {
  checkOut(project.folder, pair.commit);
  const truth = project.recorded.at(-1).truth.filter(({ symbol }) => symbol !== undefined);
  const calls = truth.map(({ symbol }) => new RegExp(`(?<![\\w$])${symbol.replace('$', '\\$')}\\(`, 'u'));
  const callsChanged = ({ before }) => calls.some((call) => call.test(before));
  const isSibling = {
    operator: (one) => truth.some(isAt(one)),
    'call site': (one) => callsChanged(one) && !truth.some(({ symbol }) => symbol === one.symbol),
  }[facts.kind];
  const files = facts.kind === 'operator' ? pair.sources : project.listSources();
  const mutations = files.flatMap((file) => listMutations(project.folder, file, pair.commit)).filter(isSibling);
  if (mutations.length === 0) return 'no such line';
  return playMutation(project, pair, facts, mutations);
}

/** Breaks code that none of the recorded fixes changed, with the memory of all of them. */
function playUnrelated(project, facts) {
  const { number } = facts;
  const { pair } = project.recorded[number % project.recorded.length];
  const fixed = project.recorded.flatMap(({ truth }) => truth);
  checkOut(project.folder, pair.commit);
  const files = listTestedFiles(project, pair);
  const others = files.filter((file) => !fixed.some((one) => one.file === file));
  // A project whose fixes touch all files still has functions that no fix touched.
  const among = number % 2 === 0 && others.length > 0 ? others : files;
  const isOther = (one) => one.symbol !== undefined && !fixed.some(isAt(one));
  const mutations = among.flatMap((file) =>
    listMutations(project.folder, file, number).filter(isOther).slice(0, MAX_MUTATIONS_OF_FILE),
  );
  const order = mutations.map((_, index) => mutations[(number * 7 + index * 13) % mutations.length]);
  return playMutation(project, pair, facts, order);
}

/** Returns the source files that the tests of a pair probably run: of the same Go package, or named in a test. */
function listTestedFiles(project, { tests }) {
  const { folder, repository } = project;
  const texts = tests.filter((file) => existsSync(join(folder, file))).map((file) => readText(folder, file));
  const isTested = (file) =>
    repository.ecosystem === 'go'
      ? tests.some((test) => dirname(test) === dirname(file))
      : texts.some((text) => text.includes(basename(file, extname(file))));
  const tested = project.listSources().filter(isTested);
  return tested.length > 0 ? tested : project.listSources();
}

/** Plants the first of the mutations with which a test fails, and queries. */
function playMutation(project, pair, facts, mutations) {
  const { folder, repository } = project;
  const planted = mutations.slice(0, MAX_TRIES).find(({ file, line, text }) => {
    const lines = readText(folder, file).split('\n');
    writeFileSync(join(folder, file), lines.with(line - 1, text).join('\n'));
    if (buildsAndFails(runTests(folder, pair.command), repository)) return true;
    git(folder, 'checkout', '--quiet', '--', file);
    return false;
  });
  if (planted === undefined) return 'no test fails';
  return project.query(pair, pair.commit, facts, [{ file: planted.file, symbol: planted.symbol }]);
}

/** Calls `play`, which returns the reason of a drop. Returns false after a drop. */
function attempt(project, facts, play) {
  let drop;
  try {
    drop = play(facts);
  } catch (error) {
    drop = `error: ${error.message.slice(0, 300)}`;
  }
  if (drop !== undefined) project.note({ ...facts, drop });
  return drop === undefined;
}

/** Plays a pair, and after it some unrelated failures with the memory at that time. */
function playPair(project, pair, numbers) {
  for (const advance of ADVANCES)
    attempt(project, { pair: pair.commit, kind: 'identical', advance }, (facts) => playIdentical(project, pair, facts));
  for (const kind of SIBLINGS)
    attempt(project, { pair: pair.commit, kind }, (facts) => playSibling(project, pair, facts));
  for (const number of numbers)
    attempt(project, { kind: 'unrelated', number }, (facts) => playUnrelated(project, facts));
  project.note({ pair: pair.commit, kind: 'end' });
}

const { values, positionals } = parseArgs({
  options: { repos: { type: 'string' }, unrelated: { type: 'string', default: '4' } },
  allowPositionals: true,
});
const repository = REPOSITORIES.find((one) => one.repository === positionals[0]);
const done = readLines(resultsFile(repository.repository));
const project = new Project(repository, values.repos);
const pairs = readLines(PAIRS_FILE).filter((pair) => pair.repository === repository.repository);
for (const [index, pair] of pairs.reverse().entries()) {
  const earlier = done.find(({ kind, recorded }) => kind === 'recorded' && recorded.pair.commit === pair.commit);
  project.copyMemories('restore');
  if (earlier !== undefined) project.recorded.push(earlier.recorded);
  else if (!attempt(project, { pair: pair.commit, kind: 'pair' }, () => record(project, pair))) continue;
  if (done.some(({ pair: commit, kind }) => commit === pair.commit && kind === 'end')) continue;
  const count = Number(values.unrelated);
  playPair(
    project,
    pair,
    Array.from({ length: count }, (_, offset) => index * count + offset),
  );
}
