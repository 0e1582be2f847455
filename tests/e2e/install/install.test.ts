/**
 * `argus install` on real folders: it writes the files that agents read, `--remove` restores every file, and links in a
 * project cannot make it write elsewhere.
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
import { argus } from '../argus.ts';
import { project, someUser } from '../harness.ts';

const AGENTS = ['claude', 'codex', 'cursor', 'vscode', 'gemini'] as const;
const FILES = {
  claude: '.mcp.json',
  codex: '.codex/config.toml',
  cursor: '.cursor/mcp.json',
  vscode: '.vscode/mcp.json',
  gemini: '.gemini/settings.json',
} as const;
/** An environment in which no agent is found, neither a program on PATH nor a folder in the home. */
const NOBODY = { ...someUser(), PATH: '/nowhere', XDG_CONFIG_HOME: '' };
const NPX = { command: 'npx', args: ['-y', 'argus-mcp'] };

/** Changes for the two agents that read commands from files. */
const ADDED_COMMANDS = Object.fromEntries(
  ['.claude/commands/pm/*.md', '.gemini/commands/pm/*.toml'].flatMap((place) =>
    ['fix-problem', 'generate-inputs'].map((name) => [place.replace('*', name), 'add']),
  ),
);

const Answer = z.object({
  changes: z.array(z.object({ file: z.string(), state: z.string(), problem: z.string().nullable() })),
  written: z.boolean(),
});

async function install(root: string, args: string[], env: Record<string, string> = NOBODY) {
  const { status, stdout, stderr } = await argus(['install', '--project', root, '--json', ...args], { env });
  const answer = status === 2 ? undefined : Answer.parse(JSON.parse(stdout));
  const states = Object.fromEntries(
    (answer?.changes ?? []).map(({ file, state }) => [path.relative(root, file), state]),
  );
  return { status, stdout, stderr, states, written: answer?.written, changes: answer?.changes ?? [] };
}

/** Returns every file below a folder with its bytes, without following links. */
function filesIn(root: string, below = ''): Record<string, string> {
  const entries = readdirSync(path.join(root, below), { withFileTypes: true });
  const files = entries.flatMap((entry) => {
    const name = path.join(below, entry.name);
    if (entry.isDirectory()) return Object.entries(filesIn(root, name));
    return entry.isFile() ? [[name, readFileSync(path.join(root, name), 'base64')]] : [];
  });
  return Object.fromEntries(files);
}

const read = (root: string, name: string) => readFileSync(path.join(root, name), 'utf8');

