/**
 * Tests `argus install` on real folders: it writes the files that agents read, `--remove` restores every file, and
 * links in a project cannot make it write elsewhere.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  AGENT_NAMES,
  type AgentName,
  createServerEntry,
  AGENTS as HOSTS,
} from '../../../packages/mcp/src/cli/install/agents.ts';
import { argus } from '../argus.ts';
import { createProject, createUser } from '../harness.ts';

/** Agents that can be configured in a project. */
const PROJECT_AGENTS = AGENT_NAMES.filter((name) => HOSTS[name].projectFile !== null);
const projectFileOf = (agent: AgentName) => HOSTS[agent].projectFile ?? '';
/** An environment in which no agent is found, neither as a program on PATH nor as a folder in the home. */
const NO_AGENTS = { ...createUser(), PATH: '/nowhere', XDG_CONFIG_HOME: '' };
const SERVER_COMMAND = { command: 'argus-mcp', args: [] };

/** The changes for the two agents that read commands from files. */
const ADDED_COMMANDS = Object.fromEntries(
  ['.claude/commands/pm/*.md', '.gemini/commands/pm/*.toml'].flatMap((place) =>
    ['fix-problem', 'generate-inputs'].map((name) => [place.replace('*', name), 'add']),
  ),
);

const AnswerSchema = z.object({
  changes: z.array(z.object({ file: z.string(), state: z.string(), problem: z.string().nullable() })),
  written: z.boolean(),
});

async function runInstall(root: string, args: string[], env: Record<string, string> = NO_AGENTS) {
  const { status, stdout, stderr } = await argus(['install', '--project', root, '--json', ...args], { env });
  const answer = status === 2 ? undefined : AnswerSchema.parse(JSON.parse(stdout));
  const states = Object.fromEntries(
    (answer?.changes ?? []).map(({ file, state }) => [path.relative(root, file), state]),
  );
  return { status, stdout, stderr, states, written: answer?.written, changes: answer?.changes ?? [] };
}

/** Returns every file below a folder with its bytes, without following links. */
function readFiles(root: string, below = ''): Record<string, string> {
  const entries = readdirSync(path.join(root, below), { withFileTypes: true });
  const files = entries.flatMap((entry) => {
    const name = path.join(below, entry.name);
    if (entry.isDirectory()) return Object.entries(readFiles(root, name));
    return entry.isFile() ? [[name, readFileSync(path.join(root, name), 'base64')]] : [];
  });
  return Object.fromEntries(files);
}

const readProjectFile = (root: string, name: string) => readFileSync(path.join(root, name), 'utf8');

