/**
 * Output at a terminal: `argus` without arguments, and the question of `argus install`. tests/e2e/process uses a real
 * terminal.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { createProject, createUser } from '../harness.ts';
import { Repository } from '../learn/repository.ts';

const userEnvironment = { ...createUser(), XDG_CONFIG_HOME: '' };

test('argus without arguments shows the state and the next steps', async () => {
  const root = createProject({ 'check.sh': 'echo "TypeError: no apples" && exit 1\n', 'CLAUDE.md': '' });
  const overview = async () => (await argus([], { env: userEnvironment, cwd: root, isTerminal: true })).stdout;
  const fresh = await overview();
  expect(fresh).toMatch(/^memory +nothing is recorded yet$/mu);
  expect(fresh).toMatch(/^agents .*not connected: .*Claude Code/mu);
  expect(fresh).toMatch(/^next\n {2}argus install .*\n {2}argus run "COMMAND" /mu);
  expect(readdirSync(root).sort(), 'looking creates nothing').toEqual(['CLAUDE.md', 'check.sh']);

  const git = (...words: string[]) => execFileSync('git', words, { cwd: root });
  git('init', '-q');
  expect(await overview(), 'nothing is committed yet').not.toContain('argus learn');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '--allow-empty', '-m', 'begin');
  expect(await overview()).toMatch(/^ {2}argus learn --from-git .*\n {2}argus run "COMMAND" /mu);

  await argus(['install', '--agent', 'claude', '--yes', '--project', root], { env: userEnvironment });
  for (let run = 0; run < 2; run++) await argus(['run', 'sh check.sh', '--project', root], { env: userEnvironment });
  const later = await overview();
  expect(later).toMatch(/^memory +2 runs, the newest run failed \(0 passed, 1 failed, .* UTC\); 0 learned patterns$/mu);
  expect(later).toMatch(/^agents +connected: Claude Code/mu);
  expect(later).toMatch(/^next\n {2}argus report /mu);
  expect(later).not.toContain('argus install');
  const { stdout } = await argus(['history', '--project', root, '--json'], { env: userEnvironment });
  await argus(['diagnose', JSON.parse(stdout).data.runs[0].id, 'sh check.sh', '--project', root], {
    env: userEnvironment,
  });
  expect(await overview()).toMatch(/ UTC\); 1 learned pattern$/mu);
});

test('install asks, and treats every answer except yes as no', async () => {
  const root = createProject();
  const install = async (input: string, ...more: string[]) => {
    const args = ['install', '--agent', 'claude', '--project', root, ...more];
    return (await argus(args, { env: userEnvironment, input, isTerminal: true })).stdout;
  };
  const asked = await install('n\n');
  expect(asked).toContain('+  "mcpServers": {');
  expect(asked).toContain('Write it? [y/N]');
  expect(readdirSync(root)).toEqual([]);
  expect(await install('y\n')).toContain('.mcp.json written');
  expect(existsSync(path.join(root, '.mcp.json'))).toBe(true);
  expect(await install('')).toContain('needs no change');
  expect(await install('yes\n', '--remove')).toContain('Remove it? [y/N]');
  expect(readdirSync(root)).toEqual([]);
});

test('install learns from the commits of the repository, unless --no-learn is given', async () => {
  const repository = new Repository();
  const cart = (sum: string) => ({
    'src/cart.mjs': `export function total() {\n  return ${sum};\n}\n`,
    'test/cart.test.mjs': `// ${sum}\n`,
  });
  repository.commit('a cart', cart('1'));
  repository.commit('fix: total of a cart', cart('2'));
  const install = async (...more: string[]) =>
    (
      await argus(['install', '--agent', 'cursor', '--yes', '--project', repository.root, ...more], {
        env: userEnvironment,
      })
    ).stdout;
  expect(await install('--no-learn')).not.toContain('Learning');
  await install('--remove');
  expect(await install()).toMatch(/Learning from the commits[\s\S]*2 commits/u);
  expect(
    (
      await argus(['install', '--agent', 'kiro', '--yes', '--json', '--project', repository.root], {
        env: userEnvironment,
      })
    ).stdout,
  ).not.toContain('Learning');
});
