// Plays the pairs of one repository, oldest first: records red and green, brings the fault and its siblings back, and
// notes per failure what each condition hands over. Each result is a line of JSON in the work folder, so that an
// interrupted benchmark continues with the next pair.
//
//   node play.mjs REPOSITORY [--repos DIR] [--unrelated COUNT]
import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkOut, git, prepareRepository, readLines, readText, runProgram, runTests, WORK } from './checkout.mjs';
import { findFrames, findSymbol, listMutations, parseDefinition, parseDiff } from './code.mjs';
import * as conditions from './conditions.mjs';
import { PAIRS_FILE } from './mine.mjs';
import { REPOSITORIES } from './repositories.mjs';

const DIST = fileURLToPath(new URL('../../../packages/mcp/dist', import.meta.url));
export const ADVANCES = [0, 5, 50];
const MAX_LOG_COMMITS = 300;
/** Number of mutations that are tried until a test fails, for a sibling and for an unrelated failure. */
const MAX_SIBLING_TRIES = 6;
const MAX_UNRELATED_TRIES = 6;
/** Each query with a number that this divides is repaired and run, instead of only computed. */
const VERIFY_EVERY = 8;
const MAX_WORKER_POLLS = 200;

/** Ends the process that records after the hook's answer at once, because a query must not be recorded. */
const WITHOUT_WORKER = {
  NODE_OPTIONS: "--import=data:text/javascript,process.argv.includes('--work')&&process.exit(0)",
};

class Player {
  constructor(repository, repositories) {
    this.repository = repository;
    this.folder = prepareRepository(repository, repositories);
    const name = repository.repository.replace('/', '+');
    this.home = join(WORK, 'homes', name);
    this.results = join(WORK, `${name}.jsonl`);
    this.recorded = [];
    this.queries = 0;
    writeFileSync(join(WORK, 'attributes'), '*.py diff=python\n*.go diff=golang\n');
    git(this.folder, 'config', 'core.attributesFile', join(WORK, 'attributes'));
  }

  run(program, args, more = {}) {
    const environment = {
      HOME: this.home,
      XDG_DATA_HOME: join(this.home, 'data'),
      GOCACHE: join(WORK, 'go'),
      ...more.environment,
    };
    return runProgram(program, args, this.folder, { ...more, environment });
  }

  argus(...args) {
    const done = this.run(process.execPath, [join(DIST, 'cli.mjs'), ...args]);
    const answer = done.stdout.slice(done.stdout.lastIndexOf('{"success"'));
    const { success, data, error } = JSON.parse(answer);
    if (!success) throw new Error(`argus ${args[0]}: ${error.message}`);
    return { data, text: done.stderr, seconds: done.seconds };
  }

  /** Tells the hook about a command. With `records`, waits until the hook's second process has recorded it. */
  hook(command, output, failed, records) {
    this.calls = (this.calls ?? 0) + 1;
    const event = {
      ...{ session_id: `s${this.calls}`, cwd: this.folder, tool_name: 'Bash', tool_use_id: `t${this.calls}` },
      ...{ hook_event_name: failed ? 'PostToolUseFailure' : 'PostToolUse', tool_input: { command } },
      ...(failed ? { error: `Exit code 1\n${output}` } : { tool_response: { stdout: output, stderr: '' } }),
    };
    const before = this.countStamps();
    const environment = records ? {} : WITHOUT_WORKER;
    const done = this.run(process.execPath, [join(DIST, 'hook.mjs')], { input: JSON.stringify(event), environment });
    if (done.code !== 0) throw new Error(`argus hook: ${done.stderr.slice(-200)}`);
    for (let poll = 0; records && poll < MAX_WORKER_POLLS && this.countStamps() === before; poll += 1)
      runProgram('sleep', ['0.1'], this.folder);
    const text = done.stdout.trim();
    return { text: text === '' ? '' : JSON.parse(text).hookSpecificOutput.additionalContext, seconds: done.seconds };
  }

  countStamps() {
    const found = this.run('/bin/sh', [
      '-c',
      'cat "$XDG_DATA_HOME"/argus/projects/*/hook.jsonl 2>/dev/null | grep -c \'"stamp"\'',
    ]);
    return Number(found.stdout);
  }

  save() {
    for (const [from, to] of this.states()) {
      rmSync(to, { recursive: true, force: true });
      cpSync(from, to, { recursive: true, preserveTimestamps: true });
    }
  }

  restore() {
    for (const [to, from] of this.states()) {
      rmSync(to, { recursive: true, force: true });
      cpSync(from, to, { recursive: true, preserveTimestamps: true });
    }
  }

