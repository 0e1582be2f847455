// Writes the files by which each agent installs Argus: plugins, extensions, install links and the entry in the
// registry. The sources are this file, the texts in source/, and name and version in packages/mcp/package.json. With
// --check it writes nothing and lists the files that are not current.
//
// Run: `node packages/agents/generate.mjs`
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '../..');

/** Folders that contain only generated files. */
const GENERATED = ['claude', 'codex', 'cursor', 'gemini', 'registry', 'vscode'].map(
  (name) => `packages/agents/${name}`,
);

const { version, description, license, author, mcpName } = JSON.parse(read('packages/mcp/package.json'));

const SERVER = { command: 'npx', args: ['-y', 'argus-mcp'] };
const HOOK = `${[SERVER.command, ...SERVER.args].join(' ')} hook`;
/** The limit for a hook, because the agent waits for it. */
const HOOK_SECONDS = 20;

const ABOUT = { version, description, author: { name: author }, license };
const KEYWORDS = ['testing', 'debugging', 'memory', 'mcp'];
/** The registry allows 100 characters. */
const SHORT = 'Runs tests, recognises failures it has seen, and remembers what fixed them.';
const COMMANDS = {
  'fix-problem': {
    description: 'Repair an error, or run a command until it succeeds, with a fix between the attempts',
    hint: '"<error_message>" --desired "<expected_behavior>" [--test "<verification_command>"] [--namespace "<k8s_namespace>"] | --command "<command_to_run>" --desired "<expected_behavior>" [--auto] [--inputs <file>] [--timeout <seconds>] [--max-attempts <N>] [--backoff <initial_delay>] [--circuit-breaker <threshold>] [--namespace "<k8s_namespace>"]',
  },
  'generate-inputs': {
    description: 'Find what a script asks, and write a file of proposed answers for /pm:fix-problem',
    hint: '"<script or command>" [--output <file>] [--force]',
  },
};

/** Every generated file by its path in the repository. */
export function files() {
  return {
    '.claude-plugin/marketplace.json': json(claudeMarketplace()),
    '.agents/plugins/marketplace.json': json(codexMarketplace()),
    ...under('packages/agents/claude/argus', {
      // Commands are named after their plugin, so the commands of the contract need a plugin with the name `pm`.
      '.claude-plugin/plugin.json': json({ name: 'argus', ...ABOUT, keywords: KEYWORDS, dependencies: ['pm'] }),
      '.mcp.json': json({ mcpServers: { argus: SERVER } }),
      'hooks/hooks.json': json(hooks(['PostToolUseFailure', 'PostToolUse'], 'Bash', HOOK_SECONDS)),
      ...skills(),
    }),
    ...under('packages/agents/claude/pm', {
      '.claude-plugin/plugin.json': json({ name: 'pm', ...ABOUT, description: PM, keywords: KEYWORDS }),
      ...commands((name, { hint, ...about }, text) => [`commands/${name}.md`, markdownCommand(about, hint, text)]),
    }),
    ...under('packages/agents/codex', {
      '.codex-plugin/plugin.json': json(codexPlugin()),
      '.mcp.json': json({ mcpServers: { argus: { ...SERVER, tool_timeout_sec: 1800 } } }),
      'hooks/hooks.json': json(hooks(['PostToolUse'], 'Bash', HOOK_SECONDS)),
      ...skills(),
    }),
    ...under('packages/agents/gemini', {
      'gemini-extension.json': json({ name: 'argus', version, description, mcpServers: { argus: SERVER } }),
      'hooks/hooks.json': json(hooks(['AfterTool'], 'run_shell_command', HOOK_SECONDS * 1000)),
      ...commands((name, about, text) => [`commands/pm/${name}.toml`, tomlCommand(about, text)]),
      ...skills(),
    }),
    ...under('packages/agents/cursor', {
      'mcp.json': json({ mcpServers: { argus: SERVER } }),
      'hooks.json': json(cursorHooks()),
      'install-links.json': json(cursorLinks()),
    }),
    ...under('packages/agents/vscode', {
      'mcp.json': json({ servers: { argus: { type: 'stdio', ...SERVER } } }),
      'install-links.json': json(vscodeLinks()),
    }),
    'packages/agents/registry/server.json': json(registryEntry()),
    // The files that `argus install` writes.
    'packages/mcp/src/generated/agent-commands.json': json({
      claude: commands((name, { hint, ...about }, text) => [`${name}.md`, markdownCommand(about, hint, text)]),
      gemini: commands((name, about, text) => [`${name}.toml`, tomlCommand(about, text)]),
    }),
  };
}

const PM = 'The commands /pm:fix-problem and /pm:generate-inputs, by Argus: the bounded fix loop, and answers for it.';

