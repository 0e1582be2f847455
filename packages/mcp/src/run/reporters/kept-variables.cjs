// Keeps Argus' additions to variables that scripts overwrite, for example in `NODE_OPTIONS=--no-warnings mocha`. A copy
// of each addition is in a separate variable, and is inserted before the new value in texts of a shell and in the
// environment of child processes.
'use strict';

/** The addition to `NODE_OPTIONS` is in `ARGUS_REPORT_NODE_OPTIONS`, with a separator at the end. */
const ADDED = 'ARGUS_REPORT_';
const NAMES = ['NODE_OPTIONS', 'PYTHONPATH', 'PYTEST_ADDOPTS', 'RUBYLIB', 'RUBYOPT'];

const ASSIGNED = new RegExp(`(?<![\\w$-])(${NAMES.join('|')})=`, 'g');
/**
 * Text before an assignment at the start of a command: the end of another command or `sh -c '`, and other assignments.
 */
const BEGIN =
  /(?:^|[;&|(){}\n]|\s-\w*c\s+'|(?<![\w-])(?:then|do|else|export|env)\s)\s*(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\\.|[^\s"';&|()\\])*\s+)*$/;
const SHELL = /(?:^|[\\/])(?:ba|da|k|z)?sh$/;

/** Changes the text for a POSIX shell so that each assignment keeps the addition. */
function keepInShell(text) {
  return text.replace(ASSIGNED, (found, name, at) => {
    const before = text.slice(0, at);
    // Inside double quotes, the quotes of the reference would end the string.
    const isQuoted = (before.match(/(?<!\\)"/g) ?? []).length % 2 === 1;
    return isQuoted || !BEGIN.test(before) ? found : `${found}"$${ADDED}${name}"`;
  });
}

/** Adds lost additions to the environment of a child process, if it belongs to this run. */
function keepInEnvironment(env) {
  if (env.ARGUS_REPORT_DIR === undefined) return env;
  const kept = NAMES.flatMap((name) => {
    const { [`${ADDED}${name}`]: added, [name]: value } = env;
    const isLost = added !== undefined && value !== undefined && !value.includes(added.replace(/[\s:;]+$/, ''));
    return isLost ? [[name, `${added}${value}`]] : [];
  });
  return kept.length === 0 ? env : { ...env, ...Object.fromEntries(kept) };
}

/**
 * Applies to all child processes from now on. It is only for processes that start runners, because child processes of a
 * test do not belong to the run.
 */
function followChildren() {
  const childProcess = require('node:child_process');
  const { syncBuiltinESMExports } = require('node:module');
  const { prototype } = childProcess.ChildProcess;
  const { spawn } = prototype;
  prototype.spawn = function (options) {
    return spawn.call(this, keptProcess(options));
  };
  const { spawnSync, execFileSync, execSync } = childProcess;
  childProcess.spawnSync = keptCall(spawnSync);
  childProcess.execFileSync = keptCall(execFileSync);
  childProcess.execSync = (command, options) => execSync(keepInShell(command), keptOptions(options));
  syncBuiltinESMExports();
}

/** The options of a process in Node's internal format, where the environment is a list. */
function keptProcess(options) {
  const { file, args = [], envPairs = [] } = options;
  const env = keepInEnvironment(Object.fromEntries(envPairs.map((pair) => splitAt(pair, pair.indexOf('=', 1)))));
  return {
    ...options,
    args: env.ARGUS_REPORT_DIR !== undefined && SHELL.test(file) ? args.map(keepInShell) : args,
    envPairs: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  };
}

function splitAt(text, at) {
  return [text.slice(0, at), text.slice(at + 1)];
}

function keptCall(call) {
  return (file, ...rest) => {
    const [args, options] = Array.isArray(rest[0]) || rest.length > 1 ? rest : [[], rest[0]];
    return call(options?.shell ? keepInShell(file) : file, args, keptOptions(options));
  };
}

function keptOptions(options) {
  return { ...options, env: keepInEnvironment({ ...(options?.env ?? process.env) }) };
}

module.exports = { keepInShell, followChildren, ADDED };
