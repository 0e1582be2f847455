/** Tests whether the change that fixed a failure is found in the work tree, in histories of real repositories. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findFixPresence } from '../../src/git/fix-presence.ts';
import { createFolder, createProject } from '../project.ts';

const BROKEN = `export function countStock(items) {
  let total = 0;
  for (const item of items) {
    total += item.amount;
  }
  return total;
}

export function isEmpty(items) {
  return items.length === 0;
}
`;
const FIXED = BROKEN.replace('total += item.amount;', 'total += item.amount ?? item.boxes * 12;');
const GUARDED = BROKEN.replace('  let total', '  if (items === undefined) return 0;\n  let total');

/** A repository whose newest commit fixed `src/stock.mjs`. */
class Repository {
  readonly root = createProject();
  readonly fix: string;

  constructor(fixed = FIXED) {
    this.write('src/stock.mjs', BROKEN);
    this.write('src/other.mjs', 'export const other = 1;\n');
    this.commit('start');
    this.write('src/stock.mjs', fixed);
    this.write('test/stock.test.mjs', 'test("counts boxes", () => {});\n');
    this.fix = this.commit('fix');
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com'];
    return execFileSync('git', [...identity, ...args], { cwd: this.root, encoding: 'utf8', stdio: 'pipe' }).trim();
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.root, name)), { recursive: true });
    writeFileSync(path.join(this.root, name), text);
  }

  commit(title: string): string {
    this.git('add', '-A');
    this.git('commit', '-qm', title);
    return this.git('rev-parse', 'HEAD');
  }

  revert(commit: string): string {
    this.git('revert', '--no-edit', commit);
    return this.git('rev-parse', 'HEAD');
  }

  presence() {
    return findFixPresence(this.root, { commit: this.fix, commits: 1 });
  }

  /** The command that applies the fix again. */
  get reapply(): string {
    return `git show ${this.fix.slice(0, 12)} -- :/src/stock.mjs | git apply`;
  }
}

test('a change that is still there is present', async () => {
  const repository = new Repository();
  expect(await repository.presence()).toEqual({ state: 'present' });
  repository.write('src/stock.mjs', `// Counts.\n${FIXED}\nexport const more = 1;\n`);
  expect(await repository.presence(), 'other lines were edited').toEqual({ state: 'present' });
  const bypassed = FIXED.replace(
    '    total += item',
    '    if (item.loose)\n      total += item.amount;\n    else total += item',
  );
  repository.write('src/stock.mjs', bypassed.replace('else total', '\n    total'));
  expect(await repository.presence(), 'the old line is there, too').toEqual({ state: 'present' });
});

test('a reverted change is lost until the revert is reverted', async () => {
  const repository = new Repository();
  repository.write('src/other.mjs', 'export const other = 2;\n');
  repository.commit('other');
  const removedBy = repository.revert(repository.fix);
  repository.write('src/other.mjs', 'export const other = 3;\n');
  repository.commit('another');
  expect(await repository.presence()).toEqual({ state: 'lost', removedBy, reapply: repository.reapply });
  repository.revert(removedBy);
  expect(await repository.presence()).toEqual({ state: 'present' });
});

test('the command applies the change again', async () => {
  const repository = new Repository();
  repository.revert(repository.fix);
  const { reapply = '' } = (await repository.presence()) ?? {};
  execFileSync('sh', ['-c', reapply], { cwd: repository.root, stdio: 'pipe' });
  expect(await repository.presence()).toEqual({ state: 'present' });
});

test('a merge that kept the other side is named', async () => {
  const repository = new Repository();
  repository.git('checkout', '-q', '-b', 'side', 'HEAD~1');
  repository.write('src/other.mjs', 'export const other = 2;\n');
  repository.commit('side');
  repository.git('merge', '-q', '-s', 'ours', '-m', 'merge', 'trunk');
  const removedBy = repository.git('rev-parse', 'HEAD');
  expect(await repository.presence()).toEqual({ state: 'lost', removedBy, reapply: repository.reapply });
});

test('an uncommitted edit has no commit', async () => {
  const repository = new Repository();
  repository.write('src/stock.mjs', BROKEN);
  expect(await repository.presence()).toEqual({ state: 'lost', reapply: repository.reapply });
});

test('a change that is only on another branch is lost without a commit', async () => {
  const repository = new Repository();
  repository.git('checkout', '-q', '-b', 'side', 'HEAD~1');
  expect(await repository.presence()).toEqual({ state: 'lost', reapply: repository.reapply });
  // The change was picked, or arrived in a squashed commit.
  repository.write('src/stock.mjs', FIXED);
  repository.commit('squashed');
  expect(await repository.presence()).toEqual({ state: 'present' });
});

test.each<[string, string, (repository: Repository) => void]>([
  [
    'the file was moved',
    FIXED,
    ({ root }) => renameSync(path.join(root, 'src/stock.mjs'), path.join(root, 'src/count.mjs')),
  ],
  [
    'the function was moved',
    GUARDED,
    (repository) => {
      repository.write('src/guard.mjs', GUARDED);
      repository.write('src/stock.mjs', "export { countStock } from './guard.mjs';\n");
    },
  ],
  [
    'the code was formatted',
    GUARDED,
    (repository) =>
      repository.write(
        'src/stock.mjs',
        GUARDED.replace('if (items === undefined) return 0', 'if (items === undefined)\n    return 0'),
      ),
  ],
])('%s: the change is present', async (_, fixed, change) => {
  const repository = new Repository(fixed);
  change(repository);
  repository.commit('refactor');
  expect(await repository.presence()).toEqual({ state: 'present' });
});

test('a part of a change can be lost', async () => {
  const both = FIXED.replace('items.length === 0', 'items.every((item) => item.amount === 0)');
  const repository = new Repository(both);
  repository.write('src/stock.mjs', FIXED);
  repository.commit('undo half');
  expect(await repository.presence()).toEqual({ state: 'partlyLost' });
});

test.each<[string, (repository: Repository) => { commit?: string | undefined; commits?: number }]>([
  [
    'the code was rewritten',
    (repository) => {
      repository.write('src/stock.mjs', 'export const countStock = (items) => items.sum();\n');
      return {};
    },
  ],
  [
    'the file was deleted',
    ({ root }) => {
      rmSync(path.join(root, 'src/stock.mjs'));
      return {};
    },
  ],
  ['several commits may be the fix', () => ({ commits: 2 })],
  ['the fix was an edit', () => ({ commit: undefined })],
  ['the clone does not have the commit', () => ({ commit: 'f'.repeat(40) })],
  [
    'the fix is binary',
    (repository) => {
      repository.write('src/data.bin', '\0\u0001');
      return { commit: repository.commit('binary') };
    },
  ],
])('nothing is claimed if %s', async (_, change) => {
  const repository = new Repository();
  const { commit, commits = 1 } = { commit: repository.fix, ...change(repository) };
  expect(await findFixPresence(repository.root, { ...(commit !== undefined && { commit }), commits })).toBeUndefined();
});

test('nothing is claimed outside of git', async () => {
  expect(await findFixPresence(createFolder(), { commit: 'f'.repeat(40), commits: 1 })).toBeUndefined();
});
