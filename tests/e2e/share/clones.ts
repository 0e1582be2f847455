/** Clones of the same repository that belong to different users, and their actions. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { argus, type Result } from '../argus.ts';
import { project, someUser } from '../harness.ts';
import { git } from '../team/team.ts';

/** A test that prints TAP. It fails until the stock is ready, with an error that the stock can set. */
const TEST = `
import { readFileSync } from 'node:fs';
const { ready, error = 'the stock of apples is not ready' } = JSON.parse(readFileSync('stock.json', 'utf8'));
const result = ready ? 'ok 1 - the stock is known' : 'not ok 1 - the stock is known\\n  ---\\n  error: ' + error + '\\n  ...';
console.log('TAP version 13\\n' + result + '\\n1..1');
process.exitCode = ready ? 0 : 1;
`;

export const CASE = 'the stock is known';
export const FIX = 'Set ready in stock.json before the service starts';

export interface Clone {
  root: string;
  env: Record<string, string>;
  /** Runs a command and returns its exit code and output. */
  argus(...args: string[]): Promise<Result>;
  /** Runs a command and returns the data of its answer. */
  data(...args: string[]): Promise<unknown>;
  /** Changes the stock, runs the test and returns its failures. */
  run(stock: object): Promise<Run>;
  commit(message: string): void;
  push(): void;
  pull(): void;
}

const origin = z.object({
  file: z.string(),
  by: z.string().optional(),
  state: z.string().optional(),
  decidedBy: z.string().optional(),
});

const run = z.object({
  data: z.object({
    runId: z.string(),
    status: z.enum(['passed', 'failed']),
    failures: z.array(
      z.object({
        caseName: z.string(),
        shared: z.object({ id: z.string(), suggestedFix: z.string(), memory: z.literal('foreign'), origin }).optional(),
      }),
    ),
    proved: z.array(z.unknown()).optional(),
  }),
});

export type Run = z.output<typeof run>['data'];

const fixes = z.object({
  data: z.object({
    shared: z.array(z.object({ fixId: z.string(), own: z.boolean().optional(), origin: origin.loose() })).optional(),
  }),
});

/** Makes a bare repository with the project and its test. */
export function bare(): string {
  const [where, first] = [project(), project({ 'stock.test.mjs': TEST })];
  git(where, 'init', '--quiet', '--bare', '--initial-branch=main');
  writeFileSync(path.join(first, 'stock.json'), '{"ready":true}\n');
  git(first, 'init', '--quiet', '--initial-branch=main');
  git(first, 'add', '.');
  git(first, ...AS_SOMEBODY, 'commit', '--quiet', '-m', 'begin');
  git(first, 'push', '--quiet', where, 'main');
  return where;
}

const AS_SOMEBODY = ['-c', 'user.name=somebody', '-c', 'user.email=somebody@example.org'];

export function clone(of: string): Clone {
  const root = path.join(project(), 'shop');
  git(path.dirname(root), 'clone', '--quiet', of, root);
  const env = someUser();
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
      return run.parse(JSON.parse((await argus(args, { env, cwd: root })).stdout)).data;
    },
    commit: (message) => {
      git(root, 'add', '--all');
      git(root, ...AS_SOMEBODY, 'commit', '--quiet', '-m', message);
    },
    push: () => void git(root, 'push', '--quiet', 'origin', 'HEAD'),
    pull: () => void git(root, ...AS_SOMEBODY, 'pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'main'),
  };
}

/** Makes a clone in which a fix is proved and shared but not pushed. */
export async function shared(of: string, name = 'ann'): Promise<{ clone: Clone; fixId: string }> {
  const one = clone(of);
  const { runId } = await one.run({ ready: false });
  expect((await one.argus('report-fix', runId, CASE, FIX)).status).toBe(0);
  expect(await one.run({ ready: true })).toMatchObject({ status: 'passed', proved: [{}] });
  const { status, stdout } = await one.argus('share', '--as', name);
  expect(status, stdout).toBe(0);
  const [file = ''] = /fix-[0-9a-f-]+/u.exec(stdout) ?? [];
  one.commit('share what is known');
  return { clone: one, fixId: file };
}

/** Returns git's status of the shared folder. It is empty when everything is committed without conflicts. */
export function statusOfShared({ root }: Clone): string {
  return execFileSync('git', ['status', '--porcelain', '--', '.argus-shared'], { cwd: root, encoding: 'utf8' });
}

/** Returns the fixes that the repository shares, as a clone sees them. */
export async function sharedFixes(one: Clone) {
  return fixes.parse(await one.data('fixes')).data.shared ?? [];
}
