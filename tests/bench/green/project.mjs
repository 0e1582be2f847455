// A public project with its own memories: Argus' programs run in it, and what each condition hands over is collected.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { git, prepareRepository, readText, runProgram, runTests, WORK } from './checkout.mjs';
import { findFrames, findSymbol, parseDefinition, parseDiff } from './code.mjs';
import * as conditions from './conditions.mjs';

const DIST = fileURLToPath(new URL('../../../packages/mcp/dist', import.meta.url));
const MAX_LOG_COMMITS = 300;
const MAX_LAST_CHANGES = 20;
const CHARACTERS_PER_TOKEN = 4;
/** Each query with a number that this divides is really repaired and run, instead of only computed. */
const VERIFY_EVERY = 8;
/** The hook's second process gives up after a minute. */
const MAX_WORKER_POLLS = 130;
/** Ends the process that records after the hook's answer at once, because a query must not be recorded. */
const WITHOUT_WORKER = {
  NODE_OPTIONS: "--import=data:text/javascript,process.argv.includes('--work')&&process.exit(0)",
};
const WORKER_POLL_MS = 500;

export const resultsFile = (repository) => join(WORK, `${repository.replace('/', '+')}.jsonl`);

export class Project {
  /** The pairs that were recorded so far, with their failure and locations. */
  recorded = [];
  #home;
  #calls = 0;
  #queries = 0;
  #logs = new Map();

  constructor(repository, repositories) {
    this.repository = repository;
    this.folder = prepareRepository(repository, repositories);
    this.#home = join(WORK, 'homes', repository.repository.replace('/', '+'));
    mkdirSync(this.#home, { recursive: true });
    writeFileSync(join(WORK, 'attributes'), '*.py diff=python\n*.go diff=golang\n');
    git(this.folder, 'config', 'core.attributesFile', join(WORK, 'attributes'));
  }

  #run(program, args, { environment, input } = {}) {
    const home = { HOME: this.#home, XDG_DATA_HOME: join(this.#home, 'data'), GOCACHE: join(WORK, 'go') };
    return runProgram(program, args, this.folder, { input, environment: { ...home, ...environment } });
  }

  argus(...args) {
    const done = this.#run(process.execPath, [join(DIST, 'cli.mjs'), ...args, '--json']);
    const { success, data, error } = JSON.parse(done.stdout.slice(done.stdout.lastIndexOf('{"success"')));
    if (!success) throw new Error(`argus ${args[0]}: ${error.message}`);
    return { data, text: done.stderr, seconds: done.seconds };
  }

  /** Runs the tests with Argus. Returns the names and the error of the failures too. */
  runWithArgus(command) {
    const run = this.argus('run', command);
    const { failures } = run.data;
    const error = failures[0]?.headline ?? failures[0]?.message ?? '';
    return { ...run, caseNames: failures.map(({ caseName }) => caseName), error };
  }

  /** Tells the hook about a command. With `records`, waits until the hook's second process has recorded it. */
  hook(command, output, { failed, records }) {
    // Unlike a counter alone, the id is new after a restart. The hook ignores a call that it has seen.
    this.#calls += 1;
    const id = `${process.pid}-${this.#calls}`;
    const event = {
      ...{ session_id: id, cwd: this.folder, tool_name: 'Bash', tool_use_id: id },
      ...{ hook_event_name: failed ? 'PostToolUseFailure' : 'PostToolUse', tool_input: { command } },
      ...(failed ? { error: `Exit code 1\n${output}` } : { tool_response: { stdout: output, stderr: '' } }),
    };
    const countStamps = () => this.#readHookStates().split('"t":"stamp"').length;
    const before = countStamps();
    const more = { input: JSON.stringify(event), environment: records ? {} : WITHOUT_WORKER };
    const { code, stdout, stderr, seconds } = this.#run(process.execPath, [join(DIST, 'hook.mjs')], more);
    if (code !== 0) throw new Error(`argus hook: ${stderr.slice(-200)}`);
    for (let poll = 0; records && poll < MAX_WORKER_POLLS && countStamps() === before; poll += 1)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WORKER_POLL_MS);
    return { text: stdout.trim() === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext, seconds };
  }

