// Generates histories of everyday situations whose right verdict is known (untracked files, uncommitted edits, first
// runs, machine failures of one test, documentation commits, weeks without a run, shuffled orders), records them with
// the engine, and counts right verdicts and innocent commits that were suspected.

const DAY_MS = 86_400_000;
const FILE_COUNT = 12;
const TESTS_PER_FILE = 5;

/** Number of histories for each situation. */
const HISTORIES_PER_SITUATION = 20;

/** Errors caused by the machine. A history has one of them in a single test. */
const MACHINE_ERRORS = [
  'Error: listen EADDRINUSE: address already in use :::3000\n    at Server.setupListenHandle (node:net:1817:16)',
  'Error: ENOSPC: no space left on device, write\n    at Object.writeSync (node:fs:927:3)',
  'Error: getaddrinfo ENOTFOUND db.internal\n    at GetAddrInfoReqWrap.onlookup [as oncomplete] (node:dns:107:26)',
  'Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect (node:net:1555:16)',
  'Error: EMFILE: too many open files, open\n    at Object.openSync (node:fs:601:3)',
  'Error: certificate has expired\n    at TLSSocket.onConnectSecure (node:_tls_wrap:1674:34)',
];

/**
 * Situations by name. Each function records runs, and returns the failing test of the last run with the right verdict.
 */
const SITUATIONS = {
  'an edit beside untracked files': (day) => {
    day.untracked = { 'notes.txt': 'kept', 'out.log': String(day.random()) };
    day.run();
    day.documentation(6);
    day.untracked['out.log'] = String(day.random());
    day.run();
    day.edit(day.file());
    return day.breaks('regression');
  },
  'a commit among twelve': (day) => {
    day.run();
    const culprit = day.draw(12);
    const broken = day.file();
    let commit;
    for (let at = 0; at < 12; at += 1) {
      const made = day.commit(at === culprit ? broken : day.pickOtherFile(broken));
      if (at === culprit) commit = made;
    }
    return { ...day.breaks('regression', broken), culprit: commit };
  },
  'the first run, clean': (day) => day.breaks('new'),
  'the first run, edited': (day) => {
    day.edit(day.file());
    return day.breaks('new');
  },
  'a machine fails one test': (day) => {
    day.run();
    day.commit(day.file());
    return day.fails('infrastructure', day.pick(MACHINE_ERRORS));
  },
  'commits of documentation, then an edit': (day) => {
    day.run();
    day.documentation(8);
    day.edit(day.file());
    return day.breaks('regression');
  },
  'weeks without a run': (day) => {
    day.run();
    day.wait(40);
    for (let at = 0; at < 5; at += 1) day.commit(day.pickOtherFile('src/f0.ts'));
    const culprit = day.commit('src/f0.ts');
    return { ...day.breaks('regression', 'src/f0.ts'), culprit };
  },
  'the same red tree again': (day) => {
    day.run();
    day.edit(day.file());
    day.breaks('regression');
    return day.again('broken');
  },
  'an order of the tests': (day) => {
    for (let at = 0; at < 10; at += 1) day.shuffled();
    return day.shuffled(true);
  },
};

/** Records all situations, and returns a row for each. `open` creates an engine with an empty memory. */
export async function scoreDailyHistories(open) {
  const rows = [];
  for (const [name, play] of Object.entries(SITUATIONS)) {
    const row = { name, right: 0, innocent: 0, named: 0, culprits: 0, histories: HISTORIES_PER_SITUATION };
    for (let seed = 1; seed <= HISTORIES_PER_SITUATION; seed += 1) {
      const engine = await open();
      const day = new SimulatedProject(seed);
      const expected = play(day);
      const { verdict, suspects } = await recordRuns(engine, day.runs, expected.name);
      await engine.close();
      const accused = suspects.filter(({ probability }) => probability >= 0.5).map(({ commit }) => commit);
      row.right += Number(verdict?.kind === expected.kind);
      row.innocent += accused.filter((commit) => commit !== expected.culprit).length;
      row.culprits += Number(expected.culprit !== undefined);
      row.named += Number(suspects.some(({ commit }) => commit === expected.culprit));
    }
    rows.push(row);
  }
  return rows;
}

/** Records the runs, and returns the verdict and the suspects of the failure in the last run. */
async function recordRuns(engine, runs, name) {
  const { now } = Date;
  let last;
  try {
    for (const { at, ...run } of runs) {
      Date.now = () => at;
      last = await engine.recordRun(run);
    }
    return { suspects: [], ...(await engine.diagnose({ runId: last.runId, caseName: name })) };
  } finally {
    Date.now = now;
  }
}

/** A simulated project with commits, edits and runs that depend on a seed. */
class SimulatedProject {
  runs = [];
  untracked = {};
  #state;
  #at = Date.UTC(2026, 1, 2);
  #commits = [];
  #edits = {};
  #failing = {};

