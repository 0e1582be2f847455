// Clones of the public repositories with their dependencies, and the programs that run in them.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Clones, dependencies, memories and results are kept here, so that an interrupted benchmark continues. */
export const WORK = process.env.ARGUS_GREEN_DIR ?? join(tmpdir(), 'argus-green');
const PYTHON_PACKAGES = ['pytest', 'freezegun', 'hypothesis'];
const MAX_COMMAND_MS = 120_000;
const MAX_OUTPUT_BYTES = 1 << 28;

const VENV = join(WORK, 'venv');
const ENVIRONMENT = {
  ...process.env,
  ...{ PATH: [join(VENV, 'bin'), process.env.PATH].join(delimiter), CI: '1', LC_ALL: 'C.UTF-8', NO_COLOR: '1' },
  ...{ GOFLAGS: '-mod=mod', GOPROXY: 'off', PYTHONDONTWRITEBYTECODE: '1', npm_config_offline: 'true' },
  ...{ GIT_AUTHOR_NAME: 'bench', GIT_AUTHOR_EMAIL: 'bench@example.com' },
  ...{ GIT_COMMITTER_NAME: 'bench', GIT_COMMITTER_EMAIL: 'bench@example.com' },
};

/** Clones the repository and installs what its tests need, unless that was done before. Returns its folder. */
export function prepareRepository({ repository, ecosystem, packages = '' }, repositories) {
  const folder = join(WORK, 'clones', repository.replace('/', '+'));
  if (existsSync(`${folder}.ready`)) return folder;
  mkdirSync(join(WORK, 'clones'), { recursive: true });
  const near = repositories && [
    join(repositories, repository.replace('/', '+'), 'repo'),
    join(repositories, repository),
  ];
  const from = near?.find(existsSync) ?? `https://github.com/${repository}`;
  runOrThrow('git', ['clone', '--quiet', from, folder], WORK);
  appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n.argus\n__pycache__\n.hypothesis\n_version.py\n');
  if (ecosystem === 'node') {
    const dependencies = `${folder}.dependencies`;
    mkdirSync(dependencies, { recursive: true });
    writeFileSync(join(dependencies, 'package.json'), '{"private": true}');
    runOrThrow(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages.split(' ')],
      dependencies,
      {
        npm_config_offline: 'false',
      },
    );
    symlinkSync(join(dependencies, 'node_modules'), join(folder, 'node_modules'));
  }
  if (ecosystem === 'python' && !existsSync(join(VENV, 'bin/pytest'))) {
    runOrThrow('python3', ['-m', 'venv', VENV], WORK);
    runOrThrow(join(VENV, 'bin/pip'), ['install', '--quiet', ...PYTHON_PACKAGES], WORK);
  }
  writeFileSync(`${folder}.ready`, '');
  return folder;
}

export function runProgram(program, args, cwd, { input, environment, maxMs = MAX_COMMAND_MS } = {}) {
  const pythonPath = { PYTHONPATH: [join(cwd, 'src'), cwd].join(delimiter) };
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(program, args, {
    ...{ cwd, input, timeout: maxMs, killSignal: 'SIGKILL', encoding: 'utf8', maxBuffer: MAX_OUTPUT_BYTES },
    env: { ...ENVIRONMENT, ...pythonPath, ...environment },
  });
  return { code: status, stdout: stdout ?? '', stderr: stderr ?? '', seconds: (performance.now() - start) / 1000 };
}

export function runOrThrow(program, args, cwd, environment) {
  const done = runProgram(program, args, cwd, { environment, maxMs: 10 * MAX_COMMAND_MS });
  if (done.code !== 0) throw new Error(`${program} ${args.join(' ')}: ${(done.stderr || done.stdout).slice(-400)}`);
  return done.stdout;
}

export const git = (folder, ...args) => runOrThrow('git', args, folder);

/** Checks out the commit and removes every other change. */
export function checkOut(folder, commit) {
  git(folder, 'reset', '--quiet', '--hard');
  git(folder, 'clean', '-fdq');
  git(folder, 'checkout', '--quiet', '--detach', commit);
  // The version that a build writes. Only its presence matters.
  for (const name of ['humanize']) {
    const place = join(folder, 'src', name);
    if (existsSync(place)) writeFileSync(join(place, '_version.py'), '__version__ = version = "0"\n');
  }
}

export const runTests = (folder, command) => runProgram('/bin/sh', ['-c', `exec ${command}`], folder);

export const readText = (folder, file) => readFileSync(join(folder, file), 'utf8');

/** Reads a file of JSON lines. Returns an empty list if there is no such file. */
export function readLines(path) {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
