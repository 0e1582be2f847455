/** Detects the test command of projects for Node, Bun and Deno. */

import { filesNamed, hasFile, projectFile } from '../../../system/files/project-file.ts';
import { foldersUpwards } from '../../../system/files/work-tree-top.ts';
import { denoTasks, field, packageScripts, readManifest } from '../scripts.ts';
import { workspaceRun } from '../workspaces.ts';

/** The test script that `npm init` writes. */
const PLACEHOLDER = /no test specified/u;

/** Runners of projects without a test script, most reliable first. */
const NODE_RUNNERS = [
  { dependency: 'vitest', command: 'npx vitest run' },
  { dependency: 'jest', command: 'npx jest' },
  { dependency: 'mocha', command: 'npx mocha' },
  { dependency: 'ava', command: 'npx ava' },
  { dependency: 'tap', command: 'npx tap' },
  { dependency: 'uvu', command: 'npx uvu' },
  { dependency: 'jasmine', command: 'npx jasmine' },
  { dependency: 'qunit', command: 'npx qunit' },
  { dependency: '@playwright/test', command: 'npx playwright test' },
];

/** Commands that test all packages of a workspace whose root has no tests. */
const IN_PACKAGES: Readonly<Record<string, string>> = {
  npm: 'npm test --workspaces --if-present',
  pnpm: 'pnpm -r test',
};

export function node(root: string): string | undefined {
  const manifest = readManifest(root);
  if (manifest === undefined) return undefined;
  const script = packageScripts(root).test;
  if (script && !PLACEHOLDER.test(script)) return `${packageManager(root, manifest)} test`;
  const dependencies = new Set(
    ['dependencies', 'devDependencies'].flatMap((kind) => Object.keys(object(field(manifest, kind)))),
  );
  const known = NODE_RUNNERS.find((runner) => dependencies.has(runner.dependency))?.command;
  if (known !== undefined) return known;
  const inPackages = IN_PACKAGES[packageManager(root, manifest)];
  if (inPackages !== undefined && workspaceRun(inPackages.split(' '), root) !== undefined) return inPackages;
  if (packageManager(root, manifest) === 'bun run') return 'bun test';
  return usesNodeTest(root) ? 'node --test' : undefined;
}

export function deno(root: string): string | undefined {
  const tasks = denoTasks(root);
  if (tasks === undefined) return undefined;
  return tasks.test ? 'deno task test' : 'deno test';
}

/** The runner of Node is not a dependency. It can only be detected by imports in test files. */
function usesNodeTest(root: string): boolean {
  const files = [
    ...filesNamed(root, ['test'], /\.[cm]?[jt]s$/u),
    ...filesNamed(root, ['.', 'src', 'tests'], /(?:^test|[._-]test|^test-.+)\.[cm]?[jt]s$/u),
  ];
  return files.some((file) => /['"]node:test['"]/u.test(projectFile(root, file) ?? ''));
}

/** The package manager: `npm`, `pnpm`, `yarn` or `bun`. */
export function packageManagerOf(root: string): string {
  return packageManager(root, readManifest(root)).split(' ', 1)[0] ?? 'npm';
}

/** A package of a workspace uses the package manager of the workspace. */
function packageManager(root: string, manifest: unknown): string {
  for (const folder of foldersUpwards(root)) {
    const found = managerOf(folder, folder === root ? manifest : readManifest(folder));
    if (found !== undefined) return found;
  }
  return 'npm';
}

function managerOf(folder: string, manifest: unknown): string | undefined {
  const declared = field(manifest, 'packageManager');
  const name = typeof declared === 'string' ? declared.split('@', 1)[0] : undefined;
  if (name === 'npm' || name === 'pnpm' || name === 'yarn') return name;
  if (name === 'bun') return 'bun run';
  if (hasFile(folder, 'pnpm-lock.yaml') || hasFile(folder, 'pnpm-workspace.yaml')) return 'pnpm';
  if (hasFile(folder, 'yarn.lock')) return 'yarn';
  // `bun test` would start the runner of Bun instead of the script.
  if (hasFile(folder, 'bun.lock') || hasFile(folder, 'bun.lockb')) return 'bun run';
  return hasFile(folder, 'package-lock.json') ? 'npm' : undefined;
}

function object(value: unknown): object {
  return value !== null && typeof value === 'object' ? value : {};
}