describe('every agent', () => {
  test.each(AGENTS)('%s is added to an empty project and removed again', async (agent) => {
    const root = project();
    const only = ['--agent', agent, '--yes', '--program', 'npx'];
    expect(await install(root, only)).toMatchObject({ status: 0, written: true, states: { [FILES[agent]]: 'add' } });
    const text = read(root, FILES[agent]);
    if (agent === 'codex') expect(text).toContain('[mcp_servers.argus]\ncommand = "npx"\nargs = ["-y", "argus-mcp"]\n');
    else {
      const { servers, mcpServers = servers } = JSON.parse(text);
      expect(mcpServers).toEqual({ argus: expect.objectContaining(NPX) });
    }
    expect(await install(root, only)).toMatchObject({ status: 0, written: false, states: { [FILES[agent]]: 'same' } });
    expect(read(root, FILES[agent])).toBe(text);
    expect(await install(root, ['--remove', '--yes'])).toMatchObject({
      status: 0,
      states: { [FILES[agent]]: 'remove' },
    });
    expect(readdirSync(root)).toEqual([]);
  });

  test('is added to files of the user, and removing it restores them', async () => {
    const root = project({
      '.mcp.json': '{"mcpServers":{"other":{"command":"x"}}}',
      '.codex/config.toml': 'model = "m"   # mine\r\n\r\n[mcp_servers.other]\r\ncommand = "x"',
      '.cursor/mcp.json': '{ "mcpServers": {} }\n',
      '.vscode/mcp.json': '{\n\t// mine\n\t"servers": {\n\t\t"other": { "command": "x" }, // keep\n\t},\n}\n',
      '.gemini/settings.json': '\uFEFF{\n    "ui": {"theme": "x"}\n}\n',
      'AGENTS.md': '# Rules\n\nBe kind.',
    });
    chmodSync(path.join(root, '.mcp.json'), 0o640);
    const before = filesIn(root);
    const all = ['--agent', ...AGENTS, '--agents-md', '--yes'];
    const { status, states } = await install(root, all);
    expect({ status, states: new Set(Object.values(states)) }).toEqual({
      status: 0,
      states: new Set(['change', 'add']),
    });
    const argusServer = () => JSON.parse(read(root, '.mcp.json')).mcpServers.argus;
    expect(argusServer()).toEqual({ command: 'node', args: [expect.stringMatching(/[\\/]dist[\\/]cli\.mjs$/u)] });
    expect(read(root, 'AGENTS.md')).toMatch(
      /^# Rules\n\nBe kind\.\n<!-- argus:begin.*argus_run.*<!-- argus:end -->\n$/su,
    );
    if (process.platform !== 'win32') expect(statSync(path.join(root, '.mcp.json')).mode & 0o777).toBe(0o640);
    expect((await install(root, all)).written).toBe(false);
    // Another way to start the server replaces the first entry and can be removed too.
    expect((await install(root, ['--agent', ...AGENTS, '--yes', '--program', 'npx'])).status).toBe(0);
    expect(argusServer()).toEqual(NPX);
    expect((await install(root, [...all, '--remove'])).status).toBe(0);
    expect(filesIn(root)).toEqual(before);
  });

  test('gets its hook in existing and in new files', async () => {
    const root = project({
      '.claude/settings.json': '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
      '.gemini/settings.json': '{"ui": {}}',
    });
    const before = filesIn(root);
    const all = ['--agent', ...AGENTS, '--hook', '--program', 'npx', '--yes'];
    expect((await install(root, all)).states).toEqual({
      '.mcp.json': 'add',
      '.claude/settings.json': 'change',
      '.codex/config.toml': 'add',
      '.codex/hooks.json': 'add',
      '.cursor/mcp.json': 'add',
      '.cursor/hooks.json': 'add',
      '.vscode/mcp.json': 'add',
      '.gemini/settings.json': 'change',
      ...ADDED_COMMANDS,
    });
    const HOOK = { command: 'npx -y argus-mcp hook', timeout: 20 };
    expect(JSON.parse(read(root, '.claude/settings.json'))).toMatchObject({
      hooks: { Stop: [], PostToolUseFailure: [{ matcher: 'Bash', hooks: [HOOK] }], SessionStart: [{ hooks: [HOOK] }] },
    });
    expect(JSON.parse(read(root, '.gemini/settings.json'))).toMatchObject({
      mcpServers: { argus: NPX },
      hooks: { AfterTool: [{ matcher: 'run_shell_command' }] },
    });
    expect((await install(root, all)).written).toBe(false);
    expect((await install(root, ['--remove', '--yes'])).status).toBe(0);
    expect(filesIn(root)).toEqual(before);
    expect(readdirSync(root).sort()).toEqual(['.claude', '.gemini']);
  });

  test("is added to the user's own configuration", async () => {
    const user = someUser();
    writeFileSync(path.join(user.HOME, '.claude.json'), '{"numStartups":3}\n');
    const env = { ...NOBODY, ...user, CODEX_HOME: path.join(user.HOME, 'codex home') };
    mkdirSync(env.CODEX_HOME);
    const root = project();
    const { status, changes } = await install(root, ['--global', '--agent', ...AGENTS, '--yes'], env);
    expect(status).toBe(0);
    const files = changes.map(({ file }) => path.relative(user.HOME, file));
    expect(files).toEqual(expect.arrayContaining(['.claude.json', 'codex home/config.toml', '.cursor/mcp.json']));
    expect(JSON.parse(read(user.HOME, '.claude.json'))).toMatchObject({ numStartups: 3, mcpServers: { argus: {} } });
    expect(readdirSync(root)).toEqual([]);
    expect((await install(root, ['--global', '--remove', '--yes'], env)).status).toBe(0);
    expect(read(user.HOME, '.claude.json')).toBe('{"numStartups":3}\n');
    expect(existsSync(path.join(user.HOME, '.cursor'))).toBe(false);
  });
});

describe('which agents', () => {
  test('agents with files in the project or in the home', async () => {
    const user = someUser();
    mkdirSync(path.join(user.HOME, '.codex'));
    const root = project({ '.vscode/settings.json': '{}', 'GEMINI.md': '' });
    expect((await install(root, [], { ...NOBODY, ...user })).states).toEqual({
      '.codex/config.toml': 'add',
      '.vscode/mcp.json': 'add',
      '.gemini/settings.json': 'add',
      '.gemini/commands/pm/fix-problem.toml': 'add',
      '.gemini/commands/pm/generate-inputs.toml': 'add',
    });
  });

  test.skipIf(process.platform === 'win32')('agents whose program is on PATH outside of the project', async () => {
    const [root, machine] = [project({ 'bin/codex': '' }), project({ 'bin/cursor': '' })];
    for (const file of [path.join(root, 'bin/codex'), path.join(machine, 'bin/cursor')]) chmodSync(file, 0o755);
    const env = { ...NOBODY, PATH: [root, machine].map((folder) => path.join(folder, 'bin')).join(path.delimiter) };
    expect(Object.keys((await install(root, [], env)).states)).toEqual(['.cursor/mcp.json']);
  });

  test('none', async () => {
    const root = project();
    const { status, stdout } = await install(root, []);
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { message: expect.stringContaining('--agent claude, codex') } });
    expect(await install(root, ['--remove', '--yes'])).toMatchObject({ status: 0, changes: [], written: false });
    expect((await argus(['install', '--agent', 'emacs'])).status).toBe(2);
    expect((await argus(['install', '--agent', 'codex', '--project', path.join(root, 'none')])).status).toBe(2);
  });
});

