/**
 * Detects the environment of a JavaScript or TypeScript project. It does not read node_modules, which may be missing or
 * outdated.
 */

import {
  asString,
  type EcosystemFinding,
  type EnvironmentFacts,
  escapeRegExp,
  type FileTexts,
  getNested,
  joinNameAndMajor,
  parseMajor,
  removeUndefined,
  tryParse,
} from './facts.ts';

/** A meta-framework comes before the framework that it contains. `name` is set if it differs from the package name. */
const FRAMEWORKS: readonly { package: string; name?: string }[] = [
  { package: 'next' },
  { package: 'nuxt' },
  { package: '@sveltejs/kit', name: 'sveltekit' },
  { package: '@remix-run/react', name: 'remix' },
  { package: 'gatsby' },
  { package: 'astro' },
  { package: '@angular/core', name: 'angular' },
  { package: '@nestjs/core', name: 'nest' },
  { package: 'electron' },
  { package: 'expo' },
  { package: 'react-native' },
  { package: 'vue' },
  { package: 'svelte' },
  { package: 'solid-js', name: 'solid' },
  { package: 'preact' },
  { package: 'react' },
  { package: 'fastify' },
  { package: '@hapi/hapi', name: 'hapi' },
  { package: 'koa' },
  { package: 'hono' },
  { package: 'express' },
];

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** Returns undefined if the project has neither a package.json nor a deno.json. */
export function detectNode(files: FileTexts, machine: { nodeVersion: string }): EcosystemFinding | undefined {
  if (files['deno.json'] !== undefined || files['deno.jsonc'] !== undefined) {
    return { facts: { language: 'typescript', runtime: 'deno' }, isCertain: true };
  }
  const manifest = tryParse(JSON.parse, files['package.json']);
  if (manifest === undefined) return undefined;
  const findVersion = createVersionLookup(manifest, files);
  const framework = FRAMEWORKS.find((one) => findVersion(one.package) !== undefined);
  const facts = removeUndefined({
    ...detectLanguage(findVersion, files),
    framework: framework && (framework.name ?? framework.package),
    framework_major: framework && parseMajor(findVersion(framework.package)),
    runtime: detectRuntime(manifest, files, machine),
  });
  return { facts, isCertain: framework !== undefined || getNested(manifest, 'dependencies') !== undefined };
}

function detectLanguage(findVersion: (name: string) => string | undefined, files: FileTexts): EnvironmentFacts {
  const typescript = findVersion('typescript');
  if (typescript === undefined && files['tsconfig.json'] === undefined) return { language: 'javascript' };
  return removeUndefined({ language: 'typescript', language_major: parseMajor(typescript) });
}

/** Returns the pinned runtime, otherwise the version of Node that runs this process. */
function detectRuntime(manifest: unknown, files: FileTexts, machine: { nodeVersion: string }): string {
  if (files['bun.lock'] !== undefined || files['bun.lockb'] !== undefined) return 'bun';
  const pinned = [files['.nvmrc'], files['.node-version'], asString(getNested(manifest, 'volta', 'node'))];
  return joinNameAndMajor('node', pinned.find((version) => parseMajor(version) !== undefined) ?? machine.nodeVersion);
}

/**
 * Returns a function that finds the version of a dependency in the lock file, otherwise its range in package.json. The
 * function returns undefined for a package that is not a dependency.
 */
function createVersionLookup(manifest: unknown, files: FileTexts): (name: string) => string | undefined {
  const lock = tryParse(JSON.parse, files['package-lock.json']);
  return (name) => {
    const range = DEPENDENCY_FIELDS.map((kind) => asString(getNested(manifest, kind, name))).find(
      (one) => one !== undefined,
    );
    if (range === undefined) return undefined;
    const locked =
      asString(getNested(lock, 'packages', `node_modules/${name}`, 'version')) ??
      asString(getNested(lock, 'dependencies', name, 'version')) ??
      findInPnpmLock(files['pnpm-lock.yaml'], name) ??
      findInYarnLock(files['yarn.lock'], name) ??
      findInBunLock(files['bun.lock'], name);
    return locked ?? range.replace(/^(?:npm:.*@|workspace:|catalog:)/u, '');
  };
}

/** Finds an entry of the root's importer: `  react:`, `    specifier: ^18.2.0`, `    version: 18.3.1(...)`. */
function findInPnpmLock(lock: string | undefined, name: string): string | undefined {
  const entry = new RegExp(`^ +'?${escapeRegExp(name)}'?:\\n +specifier: .+\\n +version: '?([^\\n'(]+)`, 'mu');
  return entry.exec(lock ?? '')?.[1];
}

/**
 * Finds an entry in version 1 of the format, `react@^18.2.0:` with `  version "18.3.1"`, or in newer versions,
 * `"react@npm:^18.2.0":` with `  version: 18.3.1`.
 */
function findInYarnLock(lock: string | undefined, name: string): string | undefined {
  const entry = new RegExp(`^"?${escapeRegExp(name)}@[^\\n]+:\\n +version:? "?([^\\n"]+)`, 'mu');
  return entry.exec(lock ?? '')?.[1];
}

/** Finds an entry such as `"react": ["react@18.3.1", ...]`. */
function findInBunLock(lock: string | undefined, name: string): string | undefined {
  return new RegExp(`"${escapeRegExp(name)}": \\["${escapeRegExp(name)}@([^"]+)"`, 'u').exec(lock ?? '')?.[1];
}