function claudeMarketplace() {
  const plugin = (name, about) => ({ name, source: `./packages/agents/claude/${name}`, description: about, version });
  return {
    $schema: 'https://json.schemastore.org/claude-code-marketplace.json',
    name: 'argus',
    description: 'Argus, a failure memory for coding agents',
    owner: { name: author },
    plugins: [plugin('argus', description), plugin('pm', PM)],
  };
}

function codexMarketplace() {
  return {
    name: 'argus',
    interface: { displayName: 'Argus' },
    plugins: [
      {
        name: 'argus',
        source: { source: 'local', path: './packages/agents/codex' },
        policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
        category: 'Coding',
      },
    ],
  };
}

function codexPlugin() {
  return {
    name: 'argus',
    ...ABOUT,
    keywords: KEYWORDS,
    skills: './skills/',
    mcpServers: './.mcp.json',
    interface: {
      displayName: 'Argus',
      shortDescription: 'Failure memory for coding agents',
      longDescription: description,
      developerName: author,
      category: 'Coding',
      capabilities: ['Interactive', 'Write'],
      defaultPrompt: ['Run the tests with Argus and say what is wrong, with what fixed it before.'],
    },
  };
}

/** All events use the same command, because the event is in the command's input. */
function hooks(events, matcher, timeout) {
  const run = { type: 'command', command: HOOK, timeout };
  const ofTools = events.map((event) => [event, [{ matcher, hooks: [run] }]]);
  return { hooks: Object.fromEntries([...ofTools, ['SessionStart', [{ hooks: [run] }]]]) };
}

function cursorHooks() {
  const ofShell = [{ command: HOOK, matcher: 'Shell' }];
  return { version: 1, hooks: { postToolUse: ofShell, postToolUseFailure: ofShell } };
}

/** Copies the skills, because no agent follows a link out of a plugin. */
function skills() {
  const names = readdirSync(path.join(here, 'source/skills')).sort();
  return Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, source(`skills/${name}/SKILL.md`)]));
}

function commands(write) {
  const entries = Object.entries(COMMANDS);
  return Object.fromEntries(entries.map(([name, about]) => write(name, about, source(`commands/${name}.md`))));
}

function markdownCommand({ description: about }, hint, text) {
  return `---\ndescription: ${about}\nargument-hint: '${hint}'\n---\n\n${text.replaceAll('{{ARGUMENTS}}', '$ARGUMENTS')}`;
}

function tomlCommand({ description: about }, text) {
  const prompt = text.replaceAll('{{ARGUMENTS}}', '{{args}}');
  if (prompt.includes("'''")) throw new Error('a literal string of TOML cannot hold three apostrophes');
  return `description = ${JSON.stringify(about)}\nprompt = '''\n${prompt}'''\n`;
}

function cursorLinks() {
  const config = encodeURIComponent(Buffer.from(JSON.stringify(SERVER)).toString('base64'));
  return {
    app: `cursor://anysphere.cursor-deeplink/mcp/install?name=argus&config=${config}`,
    web: `https://cursor.com/en/install-mcp?name=argus&config=${config}`,
  };
}

function vscodeLinks() {
  const encoded = (value) => encodeURIComponent(JSON.stringify(value));
  return {
    app: `vscode:mcp/install?${encoded({ name: 'argus', ...SERVER })}`,
    web: `https://insiders.vscode.dev/redirect/mcp/install?name=argus&config=${encoded(SERVER)}`,
  };
}

function registryEntry() {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Argus',
    description: SHORT,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: 'argus-mcp',
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
      },
    ],
  };
}

function under(folder, made) {
  return Object.fromEntries(Object.entries(made).map(([name, text]) => [`${folder}/${name}`, text]));
}

/** Writes short lists on one line, like the formatter does. */
function json(value) {
  const text = JSON.stringify(value, null, 2);
  return `${text.replaceAll(/\[\s+("[^[\]{}]*?")\s+\]/g, (_, list) => `[${list.replaceAll(/,\s+/g, ', ')}]`)}\n`;
}

function source(name) {
  return read(`packages/agents/source/${name}`);
}

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The files that are missing, different or superfluous. */
export function notCurrent() {
  const wanted = files();
  const changed = Object.entries(wanted)
    .filter(([file, text]) => !existsSync(path.join(root, file)) || read(file) !== text)
    .map(([file]) => file);
  return [...changed, ...generatedFiles().filter((file) => !(file in wanted))];
}

function generatedFiles() {
  const folders = GENERATED.filter((folder) => existsSync(path.join(root, folder)));
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')),
  );
}

function writeAll() {
  const wanted = files();
  for (const file of generatedFiles()) if (!(file in wanted)) rmSync(path.join(root, file));
  for (const [file, text] of Object.entries(wanted)) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--check')) {
    const stale = notCurrent();
    for (const file of stale) console.error(`${file} is not current: node packages/agents/generate.mjs writes it`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else writeAll();
}
