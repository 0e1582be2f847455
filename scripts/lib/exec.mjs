// Starts commands in the project with the right PATH, and returns their output. steps.mjs handles failures.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const isWindows = process.platform === 'win32';

const cargoHome = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
/** Folder for tools of this project, for example a version of wasm-bindgen that differs from the version on PATH. */
export const toolsDir = join(root, 'target', 'tools');

// npm puts node_modules/.bin first, which contains a newer `node` of a development dependency. This entry is removed,
// so that everything here runs on the Node that started it.
const projectPath = [
  join(toolsDir, 'bin'),
  ...(process.env.PATH ?? '').split(delimiter).filter((dir) => !dir.endsWith(join('node_modules', '.bin'))),
  // A shell that was opened before rustup was installed does not have rustup on its PATH yet.
  join(cargoHome, 'bin'),
  dirname(process.execPath),
].join(delimiter);

export const commandEnvironment = { ...process.env, PATH: projectPath, npm_config_update_notifier: 'false' };

/** Returns the full path of a program, or null. */
export function findProgram(program) {
  const names = isWindows ? [`${program}.exe`, `${program}.cmd`] : [program];
  for (const dir of projectPath.split(delimiter))
    for (const name of names) if (dir && existsSync(join(dir, name))) return join(dir, name);
  return null;
}

/** Returns the trimmed output of a quick command, or null if the command cannot run or fails. */
export function readOutput(program, args) {
  const found = findProgram(program);
  if (!found) return null;
  const answer = spawnSync(found, args, { cwd: root, env: commandEnvironment, encoding: 'utf8' });
  return answer.status === 0 ? answer.stdout.trim() : null;
}

/**
 * Kills commands that take longer than `ms`, with all their processes; `undefined` removes the limit. Unsuitable for
 * programs that a person interrupts.
 */
export function limitRuns(ms) {
  limitMs = ms;
}
let limitMs;

/** Runs a command. Resolves with its exit code and its combined output. */
export function run(program, args, { cwd = root, extraEnv = {}, onLine = () => {}, input = 'ignore' } = {}) {
  return new Promise((resolve) => {
    const found = findProgram(program) ?? program;
    // A .cmd file can be run only through the shell.
    const child = spawn(found, args, {
      cwd,
      env: { ...commandEnvironment, ...extraEnv },
      stdio: [input, 'pipe', 'pipe'],
      shell: found.endsWith('.cmd'),
      detached: limitMs !== undefined && !isWindows,
    });
    const limit = limitMs && setTimeout(() => process.kill(isWindows ? child.pid : -child.pid, 'SIGKILL'), limitMs);
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

/** Runs a tool from node_modules with this Node, without npx. */
export function runTool(packageName, bin, args, options) {
  return run(process.execPath, [join(root, 'node_modules', packageName, bin), ...args], options);
}

/** Runs the npm that started this process, or otherwise the npm on PATH. */
export function runNpm(args, options) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? run(process.execPath, [script, ...args], options) : run('npm', args, options);
}

/** Stores the complete output of a step. Returns the path of the log file relative to the project. */
export function writeLog(name, output) {
  const dir = join(root, 'target', 'logs');
  mkdirSync(dir, { recursive: true });
  const file = `${name.replace(/[^a-z0-9]+/gi, '-')}.log`;
  writeFileSync(join(dir, file), output);
  return `target/logs/${file}`;
}
