/** Projects that have a reporter of Argus installed, and their runners started as anybody starts them. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { argus } from '../argus.ts';
import { environment, runnerProject } from '../harness.ts';
import { PATH } from '../runs/installed.ts';

const PACKAGE = fileURLToPath(new URL('../../../packages/mcp', import.meta.url));
const MODULES = fileURLToPath(new URL('../runners/node_modules', import.meta.url));

/** A copy of a project of `runners/` with these files, and both its runner and argus-mcp in `node_modules`. */
export function installedProject(runner: string, files: Record<string, string> = {}): string {
  const root = runnerProject(runner);
  const modules = path.join(root, 'node_modules');
  rmSync(modules, { force: true });
  mkdirSync(modules);
  for (const name of readdirSync(MODULES)) symlinkSync(path.join(MODULES, name), path.join(modules, name));
  symlinkSync(PACKAGE, path.join(modules, 'argus-mcp'));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  return root;
}

/** Starts it without Argus around it. The test runner wants to hear of this process meanwhile. */
export async function start(root: string, command: string, env: Record<string, string> = {}) {
  const child = spawn(command, {
    cwd: root,
    env: environment({ PATH, ...env }),
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stdout, stderr };
}

export function underArgus(root: string, command: string) {
  return argus(['run', command], { cwd: root, env: { PATH } });
}

/** What is recorded, newest first. */
export async function runsOf(
  root: string,
): Promise<{ id: string; command: string; passed: number; failed: number; status: string }[]> {
  return JSON.parse((await argus(['history', '--json'], { cwd: root })).stdout).data.runs;
}

export async function casesOf(root: string, runId = ''): Promise<string[]> {
  const { cases } = JSON.parse((await argus(['history', runId, '--json'], { cwd: root })).stdout).data;
  return cases.map(({ caseName }: { caseName: string }) => caseName);
}
