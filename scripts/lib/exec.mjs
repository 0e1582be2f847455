// Starts commands in the project with the right PATH and returns their output. steps.mjs handles failures.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const windows = process.platform === 'win32';

const cargoHome = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
/** Folder for tools of this project, for example a wasm-bindgen with a different version than on PATH. */
export const toolsDir = join(root, 'target', 'tools');

// npm puts node_modules/.bin first, where a development dependency links a newer `node`. It is removed so that
// everything here runs on the Node that started it.
const ownPath = [
  join(toolsDir, 'bin'),
  ...(process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.endsWith(join('node_modules', '.bin'))),
  // A shell that was opened before rustup was installed does not have it on PATH yet.
  join(cargoHome, 'bin'),
  dirname(process.execPath),
].join(delimiter);

export const env = { ...process.env, PATH: ownPath, npm_config_update_notifier: 'false' };

/** Full path of a program, or null. */
export function which(program) {
  const names = windows ? [`${program}.exe`, `${program}.cmd`] : [program];
  for (const dir of ownPath.split(delimiter))
    for (const name of names) if (dir && existsSync(join(dir, name))) return join(dir, name);
  return null;
}

/** Trimmed output of a quick command, or null if it cannot run or fails. */
export function ask(program, args) {
  const found = which(program);
  if (!found) return null;
  const answer = spawnSync(found, args, { cwd: root, env, encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : null;
}

/** Kills commands that take longer, with all their processes. Unsuitable for programs that a person interrupts. */
export function limitRuns(ms) {
  limitMs = ms;
}
let limitMs;

/** Runs a command. Resolves to its exit code and its combined output. */
export function run(program, args, { cwd = root, extraEnv = {}, onLine = () => {}, input = 'ignore' } = {}) {
  return new Promise((resolve) => {
    const found = which(program) ?? program;
    // A .cmd file can only be run through the shell.
    const child = spawn(found, args, {
      cwd,
      env: { ...env, ...extraEnv },
      stdio: [input, 'pipe', 'pipe'],
      shell: found.endsWith('.cmd'),
      detached: limitMs !== undefined && !windows,
    });
    const limit = limitMs && setTimeout(() => process.kill(windows ? child.pid : -child.pid, 'SIGKILL'), limitMs);
    let output = '';
    const take = (chunk) => {
      output += chunk;
      const lines = String(chunk)
        .split(/[\r\n]+/)
        .filter((line) => line.trim());
      const last = lines.at(-1);
      if (last) onLine(last.trim());
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', (error) => resolve({ code: 127, output: `${output}${program}: ${error.message}\n` }));
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      resolve({ code: code ?? 1, output: signal ? `${output}ended by ${signal}\n` : output });
    });
  });
}

/** Runs a tool from node_modules under this Node, without npx. */
export function runTool(packageName, bin, args, options) {
  return run(process.execPath, [join(root, 'node_modules', packageName, bin), ...args], options);
}

/** Runs the npm that started this process, otherwise the npm on PATH. */
export function runNpm(args, options) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? run(process.execPath, [script, ...args], options) : run('npm', args, options);
}

/** Stores the whole output of a step. Returns the path of the file relative to the project. */
export function keepLog(name, output) {
  const dir = join(root, 'target', 'logs');
  mkdirSync(dir, { recursive: true });
  const file = `${name.replace(/[^a-z0-9]+/gi, '-')}.log`;
  writeFileSync(join(dir, file), output);
  return `target/logs/${file}`;
}
