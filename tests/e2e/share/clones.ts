/** Clones of the same repository that belong to different users, and the actions of these users. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { argus, type CommandResult } from '../argus.ts';
import { createProject, createUser } from '../harness.ts';
import { runGit } from '../team/team.ts';

/** A test that prints TAP. It fails until the stock is ready, with an error text that the stock file can set. */
const STOCK_TEST = `
import { readFileSync } from 'node:fs';
const { ready, error = 'the stock of apples is not ready' } = JSON.parse(readFileSync('stock.json', 'utf8'));
const result = ready ? 'ok 1 - the stock is known' : 'not ok 1 - the stock is known\\n  ---\\n  error: ' + error + '\\n  ...';
console.log('TAP version 13\\n' + result + '\\n1..1');
process.exitCode = ready ? 0 : 1;
`;

export const CASE_NAME = 'the stock is known';
export const FIX_STEPS = 'Set ready in stock.json before the service starts';

export interface Clone {
  root: string;
  env: Record<string, string>;
  /** Runs a command and returns its exit code and output. */
  argus(...args: string[]): Promise<CommandResult>;
  /** Runs a command and returns the data of its answer. */
  data(...args: string[]): Promise<unknown>;
  /** Changes the stock, runs the test and returns its failures. */
  run(stock: object): Promise<CloneRun>;
  commit(message: string): void;
  push(): void;
  pull(): void;
}

const originSchema = z.object({
  file: z.string(),
  by: z.string().optional(),
  state: z.string().optional(),
  decidedBy: z.string().optional(),
});

const runSchema = z.object({
  data: z.object({
    runId: z.string(),
    status: z.enum(['passed', 'failed']),
    failures: z.array(
      z.object({
        caseName: z.string(),
        shared: z
          .object({ id: z.string(), suggestedFix: z.string(), memory: z.literal('foreign'), origin: originSchema })
          .optional(),
      }),
    ),
    proved: z.array(z.unknown()).optional(),
  }),
});

export type CloneRun = z.output<typeof runSchema>['data'];

const fixesSchema = z.object({
  data: z.object({
    shared: z
      .array(z.object({ fixId: z.string(), own: z.boolean().optional(), origin: originSchema.loose() }))
      .optional(),
  }),
});

/** Creates a bare repository with the project and its test. */
export function createBareRepository(): string {
  const [where, first] = [createProject(), createProject({ 'stock.test.mjs': STOCK_TEST })];
  runGit(where, 'init', '--quiet', '--bare', '--initial-branch=main');
  writeFileSync(path.join(first, 'stock.json'), '{"ready":true}\n');
  runGit(first, 'init', '--quiet', '--initial-branch=main');
  runGit(first, 'add', '.');
  runGit(first, ...GIT_IDENTITY, 'commit', '--quiet', '-m', 'begin');
  runGit(first, 'push', '--quiet', where, 'main');
  return where;
}

const GIT_IDENTITY = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.org'];

export function createClone(of: string): Clone {
  const root = path.join(createProject(), 'shop');
  runGit(path.dirname(root), 'clone', '--quiet', of, root);
  const env = createUser();
  const invoke = (...args: string[]) => argus([...args, '--project', root], { env, cwd: root });
  const data = async (...args: string[]): Promise<unknown> => {
    const { stdout, stderr } = await invoke(...args, '--json');
    expect(stdout, stderr).not.toBe('');
    return JSON.parse(stdout);
  };
  return {
    root,
    env,
    argus: invoke,
    data,
    run: async (stock) => {
      writeFileSync(path.join(root, 'stock.json'), `${JSON.stringify(stock)}\n`);
      const args = ['run', '--json', '--project', root, 'node', 'stock.test.mjs'];
      return runSchema.parse(JSON.parse((await argus(args, { env, cwd: root })).stdout)).data;
    },
    commit: (message) => {
      runGit(root, 'add', '--all');
      runGit(root, ...GIT_IDENTITY, 'commit', '--quiet', '-m', message);
    },
    push: () => void runGit(root, 'push', '--quiet', 'origin', 'HEAD'),
    pull: () => void runGit(root, ...GIT_IDENTITY, 'pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'main'),
  };
}

/** Creates a clone in which a fix is proved and shared but not pushed. */
export async function createCloneWithSharedFix(of: string, name = 'ann'): Promise<{ clone: Clone; fixId: string }> {
  const one = createClone(of);
  const { runId } = await one.run({ ready: false });
  expect((await one.argus('report-fix', runId, CASE_NAME, FIX_STEPS)).status).toBe(0);
  expect(await one.run({ ready: true })).toMatchObject({ status: 'passed', proved: [{}] });
  const { status, stdout } = await one.argus('share', '--as', name);
  expect(status, stdout).toBe(0);
  const [file = ''] = /fix-[0-9a-f-]+/u.exec(stdout) ?? [];
  one.commit('share what is known');
  return { clone: one, fixId: file };
}

/** Returns git's status of the shared folder. The status is empty if everything is committed without conflicts. */
export function readSharedStatus({ root }: Clone): string {
  return execFileSync('git', ['status', '--porcelain', '--', '.argus-shared'], { cwd: root, encoding: 'utf8' });
}

/** Returns the fixes that the repository shares, as a clone sees them. */
export async function readSharedFixes(one: Clone) {
  return fixesSchema.parse(await one.data('fixes')).data.shared ?? [];
}
