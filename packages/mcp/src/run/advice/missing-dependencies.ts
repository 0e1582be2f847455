/**
 * Detects in the output that a failed command lacked a program, a listed dependency, or a script. Returns a sentence
 * with the command that installs what is missing. Errors inside tests are ignored, because those failures have their
 * own messages.
 */

import { stripVTControlCharacters } from 'node:util';
import { listFoldersUpToWorkTree } from '../../system/files/path-safety.ts';
import { hasFile, readProjectFile } from '../../system/files/project-file.ts';
import { toShortLine } from '../../text/untrusted-text.ts';
import { getField, readManifest, readPackageScripts } from '../planning/scripts.ts';
import { getPackageManagerName } from '../planning/test-command.ts';

/** Maximum number of scripts in the note. */
const MAX_NAMED_SCRIPTS = 8;

interface MissingDependencyRule {
  pattern: RegExp;
  /** Returns undefined if the line means something else in this project. */
  createMessage(name: string, root: string): string | undefined;
}

const MISSING_DEPENDENCY_RULES: readonly MissingDependencyRule[] = [
  {
    // npm, pnpm, Bun, yarn 1, yarn 2 and later, Deno, Composer.
    pattern:
      /^(?:.*\bMissing script:|error: Script not found|error Command(?= "[^"]+" not found)|.*Couldn't find a script named|error: Task not found:) ["“]?([^\s"”.]+)["”]?(?: not found)?/mu,
    createMessage: describeMissingScript,
  },
  {
    pattern: /^(?:bundler: command not found: (\S+)|.*\bBundler::GemNotFound\b.*)$/mu,
    createMessage: describeMissingGems,
  },
  {
    pattern: /^.*\bCould not find .+ in (?:locally installed gems|any of the sources)/mu,
    createMessage: describeMissingGems,
  },
  {
    pattern: /^error: no such command: `(\S+)`/mu,
    createMessage: (name, root) => describeMissingProgram(`cargo-${name}`, root),
  },
  { pattern: /^Could not open input file: vendor\/bin\/(\S+)/mu, createMessage: describeMissingProgram },
  {
    pattern: /^npm (?:error|ERR!) npx canceled due to missing packages.*\["((?:@[\w.-]+\/)?[\w.-]+)/mu,
    createMessage: describeMissingNpxPackage,
  },
  // dash, bash, zsh, env, Windows.
  {
    pattern: /^(?:\/bin\/)?\w*sh: (?:line )?\d+: ([\w@./+-]+): (?:command )?not found$/mu,
    createMessage: describeMissingProgram,
  },
  { pattern: /^g?make(?:\[\d+\])?: ([\w@.+-]+): No such file or directory$/mu, createMessage: describeMissingProgram },
  { pattern: /^zsh: command not found: (\S+)$/mu, createMessage: describeMissingProgram },
  {
    pattern: /^(?:\/usr\/bin\/)?env: [‘']([\w@./+-]+)[’']: No such file or directory$/mu,
    createMessage: describeMissingProgram,
  },
  {
    pattern: /^'([\w@./+-]+)' is not recognized as an internal or external command/mu,
    createMessage: describeMissingProgram,
  },
  { pattern: /^\S*python[\d.]*(?:\.exe)?: No module named '?(\w+)'?/mu, createMessage: describeMissingPythonProgram },
  {
    pattern: /\bCannot find (?:module|package) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/u,
    createMessage: describeMissingPackage,
  },
  { pattern: /\bModuleNotFoundError: No module named '(\w+)/u, createMessage: describeMissingPythonModule },
];

export function detectMissingDependency(printed: string, root: string): string | undefined {
  const text = stripVTControlCharacters(printed);
  for (const { pattern, createMessage } of MISSING_DEPENDENCY_RULES) {
    const match = pattern.exec(text);
    const message = match ? createMessage(toShortLine(match[1] ?? ''), root) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Returns the sentence about a missing program. */
export function describeMissingProgram(name: string, root: string): string {
  const install = getInstallCommand(name, root);
  return `${name} is not installed: ${install ? `run '${install}'.` : 'install it, or add it to the PATH.'}`;
}

export function describeMissingScript(name: string, root: string): string | undefined {
  const scripts = Object.keys(readPackageScripts(root));
  if (scripts.includes(name)) return undefined;
  const listed = scripts.slice(0, MAX_NAMED_SCRIPTS).map(toShortLine).join(', ');
  const more = scripts.length > MAX_NAMED_SCRIPTS ? ', ...' : '';
  return `package.json has no script '${name}'. ${listed ? `Its scripts are ${listed}${more}.` : 'It has no scripts.'}`;
}

function describeMissingGems(_name: string, root: string): string | undefined {
  return hasFile(root, 'Gemfile') ? "Gems of the Gemfile are not installed: run 'bundle install'." : undefined;
}

function describeMissingPythonProgram(name: string, root: string): string {
  return `${name} is not installed for this Python: run '${getPythonInstallCommand(root) ?? `python3 -m pip install ${name}`}'.`;
}

/**
 * Returns a sentence only for packages that package.json lists, because any other name may be a mistake in the code.
 */
function describeMissingPackage(name: string, root: string): string | undefined {
  if (isPackageInstalled(name, root) || !isListedDependency(name, root)) return undefined;
  return `The package ${name} is in package.json, but not installed: run '${getInstallCommand(name, root)}'.`;
}

function describeMissingNpxPackage(name: string, root: string): string {
  return `${name} is not installed: run '${getInstallCommand(name, root) ?? `npm install --save-dev ${name}`}'.`;
}

/** Returns a sentence only if the project lists its requirements and the module is not part of the project. */
function describeMissingPythonModule(name: string, root: string): string | undefined {
  const isProjectModule = ['', 'src/', 'lib/', 'tests/'].some(
    (folder) => hasFile(root, `${folder}${name}`) || hasFile(root, `${folder}${name}.py`),
  );
  const install = getPythonInstallCommand(root);
  if (isProjectModule || install === undefined) return undefined;
  return `The Python module ${name} is not installed. If the project lists it, run '${install}'.`;
}

/*
 * Finds the command that installs a program or the dependencies of a project. Argus shows this command but never runs
 * it.
 */

/**
 * How to install programs that no project installs: the packages of Debian and Homebrew, or a command if neither has a
 * package.
 */
const INSTALLERS: Readonly<Record<string, { apt: string; brew?: string } | { command: string }>> = {
  bats: { apt: 'bats', brew: 'bats-core' },
  bundle: { command: 'gem install bundler' },
  bun: { command: 'npm install --global bun' },
  busted: { command: 'luarocks install busted' },
  cargo: { apt: 'cargo', brew: 'rust' },
  'cargo-nextest': { command: 'cargo install cargo-nextest --locked' },
  cmake: { apt: 'cmake' },
  composer: { apt: 'composer' },
  ctest: { apt: 'cmake' },
  deno: { command: 'npm install --global deno' },
  docker: { apt: 'docker.io' },
  go: { apt: 'golang-go', brew: 'go' },
  gradle: { apt: 'gradle' },
  hatch: { command: 'pipx install hatch' },
  just: { apt: 'just' },
  make: { apt: 'make' },
  mvn: { apt: 'maven' },
  nox: { command: 'pipx install nox' },
  pdm: { command: 'pipx install pdm' },
  php: { apt: 'php-cli', brew: 'php' },
  pnpm: { command: 'npm install --global pnpm' },
  poetry: { command: 'pipx install poetry' },
  python: { apt: 'python-is-python3', brew: 'python' },
  python3: { apt: 'python3', brew: 'python' },
  rake: { command: 'gem install rake' },
  rspec: { command: 'gem install rspec' },
  ruby: { apt: 'ruby' },
  tox: { command: 'pipx install tox' },
  uv: { command: 'pipx install uv' },
  yarn: { command: 'npm install --global yarn' },
};

/** Runners that Composer installs for a project. */
const COMPOSER_RUNNERS = new Set(['phpunit', 'pest', 'paratest', 'phpcs', 'phpstan']);

/** Returns undefined if no command that installs the program is known. */
export function getInstallCommand(program: string, root: string, platform = process.platform): string | undefined {
  if (isListedDependency(program, root)) return `${getPackageManagerName(root)} install`;
  if (COMPOSER_RUNNERS.has(program)) return hasFile(root, 'composer.json') ? 'composer install' : undefined;
  if (program === 'pytest') return getPythonInstallCommand(root) ?? 'python3 -m pip install pytest';
  if (['rspec', 'rake'].includes(program) && hasFile(root, 'Gemfile')) return 'bundle install';
  const installer = INSTALLERS[program];
  if (installer === undefined) return undefined;
  if ('command' in installer) return installer.command;
  if (platform === 'darwin') return `brew install ${installer.brew ?? installer.apt}`;
  return platform === 'linux' ? `apt-get install ${installer.apt}` : undefined;
}

/**
 * Returns true if a package.json in this folder or a parent folder lists the package, or the package that contains the
 * program.
 */
export function isListedDependency(name: string, root: string): boolean {
  const packages = [name, ...(PACKAGES_OF_PROGRAMS[name] ?? [])];
  return listFoldersUpToWorkTree(root).some((folder) => {
    const manifest = readManifest(folder);
    return ['dependencies', 'devDependencies', 'optionalDependencies'].some((kind) =>
      packages.some((one) => getField(getField(manifest, kind), one) !== undefined),
    );
  });
}

/**
 * Returns true if the package is in a folder that Node searches. With yarn's Plug'n'Play, which has no such folder,
 * every package counts as installed.
 */
export function isPackageInstalled(name: string, root: string): boolean {
  return listFoldersUpToWorkTree(root).some(
    (folder) => hasFile(folder, `node_modules/${name}`) || hasFile(folder, '.pnp.cjs'),
  );
}

/** Packages of programs whose name differs from the package. */
const PACKAGES_OF_PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  playwright: ['@playwright/test'],
  tsc: ['typescript'],
  ng: ['@angular/cli'],
};

/** Returns the command that installs the requirements of a Python project, if a file lists them. */
function getPythonInstallCommand(root: string): string | undefined {
  if (hasFile(root, 'uv.lock')) return 'uv sync';
  if (hasFile(root, 'poetry.lock')) return 'poetry install';
  const lists = ['requirements-dev.txt', 'requirements.txt'];
  const list = lists.find((name) => hasFile(root, name));
  if (list !== undefined) return `python3 -m pip install -r ${list}`;
  return /^\[project\]/mu.test(readProjectFile(root, 'pyproject.toml') ?? '')
    ? 'python3 -m pip install -e .'
    : undefined;
}
