// Checks the dependencies between the parts: which crate may use which, that modules have no cycles, which files may
// use Node, which may start git, and which may read files. Imports are found by text patterns without parsing.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { circlesIn, crateCircles } from './circles.mjs';
import { root, run } from './exec.mjs';

/** Crate -> crates that it may use. crates/README.md has a diagram. */
const ARROWS = {
  'argus-core': [],
  'argus-report': ['argus-core'],
  'argus-store': ['argus-core'],
  'argus-engine': ['argus-core', 'argus-report', 'argus-store'],
  'argus-vfs': [],
  'argus-wasm': ['argus-core', 'argus-engine', 'argus-report', 'argus-store', 'argus-vfs'],
  xtask: ['argus-core', 'argus-engine'],
};
const PRODUCT = ['core', 'report', 'store', 'engine', 'vfs', 'wasm'];
/** Matches `{ crate = "rusqlite", wrappers = ["argus-store"] }`: a library and the crates that may use it directly. */
const OWNED = /\{ crate = "([^"]+)", wrappers = \[([^\]]*)\] \}/g;
/** Folders of the server. Each may use the folders before it and the files next to them, such as `errors.ts`. */
const SERVER = 'packages/mcp/src';
const FOLDERS = [
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
  'memory',
  'fix',
  'hook',
  'prompts',
  'view',
  'tools',
  'format',
  'server',
  'cli',
];
/** The entry of the program may use everything. */
const ENTRY = 'cli.ts';
/** Folders that the files next to the folders may use. */
const BESIDE = ['system', 'text'];
/** Only these files of argus-engine may use Node, because the rest also runs in a browser. */
const NODE_FILES = /(^|\/)(node[^/]*\.ts|node\/.*|.*\.test\.ts|build[^/]*\.m?[jt]s)$/;

