// The programs that the build needs: a compiler, git and rustup. Missing programs are installed with apt-get if
// possible; programs that exist are not changed.
import { commandEnvironment, findProgram, run } from './exec.mjs';
import { requireSuccess, runStep, StepFailed } from './steps.mjs';

/** For each program, the name to look for, the Debian packages that contain it, and its purpose. */
export const BUILD_PROGRAMS = [
  { program: 'clang', packages: ['clang'], use: 'compiles SQLite to wasm' },
  // On Windows, rustc finds Visual Studio's linker by itself.
  ...(process.platform === 'win32'
    ? []
    : [{ program: 'cc', packages: ['gcc', 'libc6-dev'], use: 'links Rust programs' }]),
  { program: 'git', packages: ['git'], use: 'the demo project is a repository' },
];
export const TEST_PROGRAMS = [
  { program: 'sqlite3', packages: ['sqlite3'], use: 'opens our database from outside' },
  { program: 'expect', packages: ['expect'], use: 'answers programs that read from a terminal' },
  { program: 'openssl', packages: ['openssl'], use: 'makes a certificate for the server of a team' },
  // On other systems the tests use the installed Chrome (tests/e2e/viewer/chromium.ts).
  ...(process.platform === 'linux' ? [{ program: 'chromium', packages: ['chromium'], use: 'opens the viewer' }] : []),
];
export const FULL_TEST_PROGRAMS = [
  ...TEST_PROGRAMS,
  ...(process.platform === 'linux'
    ? [
        // This command belongs to the Debian package. The other PostgreSQL programs are in a separate folder for each
        // version.
        { program: 'pg_createcluster', packages: ['postgresql'], use: 'keeps the memories of a team' },
        { program: 'pgbouncer', packages: ['pgbouncer'], use: 'pools connections to PostgreSQL' },
      ]
    : []),
];

const INSTALL_COMMANDS = {
  darwin:
    'xcode-select --install (git, cc) and: brew install llvm (a clang that knows wasm, first on PATH), sqlite, postgresql, pgbouncer',
  win32: 'winget install LLVM.LLVM Git.Git SQLite.SQLite ShiningLight.OpenSSL.Light PostgreSQL.PostgreSQL',
};

/**
 * Installs missing programs. If that is impossible, fails with one line that names the programs and the command that
 * installs them.
 */
export async function requirePrograms(programs) {
  const missing = programs.filter(({ program }) => !findProgram(program));
  if (missing.length === 0) return;
  const packages = missing.flatMap((it) => it.packages);
  const root = process.getuid?.() === 0;
  const command = `${root ? '' : 'sudo '}apt-get install -y ${packages.join(' ')}`;
  if (!findProgram('apt-get'))
    throw missingProgramsError(missing, INSTALL_COMMANDS[process.platform] ?? `the packages of: ${packages.join(' ')}`);
  if (!root && !findProgram('sudo')) throw missingProgramsError(missing, `as root: ${command.replace('sudo ', '')}`);
  await runStep(`installing ${packages.join(', ')}`, async (onLine) => {
    // An old package list may contain versions that no longer exist.
    await runApt(root, ['update'], onLine);
    const result = await runApt(root, ['install', '-y', '--no-install-recommends', ...packages], onLine);
    if (result.code !== 0) throw missingProgramsError(missing, command, result.output.trim().split('\n').at(-1));
  });
}

/** Installs missing programs, or reports them in one line. In CI, every program must be installed. */
export async function installIfPossible(programs) {
  try {
    await requirePrograms(programs);
  } catch (error) {
    if (process.env.CI || !(error instanceof StepFailed)) throw error;
    console.log(`${error.message} (their tests are skipped)`);
  }
}

function runApt(root, args, onLine) {
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  if (root) return run('apt-get', args, { onLine, extraEnv: quiet });
  // sudo can ask for a password only on a terminal.
  const ask = process.stdin.isTTY ? [] : ['-n'];
  return run('sudo', [...ask, 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args], { onLine, input: 'inherit' });
}

function missingProgramsError(missing, command, reason) {
  const names = missing.map(({ program, use }) => `${program} (${use})`).join(', ');
  return new StepFailed(`missing: ${names}${reason ? ` [${reason}]` : ''}; install with: ${command}`);
}

/** Checks the minimum version of Node that every package.json requires. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new StepFailed(`Node ${process.versions.node} is too old: 20.19 or newer is needed; with nvm: nvm install 20`);
}

export function requireRustup() {
  if (findProgram('rustup')) return;
  const command = chooseByPlatform(
    'winget install Rustlang.Rustup',
    "curl --proto '=https' -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal",
  );
  throw new StepFailed(`missing: rustup (builds the engine); install with: ${command}`);
}

function chooseByPlatform(onWindows, elsewhere) {
  return commandEnvironment.OS === 'Windows_NT' ? onWindows : elsewhere;
}

/** Runs a command of a step. If it fails, fails with its output. */
export async function runOrFail(title, program, args, onLine, options = {}) {
  return requireSuccess(title, await run(program, args, { onLine, ...options }));
}
