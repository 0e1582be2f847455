// The demo behind `npm start`: an agent sees five failures, fixes them, and sees them again. It exits with an error if
// the session did not show the expected results. `--project DIR` uses the reader's own project, and `--answers` prints
// complete answers of the tools. Run it with `npm start`, because that installs and builds first.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectAgent, ToolFailed } from './agent.mjs';
import { showDebugMemory } from './memory.mjs';
import { bold, dim, formatHeading } from './show.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The sample's failures: part of the case name, the expected category, and the patch that fixes the failure. */
const FAILURES = [
  { name: 'stock service knows the apples', category: 'CONNECTION_REFUSED', fix: 'stock' },
  { name: 'basket total is exact to the cent', category: 'ASSERTION_MISMATCH', fix: 'price' },
  { name: 'confirmation mail is delivered', category: 'TIMEOUT', fix: 'mail' },
  { name: 'an order without a coupon is served', category: 'HTTP_ERROR', fix: 'orders' },
  { name: 'receipt of a guest has no name', category: 'UNKNOWN', fix: 'receipt' },
].map((it) => ({ ...it, ...readFix(it.fix) }));

const PROBLEMS = [];

function requireResult(condition, words) {
  if (!condition) PROBLEMS.push(words);
}

async function runSampleSession() {
  const projectPath = copySample();
  // The language is English, so that the built-in suggestions match the demo's text. The user folder is separate, so
  // that the reader's memory does not appear in the demo.
  const userData = mkdtempSync(join(tmpdir(), 'argus-demo-user-'));
  const own = { HOME: userData, XDG_DATA_HOME: userData, LOCALAPPDATA: userData };
  const agent = await connectAgent({ environment: { LC_ALL: 'en_US.UTF-8', ...own } });
  try {
    console.log(formatHeading('1. The agent opens the project and runs its tests'));
    await agent.call('argus_init', { projectPath });
    const first = await agent.call('argus_run', { projectPath });
    requireResult(
      first.totals.failed === FAILURES.length,
      `${FAILURES.length} cases must fail, ${first.totals.failed} did`,
    );

    console.log(formatHeading('2. What is each failure? Nothing has been learned yet'));
    for (const failure of FAILURES) await fixNewFailure(agent, projectPath, first, failure);

    console.log(formatHeading('3. The agent edits the code'));
    for (const { patch, description } of FAILURES) {
      runGit(projectPath, 'apply', patch);
      console.log(`   ${description}`);
    }
    const second = await agent.call('argus_run', { projectPath });
    requireResult(second.status === 'passed', 'after the fixes the run must pass');

    console.log(formatHeading('4. It reports what helped'));
    for (const failure of FAILURES) await reportFix(agent, projectPath, first, failure);

    console.log(formatHeading('5. Weeks later an old branch is merged, and the failures are back'));
    runGit(projectPath, 'apply', '-R', ...FAILURES.map((it) => it.patch));
    const third = await agent.call('argus_run', { projectPath });
    for (const failure of FAILURES) await showKnownFailure(agent, projectPath, third, failure);

    console.log(formatHeading('6. What the project knows now'));
    await showPatterns(agent, projectPath);

    console.log(formatHeading('7. A problem no test told of: the debug memory'));
    await showDebugMemory(agent, projectPath, requireResult);
  } finally {
    await agent.close();
    for (const folder of [projectPath, userData]) rmSync(folder, { recursive: true, force: true });
  }
}

async function fixNewFailure(agent, projectPath, run, failure) {
  const caseName = findCaseName(run, failure);
  if (!caseName) return;
  const answer = await agent.call('argus_diagnose', { projectPath, runId: run.runId, caseName });
  requireResult(
    answer.category === failure.category,
    `${caseName} must be ${failure.category}, was ${answer.category}`,
  );
}

async function reportFix(agent, projectPath, run, failure) {
  const caseName = findCaseName(run, failure);
  if (!caseName) return;
  const fix = { projectPath, runId: run.runId, caseName, fixDescription: failure.description };
  const answer = await agent.call('argus_report_fix', fix);
  requireResult(answer.resolutions > 0, `the fix of ${caseName} must count`);
}

