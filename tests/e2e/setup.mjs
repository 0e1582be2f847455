/**
 * Installs the test runners that tests run: from npm and pip into `runners/`, and Go with apt-get if it is missing.
 * With `--all`, it also installs the runners of Ruby, PHP, Lua, CMake and the shell, Maven and Gradle, and in CI
 * nextest. apt-get needs root or sudo without a password. Rust, Chromium and Docker are not installed; a test whose
 * program is missing is skipped, and its message names the program.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const runners = path.join(path.dirname(fileURLToPath(import.meta.url)), 'runners');
/**
 * Includes the packages that these depend on, because a new version of such a package can change what pytest prints.
 */
const PYTHON_PACKAGES = [
  'pytest==8.4.2',
  'tox==4.67.15',
  'flit-core==4.2.0',
  'django==5.2.19',
  'coverage==7.17.5',
  'asgiref==3.13.0',
  'cachetools==8.0.2',
  'colorama==0.4.6',
  'distlib==0.4.4',
  'filelock==4.3.1',
  'iniconfig==2.3.1',
  'packaging==26.4',
  'platformdirs==4.14.9',
  'pluggy==1.7.0',
  'pygments==2.21.0',
  'pyproject-api==1.12.1',
  'python-discovery==1.9.6',
  'sqlparse==0.6.1',
  'tomli-w==1.2.0',
  'typing-extensions==4.16.0',
  'virtualenv==21.15.11',
];

/** Installs the runners. Installs them again only if this file or the versions of the packages have changed. */
export function setUpRunners({ all = false } = {}) {
  const stamp = path.join(runners, 'node_modules', all ? '.argus-set-up-all' : '.argus-set-up');
  const isDone = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === stampInputs() && existsSync(pythonFolder);
  if (isDone()) return;
  runUnderLock(() => {
    if (isDone()) return;
    const parts = [installNodeRunners(), installPytest()];
    installGo();
    if (all) installMavenAndGradle();
    if (all) installScriptingRunners();
    // Compiling nextest takes minutes.
    if (all && process.env.CI) installNextest();
    if (parts.every(Boolean)) writeFileSync(stamp, stampInputs());
  });
}

function stampInputs() {
  const files = [fileURLToPath(import.meta.url), path.join(runners, 'package-lock.json')];
  return files.reduce((hash, file) => hash.update(readFileSync(file)), createHash('sha256')).digest('hex');
}

/** A setup never takes longer than this, so an older lock was left by a killed process. */
const STALE_LOCK_MS = 20 * 60_000;
const LOCK_POLL_MS = 200;

/** Runs `work` under a lock, because test files load in parallel and each of them requests the setup. */
function runUnderLock(work) {
  const lock = path.join(runners, '.setting-up');
  while (!takeLock(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  try {
    work();
  } finally {
    rmdirSync(lock);
  }
}

function takeLock(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > STALE_LOCK_MS) rmdirSync(lock);
    return false;
  }
}

/** Folder with the programs of `runners/package.json`. */
export const nodePrograms = path.join(runners, 'node_modules', '.bin');

/** A virtual environment for pytest, because packages may not be installed into the system's Python. */
export const pythonFolder = path.join(runners, '.venv');

function installNodeRunners() {
  const stamp = path.join(runners, 'node_modules', '.argus-stamp');
  const hash = createHash('sha256')
    .update(readFileSync(path.join(runners, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  // Not `npm ci`, because it refuses a lock file without the optional packages of other platforms.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const isInstalled =
    run(npm, ['install', '--no-save', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], runners) &&
    // bun's postinstall script, which copies the program from the package of this platform.
    run('node', ['install.js'], path.join(runners, 'node_modules', 'bun'));
  if (isInstalled) writeFileSync(stamp, hash);
  return isInstalled;
}

function installPytest() {
  const python = path.join(pythonFolder, 'bin', 'python');
  if (['pytest', 'tox', 'flit_core', 'django', 'coverage'].every((name) => succeeds(python, ['-c', `import ${name}`])))
    return true;
  if (!succeeds('python3', ['-m', 'venv', '--help']) || !succeeds('python3', ['-c', 'import ensurepip'])) {
    installWithApt(['python3-venv'], 'pytest');
  }
  if (!succeeds('python3', ['-m', 'venv', pythonFolder])) return false;
  return run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PYTHON_PACKAGES], runners);
}

function installGo() {
  if (!succeeds('go', ['version'])) installWithApt(['golang-go'], 'go test');
}

function installScriptingRunners() {
  const packages = {
    rspec: 'ruby-rspec',
    rake: 'rake',
    phpunit: 'phpunit',
    ctest: 'cmake',
    busted: 'lua-busted',
    bats: 'bats',
    make: 'make',
  };
  const missing = Object.entries(packages).filter(([program]) => !succeeds(program, ['--version']));
  const names = missing.map(([, name]) => name);
  for (const library of ['minitest', 'test-unit']) {
    if (!succeeds('ruby', ['-e', `require "${library}"`])) names.push(`ruby-${library}`);
  }
  if (names.length > 0) installWithApt(names, names.join(', '));
}

/** Uses Debian's packages, because they include everything that a build needs, so that builds download nothing. */
function installMavenAndGradle() {
  if (hasMavenOffline() && hasGradleOffline()) return;
  const names = 'maven gradle junit4 libsurefire-java libmaven-compiler-plugin-java libmaven-resources-plugin-java';
  const java = succeeds('javac', ['-version']) ? [] : ['default-jdk-headless'];
  installWithApt([...java, ...names.split(' ')], 'Maven and Gradle');
}

function installNextest() {
  if (succeeds('cargo-nextest', ['nextest', '--version'])) return;
  run('cargo', ['install', 'cargo-nextest', '--locked'], runners);
}

/** Returns true if Maven can run tests without downloads. */
export function hasMavenOffline() {
  const plugins = ['surefire', 'compiler', 'resources'].map((name) => `maven-${name}-plugin`);
  const repository = '/usr/share/maven-repo/org/apache/maven/plugins';
  return succeeds('mvn', ['--version']) && plugins.every((name) => existsSync(path.join(repository, name)));
}

export function hasGradleOffline() {
  return succeeds('gradle', ['--version']) && existsSync('/usr/share/java/junit4.jar');
}

function installWithApt(names, what) {
  const isRoot = process.getuid?.() === 0;
  const [program, ...prefix] = isRoot ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  const args = [...prefix, 'install', '--yes', '--no-install-recommends', ...names];
  if (succeeds(program, [...prefix, 'update', '--quiet']) && succeeds(program, args)) return;
  process.stderr.write(`tests/e2e: ${what} cannot be installed here; do it with: apt-get install ${names.join(' ')}\n`);
}

function succeeds(program, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, args, { stdio: 'ignore', env }).status === 0;
}

function run(program, args, cwd) {
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) process.stderr.write(`tests/e2e: ${program} ${args.join(' ')} failed\n`);
  return status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setUpRunners({ all: process.argv.includes('--all') });
