/**
 * Which packages a source file imports, by the language's own way of importing. Versions: dependencies.ts.
 */

import path from 'node:path';

export type Ecosystem = 'node' | 'python' | 'rust' | 'go' | 'jvm' | 'ruby';

export interface Imports {
  ecosystem: Ecosystem;
  /** Names as packages have them; the language's own library is left out. */
  packages: string[];
}

const ECOSYSTEMS: readonly { ecosystem: Ecosystem; extensions: readonly string[] }[] = [
  { ecosystem: 'node', extensions: ['.js', '.jsx', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts', '.vue', '.svelte'] },
  { ecosystem: 'python', extensions: ['.py', '.pyi'] },
  { ecosystem: 'rust', extensions: ['.rs'] },
  { ecosystem: 'go', extensions: ['.go'] },
  { ecosystem: 'jvm', extensions: ['.java', '.kt', '.kts', '.scala'] },
  { ecosystem: 'ruby', extensions: ['.rb', '.rake'] },
];

export function ecosystemOf(file: string): Ecosystem | undefined {
  return ECOSYSTEMS.find(({ extensions }) => extensions.includes(path.extname(file)))?.ecosystem;
}

export function importsOf(file: string, text: string): Imports | undefined {
  const ecosystem = ecosystemOf(file);
  if (ecosystem === undefined) return undefined;
  return { ecosystem, packages: [...new Set(READERS[ecosystem](text))].filter((name) => name !== '') };
}

/** Packages that an error says are missing, whatever the file. */
export function packagesInError(text: string): string[] {
  const found = MISSING.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
  return [...new Set(found.flatMap((name) => (/^[./]/u.test(name) ? [] : [packageOfSpecifier(name)])))].filter(
    (name) => name !== '',
  );
}

const MISSING: readonly RegExp[] = [
  /Cannot find (?:module|package) ['"]([^'"]+)['"]/gu,
  /Module not found: (?:Error: )?Can't resolve ['"]([^'"]+)['"]/gu,
  /Failed to resolve import "([^"]+)"/gu,
  /No module named ['"]?([\w.-]+)/gu,
  /unresolved import `([\w:]+)`/gu,
  /can't find crate for `(\w+)`/gu,
  /no required module provides package ([\w./-]+)/gu,
  /cannot load such file -- ([\w/-]+)/gu,
];

const READERS: Readonly<Record<Ecosystem, (text: string) => string[]>> = {
  node: (text) => captures(text, /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\(\s*)['"]([^'"\n]+)['"]/gu).map(nodePackage),
  python: (text) => captures(text, /^\s*(?:from\s+(\w+)[\w.]*\s+import|import\s+(\w+))/gmu).map(pythonPackage),
  rust: (text) => captures(text, /^\s*(?:pub\s+)?(?:use|extern\s+crate)\s+(?:::)?(\w+)/gmu).map(rustCrate),
  go: (text) => goImports(text).filter((name) => /^[\w-]+\.[\w.-]+\//u.test(name)),
  jvm: (text) => captures(text, /^import\s+(?:static\s+)?([\w.]+)/gmu).map(jvmGroup),
  ruby: (text) => captures(text, /^\s*require\s+['"]([\w/-]+)['"]/gmu).map((name) => name.split('/', 1)[0] ?? ''),
};

function captures(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '');
}

const NODE_BUILTINS = new Set(
  'assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib'.split(
    ' ',
  ),
);

/** Aliases such as `@/lib` and `~/lib` are the project's own. */
function nodePackage(specifier: string): string {
  if (/^(?:[./~#]|node:|bun:|https?:|@\/)/u.test(specifier)) return '';
  const name = packageOfSpecifier(specifier);
  return NODE_BUILTINS.has(name) ? '' : name;
}

function packageOfSpecifier(specifier: string): string {
  const parts = specifier.split(/\/|::/u);
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? '');
}

const PYTHON_LIBRARY = new Set(
  '__future__ abc argparse array ast asyncio atexit base64 bisect builtins bz2 calendar cmath collections colorsys concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis doctest email enum errno faulthandler fcntl fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword linecache locale logging lzma math mimetypes mmap multiprocessing numbers operator os pathlib pdb pickle pkgutil platform plistlib poplib posixpath pprint profile pty pwd queue random re readline resource runpy sched secrets select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string struct subprocess symtable sys sysconfig syslog tarfile tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo'.split(
    ' ',
  ),
);

/** Modules whose package has another name. */
const PYTHON_NAMES: Readonly<Record<string, string>> = {
  yaml: 'pyyaml',
  cv2: 'opencv-python',
  PIL: 'pillow',
  sklearn: 'scikit-learn',
  bs4: 'beautifulsoup4',
  dotenv: 'python-dotenv',
  dateutil: 'python-dateutil',
  jwt: 'pyjwt',
  OpenSSL: 'pyopenssl',
  MySQLdb: 'mysqlclient',
  psycopg2: 'psycopg2',
  attr: 'attrs',
  Crypto: 'pycryptodome',
  serial: 'pyserial',
  git: 'gitpython',
  magic: 'python-magic',
  rest_framework: 'djangorestframework',
};

function pythonPackage(module: string): string {
  if (PYTHON_LIBRARY.has(module)) return '';
  return PYTHON_NAMES[module] ?? module.toLowerCase().replaceAll('_', '-');
}

function rustCrate(name: string): string {
  return /^(?:std|core|alloc|crate|self|super|proc_macro|test)$|^[A-Z]/u.test(name) ? '' : name;
}

function goImports(text: string): string[] {
  const blocks = captures(text, /^import\s*\(([^)]*)\)/gmu).flatMap((block) => captures(block, /"([^"]+)"/gu));
  return [...blocks, ...captures(text, /^import\s+(?:[\w.]+\s+)?"([^"]+)"/gmu)];
}

/** The parts of a package that name who made it. */
function jvmGroup(name: string): string {
  return /^(?:java|javax|kotlin|scala|jdk|sun)\./u.test(name) ? '' : name.split('.').slice(0, 3).join('.');
}
