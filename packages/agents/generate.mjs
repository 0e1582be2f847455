// Writes the files by which each agent installs Argus: plugins, extensions, install links and the entry in the
// registry. The sources are this file, the texts in source/, and name and version in packages/mcp/package.json. With
// --check it writes nothing and lists the files that are not current.
//
// Run: `node packages/agents/generate.mjs`
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const agentsFolder = path.dirname(fileURLToPath(import.meta.url));
const repositoryRoot = path.resolve(agentsFolder, '../..');

/** Folders that contain only generated files. */
const GENERATED_FOLDERS = ['claude', 'codex', 'cursor', 'gemini', 'registry', 'vscode'].map(
  (name) => `packages/agents/${name}`,
);

const { version, description, license, author, mcpName } = JSON.parse(readRepositoryFile('packages/mcp/package.json'));

const { published } = JSON.parse(readRepositoryFile('packages/mcp/release.json'));

/** `npx` works only for a published package and costs a second at each start, so a hook never uses it. */
const SERVER_COMMAND = published ? { command: 'npx', args: ['-y', 'argus-mcp'] } : { command: 'argus-mcp', args: [] };
const PROGRAM_COMMAND = [SERVER_COMMAND.command, ...SERVER_COMMAND.args].join(' ');
const HOOK_COMMAND = 'argus-mcp hook';
/** Time limit for a hook, because the agent waits for it. */
const MAX_HOOK_SECONDS = 20;

const MANIFEST_FIELDS = { version, description, author: { name: author }, license };
const KEYWORDS = ['testing', 'debugging', 'memory', 'mcp'];
/** At most 100 characters, because the registry allows no more. */
const REGISTRY_DESCRIPTION = 'Runs tests, recognises failures it has seen, and remembers what fixed them.';
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

/** Returns every generated file by its path in the repository. */
export function generateFiles() {
  return {
    '.claude-plugin/marketplace.json': formatJson(generateClaudeMarketplace()),
    '.agents/plugins/marketplace.json': formatJson(generateCodexMarketplace()),
    ...prefixPaths('packages/agents/claude/argus', {
      // Commands are named after their plugin, so the contract's commands need a plugin with the name `pm`.
      '.claude-plugin/plugin.json': formatJson({
        name: 'argus',
        ...MANIFEST_FIELDS,
        keywords: KEYWORDS,
        dependencies: ['pm'],
      }),
      '.mcp.json': formatJson({ mcpServers: { argus: SERVER_COMMAND } }),
      'hooks/hooks.json': formatJson(
        generateHooks(['PostToolUseFailure', 'PostToolUse'], 'Bash', MAX_HOOK_SECONDS, ['Stop']),
      ),
      ...copySkills(),
    }),
    ...prefixPaths('packages/agents/claude/pm', {
      '.claude-plugin/plugin.json': formatJson({
        name: 'pm',
        ...MANIFEST_FIELDS,
        description: PM_DESCRIPTION,
        keywords: KEYWORDS,
      }),
      ...generateCommands((name, { hint, ...about }, text) => [
        `commands/${name}.md`,
        formatMarkdownCommand(about, hint, text),
      ]),
    }),
    ...prefixPaths('packages/agents/codex', {
      '.codex-plugin/plugin.json': formatJson(generateCodexPlugin()),
      '.mcp.json': formatJson({ mcpServers: { argus: { ...SERVER_COMMAND, tool_timeout_sec: 1800 } } }),
      'hooks/hooks.json': formatJson(generateHooks(['PostToolUse'], 'Bash', MAX_HOOK_SECONDS)),
      ...copySkills(),
    }),
    ...prefixPaths('packages/agents/gemini', {
      'gemini-extension.json': formatJson({
        name: 'argus',
        version,
        description,
        mcpServers: { argus: SERVER_COMMAND },
      }),
      'hooks/hooks.json': formatJson(generateHooks(['AfterTool'], 'run_shell_command', MAX_HOOK_SECONDS * 1000)),
      ...generateCommands((name, about, text) => [`commands/pm/${name}.toml`, formatTomlCommand(about, text)]),
      ...copySkills(),
    }),
    ...prefixPaths('packages/agents/cursor', {
      'mcp.json': formatJson({ mcpServers: { argus: SERVER_COMMAND } }),
      'hooks.json': formatJson(generateCursorHooks()),
      'install-links.json': formatJson(generateCursorLinks()),
    }),
    ...prefixPaths('packages/agents/vscode', {
      'mcp.json': formatJson({ servers: { argus: { type: 'stdio', ...SERVER_COMMAND } } }),
      'install-links.json': formatJson(generateVscodeLinks()),
    }),
    'packages/agents/registry/server.json': formatJson(generateRegistryEntry()),
    // The files that `argus install` writes.
    'packages/mcp/src/generated/agent-commands.json': formatJson({
      claude: generateCommands(
        (name, { hint, ...about }, text) => [`${name}.md`, formatMarkdownCommand(about, hint, text)],
        null,
      ),
      gemini: generateCommands((name, about, text) => [`${name}.toml`, formatTomlCommand(about, text)], null),
    }),
  };
}

const PM_DESCRIPTION =
  'The commands /pm:fix-problem and /pm:generate-inputs, by Argus: the bounded fix loop, and answers for it.';

