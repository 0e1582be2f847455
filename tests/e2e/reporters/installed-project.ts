/** Projects with an installed reporter of Argus, and functions that start their runners as users do. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { RUNNER_PATH } from '../../runners/installed.ts';
import { argus } from '../argus.ts';
import { copyRunnerProject, createEnvironment } from '../harness.ts';

const MCP_PACKAGE = fileURLToPath(new URL('../../../packages/mcp', import.meta.url));
const RUNNER_MODULES = fileURLToPath(new URL('../runners/node_modules', import.meta.url));

/** Copies a project from `runners/`, adds these files, and installs the runner and argus-mcp in `node_modules`. */
export function createInstalledProject(runner: string, files: Record<string, string> = {}): string {
  const root = copyRunnerProject(runner);
  const modules = path.join(root, 'node_modules');
  rmSync(modules, { force: true });
  mkdirSync(modules);
  for (const name of readdirSync(RUNNER_MODULES))
    symlinkSync(path.join(RUNNER_MODULES, name), path.join(modules, name));
  symlinkSync(MCP_PACKAGE, path.join(modules, 'argus-mcp'));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  return root;
}

/**
 * Runs a command without `argus run`. It is asynchronous, because Vitest needs answers of this process during the run.
 */
export async function runDirectly(root: string, command: string, env: Record<string, string> = {}) {
  const child = spawn(command, {
    cwd: root,
    env: createEnvironment({ PATH: RUNNER_PATH, ...env }),
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, stdout, stderr };
}

export function runUnderArgus(root: string, command: string) {
  return argus(['run', command], { cwd: root, env: { PATH: RUNNER_PATH } });
}

/** Returns the recorded runs, the newest first. */
export async function readRuns(
  root: string,
): Promise<{ id: string; command: string; passed: number; failed: number; status: string }[]> {
  return JSON.parse((await argus(['history', '--json'], { cwd: root })).stdout).data.runs;
}

export async function readCaseNames(root: string, runId = ''): Promise<string[]> {
  const { cases } = JSON.parse((await argus(['history', runId, '--json'], { cwd: root })).stdout).data;
  return cases.map(({ caseName }: { caseName: string }) => caseName);
}

export const MOCHA_REPORTER = { '.mocharc.json': '{ "require": ["argus-mcp/mocha"] }\n' };

/** Creates a Mocha project with the installed reporter. */
export function createMochaProject(files: Record<string, string> = {}): string {
  return createInstalledProject('mocha', { ...MOCHA_REPORTER, ...files });
}

interface InstalledReporter {
  /** Name of a folder in `runners/`. */
  folder: string;
  command: string;
  files: Record<string, string>;
  /** The name of the failing case. */
  wrong: string;
}

/** Runs the command twice directly and once under `argus run`, and expects each run to be recorded once. */
export async function expectRecordedOnce({ folder, command, files, wrong }: InstalledReporter): Promise<void> {
  const root = createInstalledProject(folder, files);
  const first = await runDirectly(root, command);
  expect(first, first.stderr).toMatchObject({ status: 1 });
  expect(first.stderr).not.toMatch(/^argus/mu);
  expect(first.stdout + first.stderr).toContain('is wrong');
  const second = await runDirectly(root, command);
  expect(second.status).toBe(1);
  expect(second.stderr).toContain('argus knows these failures:');
  expect(second.stderr).toMatch(new RegExp(`${wrong}: .*\n *failing since`, 'u'));

  const under = await runUnderArgus(root, command);
  expect(under, under.stderr).toMatchObject({ status: 1 });
  expect(under.stdout + under.stderr).not.toContain('knows these failures');

  const runs = await readRuns(root);
  expect(runs).toMatchObject(Array(3).fill({ passed: 1, failed: 1, status: 'failed' }));
  expect(await readCaseNames(root, runs[0]?.id)).toEqual(await readCaseNames(root, runs[2]?.id));
  expect(runs[2]?.command.split(' ')[0]).toBe(command.split(' ')[0]);
}
