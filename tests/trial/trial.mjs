// Tries Argus on public projects without configuration: does the test command still behave as before, do the counts
// equal the runner's counts, and is the answer to a planted failure enough to repair it? Run by hand, because it takes
// long and needs the projects' dependencies:
//
//   npm run trial [-- PART...]        projects whose name contains a PART; without PART all projects
//   ARGUS_TRIAL_FROM=folder           clones from `folder/owner+name/repo` or `folder/owner/name` where that exists
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROJECTS } from './projects.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const argus = join(root, 'packages/mcp/dist/cli.mjs');
const work = process.env.ARGUS_TRIAL_DIR ?? join(root, 'target', 'trial');
const parts = process.argv.slice(2);
const MAX_COMMAND_MS = 900_000;
/** Number of lines that are inserted to shift the code below. */
const SHIFT_LINES = 7;
/** Matches port 1, where no server listens, in the tests that need a server. */
const REFUSING_PORT = /(connect\(|127\.0\.0\.1["']?[:,] ?)1\b/u;

/** Reads the counts from each runner's last lines: passed, failed, skipped. */
const COUNTS = {
  // Every package and every step prints its own counts; turbo prefixes the package.
  vitest: (text) =>
    all(text, /^(?:\S+: )?\s*Tests\s+(.*)\(\d+\)/gmu, [/(\d+) passed/gu, /(\d+) failed/gu, /(\d+) (?:skipped|todo)/gu]),
  jest: (text) =>
    all(text, /^(?:\S+: )?Tests:\s+(.*) total/gmu, [/(\d+) passed/gu, /(\d+) failed/gu, /(\d+) (?:skipped|todo)/gu]),
  mocha: (text) => last(text, /([\s\S]*)/gu, [/^\s+(\d+) passing/mu, /^\s+(\d+) failing/mu, /^\s+(\d+) pending/mu]),
  'node:test': (text) =>
    last(text, /([\s\S]*)/gu, [/^(?:ℹ|#) pass (\d+)/mu, /^(?:ℹ|#) fail (\d+)/mu, /^(?:ℹ|#) (?:skipped|todo) (\d+)/gmu]),
  playwright: (text) => last(text, /([\s\S]*)/gu, [/^\s*(\d+) passed/mu, /^\s*(\d+) failed/mu, /^\s*(\d+) skipped/mu]),
  uvu: (text) => last(text, /([\s\S]*)/gu, [/Passed:\s+(\d+)/u, /()/u, /Skipped:\s+(\d+)/u]),
  ava: (text) => last(text, /([\s\S]*)/gu, [/(\d+) tests? passed/u, /(\d+) tests? failed/u, /(\d+) tests? skipped/u]),
  tap: (text) =>
    last(text, /([\s\S]*)/gu, [/# \{ total: \d+, pass: (\d+)|# pass (\d+)/u, /fail: (\d+)/u, /skip: (\d+)/u]),
  pytest: (text) =>
    last(text, /^(.*) in [\d.]+s/gmu, [/(\d+) passed/u, /(\d+) failed/u, /(\d+) (?:skipped|xfailed)/gu]),
  unittest: unittest,
  rspec: (text) =>
    withTotal(last(text, /^(\d+ examples?.*)$/gmu, [/(\d+) example/u, /(\d+) failure/u, /(\d+) pending/u])),
  minitest: (text) =>
    withTotal(last(text, /^(\d+ runs, .*)$/gmu, [/(\d+) runs/u, /(\d+) (?:failures|errors)/gu, /(\d+) skips/u])),
  'cargo test': (text) => sum(text, /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gmu),
  nextest: (text) => last(text, /^ +Summary \[.*?\] (.*)$/gmu, [/(\d+) passed/u, /(\d+) failed/u, /(\d+) skipped/u]),
  maven: (text) => surefire(text),
};

/** The sum over all lines. */
function all(text, line, patterns) {
  return last([...text.matchAll(line)].map((match) => match[1]).join(' '), /(.*)/gu, patterns);
}

function last(text, line, [passed, failed, skipped]) {
  const found =
    [...text.matchAll(line)]
      .map((match) => match[1] ?? '')
      .filter((match) => match !== '')
      .at(-1) ?? '';
  const count = (pattern) =>
    pattern.global
      ? [...found.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0)
      : Number(
          pattern
            .exec(found)
            ?.slice(1)
            .find((part) => part !== undefined) ?? 0,
        );
  return { passed: count(passed), failed: count(failed), skipped: count(skipped) };
}

/** Converts counts for runners whose first number is the total instead of the passed tests. */
function withTotal({ passed, failed, skipped }) {
  return { passed: passed - failed - skipped, failed, skipped };
}

function unittest(text) {
  const total = Number(/^Ran (\d+) test/mu.exec(text)?.[1] ?? 0);
  const of = (name) => Number(new RegExp(`\\b${name}=(\\d+)`, 'u').exec(text)?.[1] ?? 0);
  return withTotal({ passed: total, failed: of('failures') + of('errors'), skipped: of('skipped') });
}

function surefire(text) {
  const [, total, failures, errors, skipped] =
    [...text.matchAll(/Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$/gmu)].at(-1) ?? [];
  return withTotal({ passed: Number(total), failed: Number(failures) + Number(errors), skipped: Number(skipped) });
}

function sum(text, pattern) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, passed, failed, skipped] of text.matchAll(pattern)) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
    counts.skipped += Number(skipped);
  }
  return counts;
}

/** Checks a project out at its commit, with its dependencies; once. */
function prepared({ repository, commit, setup }) {
  const folder = join(work, repository.replace('/', '+'));
  const ready = `${folder}.ready`;
  if (existsSync(ready) && readFileSync(ready, 'utf8') === commit) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const from = process.env.ARGUS_TRIAL_FROM;
  const near = from && [join(from, repository.replace('/', '+'), 'repo'), join(from, repository)].find(existsSync);
  must('git', ['clone', '-q', near ?? `https://github.com/${repository}`, folder], work);
  must('git', ['checkout', '-q', commit], folder);
  must('/bin/sh', ['-c', setup], folder);
  writeFileSync(ready, commit);
  return folder;
}

function must(program, args, cwd) {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${(stderr || stdout).slice(-400)}`);
}

function shell(command, cwd, environment) {
  const start = performance.now();
  const done = spawnSync('/bin/sh', ['-c', command], { ...options(cwd, environment), timeout: MAX_COMMAND_MS });
  return { ...done, seconds: (performance.now() - start) / 1000, text: plain(done.stdout + done.stderr) };
}

function options(cwd, environment) {
  const env = { ...process.env, CI: '1', XDG_DATA_HOME: join(work, 'data'), ...environment };
  return { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 };
}

function call(cwd, environment, ...args) {
  const done = spawnSync(process.execPath, [argus, ...args], { ...options(cwd, environment), timeout: MAX_COMMAND_MS });
  const start = done.stdout.lastIndexOf('{"success"');
  if (start < 0) throw new Error(`argus ${args[0]}: ${(done.stderr || done.stdout).slice(-300)}`);
  const answer = JSON.parse(done.stdout.slice(start));
  if (!answer.success) throw new Error(`argus ${args[0]}: ${answer.error.message}`);
  return answer.data;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are taken out
const COLOURS = /\u001b\[[\d;]*m/gu;

function plain(text) {
  return text.replaceAll(COLOURS, '');
}

/** Returns the lines without digits, sorted, because times and the order of parallel tests differ between runs. */
function steady(text) {
  const lines = plain(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/\d/u.test(line));
  return lines.sort().join('\n');
}

function restore(folder) {
  must('git', ['checkout', '-q', '--', '.'], folder);
  must('git', ['clean', '-fdq', '-e', '.argus', '-e', '.venv', '-e', 'node_modules'], folder);
}

/** Starts a server in its own process, because this process blocks while commands run. */
async function listeningStore() {
  const source =
    'const s = net.createServer((c) => c.end()).listen(0, "127.0.0.1", () => console.log(s.address().port))';
  const server = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  return { server, port: Number(port) };
}

/** Repairs a breakage as a person would: restores the code, or lets the test use a server that listens. */
function mend(folder, { file, text }) {
  restore(folder);
  if (text !== undefined) writeFileSync(join(folder, file), text.replace(REFUSING_PORT, `$1${store.port}`));
}

function plant(folder, { file, text, find, replace }, shift) {
  const path = join(folder, file);
  if (text !== undefined) return writeFileSync(path, '\n'.repeat(shift) + text);
  const source = readFileSync(path, 'utf8');
  if (!source.includes(find)) throw new Error(`${file} has no ${JSON.stringify(find)}`);
  writeFileSync(path, '\n'.repeat(shift) + source.replace(find, () => replace));
}

/** Matches headlines that show the compared expression; the values are then only in the message. */
const COMPARISON = /\b(?:expect|assert|equal|to(?:Be|Throw)\b)/iu;

/** Checks the answer to a planted failure: message, place, headline, and the stored fix when the failure recurs. */
function broken(folder, { environment, run, narrow = run }, breakage) {
  const says = (text) => breakage.says.test(text ?? '');
  const at = (place) => place?.startsWith(breakage.place ?? breakage.file) ?? false;
  const tell = () => {
    const { runId, failures } = call(folder, environment, 'run', '--json', narrow);
    const failure = failures.find(({ message, headline }) => says(message) || says(headline)) ?? failures[0];
    return { runId, failure };
  };
  plant(folder, breakage, 0);
  const { runId, failure } = tell();
  if (failure === undefined) throw new Error('nothing failed');
  const places = [failure.place, failure.testPlace];
  const fix = `Put back what ${breakage.file} had (${breakage.kind})`;
  call(folder, environment, 'diagnose', '--json', runId, failure.caseName);
  mend(folder, breakage);
  call(folder, environment, 'run', '--json', narrow);
  call(folder, environment, 'report-fix', '--json', runId, failure.caseName, fix);
  plant(folder, breakage, SHIFT_LINES);
  const again = tell();
  const { suggestedFix } = call(folder, environment, 'diagnose', '--json', again.runId, again.failure.caseName);
  restore(folder);
  const mark = (holds, value) => (holds ? 'yes' : `no: ${String(value).slice(0, 60)}`);
  return [
    mark(says(failure.message) || says(failure.headline), failure.message ?? failure.headline),
    mark(places.some(at), places.filter(Boolean).join(', ') || 'none'),
    mark(says(failure.headline) || COMPARISON.test(failure.headline), failure.headline),
    mark(suggestedFix === fix, suggestedFix),
  ];
}

const counted = ({ passed, failed, skipped }) => `${passed}/${failed}/${skipped}`;

function tried(project) {
  const { repository, runner, run, environment } = project;
  const folder = prepared(project);
  restore(folder);
  rmSync(join(folder, '.argus'), { recursive: true, force: true });
  // A first run, so that neither measurement includes compiling and filling caches.
  shell(run, folder, environment);
  const bare = shell(run, folder, environment);
  const count = COUNTS[runner];
  const own = count?.(bare.text);
  const start = performance.now();
  const data = call(folder, environment, 'run', '--json', run);
  const seconds = (performance.now() - start) / 1000;
  const shown = spawnSync(process.execPath, [argus, 'run', run], options(folder, environment));
  const printed = steady(shown.stdout + shown.stderr);
  const missing = steady(bare.text)
    .split('\n')
    .filter((line) => !printed.includes(line));
  const { passed, failed, skipped } = data.totals;
  const row = [
    repository,
    runner,
    `${bare.status}, ${own ? counted(own) : '-'}`,
    `${data.status}, ${counted({ passed, failed, skipped })}`,
    missing.length === 0 ? 'same' : `${missing.length} lines differ`,
    (seconds - bare.seconds).toFixed(1),
  ];
  progress(row);
  const rows = (project.broken ?? []).map((breakage) => {
    const found = [repository, breakage.kind, ...answered(folder, project, breakage)];
    progress(found);
    return found;
  });
  return { row, rows };
}

function answered(folder, project, breakage) {
  try {
    return broken(folder, project, breakage);
  } catch (error) {
    restore(folder);
    return [`error: ${error.message.slice(0, 80)}`, '-', '-', '-'];
  }
}

function progress(cells) {
  process.stderr.write(`${cells.join(' | ')}\n`);
}

function table(header, rows) {
  const line = (cells) => `| ${cells.join(' | ').replaceAll('\n', ' ')} |\n`;
  return line(header) + line(header.map(() => '---')) + rows.map(line).join('');
}

const chosen = PROJECTS.filter(
  ({ repository }) => parts.length === 0 || parts.some((part) => repository.includes(part)),
);
const store = await listeningStore();
const results = [];
for (const project of chosen) {
  process.stderr.write(`${project.repository} ...\n`);
  try {
    results.push(tried(project));
  } catch (error) {
    const row = [project.repository, project.runner, `error: ${error.message.slice(0, 100)}`, '-', '-', '-'];
    progress(row);
    results.push({ row, rows: [] });
  }
}
store.server.kill();
const counts = ['project', 'runner', 'bare: exit, passed/failed/skipped', 'Argus', 'printed', 'extra s'];
const plants = ['project', 'planted', 'values in the answer', 'place', 'headline is the error', 'fix first when back'];
process.stdout.write(
  `${table(
    counts,
    results.map(({ row }) => row),
  )}\n${table(
    plants,
    results.flatMap(({ rows }) => rows),
  )}`,
);
