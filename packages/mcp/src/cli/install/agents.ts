/**
 * The agent hosts that Argus can be installed into: where each host looks for servers and hooks, in a project and for a
 * user on each platform, in which format, and how to detect the host. `install`, `--remove`, `doctor`, the overview,
 * the matrix in docs/manual/agents.md and the tests use this table. The files of plugins and links are in
 * packages/agents.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import release from '../../../release.json' with { type: 'json' };
import { isProgramInstalled } from '../../system/programs.ts';

/** Name of the MCP server of Argus in every host. */
export const SERVER_NAME = 'argus';

/** True if `npx` can start the package. The release script sets it. */
export const IS_PUBLISHED: boolean = release.published;

export type AgentName = (typeof AGENT_NAMES)[number];
export const AGENT_NAMES = [
  'claude',
  'codex',
  'cursor',
  'vscode',
  'copilot',
  'gemini',
  'antigravity',
  'opencode',
  'zed',
  'kiro',
  'devin',
] as const;

/** The entry of a server in the configuration of a host. Each host has its own keys. */
export type ServerEntry = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** The command that starts a server. */
export type Command = readonly [program: string, ...args: string[]];

interface Agent {
  title: string;
  /** The key of the servers in a JSON configuration. Null for Codex, which uses TOML. */
  container: 'mcpServers' | 'servers' | 'context_servers' | 'mcp' | null;
  /** Configuration file in the project. Null if the host has only a configuration of the user. */
  projectFile: string | null;
  userFile(machine: Machine): string;
  /** Files and folders in a project that show that the host is used there. */
  projectMarkers: readonly string[];
  /**
   * Set if other programs also have files in the folder of the user's file. Then only the file shows that the host is
   * used.
   */
  sharesUserFolder?: true;
  programs: readonly string[];
  /** Creates the entry of a server. Most hosts use the keys `command` and `args`. */
  entry?(command: Command, isGlobal: boolean): ServerEntry;
  hook?: AgentHook;
  /** The file that exists, and the text that it contains, if the plugin or extension of Argus is installed. */
  findPluginMarker?(machine: Machine): { file: string; text?: string };
  /** What the user has to do next in the host. */
  note: string;
  /** How long the host waits for the start of a server, in milliseconds, if known. */
  startLimitMs?: number;
  /** The source with which this entry was checked. */
  checked: string;
}

export interface HookEntries {
  /** The element to add to the configuration for each event. */
  elements: Readonly<Record<string, object>>;
  /** Other keys that a new file needs. */
  extra?: object;
}

interface AgentHook {
  projectFile: string;
  userFile(machine: Machine): string;
  form(command: string): HookEntries;
}

/** The timeout leaves time to open a memory. */
const HOOK_TIMEOUT_SECONDS = 20;

/** `npm run check-hosts` has run the host with a scripted model. */
const checkedByHost = (version: string) => `run: ${version}`;
const CHECKED_BY_ADD_MCP = 'schema only, by add-mcp 2.4.0';

const createPlainEntry = ([command, ...args]: Command): ServerEntry => ({ command, args });
const createStdioEntry = (command: Command): ServerEntry => ({ type: 'stdio', ...createPlainEntry(command) });

/** Copilot CLI and VS Code read the same files of hooks. */
const COPILOT_HOOK: AgentHook = {
  projectFile: '.github/hooks/argus.json',
  userFile: (machine) => joinPath(machine, machine.home, '.copilot', 'hooks', 'argus.json'),
  form: (command) => {
    const hook = { type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS };
    return {
      elements: { PostToolUse: { ...hook, matcher: 'Bash' }, SessionStart: hook, Stop: hook },
      extra: { version: 1 },
    };
  },
};

