// Plays five months of an invented shop through the program. Runs fail, an agent diagnoses the failures and reports fixes,
// and later runs prove or refute them. The same seed makes the same calls in the same order.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Chance } from './chance.mjs';
import { failingCommands, madeFailures, met, recordedFailures } from './failures.mjs';
import { incidents } from './incidents.mjs';
import { REPORTS } from './reports.mjs';

const HOUR_MS = 3_600_000;
/** Time between two reports. */
const BETWEEN_RUNS_MS = 8 * HOUR_MS;
/** Retention of runs in the project and on the server, so that the fixture stays small. */
export const KEEP_RUNS_DAYS = 50;
/** Upper bound for the failures of a run. */
const FAILURES_PER_RUN = 8;
/** Number of chunks that are played while the project has a classification rule. */
const CHUNKS_WITH_RULE = 4;
const INCIDENTS = 56;
/** Number of incidents that `argus memory import` adds; the tools add the others. */
const IMPORTED_INCIDENTS = 16;

/** Fates of failures, with their share in percent. */
const FATES = [
  ['proved', 60],
  ['claimed', 12],
  ['refuted', 9],
  ['superseded', 9],
  ['failed', 5],
  ['unsolved', 5],
];

/** Passing and skipped tests in each report. */
const QUIET = ['accepts what is valid', 'refuses what is not', 'keeps the order'];

const REAL_SOURCE = {
  till: 'export const change = (paid, price) => paid - price;\n',
  shelf: 'export const isEmpty = (shelf) => shelf.length === 0;\n',
  stamp: "export const stamp = (name) => [name.trim(), 1].join('-');\n",
};
const REAL_TESTS = {
  till: "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { change } from '../src/till.mjs';\n\ntest('till gives change', () => assert.equal(change(10, 7), 3));\n",
  shelf:
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { isEmpty } from '../src/shelf.mjs';\n\ntest('shelf is empty', () => assert.equal(isEmpty([]), true));\n",
  stamp:
    "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { stamp } from '../src/stamp.mjs';\n\ntest('stamp is trimmed', () => assert.equal(stamp(' a '), 'a-1'));\n",
};
/** File, broken source and fix description. */
const REAL_BREAKAGES = [
  ['till', 'export const change = (paid, price) => price - paid;\n', 'Subtract the price from what was paid.'],
  ['shelf', 'export const isEmpty = (shelf) => shelf.size === 0;\n', 'Ask a list for its length.'],
  ['stamp', "export const stamp = (name) => [name.trimmed(), 1].join('-');\n", 'The method is called trim.'],
];

export class Shop {
  #agent;
  #clock;
  #user;
  #seed;
  #chance;
  #edit;
  #chunksToPlay = [];
  #commits = 0;
  #reports = 0;
  /** Fate by failure. */
  fates = new Map();

  /** `edit` makes a call of the viewer's page. */
  constructor({ root, user, agent, clock, seed, edit }) {
    this.root = root;
    this.#user = user;
    this.#agent = agent;
    this.#clock = clock;
    this.#seed = seed;
    this.#chance = new Chance(seed + 3);
    this.#edit = edit;
  }

