/** Reads the environment of a Python project. No interpreter is run. */

import { parse } from 'smol-toml';
import { at, escaped, type Finding, known, major, parsed, type Texts, text } from './facts.ts';

/** Packages that influence failures most come first. Names are normalized: lower case with `-`. */
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

/** The package name at the beginning of a requirement, and the version specifier after it. */
const REQUIREMENT = /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*[(]?\s*([^;#\n]*)/u;

export function pythonFacts(files: Texts): Finding | undefined {
  if (!MANIFESTS.some((name) => files[name] !== undefined)) return undefined;
  const project = parsed(parse, files['pyproject.toml']);
  const asked = requirements(project, files);
  const framework = FRAMEWORKS.find((one) => asked.has(one.package));
  const facts = known({
    language: 'python',
    language_major: major(interpreter(project, files)),
    framework: framework && (framework.name ?? framework.package),
    framework_major: framework && major(locked(files, framework.package) ?? asked.get(framework.package)),
  });
  return { facts, sure: true };
}

/** The pinned or installed version, otherwise the required version. */
function interpreter(project: unknown, files: Texts): string | undefined {
  const versions = [
    files['.python-version'],
    /^version(?:_info)?\s*=\s*(.+)$/mu.exec(files['.venv/pyvenv.cfg'] ?? '')?.[1],
    files['runtime.txt']?.replace(/^python-/u, ''),
    text(at(project, 'project', 'requires-python')),
    text(at(project, 'tool', 'poetry', 'dependencies', 'python')),
    /python_requires\s*=\s*["']?([^"'\n]+)/u.exec(files['setup.py'] ?? files['setup.cfg'] ?? '')?.[1],
  ];
  return versions.find((version) => major(version) !== undefined);
}

/** Required packages and version specifiers by normalized name. */
function requirements(project: unknown, files: Texts): Map<string, string> {
  const lists = [at(project, 'project', 'dependencies'), ...valuesOf(at(project, 'project', 'optional-dependencies'))];
  const groups = valuesOf(at(project, 'dependency-groups'));
  // An item such as `{ include-group = "tests" }` is skipped, because the included group is in the list itself.
  const lines = [...lists, ...groups]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter((one) => typeof one === 'string');
  lines.push(...(files['requirements.txt'] ?? '').split('\n'));
  lines.push(...quotedOf(files['setup.py']), ...(files['setup.cfg'] ?? '').split('\n'));
  const found = lines.map((line) => REQUIREMENT.exec(line)).filter((match) => match !== null);
  const poetry = Object.entries(Object(at(project, 'tool', 'poetry', 'dependencies')));
  const pipfile = Object.entries(Object(at(parsed(parse, files.Pipfile), 'packages')));
  return new Map([
    ...found.map((match): [string, string] => [normalized(match[1] ?? ''), match[2] ?? '']),
    ...[...poetry, ...pipfile].map(([name, range]): [string, string] => [
      normalized(name),
      text(range) ?? text(at(range, 'version')) ?? '',
    ]),
  ]);
}

/** setup.py is a program, so every quoted text that looks like a requirement counts. */
function quotedOf(program: string | undefined): string[] {
  return [...(program ?? '').matchAll(/["']([A-Za-z][\w.-]*(?:\[[^\]]*\])?\s*[<>=~!][^"']*|[a-z]+)["']/gu)].map(
    (match) => match[1] ?? '',
  );
}

/**
 * uv.lock and poetry.lock: `name = "django"`, `version = "5.0.1"`. Pipfile.lock: `"django": {..., "version": "==5"`.
 */
function locked(files: Texts, name: string): string | undefined {
  const toml = new RegExp(`^name = "${escaped(name)}"\\nversion = "([^"]+)"`, 'mu');
  const lock = parsed(JSON.parse, files['Pipfile.lock']);
  return (
    toml.exec(files['uv.lock'] ?? '')?.[1] ??
    toml.exec(files['poetry.lock'] ?? '')?.[1] ??
    text(at(lock, 'default', name, 'version'))
  );
}

function valuesOf(table: unknown): unknown[] {
  return Object.values(Object(table));
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]+/gu, '-');
}
