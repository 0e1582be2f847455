/** Adds the hook to the lists of an agent's events and removes it again. The hook is the same as in the plugins. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { type HookForm, withJsonHooks, withoutJsonHooks } from '../../src/cli/install/files/json-hooks.ts';
import { AGENT_HOOKS, userHookFile } from '../../src/cli/install/hook-forms.ts';

const NPX = 'npx -y argus-mcp hook';
const PLUGINS = {
  claude: 'claude/argus/hooks/hooks.json',
  codex: 'codex/hooks/hooks.json',
  cursor: 'cursor/hooks.json',
  gemini: 'gemini/hooks/hooks.json',
} as const;
const AGENTS = ['claude', 'codex', 'cursor', 'gemini'] as const;

function formOf(agent: (typeof AGENTS)[number], command = NPX): HookForm {
  const form = AGENT_HOOKS[agent]?.form(command);
  if (form === undefined) throw new Error(agent);
  return form;
}

test.each(AGENTS)('%s has the hook of its plugin', (agent) => {
  const plugin = path.resolve(import.meta.dirname, '../../../agents', PLUGINS[agent]);
  const made = withJsonHooks(undefined, formOf(agent));
  expect(JSON.parse(made)).toEqual(JSON.parse(readFileSync(plugin, 'utf8')));
  for (const form of [formOf(agent), formOf(agent, 'argus hook')]) expect(withoutJsonHooks(made, form)).toBeUndefined();
});

const OTHER = '{"matcher": "Bash", "hooks": [{"type": "command", "command": "./lint.sh hook"}]}';

test.each([
  ['{}'],
  ['{\n  "version": 1\n}\n'],
  ['{\n  "model": "x"\n}\n'],
  ['{\n  "hooks": {}\n}\n'],
  ['{\n  "hooks": {\n  }, // mine\n}\n'],
  ['{\n  "hooks": {\n    "PostToolUse": []\n  }\n}\n'],
  ['{\n  "hooks": {"PostToolUse": [ // mine\n  ]}\n}\n'],
  [`{"hooks": {"PostToolUse": [${OTHER}]}}`],
  [`{\r\n\t"hooks": {\r\n\t\t"PostToolUse": [\r\n\t\t\t${OTHER}, // mine\r\n\t\t],\r\n\t\t"Stop": []\r\n\t}\r\n}`],
  [`{\n  "hooks": {\n    "SessionStart": [\n      ${OTHER}\n    ]\n  }\n}\n`],
])('restores %j', (text) => {
  for (const agent of AGENTS) {
    const form = formOf(agent);
    const after = withJsonHooks(text, form);
    const before = parse(text, [], { allowTrailingComma: true });
    const { hooks } = parse(after, [], { allowTrailingComma: true });
    for (const [event, element] of Object.entries(form.elements))
      expect(hooks[event]).toEqual([...(before.hooks?.[event] ?? []), element]);
    expect(withJsonHooks(after, form)).toBe(after);
    const byPath = withJsonHooks(after, formOf(agent, 'node "C:\\a b\\dist\\cli.mjs" hook'));
    expect(byPath).not.toContain(NPX);
    expect(parse(byPath, [], { allowTrailingComma: true }).hooks).not.toEqual(hooks);
    expect(withoutJsonHooks(byPath, form)).toBe(text);
  }
});

test('refuses hooks that are not a list', () => {
  expect(() => withJsonHooks('{"hooks": {"PostToolUse": {}}}', formOf('codex'))).toThrow(
    '1:12: PostToolUse is no list',
  );
  expect(() => withJsonHooks('{"hooks": []}', formOf('codex'))).toThrow('1:2: hooks is no object');
});

test('finds the file of the user', () => {
  const files = (platform: NodeJS.Platform, home: string) =>
    AGENTS.map((agent) => userHookFile(agent, { platform, home, env: {} }));
  expect(files('linux', '/home/a')).toEqual([
    '/home/a/.claude/settings.json',
    '/home/a/.codex/hooks.json',
    '/home/a/.cursor/hooks.json',
    '/home/a/.gemini/settings.json',
  ]);
  expect(files('win32', 'C:\\a')[2]).toBe('C:\\a\\.cursor\\hooks.json');
});
