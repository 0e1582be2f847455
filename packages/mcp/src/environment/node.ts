/**
 * Reads the environment of a JavaScript or TypeScript project. It does not read node_modules, because that may be
 * missing or stale.
 */

import { at, escaped, type Facts, type Finding, known, major, named, parsed, type Texts, text } from './facts.ts';

/** Meta-frameworks come before the frameworks that they contain. `name` is set if it differs from the package name. */
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

const DEPENDENCIES = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** Undefined without a package.json or deno.json. */
export function nodeFacts(files: Texts, machine: { nodeVersion: string }): Finding | undefined {
  if (files['deno.json'] !== undefined || files['deno.jsonc'] !== undefined) {
    return { facts: { language: 'typescript', runtime: 'deno' }, sure: true };
  }
  const manifest = parsed(JSON.parse, files['package.json']);
  if (manifest === undefined) return undefined;
  const version = versionsOf(manifest, files);
  const framework = FRAMEWORKS.find((one) => version(one.package) !== undefined);
  const facts = known({
    ...language(version, files),
    framework: framework && (framework.name ?? framework.package),
    framework_major: framework && major(version(framework.package)),
    runtime: runtime(manifest, files, machine),
  });
  return { facts, sure: framework !== undefined || at(manifest, 'dependencies') !== undefined };
}

function language(version: (name: string) => string | undefined, files: Texts): Facts {
  const typescript = version('typescript');
  if (typescript === undefined && files['tsconfig.json'] === undefined) return { language: 'javascript' };
  return known({ language: 'typescript', language_major: major(typescript) });
}

/** The pinned runtime, otherwise the version of Node that runs this process. */
function runtime(manifest: unknown, files: Texts, machine: { nodeVersion: string }): string {
  if (files['bun.lock'] !== undefined || files['bun.lockb'] !== undefined) return 'bun';
  const pinned = [files['.nvmrc'], files['.node-version'], text(at(manifest, 'volta', 'node'))];
  return named('node', pinned.find((version) => major(version) !== undefined) ?? machine.nodeVersion);
}

/**
 * The version of a dependency from the lock file, otherwise the range in package.json. Undefined for other packages.
 */
function versionsOf(manifest: unknown, files: Texts): (name: string) => string | undefined {
  const lock = parsed(JSON.parse, files['package-lock.json']);
  return (name) => {
    const range = DEPENDENCIES.map((kind) => text(at(manifest, kind, name))).find((one) => one !== undefined);
    if (range === undefined) return undefined;
    const locked =
      text(at(lock, 'packages', `node_modules/${name}`, 'version')) ??
      text(at(lock, 'dependencies', name, 'version')) ??
      fromPnpm(files['pnpm-lock.yaml'], name) ??
      fromYarn(files['yarn.lock'], name) ??
      fromBun(files['bun.lock'], name);
    return locked ?? range.replace(/^(?:npm:.*@|workspace:|catalog:)/u, '');
  };
}

/** An entry of the root's importer: `  react:`, `    specifier: ^18.2.0`, `    version: 18.3.1(...)`. */
function fromPnpm(lock: string | undefined, name: string): string | undefined {
  const entry = new RegExp(`^ +'?${escaped(name)}'?:\\n +specifier: .+\\n +version: '?([^\\n'(]+)`, 'mu');
  return entry.exec(lock ?? '')?.[1];
}

/**
 * Version 1 of the format has `react@^18.2.0:`, `  version "18.3.1"`. Newer versions have `"react@npm:^18.2.0":`, `
 * version: 18.3.1`.
 */
function fromYarn(lock: string | undefined, name: string): string | undefined {
  const entry = new RegExp(`^"?${escaped(name)}@[^\\n]+:\\n +version:? "?([^\\n"]+)`, 'mu');
  return entry.exec(lock ?? '')?.[1];
}

/** `"react": ["react@18.3.1", ...]`. */
function fromBun(lock: string | undefined, name: string): string | undefined {
  return new RegExp(`"${escaped(name)}": \\["${escaped(name)}@([^"]+)"`, 'u').exec(lock ?? '')?.[1];
}
