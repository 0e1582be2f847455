/** Finds the command that would install a program or the dependencies of a project. It is shown, never run. */

import { hasFile, projectFile } from '../../system/files/project-file.ts';
import { foldersUpwards } from '../../system/files/work-tree-top.ts';
import { field, readManifest } from '../planning/scripts.ts';
import { packageManagerOf } from '../planning/test-command/node.ts';

/** Programs that no project installs: the packages of Debian and Homebrew, or a command if both have none. */
const PROGRAMS: Readonly<Record<string, { apt: string; brew?: string } | { command: string }>> = {
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
const OF_COMPOSER = new Set(['phpunit', 'pest', 'paratest', 'phpcs', 'phpstan']);

/** Returns undefined if the command is unknown. */
export function installCommand(program: string, root: string, platform = process.platform): string | undefined {
  if (isListed(program, root)) return `${packageManagerOf(root)} install`;
  if (OF_COMPOSER.has(program)) return hasFile(root, 'composer.json') ? 'composer install' : undefined;
  if (program === 'pytest') return pythonInstall(root) ?? 'python3 -m pip install pytest';
  if (['rspec', 'rake'].includes(program) && hasFile(root, 'Gemfile')) return 'bundle install';
  const known = PROGRAMS[program];
  if (known === undefined) return undefined;
  if ('command' in known) return known.command;
  if (platform === 'darwin') return `brew install ${known.brew ?? known.apt}`;
  return platform === 'linux' ? `apt-get install ${known.apt}` : undefined;
}

/** Returns true if a package.json of this folder or its parents lists the package or the package of the program. */
export function isListed(name: string, root: string): boolean {
  const packages = [name, ...(PACKAGES[name] ?? [])];
  return foldersUpwards(root).some((folder) => {
    const manifest = readManifest(folder);
    return ['dependencies', 'devDependencies', 'optionalDependencies'].some((kind) =>
      packages.some((one) => field(field(manifest, kind), one) !== undefined),
    );
  });
}

/**
 * Returns true if the package is in a folder that Node searches. Packages of yarn's Plug'n'Play count as installed,
 * because Plug'n'Play has no such folder.
 */
export function isInstalled(name: string, root: string): boolean {
  return foldersUpwards(root).some((folder) => hasFile(folder, `node_modules/${name}`) || hasFile(folder, '.pnp.cjs'));
}

/** Programs with another name than their package. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  playwright: ['@playwright/test'],
  tsc: ['typescript'],
  ng: ['@angular/cli'],
};

/** The command that installs the requirements of a Python project, if a file lists them. */
export function pythonInstall(root: string): string | undefined {
  if (hasFile(root, 'uv.lock')) return 'uv sync';
  if (hasFile(root, 'poetry.lock')) return 'poetry install';
  const lists = ['requirements-dev.txt', 'requirements.txt'];
  const list = lists.find((name) => hasFile(root, name));
  if (list !== undefined) return `python3 -m pip install -r ${list}`;
  return /^\[project\]/mu.test(projectFile(root, 'pyproject.toml') ?? '') ? 'python3 -m pip install -e .' : undefined;
}
