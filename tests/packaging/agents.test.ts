/**
 * Checks that the plugins, extensions, links and entries that packages/agents/generate.mjs writes match the schemas of
 * their agents and name existing tools. A step of `npm test` checks that they are current. The agents themselves were
 * tried by hand, as docs/manual/agents.md describes.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AGENT_NAMES, AGENTS as HOSTS, IS_PUBLISHED } from '../../packages/mcp/src/cli/install/agents.ts';
import { createAnswerSchemas } from '../../packages/mcp/src/tools/shared/listing.ts';
import { TOOLS } from '../../packages/mcp/src/tools/shared/registry.ts';
import { argus } from '../e2e/argus.ts';
import { createProject } from '../e2e/harness.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const readProjectFile = (file: string) => readFileSync(path.join(projectRoot, file), 'utf8');
const readJson = (file: string): unknown => JSON.parse(readProjectFile(file));
const AGENTS_FOLDER = 'packages/agents';
const SERVER_ENTRY = { command: 'argus-mcp', args: [] };
const HOOK_COMMAND = 'argus-mcp hook';

describe('the published schemas of the agents', () => {
  test.each([
    ['.claude-plugin/marketplace.json', 'claude-code-marketplace'],
    [`${AGENTS_FOLDER}/claude/argus/.claude-plugin/plugin.json`, 'claude-code-plugin-manifest'],
    [`${AGENTS_FOLDER}/claude/pm/.claude-plugin/plugin.json`, 'claude-code-plugin-manifest'],
    [`${AGENTS_FOLDER}/codex/.codex-plugin/plugin.json`, 'codex-plugin-manifest'],
    [`${AGENTS_FOLDER}/codex/hooks/hooks.json`, 'codex-hooks'],
    [`${AGENTS_FOLDER}/gemini/hooks/hooks.json`, 'gemini-settings'],
    [`${AGENTS_FOLDER}/gemini/gemini-extension.json`, 'gemini-settings'],
    [`${AGENTS_FOLDER}/registry/server.json`, 'mcp-registry-server'],
  ])('%s is a %s', (file, schema) => {
    expect(findProblems(schema, readJson(file))).toEqual([]);
  });

  test('the schemas reject invalid files', () => {
    expect(findProblems('mcp-registry-server', { name: 'no-slash', description: '', version: '1' })).not.toEqual([]);
    expect(findProblems('codex-hooks', { hooks: { PostToolUse: [{ hooks: [] }] } })).not.toEqual([]);
    expect(findProblems('gemini-settings', { mcpServers: { argus: { cmd: 'node' } } })).not.toEqual([]);
    expect(findProblems('claude-code-plugin-manifest', { name: 'argus', hooks: { PostTool: [] } })).not.toEqual([]);
  });

  test('the schemas accept the hooks of the Claude Code plugin', () => {
    const hooks = readJson(`${AGENTS_FOLDER}/claude/argus/hooks/hooks.json`);
    expect(findProblems('claude-code-plugin-manifest', { name: 'argus', ...Object(hooks) })).toEqual([]);
  });
});

/** Returns the errors of a value according to a schema. Unknown keywords of the schemas are ignored. */
function findProblems(schema: string, value: unknown): string[] {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const { $schema: _, ...rules } = z
    .record(z.string(), z.unknown())
    .parse(readJson(`tests/fixtures/schemas/${schema}.json`));
  const validate = ajv.compile(rules);
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test("all versions equal the package's version, and the registry name matches", () => {
  const manifest = z.object({ version: z.string(), mcpName: z.string() }).parse(readJson('packages/mcp/package.json'));
  const generated = readdirSync(path.join(projectRoot, AGENTS_FOLDER), { recursive: true }).map(
    (file) => `${AGENTS_FOLDER}/${file}`,
  );
  const files = [...generated, '.claude-plugin/marketplace.json'].filter((file) => file.endsWith('.json'));
  const versions = files.flatMap((file) =>
    [...readProjectFile(file).matchAll(/"version": "([^"]+)"/gu)].map(([, one]) => one),
  );
  expect(versions.length).toBeGreaterThan(7);
  expect(new Set(versions)).toEqual(new Set([manifest.version]));
  expect(readJson(`${AGENTS_FOLDER}/registry/server.json`)).toMatchObject({ name: manifest.mcpName });
});

test('all files start the same server and the same hook', () => {
  const servers = z.object({ mcpServers: z.object({ argus: z.unknown() }) });
  for (const file of ['claude/argus/.mcp.json', 'codex/.mcp.json', 'gemini/gemini-extension.json', 'cursor/mcp.json'])
    expect(servers.parse(readJson(`${AGENTS_FOLDER}/${file}`)).mcpServers.argus, file).toMatchObject(SERVER_ENTRY);
  expect(readJson(`${AGENTS_FOLDER}/vscode/mcp.json`)).toMatchObject({ servers: { argus: SERVER_ENTRY } });
  for (const file of ['claude/argus/hooks/hooks.json', 'codex/hooks/hooks.json', 'gemini/hooks/hooks.json']) {
    const commands = [...readProjectFile(`${AGENTS_FOLDER}/${file}`).matchAll(/"command": "([^"]+)"/gu)].map(
      ([, command]) => command,
    );
    expect(new Set(commands), file).toEqual(new Set([HOOK_COMMAND]));
  }
});