  constructor(seed) {
    this.#state = seed * 2_654_435_761;
    this.#add([]);
  }

  /** Returns a pseudorandom integer below 2^32 (xorshift32, Marsaglia 2003). */
  random() {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state >>> 0;
  }

  draw(below) {
    return this.random() % below;
  }

  pick(list) {
    return list[this.draw(list.length)];
  }

  file() {
    return `src/f${this.draw(FILE_COUNT)}.ts`;
  }

  pickOtherFile(file) {
    const other = this.file();
    return other === file ? this.pickOtherFile(file) : other;
  }

  commit(file) {
    return this.#add([file]);
  }

  documentation(count) {
    for (let at = 0; at < count; at += 1) this.#add(['README.md', 'docs/guide.md']);
  }

  edit(file) {
    this.#edits[file] = String(this.random());
  }

  wait(days) {
    this.#at += days * DAY_MS;
  }

  /** Records a run of all tests. */
  run() {
    this.#record(this.#names());
  }

  /** Records a run in which an assertion about a file fails. The default is the edited file. */
  breaks(kind, file = Object.keys(this.#edits)[0] ?? this.file()) {
    const test = file.replace('src/', 'test/').replace('.ts', '.test.ts');
    const name = `${test} > t${this.draw(TESTS_PER_FILE)}`;
    const error = `AssertionError: expected ${this.draw(90)} to be ${90 + this.draw(9)}\n    at total (${file}:14:9)\n    at ${test}:8:5`;
    this.#failing[name] = error;
    this.run();
    return { kind, name };
  }

  /** Records a run in which one test fails with a machine error. */
  fails(kind, error) {
    const name = this.pick(this.#names());
    this.#failing[name] = `${error}\n    at ${name.split(' > ')[0]}:8:5`;
    this.run();
    return { kind, name };
  }

  /** Records another run of the unchanged work tree. */
  again(kind) {
    this.run();
    return { kind, name: Object.keys(this.#failing)[0] };
  }

  /** Records a run in a random order, in which one test fails if it runs after a certain other test. */
  shuffled(isLast = false) {
    const [polluter, victim] = ['test/f0.test.ts > t0', 'test/f0.test.ts > t1'];
    const names = this.#names();
    for (let at = names.length - 1; at > 0; at -= 1) {
      const other = this.draw(at + 1);
      [names[at], names[other]] = [names[other], names[at]];
    }
    const [first, second] = [names.indexOf(polluter), names.indexOf(victim)].sort((a, b) => a - b);
    if (isLast) [names[first], names[second]] = [polluter, victim];
    const fails = names.indexOf(polluter) < names.indexOf(victim);
    this.#failing = fails ? { [victim]: 'AssertionError: expected de to be en\n    at test/f0.test.ts:9:3' } : {};
    this.#record(names);
    return { kind: 'order', name: victim };
  }

  #names() {
    const files = Array.from({ length: FILE_COUNT }, (_, at) => `test/f${at}.test.ts`);
    return files.flatMap((file) => Array.from({ length: TESTS_PER_FILE }, (_, at) => `${file} > t${at}`));
  }

  #add(files) {
    const commit = this.#hash();
    const parents = this.#commits.length > 0 ? [this.#commits[0].commit] : [];
    this.#commits.unshift({ commit, parents, files, tree: this.#hash() });
    this.#edits = {};
    return commit;
  }

  #hash() {
    return Array.from({ length: 5 }, () => this.random().toString(16).padStart(8, '0')).join('');
  }

  #record(names) {
    this.#at += DAY_MS / 24;
    const [head] = this.#commits;
    const tracked = Object.entries(this.#edits).map(([path, digest]) => ({ path, digest }));
    const untracked = Object.entries(this.untracked).map(([path, digest]) => ({ path, digest, untracked: true }));
    const edits = [...tracked, ...untracked];
    const cases = names.map((name) => {
      const [file, ...rest] = name.split(' > ');
      const error = this.#failing[name];
      const status = error === undefined ? 'passed' : 'failed';
      return { file, suite: [], name: rest.join(' > '), status, flaky: false, attempts: 1, durationMs: 3, error };
    });
    this.runs.push({
      at: this.#at,
      command: 'npm test',
      runner: 'vitest',
      startedAt: this.#at,
      exitCode: Object.keys(this.#failing).length > 0 ? 1 : 0,
      timedOut: false,
      git: {
        commit: head.commit,
        branch: 'main',
        dirty: edits.length > 0,
        untrackedOnly: edits.length > 0 && tracked.length === 0,
        tree: edits.length === 0 ? head.tree : `${head.tree.slice(8)}${JSON.stringify(edits)}`,
        commits: this.#commits.slice(0, 40),
        edits,
      },
      reports: [],
      cases,
      containers: [],
      notes: [],
      environment: { os: 'linux', machine: 'm1' },
    });
  }
}