  #readHookStates() {
    const folder = join(this.#home, 'data/argus/projects');
    const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, 'hook.jsonl')) : [];
    return files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('');
  }

  /** Keeps a copy of the memories, or puts the copy back, so that a query leaves nothing behind. */
  copyMemories(direction) {
    for (const memory of [join(this.folder, '.argus'), this.#home]) {
      const copy = `${memory.replace(/.\.argus$/u, '')}.saved`;
      const [from, to] = direction === 'save' ? [memory, copy] : [copy, memory];
      rmSync(to, { recursive: true, force: true, maxRetries: 3 });
      if (existsSync(from)) cpSync(from, to, { recursive: true, preserveTimestamps: true });
    }
  }

  note(result) {
    const { repository, split } = this.repository;
    appendFileSync(resultsFile(repository), `${JSON.stringify({ repository, split, ...result })}\n`);
  }

  isSource(file) {
    return this.repository.source.test(file) && !this.repository.tests.test(file);
  }

  listSources() {
    const files = git(this.folder, 'ls-files').split('\n');
    return files.filter((file) => this.isSource(file));
  }

  /** Returns the locations that the commit changed, with the symbols before and after the change. */
  locateChange({ commit, sources }) {
    const locate = (from, to) =>
      parseDiff(git(this.folder, 'diff', '-U0', from, to, '--', ...sources)).map(({ file, line }) => {
        const lines = git(this.folder, 'show', `${to}:${file}`).split('\n');
        return { file, symbol: findSymbol(lines, Math.max(1, line), file) };
      });
    const found = [...locate(`${commit}^`, commit), ...locate(commit, `${commit}^`)];
    return [...new Map(found.map((one) => [`${one.file} ${one.symbol}`, one])).values()];
  }

  /** Returns whether a line of the file defines the symbol. */
  #defines(file, symbol) {
    const lines = existsSync(join(this.folder, file)) ? readText(this.folder, file).split('\n') : [];
    return lines.some((line) => parseDefinition(line, file) === symbol);
  }

  #readLog(commit, count = MAX_LOG_COMMITS) {
    const key = `${commit} ${count}`;
    if (!this.#logs.has(key)) {
      const format = ['-n', String(count), '--no-merges', '-U0', '-p', '--format=@@@%H%n%s'];
      const log = git(this.folder, 'log', ...format, commit);
      this.#logs.set(
        key,
        conditions.parseLog(log, (file) => this.isSource(file)),
      );
    }
    return this.#logs.get(key);
  }

  /**
   * Runs the tests on the present tree with the recorded memory, and notes what each condition hands over. `original`
   * is the commit as it was before the fault, and `truth` the locations of the fault. Returns the reason of a drop.
   */
  query({ command }, original, facts, truth) {
    this.copyMemories('restore');
    const run = this.runWithArgus(command);
    const { caseNames, error } = run;
    const known = this.recorded.at(-1).caseNames;
    const sameTest = caseNames.some((name) => known.includes(name));
    if (caseNames.length === 0) return 'no test fails';
    if (facts.kind === 'identical' && !sameTest) return 'another test fails';
    const hook = this.hook(command, run.text, { failed: true, records: false });
    const diagnosis = this.argus('diagnose', run.data.runId, caseNames[0]);
    const frames = findFrames(run.text, this.folder, this.repository);
    const failure = { frames, caseNames, error, output: run.text, recorded: this.recorded };
    const handed = {
      // The newest commit hides the fault: only the rest of its change is in the log.
      'no memory': conditions.fromNothing({
        ...failure,
        log: this.#readLog(git(this.folder, 'rev-parse', 'HEAD').trim(), MAX_LAST_CHANGES),
      }),
      BM25: conditions.fromBm25({ ...failure, log: this.#readLog(original) }),
      notes: conditions.fromNotes(failure),
      'Argus hook': conditions.fromHook(hook, (file, symbol) => this.#defines(file, symbol)),
      'Argus diagnose': conditions.fromDiagnosis(diagnosis, (commit) => this.#readLog(commit, 1)[0].locations),
      oracle: { locations: truth, text: '' },
    };
    const others = [...handed['no memory'].locations, ...this.listSources().map((file) => ({ file }))];
    const isTrue = (test) => truth.some(test);
    const answers = Object.entries(handed).map(([condition, { locations: named, text, seconds = 0 }]) => {
      // The repairer edits only source.
      const locations = named.filter(({ file }) => this.isSource(file));
      const order = conditions.keepFirstOfFiles([...locations, ...others]);
      const runs = order.findIndex(({ file }) => isTrue((one) => one.file === file)) + 1;
      const [first] = locations;
      const hitFile = isTrue(({ file }) => file === first?.file);
      const hitSymbol =
        hitFile && isTrue(({ file, symbol }) => file === first.file && symbol && symbol === first.symbol);
      const tokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
      return {
        condition,
        first: locations.slice(0, 3),
        silent: first === undefined,
        runs,
        hitFile,
        hitSymbol,
        tokens,
        seconds,
      };
    });
    this.#queries += 1;
    const verified = this.#queries % VERIFY_EVERY === 0 ? this.#repair(command, original, truth) : undefined;
    const { mendedBefore, changedBefore = [] } = diagnosis.data;
    const speaks = { mended: mendedBefore !== undefined, changed: changedBefore.map(({ because }) => because) };
    const testSeconds = run.data.durationMs / 1000;
    this.note({ ...facts, testSeconds, caseNames, error, truth, sameTest, speaks, verified, answers });
    return undefined;
  }

  /** Really puts the original code back. Returns whether the tests pass. */
  #repair(command, original, truth) {
    git(this.folder, 'checkout', '--quiet', original, '--', ...new Set(truth.map(({ file }) => file)));
    return runTests(this.folder, command).code === 0;
  }
}
