// Hands the run of an installed reporter to the memory: the program is started as the run begins, and takes in the report
// when it has ended. Nothing of it may fail a run, slow it for long, or print where others print results.
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

/** The program that this reporter came with. */
const PROGRAM = path.resolve(__dirname, '../../cli.mjs');

/** A memory that takes longer is said to be broken. */
const PATIENCE_MS = 20_000;
/** It looks every 20 ms for what it is told; a busy machine may take longer to start it. */
const NOTICED_MS = 2_000;

/** `place` is told where reports of this run are written to. */
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
  // What a test starts writes nothing.
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

/** It ends with its input, and so with this process. */
function started(folder, root) {
  const program = spawn(process.execPath, [PROGRAM, 'record', folder], {
    ...options(root),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  program.on('error', () => {}).unref();
  program.stdin.on('error', () => {}).unref();
  return program;
}

/** By it, whoever comes next knows that the process which made it is gone. */
function folderName() {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {}
  const system = crc32(`${hostname()} ${namespace}`).toString(16).padStart(8, '0');
  return `argus-report-${process.pid}--${system}-`;
}

const fileName = (runner) => runner.replace(':', '-');

/** Without what is meant for the tests' own processes. */
function options(root) {
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
  // Not by what the program sees, which is a pipe.
  if (!process.stderr.isTTY && !env.FORCE_COLOR) env.NO_COLOR = '1';
  else if (!env.NO_COLOR) env.FORCE_COLOR = '1';
  return { cwd: root, env, windowsHide: true };
}

/** `output` is what was said outside of tests; nothing else of what was printed is known. */
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

/** Where the first does not notice the end: it could not be started, or was killed. Its last words, where it has any. */
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

/** Many a runner calls its reporters at its very end, when nothing that comes later is waited for. */
function waitUntil(isSo, atMostMs) {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (const since = Date.now(); !isSo() && Date.now() - since < atMostMs; ) Atomics.wait(nobody, 0, 0, 2);
}

const notRecorded = (why) => `this run was not recorded: ${why}`;

/** One line, on the stream that holds no results. */
function warn(text) {
  const [line] = text.trim().split('\n');
  process.stderr.write(`argus: ${line || notRecorded('the program ended without a word')}\n`);
}

module.exports = { record };
