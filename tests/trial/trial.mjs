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

const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));
const argusPath = join(repositoryRoot, 'packages/mcp/dist/cli.mjs');
const workFolder = process.env.ARGUS_TRIAL_DIR ?? join(repositoryRoot, 'target', 'trial');
const nameParts = process.argv.slice(2);
const MAX_COMMAND_MS = 900_000;
/** Number of lines that are inserted to shift the code below them. */
const SHIFT_LINES = 7;
/** Matches port 1, where no server listens, in the tests that need a server. */
const REFUSING_PORT = /(connect\(|127\.0\.0\.1["']?[:,] ?)1\b/u;

/** Functions that read the counts of passed, failed and skipped tests from each runner's last lines. */
const COUNT_READERS = {
  // Every package and every step prints its own counts, and turbo prefixes each line with the package.
  vitest: (text) =>
    sumCounts(text, /^(?:\S+: )?\s*Tests\s+(.*)\(\d+\)/gmu, [
      /(\d+) passed/gu,
      /(\d+) failed/gu,
      /(\d+) (?:skipped|todo)/gu,
    ]),
  jest: (text) =>
    sumCounts(text, /^(?:\S+: )?Tests:\s+(.*) total/gmu, [
      /(\d+) passed/gu,
      /(\d+) failed/gu,
      /(\d+) (?:skipped|todo)/gu,
    ]),
  mocha: (text) =>
    readLastCounts(text, /([\s\S]*)/gu, [/^\s+(\d+) passing/mu, /^\s+(\d+) failing/mu, /^\s+(\d+) pending/mu]),
  'node:test': (text) =>
    readLastCounts(text, /([\s\S]*)/gu, [
      /^(?:ℹ|#) pass (\d+)/mu,
      /^(?:ℹ|#) fail (\d+)/mu,
      /^(?:ℹ|#) (?:skipped|todo) (\d+)/gmu,
    ]),
  playwright: (text) =>
    readLastCounts(text, /([\s\S]*)/gu, [/^\s*(\d+) passed/mu, /^\s*(\d+) failed/mu, /^\s*(\d+) skipped/mu]),
  uvu: (text) => readLastCounts(text, /([\s\S]*)/gu, [/Passed:\s+(\d+)/u, /()/u, /Skipped:\s+(\d+)/u]),
  ava: (text) =>
    readLastCounts(text, /([\s\S]*)/gu, [/(\d+) tests? passed/u, /(\d+) tests? failed/u, /(\d+) tests? skipped/u]),
  tap: (text) =>
    readLastCounts(text, /([\s\S]*)/gu, [/# \{ total: \d+, pass: (\d+)|# pass (\d+)/u, /fail: (\d+)/u, /skip: (\d+)/u]),
  pytest: (text) =>
    readLastCounts(text, /^(.*) in [\d.]+s/gmu, [/(\d+) passed/u, /(\d+) failed/u, /(\d+) (?:skipped|xfailed)/gu]),
  unittest: readUnittestCounts,
  rspec: (text) =>
    countsFromTotal(
      readLastCounts(text, /^(\d+ examples?.*)$/gmu, [/(\d+) example/u, /(\d+) failure/u, /(\d+) pending/u]),
    ),
  minitest: (text) =>
    countsFromTotal(
      readLastCounts(text, /^(\d+ runs, .*)$/gmu, [/(\d+) runs/u, /(\d+) (?:failures|errors)/gu, /(\d+) skips/u]),
    ),
  'cargo test': (text) => sumMatches(text, /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gmu),
  nextest: (text) =>
    readLastCounts(text, /^ +Summary \[.*?\] (.*)$/gmu, [/(\d+) passed/u, /(\d+) failed/u, /(\d+) skipped/u]),
  maven: (text) => readSurefireCounts(text),
};

/** Returns the sum of the counts over all lines. */
function sumCounts(text, line, patterns) {
  return readLastCounts([...text.matchAll(line)].map((match) => match[1]).join(' '), /(.*)/gu, patterns);
}

function readLastCounts(text, line, [passed, failed, skipped]) {
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
function countsFromTotal({ passed, failed, skipped }) {
  return { passed: passed - failed - skipped, failed, skipped };
}

function readUnittestCounts(text) {
  const total = Number(/^Ran (\d+) test/mu.exec(text)?.[1] ?? 0);
  const of = (name) => Number(new RegExp(`\\b${name}=(\\d+)`, 'u').exec(text)?.[1] ?? 0);
  return countsFromTotal({ passed: total, failed: of('failures') + of('errors'), skipped: of('skipped') });
}

function readSurefireCounts(text) {
  const [, total, failures, errors, skipped] =
    [...text.matchAll(/Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$/gmu)].at(-1) ?? [];
  return countsFromTotal({
    passed: Number(total),
    failed: Number(failures) + Number(errors),
    skipped: Number(skipped),
  });
}

function sumMatches(text, pattern) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, passed, failed, skipped] of text.matchAll(pattern)) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
    counts.skipped += Number(skipped);
  }
  return counts;
}

/** Checks a project out at its commit and installs its dependencies, unless that was done before. */
function prepareProject({ repository, commit, setup }) {
  const folder = join(workFolder, repository.replace('/', '+'));
  const ready = `${folder}.ready`;
  if (existsSync(ready) && readFileSync(ready, 'utf8') === commit) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(workFolder, { recursive: true });
  const from = process.env.ARGUS_TRIAL_FROM;
  const near = from && [join(from, repository.replace('/', '+'), 'repo'), join(from, repository)].find(existsSync);
  runOrFail('git', ['clone', '-q', near ?? `https://github.com/${repository}`, folder], workFolder);
  runOrFail('git', ['checkout', '-q', commit], folder);
  runOrFail('/bin/sh', ['-c', setup], folder);
  writeFileSync(ready, commit);
  return folder;
}

function runOrFail(program, args, cwd) {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${(stderr || stdout).slice(-400)}`);
}

function runShell(command, cwd, environment) {
  const start = performance.now();
  const done = spawnSync('/bin/sh', ['-c', command], { ...spawnOptions(cwd, environment), timeout: MAX_COMMAND_MS });
  return { ...done, seconds: (performance.now() - start) / 1000, text: stripColors(done.stdout + done.stderr) };
}

function spawnOptions(cwd, environment) {
  const env = { ...process.env, CI: '1', XDG_DATA_HOME: join(workFolder, 'data'), ...environment };
  return { cwd, env, encoding: 'utf8', maxBuffer: 1 << 30 };
}

function callArgus(cwd, environment, ...args) {
  const done = spawnSync(process.execPath, [argusPath, ...args], {
    ...spawnOptions(cwd, environment),
    timeout: MAX_COMMAND_MS,
  });
  const start = done.stdout.lastIndexOf('{"success"');
  if (start < 0) throw new Error(`argus ${args[0]}: ${(done.stderr || done.stdout).slice(-300)}`);
  const answer = JSON.parse(done.stdout.slice(start));
  if (!answer.success) throw new Error(`argus ${args[0]}: ${answer.error.message}`);
  return answer.data;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are taken out
const COLOR_CODES = /\u001b\[[\d;]*m/gu;

function stripColors(text) {
  return text.replaceAll(COLOR_CODES, '');
}

/** Returns the lines without digits, sorted, because times and the order of parallel tests differ between runs. */
function comparableLines(text) {
  const lines = stripColors(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/\d/u.test(line));
  return lines.sort().join('\n');
}

function restoreFiles(folder) {
  runOrFail('git', ['checkout', '-q', '--', '.'], folder);
  runOrFail('git', ['clean', '-fdq', '-e', '.argus', '-e', '.venv', '-e', 'node_modules'], folder);
}

/** Starts a server in its own process, because this process is blocked while commands run. */
async function startStore() {
  const source =
    'const s = net.createServer((c) => c.end()).listen(0, "127.0.0.1", () => console.log(s.address().port))';
  const server = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  return { server, port: Number(port) };
}

/** Repairs a planted fault as a person would: restores the code, or lets the test use a server that listens. */
function repairFault(folder, { file, text }) {
  restoreFiles(folder);
  if (text !== undefined) writeFileSync(join(folder, file), text.replace(REFUSING_PORT, `$1${store.port}`));
}

function plantFault(folder, { file, text, find, replace }, shift) {
  const path = join(folder, file);
  if (text !== undefined) return writeFileSync(path, '\n'.repeat(shift) + text);
  const source = readFileSync(path, 'utf8');
  if (!source.includes(find)) throw new Error(`${file} has no ${JSON.stringify(find)}`);
  writeFileSync(path, '\n'.repeat(shift) + source.replace(find, () => replace));
}

/** Matches headlines that show the compared expression. Then the values are only in the message. */
const COMPARISON = /\b(?:expect|assert|equal|to(?:Be|Throw)\b)/iu;

/** Checks the answer to a planted fault: message, place, headline, and the stored fix when the failure recurs. */
function checkFault(folder, { environment, run, narrow = run }, breakage) {
  const says = (text) => breakage.says.test(text ?? '');
  const at = (place) => place?.startsWith(breakage.place ?? breakage.file) ?? false;
  const tell = () => {
    const { runId, failures } = callArgus(folder, environment, 'run', '--json', narrow);
    const failure = failures.find(({ message, headline }) => says(message) || says(headline)) ?? failures[0];
    return { runId, failure };
  };
  plantFault(folder, breakage, 0);
  const { runId, failure } = tell();
  if (failure === undefined) throw new Error('nothing failed');
  const places = [failure.place, failure.testPlace];
  const fix = `Put back what ${breakage.file} had (${breakage.kind})`;
  callArgus(folder, environment, 'diagnose', '--json', runId, failure.caseName);
  repairFault(folder, breakage);
  callArgus(folder, environment, 'run', '--json', narrow);
  callArgus(folder, environment, 'report-fix', '--json', runId, failure.caseName, fix);
  plantFault(folder, breakage, SHIFT_LINES);
  const again = tell();
  const { suggestedFix } = callArgus(folder, environment, 'diagnose', '--json', again.runId, again.failure.caseName);
  restoreFiles(folder);
  const mark = (holds, value) => (holds ? 'yes' : `no: ${String(value).slice(0, 60)}`);
  return [
    mark(says(failure.message) || says(failure.headline), failure.message ?? failure.headline),
    mark(places.some(at), places.filter(Boolean).join(', ') || 'none'),
    mark(says(failure.headline) || COMPARISON.test(failure.headline), failure.headline),
    mark(suggestedFix === fix, suggestedFix),
  ];
}

const formatCounts = ({ passed, failed, skipped }) => `${passed}/${failed}/${skipped}`;

function tryProject(project) {
  const { repository, runner, run, environment } = project;
  const folder = prepareProject(project);
  restoreFiles(folder);
  rmSync(join(folder, '.argus'), { recursive: true, force: true });
  // The first run is not measured, because it compiles and fills caches.
  runShell(run, folder, environment);
  const bare = runShell(run, folder, environment);
  const count = COUNT_READERS[runner];
  const own = count?.(bare.text);
  const start = performance.now();
  const data = callArgus(folder, environment, 'run', '--json', run);
  const seconds = (performance.now() - start) / 1000;
  const shown = spawnSync(process.execPath, [argusPath, 'run', run], spawnOptions(folder, environment));
  const printed = comparableLines(shown.stdout + shown.stderr);
  const missing = comparableLines(bare.text)
    .split('\n')
    .filter((line) => !printed.includes(line));
  const { passed, failed, skipped } = data.totals;
  const row = [
    repository,
    runner,
    `${bare.status}, ${own ? formatCounts(own) : '-'}`,
    `${data.status}, ${formatCounts({ passed, failed, skipped })}`,
    missing.length === 0 ? 'same' : `${missing.length} lines differ`,
    (seconds - bare.seconds).toFixed(1),
  ];
  printProgress(row);
  const rows = (project.broken ?? []).map((breakage) => {
    const found = [repository, breakage.kind, ...checkAnswers(folder, project, breakage)];
    printProgress(found);
    return found;
  });
  return { row, rows };
}

function checkAnswers(folder, project, breakage) {
  try {
    return checkFault(folder, project, breakage);
  } catch (error) {
    restoreFiles(folder);
    return [`error: ${error.message.slice(0, 80)}`, '-', '-', '-'];
  }
}

function printProgress(cells) {
  process.stderr.write(`${cells.join(' | ')}\n`);
}

function formatTable(header, rows) {
  const line = (cells) => `| ${cells.join(' | ').replaceAll('\n', ' ')} |\n`;
  return line(header) + line(header.map(() => '---')) + rows.map(line).join('');
}

const chosen = PROJECTS.filter(
  ({ repository }) => nameParts.length === 0 || nameParts.some((part) => repository.includes(part)),
);
const store = await startStore();
const results = [];
for (const project of chosen) {
  process.stderr.write(`${project.repository} ...\n`);
  try {
    results.push(tryProject(project));
  } catch (error) {
    const row = [project.repository, project.runner, `error: ${error.message.slice(0, 100)}`, '-', '-', '-'];
    printProgress(row);
    results.push({ row, rows: [] });
  }
}
store.server.kill();
const counts = ['project', 'runner', 'bare: exit, passed/failed/skipped', 'Argus', 'printed', 'extra s'];
const plants = ['project', 'planted', 'values in the answer', 'place', 'headline is the error', 'fix first when back'];
process.stdout.write(
  `${formatTable(
    counts,
    results.map(({ row }) => row),
  )}\n${formatTable(
    plants,
    results.flatMap(({ rows }) => rows),
  )}`,
);