/** Only packages/mcp/src/git/ may start git, because it disables everything that a repository could start. */
const STARTS_GIT = /\(\s*['"`]git(?:\.exe)?['"`]|\b(?:exec|execSync)\(\s*['"`]git\s/;

/**
 * Only packages/mcp/src/system/files/read.ts may use these, because a file of a project can be a pipe or a link to a
 * device.
 */
const READS = /^(?:readFile|readFileSync|readSync|read|open|openSync|openAsBlob|createReadStream|promises)$/u;
const IMPORTS_FS = /import\s+(?:type\s+)?(\{[^}]*\}|[^'{}]+?)\s+from\s+['"](?:node:)?fs(?:\/promises)?['"]/gu;
const LOADS_FS = /(?:import|require)\(\s*['"](?:node:)?fs(?:\/promises)?['"]/u;

/** Files of the server that read files themselves, each with its reason. */
const READS_BY_ITSELF = {
  'system/files/read.ts': 'the reader',
  'system/files/whole-file.ts': 'opens a folder to sync it',
  'log.ts': 'opens its own log to add to it',
  'hook/state.ts': 'opens its own state to add to it',
  'fix/attempt/log-file.ts': 'opens a new log to write to it',
  'cli/terminal/lines.ts': 'reads a pipe too, which a person names on the command line',
  'team/server/start-server.ts': 'reads the certificate that the operator names',
  'http/page.ts': 'reads pages of this package',
  'team/server/pages.ts': 'reads pages of this package',
  'tools/shared/apps.ts': 'reads pages of this package',
  'view/view-server.ts': 'reads pages of this package',
  'view/export.ts': 'reads pages of this package, and a copy that it has made itself',
};

export async function checkLayers(onLine) {
  const { code, output } = await run('cargo', ['metadata', '--no-deps', '--format-version', '1'], { onLine });
  if (code !== 0) return { code, output };
  const json = output.slice(output.indexOf('{"packages"')).split('\n', 1)[0];
  const arrows = wrongArrows(JSON.parse(json).packages);
  const wrong = [
    ...arrows,
    ...PRODUCT.flatMap((name) => crateCircles(`crates/${name}/src`)),
    ...serverArrows(),
    ...nodeImports('npm/engine/src'),
    ...gitStarters(),
    ...ownReaders(),
  ];
  return { code: wrong.length === 0 ? 0 : 1, output: wrong.join('\n') };
}

function wrongArrows(packages) {
  const owners = ownersIn('.cargo/deny.toml');
  return packages.flatMap(({ name, dependencies }) => {
    const allowed = ARROWS[name];
    if (!allowed) return [`crate ${name} has no place in scripts/lib/layers.mjs and crates/README.md`];
    return dependencies
      .filter((it) => it.kind !== 'dev')
      .filter((it) =>
        it.name in ARROWS ? !allowed.includes(it.name) : !(owners.get(it.name) ?? [name]).includes(name),
      )
      .map((it) => `crate ${name} must not use ${it.name}`);
  });
}

function ownersIn(file) {
  const bans = [...readFileSync(join(root, file), 'utf8').matchAll(OWNED)];
  if (bans.length === 0) throw new Error(`${file} says of no library which crates may use it`);
  return new Map(
    bans.map(([, library, users]) => [library, [...users.matchAll(/"([^"]+)"/g)].map(([, user]) => user)]),
  );
}

function serverArrows() {
  const uses = new Map(sources(SERVER).map((file) => [file, importsOf(file)]));
  const wrong = [...uses].flatMap(([file, used]) =>
    used
      .filter((one) => !mayUse(folderOf(file), folderOf(one)) && file !== ENTRY)
      .map((one) => `${file} must not use ${one}`),
  );
  return [...wrong.map((text) => `${SERVER}: ${text}`), ...circlesIn(SERVER, uses)];
}

function mayUse(folder, used) {
  if (folder === used || used === '') return true;
  if (folder === '') return BESIDE.includes(used);
  const [at, usedAt] = [FOLDERS.indexOf(folder), FOLDERS.indexOf(used)];
  return at >= 0 && usedAt >= 0 && usedAt < at;
}

function folderOf(file) {
  const [first, second] = file.split(sep);
  return second === undefined ? '' : first;
}

function importsOf(file) {
  const code = readFileSync(join(root, SERVER, file), 'utf8');
  const paths = [...code.matchAll(/\b(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map(([, path]) => path);
  return paths.map((path) => normalize(join(dirname(file), path)));
}

function nodeImports(folder) {
  return sources(folder)
    .filter((file) => !NODE_FILES.test(file))
    .filter((file) => /(from|import\(|import) *['"]node:/.test(readFileSync(join(root, folder, file), 'utf8')))
    .map((file) => `${folder}/${file} imports a node: module, but is for every platform`);
}

function gitStarters() {
  return ['packages/mcp/src', 'npm/engine/src'].flatMap((folder) =>
    sources(folder)
      .filter((file) => !/^git[/\\]/.test(file))
      .filter((file) => STARTS_GIT.test(readFileSync(join(root, folder, file), 'utf8')))
      .map((file) => `${folder}/${file} starts git; packages/mcp/src/git/git.ts does that: call runGit`),
  );
}

function ownReaders() {
  const readers = sources(SERVER).filter((file) => readsFiles(readFileSync(join(root, SERVER, file), 'utf8')));
  const named = new Set(readers.map((file) => file.split(sep).join('/')));
  const advice = 'call readText, readBytes or readPart of system/files/read.ts, which a pipe or a device cannot stop';
  return [
    ...[...named]
      .filter((file) => !(file in READS_BY_ITSELF))
      .map((file) => `${SERVER}/${file} reads files; ${advice}`),
    ...Object.keys(READS_BY_ITSELF)
      .filter((file) => !named.has(file))
      .map((file) => `${SERVER}/${file} reads no files by itself; take it out of READS_BY_ITSELF`),
  ];
}

/** Names may be imported under another name, and importing the whole module gives access to every function. */
function readsFiles(code) {
  if (LOADS_FS.test(code)) return true;
  return [...code.matchAll(IMPORTS_FS)].some(([, names]) => {
    if (!names.startsWith('{')) return true;
    const imported = names
      .slice(1, -1)
      .split(',')
      .map((name) => name.trim().split(/\s+as\s+/u)[0]);
    return imported.some((name) => READS.test(name));
  });
}

function sources(folder) {
  try {
    return readdirSync(join(root, folder), { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.ts'));
  } catch {
    return [];
  }
}