test('install links contain the server and are in the manual', () => {
  const links = (agent: string) =>
    z.object({ app: z.string(), web: z.string() }).parse(readJson(`${AGENTS_FOLDER}/${agent}/install-links.json`));
  const cursor = links('cursor');
  for (const link of [cursor.app, cursor.web]) {
    const { searchParams } = new URL(link);
    expect(searchParams.get('name')).toBe('argus');
    expect(JSON.parse(Buffer.from(searchParams.get('config') ?? '', 'base64').toString())).toEqual(SERVER_ENTRY);
  }
  const code = links('vscode');
  expect(JSON.parse(decodeURIComponent(code.app.replace('vscode:mcp/install?', '')))).toEqual({
    name: 'argus',
    ...SERVER_ENTRY,
  });
  expect(JSON.parse(new URL(code.web).searchParams.get('config') ?? '')).toEqual(SERVER_ENTRY);
  const manual = readProjectFile('docs/manual/agents.md');
  for (const link of [cursor.app, cursor.web, code.app, code.web]) expect(manual).toContain(link);
});

test('no file starts Argus with npx, which works only for a published package', () => {
  const generated = readdirSync(path.join(projectRoot, AGENTS_FOLDER), { recursive: true, withFileTypes: true });
  const files = generated.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name));
  const manual = readdirSync(path.join(projectRoot, 'docs/manual')).map((page) =>
    path.join(projectRoot, 'docs/manual', page),
  );
  const readme = path.join(projectRoot, 'packages/mcp/README.md');
  const wrong = [...files, ...manual, readme].filter((file) => /npx (?:-y )?argus/u.test(readFileSync(file, 'utf8')));
  expect(IS_PUBLISHED ? [] : wrong).toEqual([]);
});

