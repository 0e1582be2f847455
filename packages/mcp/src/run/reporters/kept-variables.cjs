// A script that sets one of the variables by which a runner is reached (`NODE_OPTIONS=--no-warnings mocha`) would hide
// what Argus has put there. What was added also lies under a name of its own, and is put in front of the new value: in the
// text of a shell, and in the environment of what a program starts.
'use strict';

/** What is added to `NODE_OPTIONS` lies in `ARGUS_REPORT_NODE_OPTIONS`, with what parts it from a value behind it. */
const ADDED = 'ARGUS_REPORT_';
const NAMES = ['NODE_OPTIONS', 'PYTHONPATH', 'PYTEST_ADDOPTS', 'RUBYLIB', 'RUBYOPT'];

const ASSIGNED = new RegExp(`(?<![\\w$-])(${NAMES.join('|')})=`, 'g');
/** What stands before an assignment at the begin of a command: another's end, or `sh -c '`; and other assignments. */
const BEGIN =
  /(?:^|[;&|(){}\n]|\s-\w*c\s+'|(?<![\w-])(?:then|do|else|export|env)\s)\s*(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\\.|[^\s"';&|()\\])*\s+)*$/;
const SHELL = /(?:^|[\\/])(?:ba|da|k|z)?sh$/;

/** The text of a POSIX shell, so that each assignment keeps what was added. */
function keepInShell(text) {
  return text.replace(ASSIGNED, (found, name, at) => {
    const before = text.slice(0, at);
    // Within double quotes the reference would end them.
    const isQuoted = (before.match(/(?<!\\)"/g) ?? []).length % 2 === 1;
    return isQuoted || !BEGIN.test(before) ? found : `${found}"$${ADDED}${name}"`;
  });
}

/** The same of an environment that another program gets, where it belongs to this run. */
function keepInEnvironment(env) {
  if (env.ARGUS_REPORT_DIR === undefined) return env;
  const kept = NAMES.flatMap((name) => {
    const { [`${ADDED}${name}`]: added, [name]: value } = env;
    const isLost = added !== undefined && value !== undefined && !value.includes(added.replace(/[\s:;]+$/, ''));
    return isLost ? [[name, `${added}${value}`]] : [];
  });
  return kept.length === 0 ? env : { ...env, ...Object.fromEntries(kept) };
}

/** From now on, of all that this process starts. It starts a runner and is none: what a test starts is its own. */
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

/** What Node hands to the system: the environment is a list by now. */
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
