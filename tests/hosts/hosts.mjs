/**
 * The hosts that are npm packages. Each entry tells how to start the host with a prompt and without a person, how it
 * finds its model, and which files make it trust a project.
 */

/**
 * @typedef {object} Host
 * @property {string} package with its version
 * @property {string} program
 * @property {string} runTool the name under which the host offers `argus_run`
 * @property {boolean} hasHook
 * @property {(project: string) => Record<string, string>} trust files in the home folder, by path
 * @property {(url: string) => { args: string[]; env: Record<string, string> }} start
 */

const PROMPT = 'Run the tests.';

/** @type {Readonly<Record<string, Host>>} */
export const HOSTS = {
  claude: {
    package: '@anthropic-ai/claude-code@2.1.332',
    program: 'claude',
    runTool: 'mcp__argus__argus_run',
    hasHook: true,
    trust: (project) => ({
      '.claude.json': JSON.stringify({
        hasCompletedOnboarding: true,
        projects: { [project]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['argus'] } },
      }),
    }),
    start: (url) => ({
      args: ['-p', PROMPT, '--permission-mode', 'bypassPermissions'],
      // A person who is root may only skip the permissions in a sandbox.
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        IS_SANDBOX: '1',
      },
    }),
  },
  codex: {
    package: '@openai/codex@0.171.0',
    program: 'codex',
    runTool: 'mcp__argus__argus_run',
    hasHook: true,
    trust: (project) => ({ '.codex/config.toml': `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n` }),
    start: (url) => ({
      args: [
        'exec',
        '--dangerously-bypass-approvals-and-sandbox',
        // A person accepts the hooks of a project once, in /hooks.
        '--dangerously-bypass-hook-trust',
        ...['-c', 'model_provider="scripted"'],
        ...['-c', `model_providers.scripted={name="scripted",base_url="${url}/v1",env_key="KEY",wire_api="responses"}`],
        PROMPT,
      ],
      env: { KEY: 'none' },
    }),
  },
  copilot: {
    package: '@github/copilot@1.0.102',
    program: 'copilot',
    runTool: 'argus-argus_run',
    hasHook: true,
    trust: (project) => ({ '.copilot/config.json': JSON.stringify({ trusted_folders: [project] }) }),
    start: (url) => ({
      args: ['-p', PROMPT, '--allow-all-tools'],
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_ALLOW_ALL: 'true',
        COPILOT_MODEL: 'scripted',
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: 'none',
      },
    }),
  },
  gemini: {
    package: '@google/gemini-cli@0.61.0',
    program: 'gemini',
    runTool: 'mcp_argus_argus_run',
    hasHook: true,
    trust: (project) => ({
      '.gemini/trustedFolders.json': JSON.stringify({ [project]: 'TRUST_FOLDER' }),
      '.gemini/settings.json': JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    }),
    start: (url) => ({
      args: ['-p', PROMPT, '--yolo', '--model', 'gemini-2.5-flash'],
      env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
    }),
  },
  opencode: {
    package: 'opencode-ai@1.18.33',
    program: 'opencode',
    runTool: 'argus_argus_run',
    hasHook: false,
    trust: () => ({}),
    start: (url) => ({
      args: ['run', '--model', 'scripted/scripted', PROMPT],
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { scripted: createOpencodeProvider(url) } }) },
    }),
  },
};

const createOpencodeProvider = (url) => ({
  npm: '@ai-sdk/openai-compatible',
  name: 'scripted',
  options: { baseURL: `${url}/v1`, apiKey: 'none' },
  models: { scripted: { name: 'scripted', tool_call: true } },
});
