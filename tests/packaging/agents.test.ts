/**
 * Checks that the plugins, extensions, links and entries that packages/agents/generate.mjs writes match the schemas of
 * their hosts and name existing tools. A step of `npm test` checks that they are current. The hosts themselves were
 * tried by hand; docs/manual/agents.md describes how.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { argus } from '../e2e/argus.ts';
import { project } from '../e2e/harness.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const readJson = (file: string): unknown => JSON.parse(read(file));
const AGENTS = 'packages/agents';
const SERVER = { command: 'npx', args: ['-y', 'argus-mcp'] };
const HOOK = 'npx -y argus-mcp hook';

describe('the published schemas', () => {
  test.each([
    ['.claude-plugin/marketplace.json', 'claude-code-marketplace'],
    [`${AGENTS}/claude/argus/.claude-plugin/plugin.json`, 'claude-code-plugin-manifest'],
    [`${AGENTS}/claude/pm/.claude-plugin/plugin.json`, 'claude-code-plugin-manifest'],
    [`${AGENTS}/codex/.codex-plugin/plugin.json`, 'codex-plugin-manifest'],
    [`${AGENTS}/codex/hooks/hooks.json`, 'codex-hooks'],
    [`${AGENTS}/gemini/hooks/hooks.json`, 'gemini-settings'],
    [`${AGENTS}/gemini/gemini-extension.json`, 'gemini-settings'],
    [`${AGENTS}/registry/server.json`, 'mcp-registry-server'],
  ])('%s is a %s', (file, schema) => {
    expect(problems(schema, readJson(file))).toEqual([]);
  });

  test('reject invalid files', () => {
    expect(problems('mcp-registry-server', { name: 'no-slash', description: '', version: '1' })).not.toEqual([]);
    expect(problems('codex-hooks', { hooks: { PostToolUse: [{ hooks: [] }] } })).not.toEqual([]);
    expect(problems('gemini-settings', { mcpServers: { argus: { cmd: 'npx' } } })).not.toEqual([]);
    expect(problems('claude-code-plugin-manifest', { name: 'argus', hooks: { PostTool: [] } })).not.toEqual([]);
  });

  test('accept the hooks of the Claude Code plugin', () => {
    const hooks = readJson(`${AGENTS}/claude/argus/hooks/hooks.json`);
    expect(problems('claude-code-plugin-manifest', { name: 'argus', ...Object(hooks) })).toEqual([]);
  });
});

/** Errors of a value according to a schema. Unknown keywords of the schemas are ignored. */
function problems(schema: string, value: unknown): string[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const { $schema: _, ...rules } = z
    .record(z.string(), z.unknown())
    .parse(readJson(`tests/fixtures/schemas/${schema}.json`));
  const validate = ajv.compile(rules);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test('all versions match the package, and the registry name matches', () => {
  const manifest = z.object({ version: z.string(), mcpName: z.string() }).parse(readJson('packages/mcp/package.json'));
  const generated = readdirSync(path.join(root, AGENTS), { recursive: true }).map((file) => `${AGENTS}/${file}`);
  const files = [...generated, '.claude-plugin/marketplace.json'].filter((file) => file.endsWith('.json'));
  const versions = files.flatMap((file) => [...read(file).matchAll(/"version": "([^"]+)"/gu)].map(([, one]) => one));
  expect(versions.length).toBeGreaterThan(7);
  expect(new Set(versions)).toEqual(new Set([manifest.version]));
  expect(readJson(`${AGENTS}/registry/server.json`)).toMatchObject({ name: manifest.mcpName });
});

test('all files start the same server and the same hook', () => {
  const servers = z.object({ mcpServers: z.object({ argus: z.unknown() }) });
  for (const file of ['claude/argus/.mcp.json', 'codex/.mcp.json', 'gemini/gemini-extension.json', 'cursor/mcp.json'])
    expect(servers.parse(readJson(`${AGENTS}/${file}`)).mcpServers.argus, file).toMatchObject(SERVER);
  expect(readJson(`${AGENTS}/vscode/mcp.json`)).toMatchObject({ servers: { argus: SERVER } });
  for (const file of ['claude/argus/hooks/hooks.json', 'codex/hooks/hooks.json', 'gemini/hooks/hooks.json']) {
    const commands = [...read(`${AGENTS}/${file}`).matchAll(/"command": "([^"]+)"/gu)].map(([, command]) => command);
    expect(new Set(commands), file).toEqual(new Set([HOOK]));
  }
});

test('install links contain the server and are in the manual', () => {
  const links = (agent: string) =>
    z.object({ app: z.string(), web: z.string() }).parse(readJson(`${AGENTS}/${agent}/install-links.json`));
  const cursor = links('cursor');
  for (const link of [cursor.app, cursor.web]) {
    const { searchParams } = new URL(link);
    expect(searchParams.get('name')).toBe('argus');
    expect(JSON.parse(Buffer.from(searchParams.get('config') ?? '', 'base64').toString())).toEqual(SERVER);
  }
  const code = links('vscode');
  expect(JSON.parse(decodeURIComponent(code.app.replace('vscode:mcp/install?', '')))).toEqual({
    name: 'argus',
    ...SERVER,
  });
  expect(JSON.parse(new URL(code.web).searchParams.get('config') ?? '')).toEqual(SERVER);
  const manual = read('docs/manual/agents.md');
  for (const link of [cursor.app, cursor.web, code.app, code.web]) expect(manual).toContain(link);
});

const SKILLS = readdirSync(path.join(root, AGENTS, 'source/skills'));

describe.each(SKILLS)('the skill %s', (skill) => {
  const text = read(`${AGENTS}/source/skills/${skill}/SKILL.md`);

  test('describes its purpose in less than 200 lines', () => {
    const [, name, description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/u.exec(text) ?? [];
    expect(name).toBe(skill);
    expect(description.length).toBeGreaterThan(60);
    expect(description.length).toBeLessThan(1_024);
    expect(text.split('\n').length).toBeLessThan(200);
  });

  test('names only existing tools, fields and skills', () => {
    const tools = read('packages/mcp/src/generated/tools.json');
    const pages = ['failures', 'evidence', 'incidents'].map((page) => read(`docs/manual/${page}.md`));
    const known = [tools, ...pages, read('packages/mcp/src/prompts/fix-problem.ts')];
    const words = [...text.matchAll(/`([a-z][A-Za-z_]+)`/gu)].map(([, word = '']) => word);
    expect(words.length).toBeGreaterThan(10);
    const unknown = words.filter(
      (word) => !SKILLS.includes(word) && !known.some((one) => new RegExp(`\\b${word}\\b`, 'u').test(one)),
    );
    expect(unknown).toEqual([]);
  });
});

test('skills list every verdict and every next step', () => {
  const kinds = (text: string) => [...text.matchAll(/^\| `(\w+)` \|/gmu)].map(([, kind]) => kind);
  const verdicts = kinds(read('docs/manual/evidence.md'));
  expect(verdicts).toContain('infrastructure');
  expect(kinds(read(`${AGENTS}/source/skills/failure-verdicts/SKILL.md`))).toEqual(verdicts);
  const actions = [...read('packages/mcp/src/tools/shared/fix-schemas.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gmu)];
  const steps = kinds(read(`${AGENTS}/source/skills/fix-loop/SKILL.md`));
  expect(new Set(steps)).toEqual(new Set(actions.map(([, action]) => action)));
});

describe('the commands of the contract', () => {
  const markdown = read(`${AGENTS}/claude/pm/commands/fix-problem.md`);

  test('have the names of the contract', () => {
    expect(readJson(`${AGENTS}/claude/pm/.claude-plugin/plugin.json`)).toMatchObject({ name: 'pm' });
    for (const file of ['claude/pm/commands/fix-problem.md', 'claude/pm/commands/generate-inputs.md'])
      expect(existsSync(path.join(root, AGENTS, file))).toBe(true);
    for (const file of ['gemini/commands/pm/fix-problem.toml', 'gemini/commands/pm/generate-inputs.toml'])
      expect(read(`${AGENTS}/${file}`)).toContain('{{args}}');
  });

  test('list every argument of the program', () => {
    const [, hint = ''] = /^argument-hint: '(.+)'$/mu.exec(markdown) ?? [];
    for (const option of ['desired', 'command', 'test', 'auto', 'inputs', 'timeout', 'max-attempts', 'backoff'])
      expect(hint).toContain(`--${option}`);
    for (const option of ['circuit-breaker', 'namespace']) expect(hint).toContain(`--${option}`);
  });

  /** The script of a command, after the host has inserted the arguments. */
  const script = (file: string, typed: string) => {
    const [, block = ''] = /```sh\n(.*?)\n *```/su.exec(read(file).replaceAll('$ARGUMENTS', () => typed)) ?? [];
    return block.replaceAll(/^ {3}/gmu, '');
  };

  test.each([
    [`"TypeError: undefined" --desired "Function returns array"`, ['TypeError: undefined'], undefined],
    [`--command "exit 7" --desired "Build succeeds" --max-attempts 2 --timeout 30`, [], 'exit 7'],
    [
      `--command "echo '$(id) \`id\`'; exit 7" --desired "Pods running" --namespace "myapp" --circuit-breaker 3`,
      ['$(id)', '`id`'],
      "echo '$(id) `id`'; exit 7",
    ],
  ])('pass %s unchanged', async (typed, shown, command) => {
    const [first = '', ...rest] = script(`${AGENTS}/claude/pm/commands/fix-problem.md`, typed).split('\n');
    const [, options = '', mark = ''] = /^npx -y argus-mcp (.+) <<'(\w+)'$/u.exec(first) ?? [];
    expect(rest.at(-1)).toBe(mark);
    const cwd = project();
    const input = rest.slice(0, -1).join('\n');
    const { status, stdout, stderr } = await argus([...options.split(' '), '--json', '--backoff', '0'], { cwd, input });
    expect(status, stderr).toBe(3);
    for (const text of shown) expect(stdout).toContain(text);
    if (command !== undefined) expect(JSON.parse(stdout)).toMatchObject({ command });
  });

  test('find the questions of a script', async () => {
    const file = `${AGENTS}/claude/pm/commands/generate-inputs.md`;
    const [first = '', input = ''] = script(file, 'for command: "read -p \'Name: \' name"').split('\n');
    const [, options = ''] = /^npx -y argus-mcp (.+) <</u.exec(first) ?? [];
    const { status, stdout, stderr } = await argus([...options.split(' '), '--json'], { input });
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('Name: ');
  });
});
