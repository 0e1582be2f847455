/**
 * What the failing file depends on, in which versions, and what it imports that the project does not declare. Nothing
 * is resolved or installed.
 */

import { FILES } from '../../../environment/detect.ts';
import { escaped, type Texts } from '../../../environment/facts.ts';
import { nodePackages } from '../../../environment/node.ts';
import { pythonPackages } from '../../../environment/python.ts';
import { rustPackages } from '../../../environment/rust.ts';
import { type Ecosystem, ecosystemOf, importsOf, packagesInError } from '../code/imports.ts';

import type { Finding } from '../context-model.ts';
import type { ContextScope, SourceLocation } from '../scope.ts';

const MAX_SHOWN = 20;

/** The file that declares dependencies, by which the nearest folder is found. */
const MANIFESTS: Readonly<Record<Ecosystem, readonly string[]>> = {
  node: ['package.json'],
  python: ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile'],
  rust: ['Cargo.toml'],
  go: ['go.mod'],
  jvm: ['pom.xml', 'build.gradle', 'build.gradle.kts'],
  ruby: ['Gemfile'],
};

type Versions = (name: string) => string | undefined;

export function dependencies(scope: ContextScope): Finding {
  const { place, request } = scope;
  const inError = packagesInError(request.errorText);
  const imports = place === null ? undefined : importsOf(place.file, place.lines.join('\n'));
  const ecosystem = imports?.ecosystem ?? guessEcosystem(scope);
  const names = [...new Set([...inError, ...(imports?.packages ?? [])])];
  if (ecosystem === undefined)
    return { why_not: 'The place of the error is not known, and the project has no manifest.' };
  const { manifest, versions } = declared(scope, ecosystem, place?.file ?? 'x');
  if (names.length === 0) {
    return {
      why_not: place === null ? 'The place of the error is not known, and it names no package.' : nothing(place),
    };
  }
  const own = (name: string) => isOwn(scope, ecosystem, name);
  const rows = names
    .filter((name) => inError.includes(name) || !own(name))
    .slice(0, MAX_SHOWN)
    .map((name) => {
      const version = versions?.(name);
      if (version !== undefined) return `${name} ${version}`.trim();
      if (versions === undefined) return `${name} (no manifest declares versions)`;
      if (inError.includes(name)) {
        scope.evidence.push({ weight: 9, text: `${name} is imported but not declared in ${manifest}` });
      }
      return `${name}: not declared in ${manifest}`;
    });
  if (rows.length === 0 && place !== null) return { why_not: nothing(place) };
  const source = [place !== null && `imports of ${place.file}`, manifest].filter((one) => one);
  return { answer: rows.join('\n'), source: source.join(', ') };
}

function nothing({ file }: SourceLocation): string {
  return `${file} imports nothing but the language's own library and the project.`;
}

function guessEcosystem({ files }: ContextScope): Ecosystem | undefined {
  const found = Object.entries(MANIFESTS).find(([, names]) => names.some((name) => files.has(name)));
  return found === undefined ? undefined : ecosystemOf(`x${EXTENSION[found[0]] ?? ''}`);
}

const EXTENSION: Readonly<Record<string, string>> = {
  node: '.js',
  python: '.py',
  rust: '.rs',
  go: '.go',
  jvm: '.java',
  ruby: '.rb',
};

/** The nearest manifest counts; a lock file may lie further up. */
function declared(
  scope: ContextScope,
  ecosystem: Ecosystem,
  from: string,
): { manifest: string; versions: Versions | undefined } {
  const nearest = MANIFESTS[ecosystem].map((name) => scope.files.nearest(from, name)).find((one) => one !== undefined);
  const manifest = nearest ?? MANIFESTS[ecosystem][0] ?? '';
  const texts: Record<string, string | undefined> = {};
  for (const name of [...FILES, 'Gemfile.lock', 'Gemfile']) {
    const found = scope.files.nearest(from, name);
    if (found !== undefined) texts[name] = scope.files.text(found);
  }
  return { manifest, versions: versionsIn(ecosystem, texts) };
}

