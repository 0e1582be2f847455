/**
 * The agents that Argus is installed into: how each is found, and where on each platform it looks for servers, in the
 * project and for a user. The files of plugins and links: packages/agents.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { isInstalled } from '../../system/programs.ts';

/** The server, as every agent knows it. */
export const SERVER_NAME = 'argus';

export type AgentName = (typeof AGENT_NAMES)[number];
export const AGENT_NAMES = ['claude', 'codex', 'cursor', 'vscode', 'gemini'] as const;

/** What a configuration says of a server; which keys there are is the agent's. */
export type ServerEntry = Readonly<Record<string, string | number | readonly string[]>>;

export interface Agent {
  title: string;
  /** The key that holds servers in its JSON; Codex has TOML. */
  container: 'mcpServers' | 'servers' | null;
  /** In the project. */
  projectFile: string;
  /** What it keeps in a project besides; any of them says that it is used there. */
  projectSigns: readonly string[];
  programs: readonly string[];
  /** What its entries have besides the command. */
  extra?: ServerEntry;
  /** What its user meets next. */
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
    // It gives a tool 60 seconds, and tests may take longer.
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

/** Of one machine; tests have others. */
export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

/** The user's own file of an agent. */
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

/** What is there once its plugin or extension is installed: a file, and a text in it. */
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

/** Whether it is used in the project, or on this machine at all: a folder of its own, or its program. */
export function isFound(agent: AgentName, root: string, machine: Machine): boolean {
  const { projectFile, projectSigns, programs } = AGENTS[agent];
  const inProject = [projectFile, ...projectSigns].some((name) => existsSync(path.join(root, name)));
  return inProject || hasUserFolder(agent, machine) || programs.some((program) => isInstalled(program, root));
}

/** The folder around Claude Code's own file is the home folder. */
function hasUserFolder(agent: AgentName, machine: Machine): boolean {
  const file = userFile(agent, machine);
  return existsSync(file) || (agent !== 'claude' && existsSync(path.dirname(file)));
}

const NPX = ['npx', '-y', 'argus-mcp'];

/** How an agent starts Argus: by its bundle where one is named, else by its package. */
export function serverEntry(
  agent: AgentName,
  { bundle, throughCmd }: { bundle?: string; throughCmd: boolean },
): ServerEntry {
  // On Windows npx is a script, and Claude Code starts programs alone.
  const packaged = throughCmd && agent === 'claude' ? ['cmd', '/c', ...NPX] : NPX;
  const [command = '', ...args] = bundle === undefined ? packaged : ['node', bundle];
  const { type, ...extra } = AGENTS[agent].extra ?? {};
  return { ...(type === undefined ? {} : { type }), command, args, ...extra };
}

/** Whether an entry starts Argus, however: by its package, or by its bundle. */
export function isServerOfArgus(entry: unknown): entry is Record<string, unknown> {
  if (typeof entry !== 'object' || entry === null || !('command' in entry)) return false;
  const args = 'args' in entry && Array.isArray(entry.args) ? entry.args : [];
  const words = [entry.command, ...args].map(String);
  return words.some((word) =>
    /(?:^|[\\/])argus(?:-mcp)?(?:@[\w.-]+)?$|[\\/](?:argus-)?mcp[\\/]dist[\\/]cli\.mjs$/u.test(word),
  );
}
