// Keeps the values that Argus adds to environment variables. A script may overwrite them, for example with
// `NODE_OPTIONS=--no-warnings mocha`. A separate variable has a copy of each addition. This module inserts the addition
// before the new value, in shell commands and in the environment of child processes.
'use strict';

/** The addition to `NODE_OPTIONS` is in `ARGUS_REPORT_NODE_OPTIONS`, followed by a separator. */
const ADDITION_PREFIX = 'ARGUS_REPORT_';
const KEPT_VARIABLES = ['NODE_OPTIONS', 'PYTHONPATH', 'PYTEST_ADDOPTS', 'RUBYLIB', 'RUBYOPT'];

const ASSIGNMENT = new RegExp(`(?<![\\w$-])(${KEPT_VARIABLES.join('|')})=`, 'g');
/**
 * Matches the text before an assignment at the start of a command: the end of another command or `sh -c '`, and other
 * assignments.
 */
const BEFORE_ASSIGNMENT =
  /(?:^|[;&|(){}\n]|\s-\w*c\s+'|(?<![\w-])(?:then|do|else|export|env)\s)\s*(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\\.|[^\s"';&|()\\])*\s+)*$/;
const SHELL_PROGRAM = /(?:^|[\\/])(?:ba|da|k|z)?sh$/;

/** Changes a text for a POSIX shell so that each assignment keeps the addition. */
function keepAdditionsInShell(text) {
  return text.replace(ASSIGNMENT, (assignment, name, at) => {
    const textBefore = text.slice(0, at);
    // Inside double quotes, the quotes that are inserted would end the string.
    const isQuoted = (textBefore.match(/(?<!\\)"/g) ?? []).length % 2 === 1;
    return isQuoted || !BEFORE_ASSIGNMENT.test(textBefore) ? assignment : `${assignment}"$${ADDITION_PREFIX}${name}"`;
  });
}

/** Restores lost additions in the environment of a child process, if the process belongs to this run. */
function keepAdditionsInEnvironment(env) {
  if (env.ARGUS_REPORT_DIR === undefined) return env;
  const restored = KEPT_VARIABLES.flatMap((name) => {
    const { [`${ADDITION_PREFIX}${name}`]: added, [name]: value } = env;
    const isLost = added !== undefined && value !== undefined && !value.includes(added.replace(/[\s:;]+$/, ''));
    return isLost ? [[name, `${added}${value}`]] : [];
  });
  return restored.length === 0 ? env : { ...env, ...Object.fromEntries(restored) };
}

/**
 * Changes all child processes from now on. Use it only in processes that start runners, because child processes of a
 * test do not belong to the run.
 */
function keepAdditionsInChildProcesses() {
  const childProcess = require('node:child_process');
  const { syncBuiltinESMExports } = require('node:module');
  const { prototype } = childProcess.ChildProcess;
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    return spawn.call(this, keepAdditionsInProcessOptions(options));
  };
  const { spawnSync, execFileSync, execSync } = childProcess;
  childProcess.spawnSync = keepAdditionsInCall(spawnSync);
  childProcess.execFileSync = keepAdditionsInCall(execFileSync);
  childProcess.execSync = (command, options) =>
    execSync(keepAdditionsInShell(command), keepAdditionsInOptions(options));
  syncBuiltinESMExports();
}

/** Returns the options of a process in Node's internal format, in which the environment is a list. */
function keepAdditionsInProcessOptions(options) {
  const { file, args = [], envPairs = [] } = options;
  const env = keepAdditionsInEnvironment(
    Object.fromEntries(envPairs.map((pair) => splitAt(pair, pair.indexOf('=', 1)))),
  );
  return {
    ...options,
    args: env.ARGUS_REPORT_DIR !== undefined && SHELL_PROGRAM.test(file) ? args.map(keepAdditionsInShell) : args,
    envPairs: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  };
}

function splitAt(text, at) {
  return [text.slice(0, at), text.slice(at + 1)];
}

function keepAdditionsInCall(call) {
  return (file, ...rest) => {
    const [args, options] = Array.isArray(rest[0]) || rest.length > 1 ? rest : [[], rest[0]];
    return call(options?.shell ? keepAdditionsInShell(file) : file, args, keepAdditionsInOptions(options));
  };
}

function keepAdditionsInOptions(options) {
  return { ...options, env: keepAdditionsInEnvironment({ ...(options?.env ?? process.env) }) };
}

module.exports = { keepAdditionsInShell, keepAdditionsInChildProcesses, ADDITION_PREFIX };
