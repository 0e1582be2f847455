/** Where each agent looks, on each platform, and how Argus is started there. */
import { expect, test } from 'vitest';
import { AGENT_NAMES, isServerOfArgus, type Machine, serverEntry, userFile } from '../../src/cli/install/agents.ts';

const MACHINES: Record<string, Machine> = {
  linux: { platform: 'linux', home: '/home/a', env: {} },
  darwin: { platform: 'darwin', home: '/Users/a', env: {} },
  win32: { platform: 'win32', home: 'C:\\Users\\a', env: { APPDATA: 'C:\\Users\\a\\AppData\\Roaming' } },
};

test.each([
  [
    'linux',
    ['.claude.json', '.codex/config.toml', '.cursor/mcp.json', '.config/Code/User/mcp.json', '.gemini/settings.json'],
  ],
  [
    'darwin',
    [
      '.claude.json',
      '.codex/config.toml',
      '.cursor/mcp.json',
      'Library/Application Support/Code/User/mcp.json',
      '.gemini/settings.json',
    ],
  ],
  [
    'win32',
    [
      '.claude.json',
      '.codex\\config.toml',
      '.cursor\\mcp.json',
      'AppData\\Roaming\\Code\\User\\mcp.json',
      '.gemini\\settings.json',
    ],
  ],
])('on %s', (platform, files) => {
  const machine = MACHINES[platform];
  if (machine === undefined) throw new Error(platform);
  const separator = platform === 'win32' ? '\\' : '/';
  expect(AGENT_NAMES.map((agent) => userFile(agent, machine))).toEqual(
    files.map((file) => machine.home + separator + file),
  );
});

test('where their users have put them', () => {
  const machine: Machine = {
    platform: 'linux',
    home: '/home/a',
    env: { CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g', GEMINI_CLI_HOME: '/m' },
  };
  expect(AGENT_NAMES.map((agent) => userFile(agent, machine))).toEqual([
    '/c/.claude.json',
    '/x/config.toml',
    '/home/a/.cursor/mcp.json',
    '/g/Code/User/mcp.json',
    '/m/.gemini/settings.json',
  ]);
});

test('it is started by its package, by a path, or on Windows through cmd where that is needed', () => {
  const npx = { command: 'npx', args: ['-y', 'argus-mcp'] };
  expect(serverEntry('cursor', { throughCmd: false })).toEqual(npx);
  expect(serverEntry('cursor', { throughCmd: true })).toEqual(npx);
  expect(serverEntry('claude', { throughCmd: true })).toEqual({
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'argus-mcp'],
  });
  expect(serverEntry('vscode', { throughCmd: false, bundle: '/b' })).toEqual({
    type: 'stdio',
    command: 'node',
    args: ['/b'],
  });
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