async function showKnownFailure(agent, projectPath, run, failure) {
  const caseName = findCaseName(run, failure);
  if (!caseName) return;
  const known = run.failures.find((it) => it.caseName === caseName)?.known;
  requireResult(
    known?.suggestedFix === failure.description,
    `the run must already show the learned fix of ${caseName}`,
  );
  const answer = await agent.call('argus_diagnose', { projectPath, runId: run.runId, caseName });
  requireResult(answer.suggestedFix === failure.description, `${caseName} must come back with its learned fix`);
  requireResult(answer.suspects === undefined, `nothing was seen to pass before the commit that ${caseName} came with`);
  requireResult(answer.tried?.proved === 1, `the learned fix of ${caseName} must be proved`);
  requireResult(answer.fixHistory[0]?.fixDescription === failure.description, `${caseName} must show its fix history`);
}

async function showPatterns(agent, projectPath) {
  const { patterns, learnedCount } = await agent.call('argus_patterns', { projectPath, source: 'learned' });
  requireResult(learnedCount >= FAILURES.length, `${FAILURES.length} patterns must be learned, ${learnedCount} were`);
  for (const it of patterns) {
    console.log(`   ${it.category.padEnd(20)} ${it.suggestedFix ?? dim('no fix yet')}  ${dim(it.fixStatus ?? '')}`);
  }
}

/** Returns the case's full name in the run's answer. */
function findCaseName(run, failure) {
  const found = run.failures.find((it) => it.caseName.includes(failure.name))?.caseName;
  requireResult(found, `run ${run.runId} must list the failure of: ${failure.name}`);
  return found;
}

/** Copies the sample into a git repository, because runs belong to commits. */
function copySample() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'argus-demo-')));
  cpSync(join(here, 'project'), folder, { recursive: true });
  writeFileSync(join(folder, '.gitignore'), 'node_modules/\n');
  runGit(folder, 'init', '--quiet');
  runGit(folder, 'add', '--all');
  runGit(
    folder,
    '-c',
    'user.name=Demo',
    '-c',
    'user.email=demo@example.com',
    'commit',
    '--quiet',
    '--message',
    'Corner shop',
  );
  return folder;
}

function runGit(cwd, ...args) {
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
}

/** Reads a patch, whose first line describes the fix. */
function readFix(name) {
  const patch = join(here, 'fixes', `${name}.patch`);
  return { patch, description: readFileSync(patch, 'utf8').split('\n', 1)[0] };
}

/** Maximum number of failures of the reader's own project that the demo diagnoses. */
const MAX_OWN_FAILURES = 5;

async function runOwnSession(projectPath) {
  const agent = await connectAgent({ environment: { ...process.env } });
  try {
    console.log(formatHeading(`Your project: ${projectPath}`));
    await agent.call('argus_init', { projectPath });
    console.log(dim('   its tests run now; what is learned goes to .argus/ in it, which git ignores'));
    const run = await agent.call('argus_run', { projectPath });
    for (const { caseName } of run.failures.slice(0, MAX_OWN_FAILURES)) {
      await agent.call('argus_diagnose', { projectPath, runId: run.runId, caseName });
    }
    if (run.failures.length === 0)
      console.log(bold('\nNothing failed. Argus will know the next failure when it comes.'));
    const left = run.failures.length + run.more - MAX_OWN_FAILURES;
    if (left > 0) console.log(`   ${left} more failures are not diagnosed here`);
  } finally {
    await agent.close();
  }
}

try {
  const flag = process.argv.indexOf('--project');
  const folder = flag > 0 ? process.argv[flag + 1] : null;
  if (folder === undefined)
    throw new ToolFailed('--project', { code: 'INVALID_INPUT', message: 'name a folder after it' });
  await (folder ? runOwnSession(realpathSync(resolve(process.env.INIT_CWD ?? '.', folder))) : runSampleSession());
} catch (error) {
  PROBLEMS.push(error instanceof ToolFailed ? error.message : error.stack);
}
for (const words of PROBLEMS) console.error(`\nThe session did not go as it must: ${words}`);
process.exitCode = PROBLEMS.length > 0 ? 1 : 0;
