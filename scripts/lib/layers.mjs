// Checks the dependencies between the parts: which crate may use which crate, that modules have no cycles, and which
// files may use Node, start git or read files. Imports are found with text patterns, without a parser.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { root, run } from './exec.mjs';
import { findCrateCycles, findCycles } from './import-cycles.mjs';

/** Maps a crate to the crates that it may use. crates/README.md has a diagram. */
const ALLOWED_CRATES = {
  'argus-core': [],
  'argus-report': ['argus-core'],
  'argus-store': ['argus-core'],
  'argus-engine': ['argus-core', 'argus-report', 'argus-store'],
  'argus-vfs': [],
  'argus-wasm': ['argus-core', 'argus-engine', 'argus-report', 'argus-store', 'argus-vfs'],
  xtask: ['argus-core', 'argus-engine'],
};
const PRODUCT_CRATES = ['core', 'report', 'store', 'engine', 'vfs', 'wasm'];
/**
 * Matches `{ crate = "rusqlite", wrappers = ["argus-store"] }`, which contains a library and the crates that may use it
 * directly.
 */
const RESTRICTED_LIBRARY = /\{ crate = "([^"]+)", wrappers = \[([^\]]*)\] \}/g;
const SERVER_FOLDER = 'packages/mcp/src';
/** Folders of the server. Each may use the folders before it in the list, and the files directly in `SERVER_FOLDER`. */
const FOLDER_ORDER = [
  'generated',
  'system',
  'text',
  'http',
  'git',
  'owner',
  'config',
  'environment',
  'storage',
  'team',
  'run',
  'sessions',
  'fix',
  'hook',
  'view',
  'tools',
  'format',
  'server',
  'cli',
];
/** The entry files of the programs may use everything. */
const ENTRY_FILES = ['cli.ts', 'hook.ts'];
/** Folders that the files directly in `SERVER_FOLDER` may use. */
const BASE_FOLDERS = ['system', 'text'];
/** Only these files of argus-engine may use Node, because the other files also run in a browser. */
const NODE_FILES = /(^|\/)(node[^/]*\.ts|node\/.*|.*\.test\.ts|build[^/]*\.m?[jt]s)$/;

/**
 * Only packages/mcp/src/git/ may start git, because it disables everything in a repository that could start a program.
 */