  /** Plays the first weeks with a classification rule. Without the rule, the failures get other signatures later. */
  async begin() {
    await this.#call('argus_init', {});
    this.#chunksToPlay = this.#chunks([...madeFailures(this.#seed), ...recordedFailures()]);
    for (const chunk of this.#chunksToPlay.slice(0, CHUNKS_WITH_RULE)) await this.#season(chunk);
  }

  /** Plays the rest with an agent that was started after the rule was removed. */
  async goOn(agent) {
    this.#agent = agent;
    await this.#call('argus_init', {});
    const chunks = this.#chunksToPlay;
    for (const chunk of chunks.slice(CHUNKS_WITH_RULE)) await this.#season(chunk);
    const returning = [...this.fates].filter(([failure, fate]) => fate === 'proved' && this.#returns(failure));
    for (const chunk of this.#chunks(returning.map(([failure]) => failure))) await this.#comeBack(chunk);
    await this.#sameErrorElsewhere();
    await this.#byChance(chunks);
    await this.#otherRuns(chunks);
    await this.#commands();
    await this.#realRuns();
    await this.#incidents();
    await this.#edits();
  }

  /** Whether the failure recurs within the history. A recorded failure needs a second text for that. */
  #returns(failure) {
    return failure.texts === undefined ? this.#chance.below(4) === 0 : failure.texts.length > 1;
  }

  /** Groups failures into reports without duplicate cases, and shuffles the groups. */
  #chunks(failures) {
    const chunks = [];
    for (const failure of failures) {
      const fits = (chunk) =>
        chunk.length < FAILURES_PER_RUN &&
        chunk[0].report === failure.report &&
        chunk[0].source === failure.source &&
        chunk.every(({ name, file }) => name !== failure.name || file !== failure.file);
      const open = chunks.find(fits);
      if (open === undefined) chunks.push([failure]);
      else open.push(failure);
    }
    return this.#chance.shuffled(chunks);
  }

  /** Records the first occurrence of each failure, then acts according to its fate. */
  async #season(chunk) {
    for (const failure of chunk) this.fates.set(failure, this.#fate());
    const branch = this.#chance.below(7) === 0 ? 'feature/checkout' : 'main';
    const first = await this.#report(chunk, { number: 0, branch });
    const late = [];
    for (const failure of chunk) {
      await this.#diagnose(first, failure);
      const fate = this.fates.get(failure);
      if (fate === 'failed') await this.#fix(first, failure, `Ran ${failure.name} again.`, false);
      if (fate === 'superseded') await this.#fix(first, failure, `Raised the limits around ${failure.name}.`);
      if (fate === 'refuted')
        await this.#fix(first, failure, `Cleared the caches of ${failure.source} before ${failure.name}.`);
      if (fate === 'claimed' || fate === 'superseded') await this.#fix(first, failure);
      if (fate === 'proved' && this.#chance.below(2) === 0) await this.#fix(first, failure);
      else if (fate === 'proved') late.push(failure);
    }
    const [again, gone] = [this.#of(chunk, 'refuted'), this.#of(chunk, 'claimed')];
    // Half of the superseding fixes stay claims: no later run has their case.
    const open = this.#of(chunk, 'superseded').filter(() => this.#chance.below(2) === 0);
    const passing = chunk.filter((failure) => ![...again, ...gone, ...open].includes(failure));
    const second = await this.#report(again, { number: 0, branch, passing, kind: chunk[0] });
    for (const failure of late) await this.#fix(first, failure);
    for (const failure of again) {
      await this.#diagnose(second, failure);
      if (this.#chance.below(3) > 0) await this.#fix(second, failure);
    }
    for (const failure of open) this.fates.set(failure, 'claimed');
    if (again.length > 0) await this.#report([], { branch, passing: again, kind: chunk[0] });
  }

  /** Records another occurrence of failures that were fixed. */
  async #comeBack(chunk) {
    const run = await this.#report(chunk, { number: 1 });
    for (const failure of chunk) {
      const { match } = await this.#diagnose(run, failure);
      if (match.how === 'alike' && this.#chance.below(12) === 0) {
        const it = { runId: run, caseName: failure.caseName, notSameAs: match.patternId };
        await this.#call('argus_diagnose', it);
        this.fates.set(failure, 'apart');
      } else if (this.#chance.below(2) === 0) await this.#fix(run, failure);
    }
    await this.#report([], { passing: chunk, kind: chunk[0] });
  }

  /** Records the same error in another test that has no fix. */
  async #sameErrorElsewhere() {
    for (const [failure] of [...this.fates]
      .filter(([{ report }, fate]) => fate === 'proved' && report === 'vitest-junit')
      .slice(0, 6)) {
      const other = { ...failure, name: `${failure.name} once more` };
      const run = await this.#report([other], { number: 2 });
      await this.#diagnose(run, other);
    }
  }

  /** Records flaky tests on one commit, so that a fix needs several passes as proof. */
  async #byChance(chunks) {
    const [some] = chunks.filter(([{ report }]) => report === 'mocha-junit');
    const flaky = some.slice(0, 6).map((failure) => ({ ...failure, name: `${failure.name} under load` }));
    const commit = this.#commit('gateway: share one agent');
    const outcomes = ['FPFPPF', 'PFPPFP', 'FPPFPP', 'PPFPPF', 'FFPPPP', 'PFPFPP'];
    let last;
    for (let run = 0; run < 6; run += 1) {
      const fails = flaky.filter((_, index) => outcomes[index][run] === 'F');
      const passing = flaky.filter((failure) => !fails.includes(failure));
      const id = await this.#report(fails, { number: run, passing, kind: some[0], commit });
      for (const failure of fails) await this.#diagnose(id, failure);
      for (const failure of fails) last = { ...last, [failure.name]: id };
    }
    for (const failure of flaky.slice(0, 5)) await this.#fix(last[failure.name], failure);
    for (let run = 0; run < 4; run += 1) await this.#report([], { passing: flaky, kind: some[0] });
    // The first flaky test fails again, which refutes its fix.
    const back = await this.#report(flaky.slice(0, 1), { number: 9, passing: flaky.slice(1), kind: some[0] });
    await this.#diagnose(back, flaky[0]);
  }

  /** Records runs of a fork, runs on Windows, and imported runs with ids of their own. */
  async #otherRuns(chunks) {
    for (const chunk of chunks.slice(0, 3)) {
      const file = this.#write(chunk, { number: 3, passing: [] });
      this.#user.run(['import', file, '--foreign', '--commit', this.#head(), '--branch', 'fork', '--json'], {
        cwd: this.root,
      });
    }
    const [some] = chunks.filter(([{ report }]) => report === 'surefire-junit');
    for (let run = 0; run < 4; run += 1) {
      const isWindows = run % 2 === 0;
      const fails = isWindows ? some.slice(0, 2).map((one) => ({ ...one, name: `${one.name}OnWindows` })) : [];
      const passing = isWindows ? [] : some.slice(0, 2).map((one) => ({ ...one, name: `${one.name}OnWindows` }));
      const environment = { os: isWindows ? 'windows' : 'linux' };
      const id = await this.#report(fails, { number: run, passing, kind: some[0], environment });
      for (const failure of fails) await this.#diagnose(id, failure);
    }
    const lines = Array.from({ length: 12 }, (_, run) => {
      const error = `Error: the nightly export has ${run} rows too few\n    at exportRows (src/export.ts:${20 + run}:9)`;
      const cases = ['nightly > exports', 'nightly > mails'].map((name, index) => ({
        name,
        status: run % 4 === index ? 'failed' : 'passed',
        durationMs: 40 + run,
        attempts: 1,
        ...(run % 4 === index ? { error } : {}),
      }));
      const at = this.#clock.now - (12 - run) * HOUR_MS;
      const id = { id: `nightly-${run}`, startedAt: at, commit: (run + 1).toString(16).padStart(40, '0') };
      return JSON.stringify({
        ...id,
        parents: [run.toString(16).padStart(40, '0')],
        branch: 'main',
        dirty: false,
        cases,
      });
    });
    this.#user.run(['import', '--runs', '-', '--json'], { cwd: this.root, input: `${lines.join('\n')}\n` });
  }

  /** Runs builds and linters. The command is the case, and its output is the error. */
  async #commands() {
    mkdirSync(join(this.root, '.printed'), { recursive: true });
    for (const [index, failure] of failingCommands(this.#seed).entries()) {
      const { step, exit } = failure;
      const { text } = met(failure, 0, this.#seed + index);
      writeFileSync(
        join(this.root, 'ci', `${step}.sh`),
        `cat .printed/${step}.txt\nexit "$(cat .printed/${step}.exit)"\n`,
      );
      const command = `sh ci/${step}.sh`;
      const print = (what, code) => {
        writeFileSync(join(this.root, '.printed', `${step}.txt`), what);
        writeFileSync(join(this.root, '.printed', `${step}.exit`), `${code}\n`);
      };
      print(text, exit);
      this.#commit(`ci: ${step} ${index}`);
      const { runId, failures } = await this.#call('argus_run', { command });
      const [{ caseName }] = failures;
      await this.#call('argus_diagnose', { runId, caseName });
      failure.command = command;
      failure.caseName = caseName;
      await this.#call('argus_report_fix', { runId, caseName, fixDescription: failure.fix });
      print('done\n', 0);
      this.#commit(`ci: mend ${step} ${index}`);
      await this.#call('argus_run', { command });
      this.fates.set(failure, 'proved');
    }
  }

  /** Runs node:test on real files with uncommitted edits. */
  async #realRuns() {
    const at = (folder, name) => join(this.root, 'tools/real', folder, name);
    for (const [name, text] of Object.entries(REAL_SOURCE)) this.#file(at('src', `${name}.mjs`), text);
    for (const [name, text] of Object.entries(REAL_TESTS)) this.#file(at('test', `${name}.test.mjs`), text);
    this.#commit('tools: add the till, the shelf and the stamp');
    const command = 'node --test tools/real/test/';
    await this.#call('argus_run', { command });
    for (const [name, broken, fix] of REAL_BREAKAGES) {
      this.#file(at('src', `${name}.mjs`), broken);
      const { runId, failures } = await this.#call('argus_run', { command });
      const caseName = failures.map((one) => one.caseName).find((one) => one.includes(name));
      await this.#call('argus_diagnose', { runId, caseName });
      this.#file(at('src', `${name}.mjs`), `${REAL_SOURCE[name]}// Mended.\n`);
      this.#file(at('test', `${name}.test.mjs`), `${REAL_TESTS[name]}// Has found a fault once.\n`);
      await this.#call('argus_run', { command });
      await this.#call('argus_report_fix', { runId, caseName, fixDescription: fix });
      this.#commit(`fix: mend the ${name}`);
      await this.#call('argus_run', { command });
    }
  }

  async #incidents() {
    const all = incidents(INCIDENTS, this.#seed);
    for (const { title, error, summary, tags, solutions } of all.slice(0, -IMPORTED_INCIDENTS)) {
      this.#clock.advance(5 * HOUR_MS);
      const { lookup_id } = await this.#call('ranked_solutions', { query_text: error, env: {} });
      const [first, ...others] = solutions;
      const [outcome, ...outcomes] = first.outcomes;
      const added = await this.#call('add_incident', {
        title,
        error_signature: error,
        ...(summary === undefined ? {} : { summary }),
        tags,
        steps: first.steps,
        env: first.env,
        worked: outcome.worked,
        lookup_id,
        force: true,
      });
      for (const one of outcomes) await this.#outcome(added.solution_id, one);
      for (const { steps, env, outcomes } of others) {
        const { solution_id } = await this.#call('add_solution', { incident_id: added.incident_id, steps, env });
        for (const one of outcomes) await this.#outcome(solution_id, one);
      }
    }
    const lines = all
      .slice(-IMPORTED_INCIDENTS)
      .map(({ title, error, summary, tags, solutions }) =>
        JSON.stringify({ type: 'incident', title, error_signature: error, summary, tags, solutions }),
      );
    const file = join(this.root, '.printed', 'incidents.jsonl');
    writeFileSync(file, `${lines.join('\n')}\n`);
    this.#user.run(['memory', 'import', file, '--project', this.root], { cwd: this.root, codes: [0] });
  }

  /** Learns from commits that look like fixes. Only a memory of this machine keeps them. */
  learnFromGit() {
    this.#user.run(['learn', '--from-git', '--project', this.root, '--json'], { cwd: this.root, codes: [0] });
  }

  async #outcome(solution_id, { worked, env, notes }) {
    const { lookup_id } = await this.#call('ranked_solutions', { query_text: `what about ${solution_id}`, env });
    await this.#call('record_outcome', {
      solution_id,
      worked,
      env,
      lookup_id,
      ...(notes === undefined ? {} : { notes }),
    });
  }

  /** Tries fixes and a solution that another developer shared through the repository. */
  async tryShared({ failures, fixIds, incident }) {
    const run = await this.#report(failures, {});
    for (const [index, failure] of failures.entries()) {
      await this.#diagnose(run, failure);
      await this.#fix(run, failure, fixIds[index]);
    }
    await this.#report([], { passing: failures.slice(1), kind: failures[0] });
    const { ranked_solutions } = await this.#call('ranked_solutions', { query_text: incident.error, env: {} });
    const { solution_id } = ranked_solutions.find(({ steps }) => steps === incident.steps);
    await this.#call('record_outcome', { solution_id, worked: true, env: {} });
  }

  /** Records failures, fixes them, and stores an incident. */
  async meetAndMend(failures, { title, error, steps }) {
    await this.#call('argus_init', {});
    const run = await this.#report(failures, {});
    for (const failure of failures) {
      await this.#diagnose(run, failure);
      await this.#fix(run, failure);
    }
    await this.#report([], { passing: failures, kind: failures[0] });
    await this.#call('add_incident', { title, error_signature: error, steps, env: {}, worked: true });
  }

  /** Makes the edits that a person makes in the viewer. */
  async #edits() {
    const page = await this.#edit('viewPatterns', {
      source: 'learned',
      sort: 'description',
      descending: false,
      limit: 200,
    });
    const shown = page.patterns.filter(({ suggestedFix }) => suggestedFix !== null);
    const [renamed, moved, told, merged] = [
      shown.slice(0, 6),
      shown.slice(10, 14),
      shown.slice(20, 30),
      shown.slice(40, 64),
    ];
    for (const { id, description } of renamed)
      await this.#edit('editPattern', { id, description: `Known: ${description}` });
    for (const { id } of moved) await this.#edit('editPattern', { id, category: 'CONFIG_ERROR' });
    for (const [index, { id }] of told.entries())
      await this.#edit('editPattern', {
        id,
        suggestedFix: `Ask the owner of part ${index + 1} first; a person set this.`,
      });
    for (let at = 0; at + 1 < merged.length; at += 2)
      await this.#edit('mergePatterns', { from: merged[at + 1].id, into: merged[at].id });
    for (let at = 0; at < 6; at += 2)
      await this.#edit('splitPattern', { pattern: merged[at].id, part: merged[at + 1].id });
    const judged = shown.slice(70, 78);
    for (const [index, { id }] of judged.entries()) {
      const { fixes } = await this.#edit('viewPattern', { id });
      if (fixes.length === 0) continue;
      await this.#edit('markFix', { fixId: fixes[0].fixId, wrong: true });
      if (index % 4 === 0) await this.#edit('markFix', { fixId: fixes[0].fixId, wrong: false });
    }
  }

  #fate() {
    let left = this.#chance.below(100);
    for (const [fate, share] of FATES) {
      left -= share;
      if (left < 0) return fate;
    }
    return 'proved';
  }

  #of(chunk, fate) {
    return chunk.filter((failure) => this.fates.get(failure) === fate);
  }

  /** Imports a report of these failures and passing tests, and answers the id of the run. */
  async #report(failures, { number = 0, branch = 'main', passing = [], kind = failures[0], commit, environment }) {
    this.#clock.advance(BETWEEN_RUNS_MS);
    const head = commit ?? this.#commit(`${kind.source}: step ${this.#commits}`);
    const file = this.#write(failures, { number, passing, kind });
    const startedAt = new Date(this.#clock.now).toISOString();
    const facts = {
      commit: head,
      branch,
      dirty: false,
      startedAt,
      ...(environment === undefined ? {} : { environment }),
    };
    const { runId } = await this.#call('argus_import', { path: file, ...facts });
    if (failures.length > 0) await this.#nameCases(runId, failures);
    return runId;
  }

  /** Notes the qualified name of each failed case, which the reader of the report chooses. */
  async #nameCases(runId, failures) {
    const { cases } = await this.#call('argus_history', { runId, limit: failures.length });
    for (const failure of failures) {
      const found = cases.filter(({ caseName, status }) => status === 'failed' && caseName.endsWith(failure.name));
      const own = found.find(({ caseName }) => caseName.includes(failure.suite[0] ?? '')) ?? found[0];
      if (own === undefined) throw new Error(`${failure.source}: no failed case is '${failure.name}'`);
      failure.caseName = own.caseName;
    }
  }

  /** Writes a report and answers its path. */
  #write(failures, { number, passing, kind = failures[0] }) {
    const { extension, write } = REPORTS[kind.report];
    this.#reports += 1;
    const seed = this.#seed * 7_919 + this.#reports * 31;
    const failing = failures.map((failure, index) => met(failure, number, seed + index));
    for (const [index, failure] of failures.entries()) failure.first ??= failing[index];
    const passed = passing.map(({ file, suite, name, type }) => ({
      file,
      suite,
      name,
      type,
      status: 'passed',
      text: '',
    }));
    const near = failing[0] ?? passed[0] ?? kind;
    const quiet = QUIET.map((name, at) => ({ ...near, name, status: at === 2 ? 'skipped' : 'passed', text: '' }));
    const file = join(this.root, '.printed', `report-${this.#reports}.${extension}`);
    this.#file(file, write({ cases: [...failing, ...passed, ...quiet], root: this.root, at: this.#clock.now }));
    return file;
  }

  #diagnose(runId, { caseName }) {
    return this.#call('argus_diagnose', { runId, caseName });
  }

  #fix(runId, { caseName, fix }, fixDescription = fix, success = true) {
    return this.#call('argus_report_fix', { runId, caseName, fixDescription, success });
  }

  #call(tool, args) {
    return this.#agent.call(tool, { projectPath: this.root, ...args });
  }

  #file(file, text) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** Commits a change of one file and answers the hash. */
  #commit(message) {
    this.#commits += 1;
    this.#file(join(this.root, 'packages', `part-${this.#commits % 40}.txt`), `${this.#commits}\n`);
    const at = new Date(this.#clock.now).toISOString();
    this.#git(['add', '--all']);
    this.#git(['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', message], at);
    return this.#head();
  }

  #head() {
    return this.#git(['rev-parse', 'HEAD']).trim();
  }

  #git(args, at) {
    const env = {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      ...(at === undefined ? {} : { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at }),
    };
    return execFileSync('git', args, { cwd: this.root, env, encoding: 'utf8' });
  }
}

/** Classifies failed assertions as configuration errors. */
const RULE = "classify:\n  rules: [{ name: checks, category: CONFIG_ERROR, pattern: '(?i)assert' }]\n";

/** Writes the project's configuration. */
export function configure(root, rules = '') {
  writeFileSync(join(root, 'argus.yaml'), `history:\n  retention:\n    maxAge: ${KEEP_RUNS_DAYS}\n${rules}`);
}

/** Makes a git repository with one commit. */
export function repository(root) {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'ci'), { recursive: true });
  writeFileSync(join(root, '.gitignore'), '.argus/\n.printed/\n');
  writeFileSync(join(root, 'README.md'), '# Corner shop\n');
  configure(root, RULE);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' };
  const git = (...args) => execFileSync('git', args, { cwd: root, env });
  git('init', '--quiet', '--initial-branch', 'main');
  git('remote', 'add', 'origin', 'https://git.example.com/acme/shop.git');
  git('add', '--all');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', 'first');
}
