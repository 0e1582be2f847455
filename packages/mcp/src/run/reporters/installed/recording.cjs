// Hands the run of an installed reporter to the memory: the program notes the state of the work tree as the run begins, and
// takes in the report when it has ended. Nothing of it may fail a run, slow it for long, or print where others print results.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } = require('node:fs');
const { hostname, tmpdir } = require('node:os');
const path = require('node:path');

/** The program that this reporter came with. */
const PROGRAM = path.resolve(__dirname, '../../cli.mjs');

/** A memory that takes longer is said to be broken. */
const PATIENCE_MS = 20_000;

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
  const look = spawn(process.execPath, [PROGRAM, 'record', folder, '--begin'], { ...options(root), stdio: 'ignore' });
  look.on('error', () => {}).unref();
  return {
    end(facts = {}) {
      if (!taken.delete(runner)) return;
      try {
        if (!facts.isOver && readdirSync(folder).some((name) => name.startsWith(`${fileName(runner)}-`))) {
          const duration = Date.now() - startedAt;
          hand(folder, root, { runner, 'started-at': new Date(startedAt).toISOString(), duration, ...facts });
        }
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      } catch (thrown) {
        warn(notRecorded(thrown.message));
      }
    },
  };
}

/** By it, whoever comes next knows that the process which made it is gone. */
function folderName() {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {}
  const system = createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 8);
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
function hand(folder, root, { output, ...facts }) {
  if (output) writeFileSync(path.join(folder, 'output.txt'), output);
  const told = Object.entries(facts).filter(([, value]) => value !== undefined && value !== false);
  const args = told.map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  const { error, status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'record', folder, ...args], {
    ...options(root),
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  if (stdout) process.stderr.write(stdout);
  if (error || status !== 0) warn(error ? notRecorded(error.message) : stderr);
}

const notRecorded = (why) => `this run was not recorded: ${why}`;

/** One line, on the stream that holds no results. */
function warn(text) {
  const [line] = text.trim().split('\n');
  process.stderr.write(`argus: ${line || notRecorded('the program ended without a word')}\n`);
}

module.exports = { record };
