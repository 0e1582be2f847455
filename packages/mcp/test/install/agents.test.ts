/** Paths of each agent's settings on each platform, and the entries that start Argus. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { AGENT_NAMES, isServerOfArgus, type Machine, serverEntry, userFile } from '../../src/cli/install/agents.ts';

const filesOn = (machine: Machine) => AGENT_NAMES.map((agent) => userFile(agent, machine));

test.each<[NodeJS.Platform, home: string, env: Record<string, string>, files: string[]]>([
  ['linux', '/home/a', {}, ['.claude.json', '.codex/config.toml', '.cursor/mcp.json', '.config/Code/User/mcp.json']],
  [
    'darwin',
    '/Users/a',
    {},
    ['.claude.json', '.codex/config.toml', '.cursor/mcp.json', 'Library/Application Support/Code/User/mcp.json'],
  ],
  [
    'win32',
    'C:\\Users\\a',
    { APPDATA: 'C:\\Users\\a\\AppData\\Roaming' },
    ['.claude.json', '.codex/config.toml', '.cursor/mcp.json', 'AppData/Roaming/Code/User/mcp.json'],
  ],
])('finds the files of a user on %s', (platform, home, env, files) => {
  const { join } = platform === 'win32' ? path.win32 : path.posix;
  const expected = [...files, '.gemini/settings.json'].map((file) => join(home, file));
  expect(filesOn({ platform, home, env })).toEqual(expected);
});

test('uses the folders that environment variables name', () => {
  const env = { CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g', GEMINI_CLI_HOME: '/m' };
  const files = ['/c/.claude.json', '/x/config.toml', '/home/a/.cursor/mcp.json', '/g/Code/User/mcp.json'];
  expect(filesOn({ platform: 'linux', home: '/home/a', env })).toEqual([...files, '/m/.gemini/settings.json']);
});

test('starts Argus by its package, by a path, or on Windows through cmd if needed', () => {
  const npx = { command: 'npx', args: ['-y', 'argus-mcp'] };
  expect(serverEntry('cursor', { throughCmd: false })).toEqual(npx);
  expect(serverEntry('cursor', { throughCmd: true })).toEqual(npx);
  const throughCmd = { command: 'cmd', args: ['/c', 'npx', '-y', 'argus-mcp'] };
  expect(serverEntry('claude', { throughCmd: true })).toEqual(throughCmd);
  const byPath = { type: 'stdio', command: 'node', args: ['/b'] };
  expect(serverEntry('vscode', { throughCmd: false, bundle: '/b' })).toEqual(byPath);
  expect(serverEntry('codex', { throughCmd: false })).toEqual({ ...npx, tool_timeout_sec: 1800 });
});

test.each([
  [{ command: 'npx', args: ['-y', 'argus-mcp'] }, true],
  [{ command: 'npx', args: ['-y', 'argus-mcp@0.1.0'] }, true],
  [{ command: 'cmd', args: ['/c', 'npx', '-y', 'argus-mcp'] }, true],
  [{ command: '/usr/bin/argus' }, true],
  [{ command: 'node', args: ['/usr/lib/node_modules/argus-mcp/dist/cli.mjs'] }, true],
  [{ command: 'node', args: ['C:\\argus\\packages\\mcp\\dist\\cli.mjs'] }, true],
  [{ command: 'argus-panoptes' }, false],
  [{ command: 'npx', args: ['-y', 'other-mcp', '--name=argus-mcp-x'] }, false],
  [{ url: 'https://argus.example/mcp' }, false],
  ['argus', false],
  [null, false],
])('%j starts Argus: %s', (entry, wanted) => expect(isServerOfArgus(entry)).toBe(wanted));