  states() {
    return [
      [join(this.folder, '.argus'), `${this.folder}.argus`],
      [this.home, `${this.home}.saved`],
    ];
  }

  note(result) {
    appendFileSync(
      this.results,
      `${JSON.stringify({ repository: this.repository.repository, split: this.repository.split, ...result })}\n`,
    );
  }

  /** Records red and green in the order of a developer: the tests of the commit, then its source, then the commit. */
  record(pair) {
    const { commit, sources, command } = pair;
    checkOut(this.folder, `${commit}^`);
    git(this.folder, 'checkout', '--quiet', commit, '--', '.');
    git(this.folder, 'checkout', '--quiet', `${commit}^`, '--', ...sources);
    git(this.folder, 'reset', '--quiet');
    this.argus('learn', '--from-git', '--json');
    const red = this.argus('run', '--json', ...command.split(' '));
    if (red.data.failures.length === 0) return 'red does not fail';
    this.hook(command, red.text, true, true);
    git(this.folder, 'checkout', '--quiet', commit, '--', ...sources);
    git(this.folder, 'reset', '--quiet');
    const green = this.argus('run', '--json', ...command.split(' '));
    if (green.data.status !== 'passed') return 'green does not pass';
    this.hook(command, green.text, false, true);
    this.recorded.push({ pair, truth: this.locate(pair), ...describeFailures(red) });
    return undefined;
  }

  /** Returns the locations that the commit changed, with the symbols before and after the change. */
  locate({ commit, sources }) {
    const diff = (...range) => parseDiff(git(this.folder, 'diff', '-U0', ...range, '--', ...sources));
    const locate = (at, locations) =>
      locations.map(({ file, line }) => ({
        file,
        symbol: findSymbol(git(this.folder, 'show', `${at}:${file}`).split('\n'), Math.max(1, line), file),
      }));
    const found = [...locate(commit, diff(`${commit}^`, commit)), ...locate(`${commit}^`, diff(commit, `${commit}^`))];
    return [...new Map(found.map((one) => [`${one.file} ${one.symbol}`, one])).values()];
  }

  /** Runs the tests on the present tree with the recorded memory, and notes what each condition hands over. */
  query(pair, facts, truth) {
    this.restore();
    const run = this.argus('run', '--json', ...pair.command.split(' '));
    const { caseNames, error } = describeFailures(run);
    if (caseNames.length === 0) return this.note({ ...facts, drop: 'no test fails' });
    const known = this.recorded.at(-1).caseNames;
    if (facts.kind === 'identical' && !caseNames.some((name) => known.includes(name)))
      return this.note({ ...facts, drop: 'another test fails' });
    const hook = this.hook(pair.command, run.text, true, false);
    const diagnosis = this.argus('diagnose', '--json', run.data.runId, caseNames[0]);
    const isSource = (file) => this.isSource(file);
    const format = ['-n', String(MAX_LOG_COMMITS), '--no-merges', '-U0', '-p', '--format=@@@%H%n%s'];
    const log = conditions.parseLog(git(this.folder, 'log', ...format, facts.history ?? 'HEAD'), isSource);
    // The newest commit hides the fault: its own change is what remains of it.
    const present = conditions.parseLog(git(this.folder, 'log', ...format, 'HEAD'), isSource);
    const frames = findFrames(run.text, this.folder, this.repository);
    const shared = {
      frames,
      caseNames,
      error,
      output: run.text,
      recorded: this.recorded,
      hook: hook.text,
      diagnosis: diagnosis.data,
    };
    const readCommit = (commit) =>
      parseDiff(git(this.folder, 'show', '-U0', commit)).filter(({ file }) => isSource(file));
    const handed = {
      'no memory': { ...conditions.fromNothing({ ...shared, log: present }), seconds: 0 },
      BM25: { ...conditions.fromBm25({ ...shared, log }), seconds: 0 },
      notes: { ...conditions.fromNotes(shared), seconds: 0 },
      'Argus hook': { ...conditions.fromHook(shared, (file, name) => this.defines(file, name)), seconds: hook.seconds },
      'Argus diagnose': { ...conditions.fromDiagnosis(shared, readCommit), seconds: diagnosis.seconds },
      oracle: { locations: truth, text: '', seconds: 0 },
    };
    const files = this.listSources();
    const speaks = {
      mended: diagnosis.data.mendedBefore !== undefined,
      changed: diagnosis.data.changedBefore?.map((one) => one.because),
    };
    const answers = Object.entries(handed).map(([condition, { locations, text, seconds }]) => {
      const order = conditions.keepFirstOfFiles([
        ...locations,
        ...handed['no memory'].locations,
        ...files.map((file) => ({ file })),
      ]);
      const runs = order.findIndex(({ file }) => truth.some((one) => one.file === file)) + 1;
      const [first] = locations;
      const hitFile = truth.some(({ file }) => file === first?.file);
      const hitSymbol = truth.some(({ file, symbol }) => symbol !== undefined && file === first?.file && symbol === first.symbol);
      return {
        condition,
        first: locations.slice(0, 3), silent: locations.length === 0,
        runs,
        hitFile,
        hitSymbol,
        tokens: Math.ceil(text.length / 4),
        seconds,
      };
    });
    this.queries += 1;
    const verified = this.queries % VERIFY_EVERY === 0 ? this.verify(pair, facts, truth) : undefined;
    const sameTest = caseNames.some((name) => known.includes(name));
    this.note({
      ...facts,
      history: undefined,
      testSeconds: run.data.durationMs / 1000,
      caseNames,
      error,
      truth,
      sameTest,
      speaks,
      verified,
      answers,
    });
  }

