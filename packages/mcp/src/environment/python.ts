/** Detects the environment of a Python project. No interpreter is run. */

import { parse } from 'smol-toml';
import {
  asString,
  type EcosystemFinding,
  escapeRegExp,
  type FileTexts,
  getNested,
  parseMajor,
  removeUndefined,
  tryParse,
} from './facts.ts';

/** The packages that influence failures most come first. Names are normalized: lower case with `-`. */
const FRAMEWORKS: readonly { package: string; name?: string }[] = [
  { package: 'django' },
  { package: 'fastapi' },
  { package: 'flask' },
  { package: 'torch', name: 'pytorch' },
  { package: 'tensorflow' },
  { package: 'jax' },
  { package: 'scrapy' },
  { package: 'aiohttp' },
  { package: 'tornado' },
  { package: 'streamlit' },
];

const MANIFESTS = ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile', 'manage.py'];

/** Matches the package name at the beginning of a requirement, and the version specifier after it. */
const REQUIREMENT = /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*[(]?\s*([^;#\n]*)/u;

export function detectPython(files: FileTexts): EcosystemFinding | undefined {
  if (!MANIFESTS.some((name) => files[name] !== undefined)) return undefined;
  const project = tryParse(parse, files['pyproject.toml']);
  const required = readRequirements(project, files);
  const framework = FRAMEWORKS.find((one) => required.has(one.package));
  const facts = removeUndefined({
    language: 'python',
    language_major: parseMajor(findPythonVersion(project, files)),
    framework: framework && (framework.name ?? framework.package),
    framework_major:
      framework && parseMajor(findLockedVersion(files, framework.package) ?? required.get(framework.package)),
  });
  return { facts, isCertain: true };
}

/** Returns the pinned or installed version of Python, otherwise the required version. */
function findPythonVersion(project: unknown, files: FileTexts): string | undefined {
  const versions = [
    files['.python-version'],
    /^version(?:_info)?\s*=\s*(.+)$/mu.exec(files['.venv/pyvenv.cfg'] ?? '')?.[1],
    files['runtime.txt']?.replace(/^python-/u, ''),
    asString(getNested(project, 'project', 'requires-python')),
    asString(getNested(project, 'tool', 'poetry', 'dependencies', 'python')),
    /python_requires\s*=\s*["']?([^"'\n]+)/u.exec(files['setup.py'] ?? files['setup.cfg'] ?? '')?.[1],
  ];
  return versions.find((version) => parseMajor(version) !== undefined);
}

/** Returns the version specifiers of the required packages by normalized name. */
function readRequirements(project: unknown, files: FileTexts): Map<string, string> {
  const lists = [
    getNested(project, 'project', 'dependencies'),
    ...getValues(getNested(project, 'project', 'optional-dependencies')),
  ];
  const groups = getValues(getNested(project, 'dependency-groups'));
  // Skip an item such as `{ include-group = "tests" }`, because the included group is in the list itself.
  const lines = [...lists, ...groups]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((one) => typeof one === 'string');
  lines.push(...(files['requirements.txt'] ?? '').split('\n'));
  lines.push(...findQuotedRequirements(files['setup.py']), ...(files['setup.cfg'] ?? '').split('\n'));
  const found = lines.map((line) => REQUIREMENT.exec(line)).filter((match) => match !== null);
  const poetry = Object.entries(Object(getNested(project, 'tool', 'poetry', 'dependencies')));
  const pipfile = Object.entries(Object(getNested(tryParse(parse, files.Pipfile), 'packages')));
  return new Map([
    ...found.map((match): [string, string] => [normalizeName(match[1] ?? ''), match[2] ?? '']),
    ...[...poetry, ...pipfile].map(([name, range]): [string, string] => [
      normalizeName(name),
      asString(range) ?? asString(getNested(range, 'version')) ?? '',
    ]),
  ]);
}

/**
 * Returns the quoted texts in setup.py that look like requirements. The file is a program, so it cannot be parsed as
 * data.
 */
function findQuotedRequirements(program: string | undefined): string[] {
  return [...(program ?? '').matchAll(/["']([A-Za-z][\w.-]*(?:\[[^\]]*\])?\s*[<>=~!][^"']*|[a-z]+)["']/gu)].map(
    (match) => match[1] ?? '',
  );
}

/**
 * Finds a version in uv.lock and poetry.lock (`name = "django"`, `version = "5.0.1"`) or Pipfile.lock (`"django": {...,
 * "version": "==5"`).
 */
function findLockedVersion(files: FileTexts, name: string): string | undefined {
  const toml = new RegExp(`^name = "${escapeRegExp(name)}"\\nversion = "([^"]+)"`, 'mu');
  const lock = tryParse(JSON.parse, files['Pipfile.lock']);
  return (
    toml.exec(files['uv.lock'] ?? '')?.[1] ??
    toml.exec(files['poetry.lock'] ?? '')?.[1] ??
    asString(getNested(lock, 'default', name, 'version'))
  );
}

function getValues(table: unknown): unknown[] {
  return Object.values(Object(table));
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]+/gu, '-');
}
