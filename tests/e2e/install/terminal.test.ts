/**
 * Output at a terminal: `argus` without arguments, and the question of `argus install`. A real terminal:
 * tests/e2e/process.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { project, someUser } from '../harness.ts';

const env = { ...someUser(), XDG_CONFIG_HOME: '' };

test('argus without arguments shows the state and the next steps', async () => {
  const root = project({ 'check.sh': 'echo "TypeError: no apples" && exit 1\n', 'CLAUDE.md': '' });
  const overview = async () => (await argus([], { env, cwd: root, isTerminal: true })).stdout;
  const fresh = await overview();
  expect(fresh).toMatch(/^memory +nothing is recorded yet$/mu);
  expect(fresh).toMatch(/^agents .*not yet by .*Claude Code/mu);
  expect(fresh).toMatch(/^next\n {2}argus install .*\n {2}argus run "COMMAND" /mu);
  expect(readdirSync(root).sort(), 'looking creates nothing').toEqual(['CLAUDE.md', 'check.sh']);

  const git = (...words: string[]) => execFileSync('git', words, { cwd: root });
  git('init', '-q');
  expect(await overview(), 'nothing is committed yet').not.toContain('argus learn');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '--allow-empty', '-m', 'begin');
  expect(await overview()).toMatch(/^ {2}argus learn --from-git .*\n {2}argus run "COMMAND" /mu);

  await argus(['install', '--agent', 'claude', '--yes', '--project', root], { env });
  for (let run = 0; run < 2; run++) await argus(['run', 'sh check.sh', '--project', root], { env });
  const later = await overview();
  expect(later).toMatch(/^memory +2 runs, the newest failed \(0 passed, 1 failed, .* UTC\); 0 learned patterns$/mu);
  expect(later).toMatch(/^agents +used by Claude Code/mu);
  expect(later).toMatch(/^next\n {2}argus report /mu);
  expect(later).not.toContain('argus install');
  const { stdout } = await argus(['history', '--project', root, '--json'], { env });
  await argus(['diagnose', JSON.parse(stdout).data.runs[0].id, 'sh check.sh', '--project', root], { env });
  expect(await overview()).toMatch(/ UTC\); 1 learned pattern$/mu);
});

test('install asks, and treats every answer except yes as no', async () => {
  const root = project();
  const install = async (input: string, ...more: string[]) => {
    const args = ['install', '--agent', 'claude', '--project', root, ...more];
    return (await argus(args, { env, input, isTerminal: true })).stdout;
  };
  const asked = await install('n\n');
  expect(asked).toContain('+  "mcpServers": {');
  expect(asked).toContain('Write it? [y/N]');
  expect(readdirSync(root)).toEqual([]);
  expect(await install('y\n')).toContain('.mcp.json written');
  expect(existsSync(path.join(root, '.mcp.json'))).toBe(true);
  expect(await install('')).toContain('needs no change');
  expect(await install('yes\n', '--remove')).toContain('Take it out? [y/N]');
  expect(readdirSync(root)).toEqual([]);
});
