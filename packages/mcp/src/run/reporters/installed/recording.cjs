// Records the run of an installed reporter. A separate program starts when the run starts, and reads the report when
// the run ends. The recording must not make a run fail, delay it for long, or print to stdout, which may contain
// results.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { hostname, tmpdir } = require('node:os');
const path = require('node:path');
const { crc32 } = require('node:zlib');

/** The program of the package that contains this reporter. */
const PROGRAM = path.resolve(__dirname, '../../cli.mjs');

/** Maximum time to record a run. */
const MAX_RECORD_MS = 20_000;
/**
 * Maximum time until the program notices the end of a run. The program checks every 20 ms, but on a busy machine its
 * start may take longer.
 */
const MAX_NOTICE_MS = 2_000;

/** Starts to record a run. Passes the folder for the reports of the run to `setReportPlace`. */
function record(runner, setReportPlace) {
  try {
    return startRecording(runner, setReportPlace);
  } catch (thrown) {
    warn(formatNotRecorded(thrown.message));
    return undefined;
  }
}

function startRecording(runner, setReportPlace) {
  const root = process.cwd();
  const folder = mkdtempSync(path.join(tmpdir(), createFolderPrefix()));
  const claimedRunners = new Set([runner]);
  setReportPlace({ folder, root, isOwn: true, taken: claimedRunners });
  // A process that a test starts inherits this variable. The variable shows that a run is already recorded, so the
  // process writes nothing.
  process.env.ARGUS_REPORT_ROOT = root;
  const startedAt = Date.now();
  const program = startProgram(folder, root);
  return {
    end(facts = {}) {
      if (!claimedRunners.delete(runner)) return;
      try {
        const { isOver, ...outcome } = facts;
        if (!isOver && readdirSync(folder).some((name) => name.startsWith(`${getFilePrefix(runner)}-`))) {
          const durationMs = Date.now() - startedAt;
          reportEnd(program, folder, root, {
            runner,
            startedAt: new Date(startedAt).toISOString(),
            durationMs,
            ...outcome,
          });
        }
        program.stdin.destroy();
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      } catch (thrown) {
        warn(formatNotRecorded(thrown.message));
      }
    },
  };
}

/** Starts the program that records. The program ends when its stdin closes, and therefore with this process. */
function startProgram(folder, root) {
  const program = spawn(process.execPath, [PROGRAM, 'record', folder], {
    ...createProcessOptions(root),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  program.on('error', () => {}).unref();
  program.stdin.on('error', () => {}).unref();
  return program;
}

/**
 * Returns the start of the folder's name. It contains the process id and the system, so that a later process can detect
 * that this process has ended.
 */
function createFolderPrefix() {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {}
  const system = crc32(`${hostname()} ${namespace}`).toString(16).padStart(8, '0');
  return `argus-report-${process.pid}--${system}-`;
}

const getFilePrefix = (runner) => runner.replace(':', '-');

/** Returns the options of the program. Its environment has no variables that are meant for the processes of tests. */
function createProcessOptions(root) {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
  // Decides about colors by the stderr of this process, because the stderr of the program is only a pipe.
  if (!process.stderr.isTTY && !env.FORCE_COLOR) env.NO_COLOR = '1';
  else if (!env.NO_COLOR) env.FORCE_COLOR = '1';
  return { cwd: root, env, windowsHide: true };
}

/**
 * Passes the end of the run to the program, and prints its answer. `output` contains the errors outside of tests,
 * because other output is unknown.
 */
function reportEnd(program, folder, root, end) {
  const [file, draft] = [path.join(folder, 'end.json'), path.join(folder, 'end.draft')];
  writeFileSync(draft, JSON.stringify(end));
  renameSync(draft, file);
  const isTerminated = () => program.exitCode !== null || program.signalCode !== null || program.pid === undefined;
  waitUntil(() => !existsSync(file) || isTerminated(), MAX_NOTICE_MS);
  const problem = existsSync(file) ? recordWithSecondProgram(folder, root) : undefined;
  const answerFile = path.join(folder, 'answer.json');
  waitUntil(() => existsSync(answerFile) || problem !== undefined || isTerminated(), MAX_RECORD_MS);
  if (!existsSync(answerFile)) return warn(problem ?? formatNotRecorded('argus-mcp did not finish in time'));
  const { known, complaint } = JSON.parse(readFileSync(answerFile, 'utf8'));
  if (known) process.stderr.write(known);
  if (complaint) warn(complaint);
}

/**
 * Records the run with a second program, because the first program could not be started or was killed. Returns the
 * error message of the second program, or undefined.
 */
function recordWithSecondProgram(folder, root) {
  const { error, status, stderr } = spawnSync(process.execPath, [PROGRAM, 'record', folder], {
    ...createProcessOptions(root),
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: MAX_RECORD_MS,
  });
  if (error) return formatNotRecorded(error.message);
  return status === 0 ? undefined : stderr;
}

/** Waits synchronously, because many runners call reporters at their very end and do not wait for promises. */
function waitUntil(isDone, maxMs) {
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  for (const startedAt = Date.now(); !isDone() && Date.now() - startedAt < maxMs; )
    Atomics.wait(neverNotified, 0, 0, 2);
}

const formatNotRecorded = (reason) => `this run was not recorded: ${reason}`;

/** Prints one line to stderr, because stdout may contain results. */
function warn(text) {
  const [line] = text.trim().split('\n');
  process.stderr.write(`argus: ${line || formatNotRecorded('the program ended without an answer')}\n`);
}

module.exports = { record };