describe('every agent', () => {
  test.each(PROJECT_AGENTS)('%s is added to an empty project and removed again', async (agent) => {
    const root = createProject();
    const file = projectFileOf(agent);
    const only = ['--agent', agent, '--yes', '--program', 'name'];
    expect(await runInstall(root, only)).toMatchObject({ status: 0, written: true, states: { [file]: 'add' } });
    const text = readProjectFile(root, file);
    expect(text).toContain('argus-mcp');
    expect(text).not.toMatch(/npx|null|\{\}/u);
    if (agent === 'codex') expect(text).toContain('[mcp_servers.argus]\ncommand = "argus-mcp"\nargs = []\n');
    else
      expect(JSON.parse(text)[HOSTS[agent].container ?? '']).toEqual({
        argus: createServerEntry(agent, { by: 'name' }),
      });
    expect(await runInstall(root, only)).toMatchObject({ status: 0, written: false, states: { [file]: 'same' } });
    expect(readProjectFile(root, file)).toBe(text);
    expect(await runInstall(root, ['--remove', '--yes'])).toMatchObject({ status: 0, states: { [file]: 'remove' } });
    expect(readdirSync(root)).toEqual([]);
  });

  test('an agent that cannot be configured in a project needs --global', async () => {
    const { status, stdout } = await runInstall(createProject(), ['--agent', 'devin', '--yes']);
    expect({ status, stdout }).toMatchObject({ status: 2, stdout: expect.stringContaining('Add --global') });
  });

  test('Argus is added to files of the user, and removing it restores them', async () => {
    const root = createProject({
      '.mcp.json': '{"mcpServers":{"other":{"command":"x"}}}',
      '.codex/config.toml': 'model = "m"   # mine\r\n\r\n[mcp_servers.other]\r\ncommand = "x"',
      '.cursor/mcp.json': '{ "mcpServers": {} }\n',
      '.vscode/mcp.json': '{\n\t// mine\n\t"servers": {\n\t\t"other": { "command": "x" }, // keep\n\t},\n}\n',
      '.gemini/settings.json': '\uFEFF{\n    "ui": {"theme": "x"}\n}\n',
      'AGENTS.md': '# Rules\n\nBe kind.',
    });
    chmodSync(path.join(root, '.mcp.json'), 0o640);
    const before = readFiles(root);
    const all = ['--agent', ...PROJECT_AGENTS, '--agents-md', '--yes'];
    const { status, states } = await runInstall(root, all);
    expect({ status, states: new Set(Object.values(states)) }).toEqual({
      status: 0,
      states: new Set(['change', 'add']),
    });
    const argusServer = () => JSON.parse(readProjectFile(root, '.mcp.json')).mcpServers.argus;
    expect(argusServer()).toMatchObject({ command: 'node', args: [expect.stringMatching(/[\\/]dist[\\/]cli\.mjs$/u)] });
    expect(readProjectFile(root, 'AGENTS.md')).toMatch(
      /^# Rules\n\nBe kind\.\n<!-- argus:begin.*argus_run.*<!-- argus:end -->\n$/su,
    );
    if (process.platform !== 'win32') expect(statSync(path.join(root, '.mcp.json')).mode & 0o777).toBe(0o640);
    expect((await runInstall(root, all)).written).toBe(false);
    // An entry that starts the server in another way replaces the first entry, and can be removed too.
    expect((await runInstall(root, ['--agent', ...PROJECT_AGENTS, '--yes', '--program', 'name'])).status).toBe(0);
    expect(argusServer()).toMatchObject(SERVER_COMMAND);
    expect((await runInstall(root, [...all, '--remove'])).status).toBe(0);
    expect(readFiles(root)).toEqual(before);
  });

  test('the hook is added to existing and to new files', async () => {
    const root = createProject({
      '.claude/settings.json': '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
      '.gemini/settings.json': '{"ui": {}}',
    });
    const before = readFiles(root);
    const all = ['--agent', ...PROJECT_AGENTS, '--hook', '--program', 'name', '--yes'];
    expect((await runInstall(root, all)).states).toEqual({
      '.mcp.json': 'add',
      '.claude/settings.json': 'change',
      '.codex/config.toml': 'add',
      '.codex/hooks.json': 'add',
      '.cursor/mcp.json': 'add',
      '.cursor/hooks.json': 'add',
      '.vscode/mcp.json': 'add',
      '.github/hooks/argus.json': 'add',
      '.gemini/settings.json': 'change',
      '.agents/mcp_config.json': 'add',
      'opencode.json': 'add',
      '.zed/settings.json': 'add',
      '.kiro/settings/mcp.json': 'add',
      ...ADDED_COMMANDS,
    });
    const HOOK = { command: 'argus-mcp hook', timeout: 20 };
    expect(JSON.parse(readProjectFile(root, '.claude/settings.json'))).toMatchObject({
      hooks: {
        PostToolUseFailure: [{ matcher: 'Bash', hooks: [HOOK] }],
        SessionStart: [{ hooks: [HOOK] }],
        Stop: [{ hooks: [HOOK] }],
      },
    });
    expect(JSON.parse(readProjectFile(root, '.gemini/settings.json'))).toMatchObject({
      mcpServers: { argus: SERVER_COMMAND },
      hooks: { AfterTool: [{ matcher: 'run_shell_command' }] },
    });
    expect((await runInstall(root, all)).written).toBe(false);
    expect((await runInstall(root, ['--remove', '--yes'])).status).toBe(0);
    expect(readFiles(root)).toEqual(before);
    expect(readdirSync(root).sort()).toEqual(['.claude', '.gemini']);
  });

  test("Argus is added to the user's own configuration", async () => {
    const user = createUser();
    writeFileSync(path.join(user.HOME, '.claude.json'), '{"numStartups":3}\n');
    const env = { ...NO_AGENTS, ...user, CODEX_HOME: path.join(user.HOME, 'codex home') };
    mkdirSync(env.CODEX_HOME);
    const root = createProject();
    const { status, changes } = await runInstall(root, ['--global', '--agent', ...AGENT_NAMES, '--yes'], env);
    expect(status).toBe(0);
    const files = changes.map(({ file }) => path.relative(user.HOME, file));
    expect(files).toEqual(expect.arrayContaining(['.claude.json', 'codex home/config.toml', '.cursor/mcp.json']));
    const { numStartups, mcpServers } = JSON.parse(readProjectFile(user.HOME, '.claude.json'));
    expect({ numStartups, mcpServers }).toEqual({
      numStartups: 3,
      mcpServers: { argus: { command: 'node', args: [expect.stringMatching(/[\\/]dist[\\/]cli\.mjs$/u)] } },
    });
    expect(readdirSync(root)).toEqual([]);
    expect((await runInstall(root, ['--global', '--remove', '--yes'], env)).status).toBe(0);
    expect(readProjectFile(user.HOME, '.claude.json')).toBe('{"numStartups":3}\n');
    expect(existsSync(path.join(user.HOME, '.cursor'))).toBe(false);
  });
});

