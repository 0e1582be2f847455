/** What asks and answers only where a person is: `argus` alone, and the question of `argus install`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { argus } from '../argus.ts';
import { BUNDLE, environment, project, someUser } from '../harness.ts';

const isThere = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** At a terminal; what is typed comes once it asks. */
function atTerminal(args: string[], cwd: string, env: Record<string, string>, input = '') {
  const command = [process.execPath, BUNDLE, ...args].join(' ');
  const options = { cwd, env: environment({ ...env, TERM: 'dumb' }), encoding: 'utf8', input } as const;
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], options);
  return { status, stdout: stdout.replaceAll('\r', '') };
}

describe.runIf(isThere)('at a terminal', () => {
  const env = { ...someUser(), XDG_CONFIG_HOME: '' };

  test('argus alone says what is there, and what to do next', async () => {
    const root = project({ 'check.mjs': 'throw new TypeError("no apples");\n', 'CLAUDE.md': '' });
    const fresh = atTerminal([], root, env);
    expect(fresh.status).toBe(0);
    expect(fresh.stdout).toMatch(/^memory +nothing is recorded yet$/mu);
    expect(fresh.stdout).toMatch(/^agents .*not yet by .*Claude Code/mu);
    expect(fresh.stdout).toMatch(/^next\n {2}argus install .*\n {2}argus run "COMMAND" /mu);
    expect(readdirSync(root).sort(), 'looking creates nothing').toEqual(['CLAUDE.md', 'check.mjs']);

    const git = (...words: string[]) => execFileSync('git', words, { cwd: root });
    git('init', '-q');
    expect(atTerminal([], root, env).stdout, 'nothing is committed yet').not.toContain('argus learn');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '-q', '--allow-empty', '-m', 'begin');
    expect(atTerminal([], root, env).stdout).toMatch(/^ {2}argus learn --from-git .*\n {2}argus run "COMMAND" /mu);

    await argus(['install', '--agent', 'claude', '--yes', '--project', root], { env });
    for (let run = 0; run < 2; run++) await argus(['run', 'node check.mjs', '--project', root], { env, cwd: root });
    const { stdout } = atTerminal([], root, env);
    expect(stdout).toMatch(/^memory +2 runs, the newest failed \(0 passed, 1 failed, .* UTC\); 0 learned patterns$/mu);
    expect(stdout).toMatch(/^agents +used by Claude Code/mu);
    expect(stdout).toMatch(/^next\n {2}argus report /mu);
    expect(stdout).not.toContain('argus install');
    const [runId = ''] = /run-[0-9a-f-]{36}/u.exec((await argus(['history', '--project', root], { env })).stdout) ?? [];
    await argus(['diagnose', runId, 'node check.mjs', '--project', root], { env });
    expect(atTerminal([], root, env).stdout).toMatch(/ UTC\); 1 learned pattern$/mu);
  });

  test('install asks, and takes anything but a yes for a no', () => {
    const root = project();
    const args = ['install', '--agent', 'claude'];
    const asked = atTerminal(args, root, env, 'n\n');
    expect(asked.stdout).toContain('+  "mcpServers": {');
    expect(asked.stdout).toContain('Write it? [y/N]');
    expect(asked.status).toBe(0);
    expect(readdirSync(root)).toEqual([]);
    expect(atTerminal(args, root, env, 'y\n').stdout).toContain('.mcp.json written');
    expect(existsSync(path.join(root, '.mcp.json'))).toBe(true);
    expect(atTerminal(args, root, env).stdout).toContain('needs no change');
    expect(atTerminal([...args, '--remove'], root, env, 'yes\n').stdout).toContain('Take it out? [y/N]');
    expect(readdirSync(root)).toEqual([]);
  });
});

test('argus alone between pipes is the MCP server, and says nothing of its own', async () => {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'pipes', version: '1' } },
  };
  const { status, stdout, stderr } = await argus([], { input: `${JSON.stringify(hello)}\n` });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [line = '', ...rest] = stdout.split('\n');
  expect(rest).toEqual(['']);
  expect(JSON.parse(line)).toMatchObject({ id: 1, result: { serverInfo: { name: 'argus' } } });
});