  /** Really puts the original code back, and runs the tests. */
  verify({ command }, { original }, truth) {
    git(this.folder, 'checkout', '--quiet', original, '--', ...new Set(truth.map(({ file }) => file)));
    return runTests(this.folder, command).code === 0;
  }

  defines(file, name) {
    const path = join(this.folder, file);
    return (
      existsSync(path) &&
      readText(this.folder, file)
        .split('\n')
        .some((line) => parseDefinition(line, file) === name)
    );
  }

  /** Brings the fault back on top of `advance` later commits, hidden in the newest of them. */
  playIdentical(pair, advance) {
    const { commit, sources } = pair;
    const facts = { pair: commit, kind: 'identical', advance };
    const later = git(
      this.folder,
      'rev-list',
      '--reverse',
      '--topo-order',
      '--ancestry-path',
      `${commit}..origin/HEAD`,
    );
    const at = advance === 0 ? commit : later.split('\n').filter(Boolean)[advance - 1];
    if (at === undefined) return this.note({ ...facts, drop: 'too few later commits' });
    checkOut(this.folder, at);
    const patch = git(this.folder, 'diff', commit, `${commit}^`, '--', ...sources);
    const applied = runProgram('git', ['apply', '--index', '-'], this.folder, { input: patch });
    if (applied.code !== 0) return this.note({ ...facts, drop: 'no longer applies' });
    git(this.folder, 'commit', '--quiet', '--amend', '--no-edit', '--no-verify', '--allow-empty');
    this.query(pair, { ...facts, history: at, original: at }, this.recorded.at(-1).truth);
  }

  /** Breaks another operator in the changed function, or a line elsewhere that calls it. */
  playSibling(pair, kind) {
    const { commit, sources, command } = pair;
    const { truth } = this.recorded.at(-1);
    const symbols = new Set(truth.map(({ symbol }) => symbol).filter((name) => name !== undefined));
    checkOut(this.folder, commit);
    const calls = [...symbols].map((name) => new RegExp(`(?<![\\w$])${name.replace('$', '\\$')}\\(`, 'u'));
    const isSibling = {
      operator: (one) =>
        truth.some(({ file, symbol }) => symbol !== undefined && file === one.file && symbol === one.symbol),
      'call site': (one) => !symbols.has(one.symbol) && calls.some((call) => call.test(one.before)),
    }[kind];
    const among = kind === 'operator' ? sources : this.listSources();
    const mutations = among.flatMap((file) => listMutations(this.folder, file, commit)).filter(isSibling);
    const facts = { pair: commit, kind, advance: 0, history: commit, original: commit };
    const planted = mutations.slice(0, MAX_SIBLING_TRIES).find((one) => this.plant(one, command));
    if (planted === undefined)
      return this.note({ ...facts, drop: mutations.length === 0 ? 'no such line' : 'no test fails' });
    this.query(pair, facts, [{ file: planted.file, symbol: planted.symbol }]);
  }

  /** Returns whether the tests fail, but still build, with the mutation. Otherwise the mutation is removed. */
  plant({ file, line, text }, command) {
    const lines = readText(this.folder, file).split('\n');
    writeFileSync(join(this.folder, file), lines.map((one, index) => (index === line - 1 ? text : one)).join('\n'));
    const { code, stdout, stderr } = runTests(this.folder, command);
    const { broken, passed } = this.repository;
    if (code !== 0 && code !== null && !broken?.test(stdout + stderr) && passed?.test(stdout + stderr) !== false)
      return true;
    git(this.folder, 'checkout', '--quiet', '--', file);
    return false;
  }