export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  claude: {
    title: 'Claude Code',
    container: 'mcpServers',
    projectFile: '.mcp.json',
    userFile: (machine) => joinPath(machine, machine.env.CLAUDE_CONFIG_DIR || machine.home, '.claude.json'),
    projectMarkers: ['.mcp.json', '.claude', 'CLAUDE.md'],
    sharesUserFolder: true,
    programs: ['claude'],
    hook: {
      projectFile: '.claude/settings.json',
      userFile: (machine) => joinPath(machine, getClaudeFolder(machine), 'settings.json'),
      form: (command) =>
        createHookEntries(command, ['PostToolUseFailure', 'PostToolUse'], 'Bash', HOOK_TIMEOUT_SECONDS, ['Stop']),
    },
    findPluginMarker: (machine) => ({
      file: joinPath(machine, getClaudeFolder(machine), 'settings.json'),
      text: PLUGIN_SETTING,
    }),
    note: 'it asks once whether to use a server of the project',
    startLimitMs: 30_000,
    checked: checkedByHost('2.1.332'),
  },
  codex: {
    title: 'Codex',
    container: null,
    projectFile: '.codex/config.toml',
    userFile: (machine) => joinPath(machine, getCodexFolder(machine), 'config.toml'),
    projectMarkers: ['.codex'],
    programs: ['codex'],
    // Codex ends a tool call after 60 seconds by default, but tests may take longer.
    entry: (command) => ({ ...createPlainEntry(command), tool_timeout_sec: 1800 }),
    hook: {
      projectFile: '.codex/hooks.json',
      userFile: (machine) => joinPath(machine, getCodexFolder(machine), 'hooks.json'),
      form: (command) => createHookEntries(command, ['PostToolUse'], 'Bash', HOOK_TIMEOUT_SECONDS),
    },
    findPluginMarker: (machine) => ({
      file: joinPath(machine, getCodexFolder(machine), 'config.toml'),
      text: PLUGIN_SETTING,
    }),
    note: 'it reads this in projects that you trust; accept its hooks in /hooks',
    startLimitMs: 10_000,
    checked: checkedByHost('0.171.0'),
  },
  cursor: {
    title: 'Cursor',
    container: 'mcpServers',
    projectFile: '.cursor/mcp.json',
    userFile: (machine) => joinPath(machine, machine.home, '.cursor', 'mcp.json'),
    projectMarkers: ['.cursor', '.cursorrules'],
    programs: ['cursor', 'cursor-agent'],
    hook: {
      projectFile: '.cursor/hooks.json',
      userFile: (machine) => joinPath(machine, machine.home, '.cursor', 'hooks.json'),
      form: (command) => ({
        elements: {
          postToolUse: { command, matcher: 'Shell' },
          postToolUseFailure: { command, matcher: 'Shell' },
        },
        extra: { version: 1 },
      }),
    },
    note: 'switch it on under Settings, MCP',
    checked: CHECKED_BY_ADD_MCP,
  },
  vscode: {
    title: 'VS Code',
    container: 'servers',
    projectFile: '.vscode/mcp.json',
    userFile: (machine) => joinPath(machine, getAppFolder(machine), 'Code', 'User', 'mcp.json'),
    projectMarkers: ['.vscode'],
    programs: ['code', 'code-insiders'],
    entry: createStdioEntry,
    hook: COPILOT_HOOK,
    note: 'it asks once whether to trust the server',
    checked: CHECKED_BY_ADD_MCP,
  },
  copilot: {
    title: 'Copilot CLI',
    container: 'mcpServers',
    // Claude Code's file, which Copilot CLI also reads.
    projectFile: '.mcp.json',
    userFile: (machine) => joinPath(machine, machine.home, '.copilot', 'mcp-config.json'),
    projectMarkers: ['.github/hooks', '.github/mcp.json', '.github/copilot-instructions.md'],
    programs: ['copilot'],
    entry: (command, isGlobal) => ({ ...createStdioEntry(command), ...(isGlobal ? { tools: ['*'] } : {}) }),
    hook: COPILOT_HOOK,
    note: 'it asks once whether to trust the folder',
    startLimitMs: 60_000,
    checked: checkedByHost('1.0.102'),
  },
  gemini: {
    title: 'Gemini CLI (enterprise)',
    container: 'mcpServers',
    projectFile: '.gemini/settings.json',
    userFile: (machine) => joinPath(machine, machine.env.GEMINI_CLI_HOME || machine.home, '.gemini', 'settings.json'),
    projectMarkers: ['.gemini', 'GEMINI.md'],
    sharesUserFolder: true,
    programs: ['gemini'],
    hook: {
      projectFile: '.gemini/settings.json',
      userFile: (machine) => AGENTS.gemini.userFile(machine),
      // Gemini CLI expects the timeout in milliseconds.
      form: (command) => createHookEntries(command, ['AfterTool'], 'run_shell_command', HOOK_TIMEOUT_SECONDS * 1_000),
    },
    findPluginMarker: (machine) => ({
      file: path.join(path.dirname(AGENTS.gemini.userFile(machine)), 'extensions', 'argus'),
    }),
    note: 'it reads this in folders that you trust',
    checked: checkedByHost('0.61.0'),
  },
  antigravity: {
    title: 'Antigravity',
    container: 'mcpServers',
    projectFile: '.agents/mcp_config.json',
    userFile: (machine) => joinPath(machine, machine.home, '.gemini', 'config', 'mcp_config.json'),
    projectMarkers: ['.agents/mcp_config.json'],
    programs: ['agy', 'antigravity'],
    note: 'reload its servers',
    checked: CHECKED_BY_ADD_MCP,
  },
  opencode: {
    title: 'opencode',
    container: 'mcp',
    projectFile: 'opencode.json',
    userFile: (machine) => joinPath(machine, machine.home, '.config', 'opencode', 'opencode.json'),
    projectMarkers: ['opencode.json', 'opencode.jsonc', '.opencode'],
    programs: ['opencode'],
    entry: (command) => ({ type: 'local', command, enabled: true }),
    note: 'start it again',
    // The limit is `timeout` in opencode's type McpLocalConfig.
    startLimitMs: 5_000,
    checked: checkedByHost('1.18.33'),
  },
  zed: {
    title: 'Zed',
    container: 'context_servers',
    projectFile: '.zed/settings.json',
    userFile: (machine) =>
      joinPath(machine, getAppFolder(machine), machine.platform === 'linux' ? 'zed' : 'Zed', 'settings.json'),
    projectMarkers: ['.zed'],
    programs: ['zed'],
    entry: (command) => ({ source: 'custom', ...createPlainEntry(command) }),
    note: 'it reads this in projects that you trust',
    checked: CHECKED_BY_ADD_MCP,
  },
  kiro: {
    title: 'Kiro',
    container: 'mcpServers',
    projectFile: '.kiro/settings/mcp.json',
    userFile: (machine) => joinPath(machine, machine.home, '.kiro', 'settings', 'mcp.json'),
    projectMarkers: ['.kiro'],
    programs: ['kiro', 'kiro-cli'],
    note: 'it connects when the file is saved',
    checked: CHECKED_BY_ADD_MCP,
  },
  devin: {
    title: 'Devin Desktop',
    container: 'mcpServers',
    projectFile: null,
    // Devin Desktop still uses the folder of its former name, Windsurf.
    userFile: (machine) => joinPath(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'),
    projectMarkers: [],
    programs: ['windsurf', 'devin-desktop'],
    note: 'refresh its MCP servers',
    checked: CHECKED_BY_ADD_MCP,
  },
};