describe('choosing the agents', () => {
  test('agents with files in the project or in the home are chosen', async () => {
    const user = createUser();
    mkdirSync(path.join(user.HOME, '.codex'));
    const root = createProject({ '.vscode/settings.json': '{}', 'GEMINI.md': '' });
    expect((await runInstall(root, [], { ...NO_AGENTS, ...user })).states).toEqual({
      '.codex/config.toml': 'add',
      '.vscode/mcp.json': 'add',
      '.gemini/settings.json': 'add',
      '.gemini/commands/pm/fix-problem.toml': 'add',
      '.gemini/commands/pm/generate-inputs.toml': 'add',
    });
  });

  test.skipIf(process.platform === 'win32')('agents whose program is on PATH outside of the project', async () => {
    const [root, machine] = [createProject({ 'bin/codex': '' }), createProject({ 'bin/cursor': '' })];
    for (const file of [path.join(root, 'bin/codex'), path.join(machine, 'bin/cursor')]) chmodSync(file, 0o755);
    const env = { ...NO_AGENTS, PATH: [root, machine].map((folder) => path.join(folder, 'bin')).join(path.delimiter) };
    expect(Object.keys((await runInstall(root, [], env)).states)).toEqual(['.cursor/mcp.json']);
  });

  test('none', async () => {
    const root = createProject();
    const { status, stdout } = await runInstall(root, []);
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { message: expect.stringContaining('--agent with claude, codex') },
    });
    expect(await runInstall(root, ['--remove', '--yes'])).toMatchObject({ status: 0, changes: [], written: false });
    expect((await argus(['install', '--agent', 'emacs'])).status).toBe(2);
    expect((await argus(['install', '--agent', 'codex', '--project', path.join(root, 'none')])).status).toBe(2);
  });
});

test('without --yes and without a terminal, the changes are only shown', async () => {
  const root = createProject({ '.mcp.json': '{\n  "a": 1\n}\n' });
  const { status, stdout } = await argus(['install', '--agent', 'claude', '--project', root], { env: NO_AGENTS });
  expect(status).toBe(0);
  expect(stdout).toContain('+  "mcpServers": {');
  expect(stdout).toContain('Nothing was written. Add --yes to write it.');
  expect(readProjectFile(root, '.mcp.json')).toBe('{\n  "a": 1\n}\n');
});