/** Returns the table of agents for the manual. */
function agentTable(): string {
  const rows = AGENT_NAMES.map((name) => {
    const { title, projectFile, userFile, hook, checked } = HOSTS[name];
    const own = userFile({ platform: 'linux', home: '~', env: {} });
    const file = (one: string | null | undefined) => (one == null ? '-' : `\`${one}\``);
    return `| \`${name}\` | ${title} | ${file(projectFile)} | ${file(own)} | ${file(hook?.projectFile)} | ${checked} |`;
  });
  return [
    '| `--agent` | host | project file | your file | hook | checked |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

test('the manual contains the table of agents', () =>
  expect(readProjectFile('docs/manual/agents.md')).toContain(agentTable()));

const SKILL_NAMES = readdirSync(path.join(projectRoot, AGENTS_FOLDER, 'source/skills'));

describe.each(SKILL_NAMES)('the skill %s', (skill) => {
  const text = readProjectFile(`${AGENTS_FOLDER}/source/skills/${skill}/SKILL.md`);

  test('a skill describes its purpose in less than 200 lines', () => {
    const [, name, description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n/u.exec(text) ?? [];
    expect(name).toBe(skill);
    expect(description.length).toBeGreaterThan(60);
    expect(description.length).toBeLessThan(1_024);
    expect(text.split('\n').length).toBeLessThan(200);
  });

  test('a skill names only existing tools, fields and skills', () => {
    const tools = readProjectFile('packages/mcp/src/generated/tools.json') + JSON.stringify(createAnswerSchemas(TOOLS));
    const pages = ['failures', 'evidence', 'incidents'].map((page) => readProjectFile(`docs/manual/${page}.md`));
    const known = [tools, ...pages, readProjectFile('packages/mcp/src/server/prompts.ts')];
    const words = [...text.matchAll(/`([a-z][A-Za-z_]+)`/gu)].map(([, word = '']) => word);
    expect(words.length).toBeGreaterThan(10);
    const unknown = words.filter(
      (word) => !SKILL_NAMES.includes(word) && !known.some((one) => new RegExp(`\\b${word}\\b`, 'u').test(one)),
    );
    expect(unknown).toEqual([]);
  });
});

test('the skills list every verdict and every next action', () => {
  const kinds = (text: string) => [...text.matchAll(/^\| `(\w+)` \|/gmu)].map(([, kind]) => kind);
  const verdicts = kinds(readProjectFile('docs/manual/evidence.md'));
  expect(verdicts).toContain('infrastructure');
  expect(kinds(readProjectFile(`${AGENTS_FOLDER}/source/skills/failure-verdicts/SKILL.md`))).toEqual(verdicts);
  const actions = [
    ...readProjectFile('packages/mcp/src/tools/shared/fix-schemas.ts').matchAll(/^ {2}\| '([A-Z_]+)'/gmu),
  ];
  const steps = kinds(readProjectFile(`${AGENTS_FOLDER}/source/skills/fix-loop/SKILL.md`));
  expect(new Set(steps)).toEqual(new Set(actions.map(([, action]) => action)));
});

describe('the commands of the contract', () => {
  const markdown = readProjectFile(`${AGENTS_FOLDER}/claude/pm/commands/fix-problem.md`);

  test('the commands are named as in the contract', () => {
    expect(readJson(`${AGENTS_FOLDER}/claude/pm/.claude-plugin/plugin.json`)).toMatchObject({ name: 'pm' });
    for (const file of ['claude/pm/commands/fix-problem.md', 'claude/pm/commands/generate-inputs.md'])
      expect(existsSync(path.join(projectRoot, AGENTS_FOLDER, file))).toBe(true);
    for (const file of ['gemini/commands/pm/fix-problem.toml', 'gemini/commands/pm/generate-inputs.toml'])
      expect(readProjectFile(`${AGENTS_FOLDER}/${file}`)).toContain('{{args}}');
  });

  test('the commands list every argument of the program', () => {
    const [, hint = ''] = /^argument-hint: '(.+)'$/mu.exec(markdown) ?? [];
    for (const option of ['desired', 'command', 'test', 'auto', 'inputs', 'timeout', 'max-attempts', 'backoff'])
      expect(hint).toContain(`--${option}`);
    for (const option of ['circuit-breaker', 'namespace']) expect(hint).toContain(`--${option}`);
  });

  /** Returns the script of a command after the agent has inserted the arguments. */
  const script = (file: string, typed: string) => {
    const [, block = ''] =
      /```sh\n(.*?)\n *```/su.exec(readProjectFile(file).replaceAll('$ARGUMENTS', () => typed)) ?? [];
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
    const [first = '', ...rest] = script(`${AGENTS_FOLDER}/claude/pm/commands/fix-problem.md`, typed).split('\n');
    const [, options = '', mark = ''] = /^argus-mcp (.+) <<'(\w+)'$/u.exec(first) ?? [];
    expect(rest.at(-1)).toBe(mark);
    const cwd = createProject();
    const input = rest.slice(0, -1).join('\n');
    const { status, stdout, stderr } = await argus([...options.split(' '), '--json', '--backoff', '0'], { cwd, input });
    expect(status, stderr).toBe(3);
    for (const text of shown) expect(stdout).toContain(text);
    if (command !== undefined) expect(JSON.parse(stdout)).toMatchObject({ command });
  });

  test('the commands find the questions of a script', async () => {
    const file = `${AGENTS_FOLDER}/claude/pm/commands/generate-inputs.md`;
    const [first = '', input = ''] = script(file, 'for command: "read -p \'Name: \' name"').split('\n');
    const [, options = ''] = /^argus-mcp (.+) <</u.exec(first) ?? [];
    const { status, stdout, stderr } = await argus([...options.split(' '), '--json'], { input });
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('Name: ');
  });
});