const STARTS_GIT = /\(\s*['"`]git(?:\.exe)?['"`]|\b(?:exec|execSync)\(\s*['"`]git\s/;

/**
 * Only packages/mcp/src/system/files/read.ts may use these functions, because a file of a project can be a pipe or a
 * link to a device.
 */
const READ_FUNCTIONS = /^(?:readFile|readFileSync|readSync|read|open|openSync|openAsBlob|createReadStream|promises)$/u;
const IMPORTS_FS = /import\s+(?:type\s+)?(\{[^}]*\}|[^'{}]+?)\s+from\s+['"](?:node:)?fs(?:\/promises)?['"]/gu;
const LOADS_FS = /(?:import|require)\(\s*['"](?:node:)?fs(?:\/promises)?['"]/u;

/** Files of the server that may read files themselves, each with the reason. */
const READING_FILES = {
  'system/files/read.ts': 'the reader',
  'system/files/atomic-file.ts': 'opens a folder to sync it',
  'log.ts': 'opens its own log to add to it',
  'hook/state.ts': 'opens its own state to add to it',
  'fix/attempt/log-file.ts': 'opens a new log to write to it',
  'cli/terminal/lines.ts': 'reads a pipe too, which a person names on the command line',
  'team/server/start-server.ts': 'reads the certificate that the operator names',
  'http/page.ts': 'reads pages of this package',
  'team/server/pages.ts': 'reads pages of this package',
  'server/resources.ts': 'reads pages of this package',
  'view/view-server.ts': 'reads pages of this package',
  'view/export.ts': 'reads pages of this package, and a copy that it has made itself',
};

export async function checkDependencies(onLine) {
  const { code, output } = await run('cargo', ['metadata', '--no-deps', '--format-version', '1'], { onLine });
  if (code !== 0) return { code, output };
  const json = output.slice(output.indexOf('{"packages"')).split('\n', 1)[0];
  const arrows = findForbiddenCrateUses(JSON.parse(json).packages);
  const wrong = [
    ...arrows,
    ...PRODUCT_CRATES.flatMap((name) => findCrateCycles(`crates/${name}/src`)),
    ...findForbiddenFolderUses(),
    ...findNodeImports('npm/engine/src'),
    ...findGitStarters(),
    ...findFileReaders(),
  ];
  return { code: wrong.length === 0 ? 0 : 1, output: wrong.join('\n') };
}

function findForbiddenCrateUses(packages) {
  const owners = findLibraryOwners('.cargo/deny.toml');
  return packages.flatMap(({ name, dependencies }) => {
    const allowed = ALLOWED_CRATES[name];
    if (!allowed) return [`crate ${name} has no place in scripts/lib/layers.mjs and crates/README.md`];
    return dependencies
      .filter((it) => it.kind !== 'dev')
      .filter((it) =>
        it.name in ALLOWED_CRATES ? !allowed.includes(it.name) : !(owners.get(it.name) ?? [name]).includes(name),
      )
      .map((it) => `crate ${name} must not use ${it.name}`);
  });
}

function findLibraryOwners(file) {
  const bans = [...readFileSync(join(root, file), 'utf8').matchAll(RESTRICTED_LIBRARY)];
  if (bans.length === 0) throw new Error(`${file} limits no library to certain crates`);
  return new Map(
    bans.map(([, library, users]) => [library, [...users.matchAll(/"([^"]+)"/g)].map(([, user]) => user)]),
  );
}

function findForbiddenFolderUses() {
  const uses = new Map(readSources(SERVER_FOLDER).map((file) => [file, findImports(file)]));
  const wrong = [...uses].flatMap(([file, used]) =>
    used
      .filter((one) => !canUse(folderOf(file), folderOf(one)) && !ENTRY_FILES.includes(file))
      .map((one) => `${file} must not use ${one}`),
  );
  return [...wrong.map((text) => `${SERVER_FOLDER}: ${text}`), ...findCycles(SERVER_FOLDER, uses)];
}

function canUse(folder, used) {
  if (folder === used || used === '') return true;
  if (folder === '') return BASE_FOLDERS.includes(used);
  const [at, usedAt] = [FOLDER_ORDER.indexOf(folder), FOLDER_ORDER.indexOf(used)];
  return at >= 0 && usedAt >= 0 && usedAt < at;
}

function folderOf(file) {
  const [first, second] = file.split(sep);
  return second === undefined ? '' : first;
}

function findImports(file) {
  const code = readFileSync(join(root, SERVER_FOLDER, file), 'utf8');
  const paths = [...code.matchAll(/\b(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map(([, path]) => path);
  return paths.map((path) => normalize(join(dirname(file), path)));
}

function findNodeImports(folder) {
  return readSources(folder)
    .filter((file) => !NODE_FILES.test(file))
    .filter((file) => /(from|import\(|import) *['"]node:/.test(readFileSync(join(root, folder, file), 'utf8')))
    .map((file) => `${folder}/${file} imports a node: module, but is for every platform`);
}

function findGitStarters() {
  return ['packages/mcp/src', 'npm/engine/src'].flatMap((folder) =>
    readSources(folder)
      .filter((file) => !/^git[/\\]/.test(file))
      .filter((file) => STARTS_GIT.test(readFileSync(join(root, folder, file), 'utf8')))
      .map((file) => `${folder}/${file} starts git; packages/mcp/src/git/git.ts does that: call runGit`),
  );
}

function findFileReaders() {
  const readers = readSources(SERVER_FOLDER).filter((file) =>
    readsFiles(readFileSync(join(root, SERVER_FOLDER, file), 'utf8')),
  );
  const named = new Set(readers.map((file) => file.split(sep).join('/')));
  const advice = 'call readText, readBytes or readPart of system/files/read.ts, which a pipe or a device cannot stop';
  return [
    ...[...named]
      .filter((file) => !(file in READING_FILES))
      .map((file) => `${SERVER_FOLDER}/${file} reads files; ${advice}`),
    ...Object.keys(READING_FILES)
      .filter((file) => !named.has(file))
      .map((file) => `${SERVER_FOLDER}/${file} reads no files by itself; remove it from READING_FILES`),
  ];
}

/** Returns true if the code imports a function that reads files, also under another name, or the whole module. */
function readsFiles(code) {
  if (LOADS_FS.test(code)) return true;
  return [...code.matchAll(IMPORTS_FS)].some(([, names]) => {
    if (!names.startsWith('{')) return true;
    const imported = names
      .slice(1, -1)
      .split(',')
      .map((name) => name.trim().split(/\s+as\s+/u)[0]);
    return imported.some((name) => READ_FUNCTIONS.test(name));
  });
}

function readSources(folder) {
  try {
    return readdirSync(join(root, folder), { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.ts'));
  } catch {
    return [];
  }
}