function versionsIn(ecosystem: Ecosystem, texts: Texts): Versions | undefined {
  switch (ecosystem) {
    case 'node':
      return nodePackages(texts);
    case 'python':
      return pythonPackages(texts);
    case 'rust':
      return rustPackages(texts);
    case 'go':
      return goModules(texts['go.mod']);
    case 'jvm':
      return jvmArtifacts([texts['pom.xml'], texts['build.gradle'], texts['build.gradle.kts']].join('\n'));
    case 'ruby':
      return gems(texts);
  }
}

/** A package lies in a module whose path it begins with. */
function goModules(manifest: string | undefined): Versions | undefined {
  if (manifest === undefined) return undefined;
  const required = [...manifest.matchAll(/^\s*(?:require\s+)?([\w.-]+\.[\w./-]+)\s+(v\S+)/gmu)];
  const byLength = required.sort((a, b) => (b[1]?.length ?? 0) - (a[1]?.length ?? 0));
  return (name) => byLength.find(([, module]) => name === module || name.startsWith(`${module}/`))?.[2];
}

function jvmArtifacts(build: string): Versions | undefined {
  if (build.trim() === '') return undefined;
  return (name) => {
    const group = escaped(name.split('.').slice(0, 2).join('.'));
    const maven = new RegExp(
      `<groupId>${group}[\\w.]*</groupId>\\s*<artifactId>([^<]+)</artifactId>(?:\\s*<version>([^<]+))?`,
      'u',
    );
    const gradle = new RegExp(`["']${group}[\\w.]*:([\\w.-]+)(?::([\\w.-]+))?["']`, 'u');
    const found = maven.exec(build) ?? gradle.exec(build);
    return found ? `(${found[1]}${found[2] ? ` ${found[2]}` : ''})` : undefined;
  };
}

function gems(texts: Texts): Versions | undefined {
  const lock = texts['Gemfile.lock'];
  if (lock === undefined && texts.Gemfile === undefined) return undefined;
  return (name) =>
    new RegExp(`^ {4}${escaped(name)} \\(([^)]+)\\)`, 'mu').exec(lock ?? '')?.[1] ??
    (new RegExp(`^\\s*gem ["']${escaped(name)}["']`, 'mu').test(texts.Gemfile ?? '') ? '' : undefined);
}

/** A module of the project itself. */
function isOwn({ files, place }: ContextScope, ecosystem: Ecosystem, name: string): boolean {
  if (ecosystem === 'go') {
    const module = /^module\s+(\S+)/mu.exec(files.text('go.mod') ?? '')?.[1];
    return module !== undefined && (name === module || name.startsWith(`${module}/`));
  }
  if (ecosystem === 'python') {
    const folder = place?.file.includes('/') ? place.file.slice(0, place.file.lastIndexOf('/') + 1) : '';
    const module = name.replaceAll('-', '_');
    return ['', 'src/', folder].some(
      (base) => files.has(`${base}${module}.py`) || files.has(`${base}${module}/__init__.py`),
    );
  }
  if (ecosystem === 'rust') {
    const folder = place?.file.slice(0, place.file.lastIndexOf('/') + 1) ?? '';
    const crate = /^name\s*=\s*"([^"]+)"/mu.exec(files.text('Cargo.toml') ?? '')?.[1]?.replaceAll('-', '_');
    return (
      name === crate ||
      ['src/', folder].some((base) => files.has(`${base}${name}.rs`) || files.has(`${base}${name}/mod.rs`))
    );
  }
  if (ecosystem === 'node') {
    return new RegExp(`"name"\\s*:\\s*"${escaped(name)}"`, 'u').test(files.text('package.json') ?? '');
  }
  return ecosystem === 'jvm' && place !== null && packageLine(place.lines)?.startsWith(name) === true;
}

function packageLine(lines: readonly string[]): string | undefined {
  return lines.map((line) => /^package\s+([\w.]+)/u.exec(line)?.[1]).find((name) => name !== undefined);
}
