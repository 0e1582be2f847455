/**
 * The agents that Argus can be installed into: how to find each agent, and where it looks for servers on each platform,
 * in the project and for a user. The files of plugins and links are in packages/agents.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { isInstalled } from '../../system/programs.ts';

/** Name of the server in every agent. */
export const SERVER_NAME = 'argus';

export type AgentName = (typeof AGENT_NAMES)[number];
export const AGENT_NAMES = ['claude', 'codex', 'cursor', 'vscode', 'gemini'] as const;

/** The entry of a server in a configuration. Each agent has its own keys. */
export type ServerEntry = Readonly<Record<string, string | number | readonly string[]>>;

export interface Agent {
  title: string;
  /** The key that holds the servers in JSON. Null for Codex, which uses TOML. */
  container: 'mcpServers' | 'servers' | null;
  /** Configuration file in the project. */
  projectFile: string;
  /** Other files and folders of the agent in a project. Each shows that the agent is used there. */
  projectSigns: readonly string[];
  programs: readonly string[];
  /** Keys of an entry besides the command. */
  extra?: ServerEntry;
  /** The next step for the user of the agent. */
  note: string;
}

export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  claude: {
    title: 'Claude Code',
    container: 'mcpServers',
    projectFile: '.mcp.json',
    projectSigns: ['.claude', 'CLAUDE.md'],
    programs: ['claude'],
    note: 'it asks once whether to use a server of the project',
  },
  codex: {
    title: 'Codex',
    container: null,
    projectFile: '.codex/config.toml',
    projectSigns: ['.codex'],
    programs: ['codex'],
    // Codex ends a tool call after 60 seconds by default, but tests may take longer.
    extra: { tool_timeout_sec: 1800 },
    note: 'it reads this in projects that you trust',
  },
  cursor: {
    title: 'Cursor',
    container: 'mcpServers',
    projectFile: '.cursor/mcp.json',
    projectSigns: ['.cursor', '.cursorrules'],
    programs: ['cursor', 'cursor-agent'],
    note: 'switch it on under Settings, MCP',
  },
  vscode: {
    title: 'VS Code',
    container: 'servers',
    projectFile: '.vscode/mcp.json',
    projectSigns: ['.vscode'],
    programs: ['code', 'code-insiders'],
    extra: { type: 'stdio' },
    note: 'it asks once whether to trust the server',
  },
  gemini: {
    title: 'Gemini CLI',
    container: 'mcpServers',
    projectFile: '.gemini/settings.json',
    projectSigns: ['.gemini', 'GEMINI.md'],
    programs: ['gemini'],
    note: 'it reads this in folders that you trust',
  },
};

/** Facts about a machine. Tests pass their own. */
export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** Returns the configuration file of an agent in the user's home. */
export function userFile(agent: AgentName, { platform, home, env }: Machine): string {
  const { join } = platform === 'win32' ? path.win32 : path.posix;
  switch (agent) {
    case 'claude':
      return join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
    case 'codex':
      return join(env.CODEX_HOME || join(home, '.codex'), 'config.toml');
    case 'cursor':
      return join(home, '.cursor', 'mcp.json');
    case 'gemini':
      return join(env.GEMINI_CLI_HOME || home, '.gemini', 'settings.json');
    case 'vscode':
      return join(userFolderOfCode({ platform, home, env }), 'User', 'mcp.json');
  }
}

/** Returns the file, and the text in it, that exist once the agent's plugin or extension is installed. */
export function pluginSign(agent: AgentName, machine: Machine): { file: string; text?: string } | undefined {
  const { home, env } = machine;
  const text = '"argus@argus"';
  switch (agent) {
    case 'claude':
      return { file: path.join(env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'), 'settings.json'), text };
    case 'codex':
      return { file: userFile('codex', machine), text };
    case 'gemini':
      return { file: path.join(path.dirname(userFile('gemini', machine)), 'extensions', 'argus') };
    default:
      return undefined;
  }
}

function userFolderOfCode({ platform, home, env }: Machine): string {
  if (platform === 'win32') return path.win32.join(env.APPDATA || path.win32.join(home, 'AppData', 'Roaming'), 'Code');
  if (platform === 'darwin') return path.posix.join(home, 'Library', 'Application Support', 'Code');
  return path.posix.join(env.XDG_CONFIG_HOME || path.posix.join(home, '.config'), 'Code');
}

/** True if the agent is used in the project, has a folder in the user's home, or its program is installed. */
export function isFound(agent: AgentName, root: string, machine: Machine): boolean {
  const { projectFile, projectSigns, programs } = AGENTS[agent];
  const inProject = [projectFile, ...projectSigns].some((name) => existsSync(path.join(root, name)));
  return inProject || hasUserFolder(agent, machine) || programs.some((program) => isInstalled(program, root));
}

/** Claude Code's file is directly in the home folder, so its folder does not show that the agent is used. */
function hasUserFolder(agent: AgentName, machine: Machine): boolean {
  const file = userFile(agent, machine);
  return existsSync(file) || (agent !== 'claude' && existsSync(path.dirname(file)));
}

const NPX = ['npx', '-y', 'argus-mcp'];

/** Returns the entry that starts Argus: by its bundle if there is one, otherwise by its package. */
export function serverEntry(
  agent: AgentName,
  { bundle, throughCmd }: { bundle?: string; throughCmd: boolean },
): ServerEntry {
  // On Windows npx is a script, but Claude Code can start only programs.
  const packaged = throughCmd && agent === 'claude' ? ['cmd', '/c', ...NPX] : NPX;
  const [command = '', ...args] = bundle === undefined ? packaged : ['node', bundle];
  const { type, ...extra } = AGENTS[agent].extra ?? {};
  return { ...(type === undefined ? {} : { type }), command, args, ...extra };
}

/** True if an entry starts Argus, by its package or by its bundle. */
export function isServerOfArgus(entry: unknown): entry is Record<string, unknown> {
  if (typeof entry !== 'object' || entry === null || !('command' in entry)) return false;
  const args = 'args' in entry && Array.isArray(entry.args) ? entry.args : [];
  const words = [entry.command, ...args].map(String);
  return words.some((word) =>
    /(?:^|[\\/])argus(?:-mcp)?(?:@[\w.-]+)?$|[\\/](?:argus-)?mcp[\\/]dist[\\/]cli\.mjs$/u.test(word),
  );
}