test('only shows the changes without --yes and without a terminal', async () => {
  const root = project({ '.mcp.json': '{\n  "a": 1\n}\n' });
  const { status, stdout } = await argus(['install', '--agent', 'claude', '--project', root], { env: NOBODY });
  expect(status).toBe(0);
  expect(stdout).toContain('+  "mcpServers": {');
  expect(stdout).toContain('Nothing was written: --yes writes it.');
  expect(read(root, '.mcp.json')).toBe('{\n  "a": 1\n}\n');
});

test('shows existing files without secrets and without control characters', async () => {
  const token = `ghp_${'A1b2C3d4'.repeat(5)}`.slice(0, 40);
  const root = project({ '.mcp.json': `{\n  "mcpServers": {\n    "x\u202e": {"env": {"T": "${token}"}}\n  }\n}\n` });
  const { stdout } = await argus(['install', '--agent', 'claude', '--project', root], { env: NOBODY });
  expect(stdout).toContain('argus');
  expect(stdout).not.toContain(token);
  expect(stdout).not.toContain('\u202e');
});

describe('is not changed', () => {
  test.each([
    ['.mcp.json', '{\n  "mcpServers": {,}\n}\n', '2:18: it is no JSON'],
    ['.codex/config.toml', 'a = 1\nb = \n', '2:5: it is no TOML'],
    ['.cursor/mcp.json', '{"mcpServers": {"argus": {"command": "another"}}}', 'another server is called argus'],
    ['.vscode/mcp.json', Buffer.from([0x7b, 0xff, 0x7d]), 'it is no UTF-8 text'],
    ['AGENTS.md', '# A\n<!-- argus:end -->\n', '2:1: a block of Argus begins or ends there'],
  ])('a broken %s, while the other files are written', async (name, content, problem) => {
    const root = project();
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
    const before = filesIn(root)[name];
    const { status, changes, states } = await install(root, ['--agent', ...AGENTS, '--agents-md', '--yes']);
    expect(status).toBe(1);
    expect(changes.find(({ state }) => state === 'refused')?.problem).toContain(problem);
    expect(Object.values(states).filter((state) => state === 'add')).toHaveLength(9);
    expect(filesIn(root)[name]).toBe(before);
  });

  test.runIf(process.platform !== 'win32')('what a link leads to, in the project or out of it', async () => {
    const outside = project({ 'mcp.json': '{}\n', 'folder/config.toml': '', 'AGENTS.md': '# theirs\n' });
    const before = filesIn(outside);
    const root = project({ 'inside/settings.json': '{}\n' });
    mkdirSync(path.join(root, '.vscode'));
    const links = {
      ...{ '.mcp.json': 'mcp.json', '.codex': 'folder', '.cursor': 'not there', '.vscode/mcp.json': 'made.json' },
      ...{ 'AGENTS.md': 'AGENTS.md', '.claude': 'folder' },
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(path.join(outside, target), path.join(root, name));
    symlinkSync('inside', path.join(root, '.gemini'));
    for (const more of [[], ['--remove']]) {
      const { status, changes } = await install(root, ['--agent', ...AGENTS, '--agents-md', '--yes', ...more]);
      expect(status).toBe(1);
      expect(changes.length).toBeGreaterThanOrEqual(6);
      for (const { problem } of changes) expect(problem).toContain('is a link');
    }
    expect(filesIn(outside)).toEqual(before);
    expect(filesIn(root)).toEqual({ 'inside/settings.json': Buffer.from('{}\n').toString('base64') });
  });

  test('a path of the wrong kind', async () => {
    const root = project({ '.mcp.json/x': '', '.cursor': 'a file' });
    const { changes } = await install(root, ['--agent', 'claude', 'cursor', '--yes']);
    expect(changes.flatMap(({ problem }) => problem ?? [])).toEqual(['it is no file', '.cursor is no folder']);
  });

  test("another's command of the same name", async () => {
    const own = '.claude/commands/pm/fix-problem.md';
    const root = project({ [own]: 'mine\n' });
    const { status, states } = await install(root, ['--agent', 'claude', '--yes']);
    expect({ status, state: states[own] }).toEqual({ status: 1, state: 'refused' });
    expect(read(root, own)).toBe('mine\n');
    expect(read(root, '.claude/commands/pm/generate-inputs.md')).toContain('generate-inputs --arguments -');
  });
});