/** The text in the settings of a host that enables the plugin. */
const PLUGIN_SETTING = '"argus@argus"';

/**
 * Creates a hook for each event. The command is the same for all events, because the hook reads the event from stdin.
 * `otherEvents` are not about a tool.
 */
function createHookEntries(
  command: string,
  toolEvents: readonly string[],
  matcher: string,
  timeout: number,
  otherEvents: readonly string[] = [],
): HookEntries {
  const hooks = [{ type: 'command', command, timeout }];
  const entries = [
    ...toolEvents.map((event) => [event, { matcher, hooks }]),
    ...['SessionStart', ...otherEvents].map((event) => [event, { hooks }]),
  ];
  return { elements: Object.fromEntries(entries) };
}

/** Facts about a machine, as values so that tests can pass their own. */
export interface Machine {
  platform: NodeJS.Platform;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
}

function joinPath({ platform }: Machine, ...names: string[]): string {
  return (platform === 'win32' ? path.win32 : path.posix).join(...names);
}

function getClaudeFolder(machine: Machine): string {
  return machine.env.CLAUDE_CONFIG_DIR || joinPath(machine, machine.home, '.claude');
}

function getCodexFolder(machine: Machine): string {
  return machine.env.CODEX_HOME || joinPath(machine, machine.home, '.codex');
}

/** Returns the folder in which desktop programs keep their settings. */
function getAppFolder(machine: Machine): string {
  const { platform, home, env } = machine;
  if (platform === 'win32') return env.APPDATA || joinPath(machine, home, 'AppData', 'Roaming');
  if (platform === 'darwin') return joinPath(machine, home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || joinPath(machine, home, '.config');
}

/** True if the host is used in the project, has a folder in the user's home, or its program is installed. */
export function isAgentDetected(agent: AgentName, root: string, machine: Machine): boolean {
  const { projectMarkers, programs } = AGENTS[agent];
  const inProject = projectMarkers.some((name) => existsSync(path.join(root, name)));
  return inProject || hasUserFolder(agent, machine) || programs.some((program) => isProgramInstalled(program, root));
}

function hasUserFolder(agent: AgentName, machine: Machine): boolean {
  const { userFile, sharesUserFolder = false } = AGENTS[agent];
  const file = userFile(machine);
  return existsSync(file) || (!sharesUserFolder && existsSync(path.dirname(file)));
}

/** How a configuration starts Argus: by the path of the program, by its name on PATH, or by `npx`. */
export type StartMethod = { by: 'path'; bundle: string } | { by: 'name' } | { by: 'npx' };

/** Returns the command that calls the hook. It never uses `npx`, which takes a second at each start. */
export function createHookCommand(start: StartMethod): string {
  return start.by === 'path' ? `node "${path.join(path.dirname(start.bundle), 'hook.mjs')}"` : 'argus-mcp hook';
}

export function createServerCommand(start: StartMethod): Command {
  if (start.by === 'path') return ['node', start.bundle];
  return start.by === 'name' ? ['argus-mcp'] : ['npx', '-y', 'argus-mcp'];
}

export function createServerEntry(agent: AgentName, start: StartMethod, isGlobal = false): ServerEntry {
  const { entry = createPlainEntry } = AGENTS[agent];
  return entry(createServerCommand(start), isGlobal);
}

/** True if an entry starts Argus by its name, its package or its bundle. */
export function isServerOfArgus(entry: unknown): entry is Record<string, unknown> {
  const words = getEntryCommand(entry);
  return words.some((word) =>
    /(?:^|[\\/])argus(?:-mcp)?(?:@[\w.-]+)?$|[\\/](?:argus-)?mcp[\\/]dist[\\/]cli\.mjs$/u.test(word),
  );
}

/**
 * Returns the program and arguments of an entry in the format of any host. Returns an empty list for an entry without a
 * command.
 */
export function getEntryCommand(entry: unknown): string[] {
  if (typeof entry !== 'object' || entry === null || !('command' in entry)) return [];
  return [entry.command, 'args' in entry ? entry.args : []].flat().map(String);
}