  /** Returns the source files that the tests of a pair probably run: of the same Go package, or named in a test. */
  listTestedFiles({ tests }) {
    const texts = tests
      .filter((file) => existsSync(join(this.folder, file)))
      .map((file) => readText(this.folder, file));
    const isTested = (file) =>
      this.repository.ecosystem === 'go'
        ? tests.some((test) => dirname(test) === dirname(file))
        : texts.some((text) => text.includes(basename(file, extname(file))));
    const files = this.listSources();
    const tested = files.filter(isTested);
    return tested.length > 0 ? tested : files;
  }

  listSources() {
    return git(this.folder, 'ls-files')
      .split('\n')
      .filter((file) => this.isSource(file));
  }

  isSource(file) {
    return this.repository.source.test(file) && !this.repository.tests.test(file);
  }

  /** Breaks code that none of the recorded fixes changed, with the memory of all of them. */
  playUnrelated(number) {
    const pair = this.recorded[number % this.recorded.length].pair;
    const fixed = this.recorded.flatMap(({ truth }) => truth);
    checkOut(this.folder, pair.commit);
    const files = this.listTestedFiles(pair);
    const others = files.filter((file) => !fixed.some((one) => one.file === file));
    // A project whose fixes touch all files still has functions that no fix touched.
    const isOther = (one) =>
      one.symbol !== undefined && !fixed.some(({ file, symbol }) => file === one.file && symbol === one.symbol);
    const among = number % 2 === 0 && others.length > 0 ? others : files;
    const order = among.flatMap((file) => listMutations(this.folder, file, number).filter(isOther).slice(0, 4));
    const chosen = Array.from(
      { length: MAX_UNRELATED_TRIES },
      (_, index) => order[(number * 7 + index * 13) % order.length],
    );
    const facts = { pair: pair.commit, kind: 'unrelated', number, history: pair.commit, original: pair.commit };
    const planted = order.length === 0 ? undefined : chosen.find((one) => this.plant(one, pair.command));
    if (planted === undefined) return this.note({ ...facts, drop: 'no test fails' });
    this.query(pair, facts, [{ file: planted.file, symbol: planted.symbol }]);
  }
}

function describeFailures({ data }) {
  const [first] = data.failures;
  return { caseNames: data.failures.map(({ caseName }) => caseName), error: first?.headline ?? first?.message ?? '' };
}

/** Calls `play`; an error becomes a drop with its reason, which counts as a miss. */
function attempt(player, facts, play) {
  try {
    play();
  } catch (error) {
    player.note({ ...facts, drop: `error: ${error.message.slice(0, 300)}` });
  }
}

function playPairs(player, pairs) {
  const done = readLines(player.results);
  for (const pair of pairs) {
    let reason;
    try {
      reason = player.record(pair);
    } catch (error) {
      reason = `error: ${error.message.slice(0, 300)}`;
    }
    const isPlayed = done.some((one) => one.pair === pair.commit && one.kind === 'end');
    if (reason !== undefined) {
      if (!isPlayed) player.note({ pair: pair.commit, kind: 'pair', drop: reason });
      continue;
    }
    player.save();
    if (isPlayed) continue;
    for (const advance of ADVANCES)
      attempt(player, { pair: pair.commit, kind: 'identical', advance }, () => player.playIdentical(pair, advance));
    for (const kind of ['operator', 'call site'])
      attempt(player, { pair: pair.commit, kind, advance: 0 }, () => player.playSibling(pair, kind));
    player.note({ pair: pair.commit, kind: 'end' });
    player.restore();
  }
}

const { values, positionals } = parseArgs({
  options: { repos: { type: 'string' }, unrelated: { type: 'string', default: '18' } },
  allowPositionals: true,
});
const repository = REPOSITORIES.find((one) => one.repository === positionals[0]);
const player = new Player(repository, values.repos);
for (const folder of [join(player.folder, '.argus'), player.home]) rmSync(folder, { recursive: true, force: true });
mkdirSync(player.home, { recursive: true });
const pairs = readLines(PAIRS_FILE).filter((pair) => pair.repository === repository.repository);
playPairs(player, pairs.reverse());
const played = readLines(player.results).filter(({ kind }) => kind === 'unrelated').length;
for (let number = played; player.recorded.length > 0 && number < Number(values.unrelated); number += 1)
  attempt(player, { kind: 'unrelated', number }, () => player.playUnrelated(number));