test('existing files are shown without secrets and without control characters', async () => {
  const token = `ghp_${'A1b2C3d4'.repeat(5)}`.slice(0, 40);
  const root = createProject({
    '.mcp.json': `{\n  "mcpServers": {\n    "x\u202e": {"env": {"T": "${token}"}}\n  }\n}\n`,
  });
  const { stdout } = await argus(['install', '--agent', 'claude', '--project', root], { env: NO_AGENTS });
  expect(stdout).toContain('argus');
  expect(stdout).not.toContain(token);
  expect(stdout).not.toContain('\u202e');
});

describe('a file is not changed', () => {
  test.each([
    ['.mcp.json', '{\n  "mcpServers": {,}\n}\n', '2:18: it is not valid JSON'],
    ['.codex/config.toml', 'a = 1\nb = \n', '2:5: it is not valid TOML'],
    ['.cursor/mcp.json', '{"mcpServers": {"argus": {"command": "another"}}}', 'another server is already named argus'],
    ['.vscode/mcp.json', Buffer.from([0x7b, 0xff, 0x7d]), 'it is not UTF-8 text'],
    ['AGENTS.md', '# A\n<!-- argus:end -->\n', '2:1: the block of Argus at this line is incomplete'],
  ])('a broken %s, while the other files are written', async (name, content, problem) => {
    const root = createProject();
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
    const before = readFiles(root)[name];
    const { status, changes, states } = await runInstall(root, ['--agent', ...PROJECT_AGENTS, '--agents-md', '--yes']);
    expect(status).toBe(1);
    expect(changes.find(({ state }) => state === 'refused')?.problem).toContain(problem);
    expect(Object.values(states).filter((state) => state === 'add')).toHaveLength(13);
    expect(readFiles(root)[name]).toBe(before);
  });

  test.runIf(process.platform !== 'win32')('what a link leads to, in the project or out of it', async () => {
    const outside = createProject({ 'mcp.json': '{}\n', 'folder/config.toml': '', 'AGENTS.md': '# theirs\n' });
    const before = readFiles(outside);
    const linked = ['claude', 'codex', 'cursor', 'vscode', 'gemini'];
    const root = createProject({ 'inside/settings.json': '{}\n' });
    mkdirSync(path.join(root, '.vscode'));
    const links = {
      ...{ '.mcp.json': 'mcp.json', '.codex': 'folder', '.cursor': 'not there', '.vscode/mcp.json': 'made.json' },
      ...{ 'AGENTS.md': 'AGENTS.md', '.claude': 'folder' },
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(path.join(outside, target), path.join(root, name));
    symlinkSync('inside', path.join(root, '.gemini'));
    for (const more of [[], ['--remove']]) {
      const { status, changes } = await runInstall(root, ['--agent', ...linked, '--agents-md', '--yes', ...more]);
      expect(status).toBe(1);
      expect(changes.length).toBeGreaterThanOrEqual(6);
      for (const { problem } of changes) expect(problem).toContain('is a link');
    }
    expect(readFiles(outside)).toEqual(before);
    expect(readFiles(root)).toEqual({ 'inside/settings.json': Buffer.from('{}\n').toString('base64') });
  });

  test('a path of the wrong kind', async () => {
    const root = createProject({ '.mcp.json/x': '', '.cursor': 'a file' });
    const { changes } = await runInstall(root, ['--agent', 'claude', 'cursor', '--yes']);
    expect(changes.flatMap(({ problem }) => problem ?? [])).toEqual(['it is not a file', '.cursor is not a folder']);
  });

  test('another command with the same name', async () => {
    const own = '.claude/commands/pm/fix-problem.md';
    const root = createProject({ [own]: 'mine\n' });
    const { status, states } = await runInstall(root, ['--agent', 'claude', '--yes']);
    expect({ status, state: states[own] }).toEqual({ status: 1, state: 'refused' });
    expect(readProjectFile(root, own)).toBe('mine\n');
    expect(readProjectFile(root, '.claude/commands/pm/generate-inputs.md')).toContain('generate-inputs --arguments -');
  });
});
