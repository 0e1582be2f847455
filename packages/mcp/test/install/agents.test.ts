/** Tests the paths of each agent's settings on each platform, and the entries that start Argus. */
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  AGENT_NAMES,
  AGENTS,
  createHookCommand,
  createServerEntry,
  isServerOfArgus,
  type Machine,
} from '../../src/cli/install/agents.ts';

const userFilesOn = (machine: Machine) => AGENT_NAMES.map((agent) => AGENTS[agent].userFile(machine));

const FIRST_HOME_FILES = ['.claude.json', '.codex/config.toml', '.cursor/mcp.json'];
const HOME_FILES_ON_EVERY_PLATFORM = {
  copilot: '.copilot/mcp-config.json',
  gemini: '.gemini/settings.json',
  antigravity: '.gemini/config/mcp_config.json',
  opencode: '.config/opencode/opencode.json',
};
const LAST_HOME_FILES = ['.kiro/settings/mcp.json', '.codeium/windsurf/mcp_config.json'];

test.each<[NodeJS.Platform, home: string, env: Record<string, string>, code: string, zed: string]>([
  ['linux', '/home/a', {}, '.config/Code/User/mcp.json', '.config/zed/settings.json'],
  [
    'darwin',
    '/Users/a',
    {},
    'Library/Application Support/Code/User/mcp.json',
    'Library/Application Support/Zed/settings.json',
  ],
  [
    'win32',
    'C:\\Users\\a',
    { APPDATA: 'C:\\Users\\a\\AppData\\Roaming' },
    'AppData/Roaming/Code/User/mcp.json',
    'AppData/Roaming/Zed/settings.json',
  ],
])('finds the files of a user on %s', (platform, home, env, code, zed) => {
  const { join } = platform === 'win32' ? path.win32 : path.posix;
  const files = [...FIRST_HOME_FILES, code, ...Object.values(HOME_FILES_ON_EVERY_PLATFORM), zed, ...LAST_HOME_FILES];
  expect(userFilesOn({ platform, home, env })).toEqual(files.map((file) => join(home, file)));
});

test('uses the folders that environment variables name', () => {
  const env = { CLAUDE_CONFIG_DIR: '/c', CODEX_HOME: '/x', XDG_CONFIG_HOME: '/g', GEMINI_CLI_HOME: '/m' };
  const userFiles = userFilesOn({ platform: 'linux', home: '/home/a', env });
  const files = ['/c/.claude.json', '/x/config.toml', '/g/Code/User/mcp.json', '/m/.gemini/settings.json'];
  expect(userFiles).toEqual(expect.arrayContaining([...files, '/g/zed/settings.json']));
});

test('writes the entry that starts Argus in the form of each host', () => {
  const byName = { by: 'name' } as const;
  const standard = { command: 'argus-mcp', args: [] };
  expect(createServerEntry('cursor', byName)).toEqual(standard);
  expect(createServerEntry('codex', byName)).toEqual({ ...standard, tool_timeout_sec: 1800 });
  expect(createServerEntry('zed', byName)).toEqual({ source: 'custom', ...standard });
  expect(createServerEntry('opencode', byName)).toEqual({ type: 'local', command: ['argus-mcp'], enabled: true });
  expect(createServerEntry('copilot', byName, true)).toEqual({ type: 'stdio', ...standard, tools: ['*'] });
  const byPath = { by: 'path', bundle: '/a b/cli.mjs' } as const;
  expect(createServerEntry('vscode', byPath)).toEqual({ type: 'stdio', command: 'node', args: ['/a b/cli.mjs'] });
  expect(createServerEntry('kiro', { by: 'npx' })).toEqual({ command: 'npx', args: ['-y', 'argus-mcp'] });
});

test.each([
  [{ by: 'path', bundle: '/a b/cli.mjs' } as const, `node "${path.join('/a b', 'hook.mjs')}"`],
  [{ by: 'name' } as const, 'argus-mcp hook'],
  [{ by: 'npx' } as const, 'argus-mcp hook'],
])('never calls the hook by npx: %j', (start, command) => expect(createHookCommand(start)).toBe(command));

test.each([
  [{ command: 'npx', args: ['-y', 'argus-mcp'] }, true],
  [{ command: 'npx', args: ['-y', 'argus-mcp@0.1.0'] }, true],
  [{ command: 'cmd', args: ['/c', 'npx', '-y', 'argus-mcp'] }, true],
  [{ command: '/usr/bin/argus' }, true],
  [{ type: 'local', command: ['node', '/usr/lib/node_modules/argus-mcp/dist/cli.mjs'] }, true],
  [{ type: 'local', command: ['other'] }, false],
  [{ command: 'node', args: ['/usr/lib/node_modules/argus-mcp/dist/cli.mjs'] }, true],
  [{ command: 'node', args: ['C:\\argus\\packages\\mcp\\dist\\cli.mjs'] }, true],
  [{ command: 'argus-panoptes' }, false],
  [{ command: 'npx', args: ['-y', 'other-mcp', '--name=argus-mcp-x'] }, false],
  [{ url: 'https://argus.example/mcp' }, false],
  ['argus', false],
  [null, false],
])('%j starts Argus: %s', (entry, startsArgus) => expect(isServerOfArgus(entry)).toBe(startsArgus));
