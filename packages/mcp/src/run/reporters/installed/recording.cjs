// Records the run of an installed reporter. The program starts when the run starts, and reads the report when the run
// ends. It must not make a run fail, delay it for long, or print where results are printed.
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

/** Maximum time for recording a run. */
const PATIENCE_MS = 20_000;
/**
 * Maximum time until the program notices the end of a run. It checks every 20 ms, but a busy machine may take longer to
 * start it.
 */
const NOTICED_MS = 2_000;

/** Calls `place` with the folder for the reports of this run. */
function record(runner, place) {
  try {
    return recording(runner, place);
  } catch (thrown) {
    warn(notRecorded(thrown.message));
    return undefined;
  }
}

function recording(runner, place) {
  const root = process.cwd();
  const folder = mkdtempSync(path.join(tmpdir(), folderName()));
  const taken = new Set([runner]);
  place({ folder, root, isOwn: true, taken });
  // Processes that a test starts write nothing.
  process.env.ARGUS_REPORT_ROOT = root;
  const startedAt = Date.now();
  const program = started(folder, root);
  return {
    end(facts = {}) {
      if (!taken.delete(runner)) return;
      try {
        const { isOver, ...told } = facts;
        if (!isOver && readdirSync(folder).some((name) => name.startsWith(`${fileName(runner)}-`))) {
          const durationMs = Date.now() - startedAt;
          hand(program, folder, root, { runner, startedAt: new Date(startedAt).toISOString(), durationMs, ...told });
        }
        program.stdin.destroy();
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      } catch (thrown) {
        warn(notRecorded(thrown.message));
      }
    },
  };
}

/** The program ends when its input ends, and therefore with this process. */
function started(folder, root) {
  const program = spawn(process.execPath, [PROGRAM, 'record', folder], {
    ...options(root),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  program.on('error', () => {}).unref();
  program.stdin.on('error', () => {}).unref();
  return program;
}

/** The name contains the process id and the system, so that a later process can detect that this process is gone. */
function folderName() {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {}
  const system = crc32(`${hostname()} ${namespace}`).toString(16).padStart(8, '0');
  return `argus-report-${process.pid}--${system}-`;
}

const fileName = (runner) => runner.replace(':', '-');

/** The environment without variables for the processes of the tests. */
function options(root) {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
  // Colors depend on the stderr of this process, because the program only sees a pipe.
  if (!process.stderr.isTTY && !env.FORCE_COLOR) env.NO_COLOR = '1';
  else if (!env.NO_COLOR) env.FORCE_COLOR = '1';
  return { cwd: root, env, windowsHide: true };
}

/** `output` has the errors outside of tests. Other output is unknown. */
function hand(program, folder, root, end) {
  const [file, draft] = [path.join(folder, 'end.json'), path.join(folder, 'end.draft')];
  writeFileSync(draft, JSON.stringify(end));
  renameSync(draft, file);
  const isGone = () => program.exitCode !== null || program.signalCode !== null || program.pid === undefined;
  waitUntil(() => !existsSync(file) || isGone(), NOTICED_MS);
  const problem = existsSync(file) ? recordedBySecond(folder, root) : undefined;
  const answer = path.join(folder, 'answer.json');
  waitUntil(() => existsSync(answer) || problem !== undefined || isGone(), PATIENCE_MS);
  if (!existsSync(answer)) return warn(problem ?? notRecorded('the memory did not answer'));
  const { known, complaint } = JSON.parse(readFileSync(answer, 'utf8'));
  if (known) process.stderr.write(known);
  if (complaint) warn(complaint);
}

/**
 * Used if the first program does not notice the end, because it could not be started or was killed. Returns its error
 * message.
 */
function recordedBySecond(folder, root) {
  const { error, status, stderr } = spawnSync(process.execPath, [PROGRAM, 'record', folder], {
    ...options(root),
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  if (error) return notRecorded(error.message);
  return status === 0 ? undefined : stderr;
}

/** Waits synchronously, because many runners call reporters at the very end and do not wait for promises. */
function waitUntil(isSo, atMostMs) {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (const since = Date.now(); !isSo() && Date.now() - since < atMostMs; ) Atomics.wait(nobody, 0, 0, 2);
}

const notRecorded = (why) => `this run was not recorded: ${why}`;

/** Prints one line to stderr, because stdout may contain results. */
function warn(text) {
  const [line] = text.trim().split('\n');
  process.stderr.write(`argus: ${line || notRecorded('the program ended without a word')}\n`);
}

module.exports = { record };