function generateClaudeMarketplace() {
  const plugin = (name, about) => ({ name, source: `./packages/agents/claude/${name}`, description: about, version });
  return {
    $schema: 'https://json.schemastore.org/claude-code-marketplace.json',
    name: 'argus',
    description: 'Argus, a failure memory for coding agents',
    owner: { name: author },
    plugins: [plugin('argus', description), plugin('pm', PM_DESCRIPTION)],
  };
}

function generateCodexMarketplace() {
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

function generateCodexPlugin() {
  return {
    name: 'argus',
    ...MANIFEST_FIELDS,
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

/** All events use the same command, because the command's input contains the event. */
/** `otherEvents` are not about a tool. */
function generateHooks(toolEvents, matcher, timeout, otherEvents = []) {
  const run = { type: 'command', command: HOOK_COMMAND, timeout };
  const ofTools = toolEvents.map((event) => [event, [{ matcher, hooks: [run] }]]);
  const others = ['SessionStart', ...otherEvents].map((event) => [event, [{ hooks: [run] }]]);
  return { hooks: Object.fromEntries([...ofTools, ...others]) };
}

function generateCursorHooks() {
  const ofShell = [{ command: HOOK_COMMAND, matcher: 'Shell' }];
  return { version: 1, hooks: { postToolUse: ofShell, postToolUseFailure: ofShell } };
}

/** Copies the skills, because no agent follows a link out of a plugin. */
function copySkills() {
  const names = readdirSync(path.join(agentsFolder, 'source/skills')).sort();
  return Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, readSource(`skills/${name}/SKILL.md`)]));
}

/** `argus install` inserts the program's path itself, so its texts keep the placeholder. */
function generateCommands(write, program = PROGRAM_COMMAND) {
  const text = (name) => readSource(`commands/${name}.md`).replaceAll('{{PROGRAM}}', program ?? '{{PROGRAM}}');
  return Object.fromEntries(Object.entries(COMMANDS).map(([name, about]) => write(name, about, text(name))));
}

function formatMarkdownCommand({ description: about }, hint, text) {
  return `---\ndescription: ${about}\nargument-hint: '${hint}'\n---\n\n${text.replaceAll('{{ARGUMENTS}}', '$ARGUMENTS')}`;
}

function formatTomlCommand({ description: about }, text) {
  const prompt = text.replaceAll('{{ARGUMENTS}}', '{{args}}');
  if (prompt.includes("'''")) throw new Error('a literal string of TOML cannot hold three apostrophes');
  return `description = ${JSON.stringify(about)}\nprompt = '''\n${prompt}'''\n`;
}

function generateCursorLinks() {
  const config = encodeURIComponent(Buffer.from(JSON.stringify(SERVER_COMMAND)).toString('base64'));
  return {
    app: `cursor://anysphere.cursor-deeplink/mcp/install?name=argus&config=${config}`,
    web: `https://cursor.com/en/install-mcp?name=argus&config=${config}`,
  };
}

function generateVscodeLinks() {
  const encoded = (value) => encodeURIComponent(JSON.stringify(value));
  return {
    app: `vscode:mcp/install?${encoded({ name: 'argus', ...SERVER_COMMAND })}`,
    web: `https://insiders.vscode.dev/redirect/mcp/install?name=argus&config=${encoded(SERVER_COMMAND)}`,
  };
}

function generateRegistryEntry() {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Argus',
    description: REGISTRY_DESCRIPTION,
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: 'argus-mcp',
        version,
        ...(published ? { runtimeHint: 'npx' } : {}),
        transport: { type: 'stdio' },
      },
    ],
  };
}

function prefixPaths(folder, made) {
  return Object.fromEntries(Object.entries(made).map(([name, text]) => [`${folder}/${name}`, text]));
}

/** Formats JSON with short lists on one line, as the formatter does. */
function formatJson(value) {
  const text = JSON.stringify(value, null, 2);
  return `${text.replaceAll(/\[\s+("[^[\]{}]*?")\s+\]/g, (_, list) => `[${list.replaceAll(/,\s+/g, ', ')}]`)}\n`;
}

function readSource(name) {
  return readRepositoryFile(`packages/agents/source/${name}`);
}

function readRepositoryFile(file) {
  return readFileSync(path.join(repositoryRoot, file), 'utf8');
}

/** Returns the files that are missing, different or superfluous. */
export function findOutdatedFiles() {
  const wanted = generateFiles();
  const changed = Object.entries(wanted)
    .filter(([file, text]) => !existsSync(path.join(repositoryRoot, file)) || readRepositoryFile(file) !== text)
    .map(([file]) => file);
  return [...changed, ...listGeneratedFiles().filter((file) => !(file in wanted))];
}

function listGeneratedFiles() {
  const folders = GENERATED_FOLDERS.filter((folder) => existsSync(path.join(repositoryRoot, folder)));
  return folders.flatMap((folder) =>
    readdirSync(path.join(repositoryRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(repositoryRoot, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')),
  );
}

function writeFiles() {
  const wanted = generateFiles();
  for (const file of listGeneratedFiles()) if (!(file in wanted)) rmSync(path.join(repositoryRoot, file));
  for (const [file, text] of Object.entries(wanted)) {
    mkdirSync(path.dirname(path.join(repositoryRoot, file)), { recursive: true });
    writeFileSync(path.join(repositoryRoot, file), text);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.includes('--check')) {
    const stale = findOutdatedFiles();
    for (const file of stale) console.error(`${file} is not current: node packages/agents/generate.mjs writes it`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else writeFiles();
}
