/** Adds a server to a JSON configuration and removes it again. Afterwards the file must be the same, byte for byte. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { AGENTS as HOSTS, type HookEntries } from '../../src/cli/install/agents.ts';
import {
  removeJsonEntry,
  removeJsonHooks,
  setJsonEntry,
  setJsonHooks,
} from '../../src/cli/install/files/json-config.ts';

const ENTRY_PATH = ['mcpServers', 'argus'] as const;
const SERVER_ENTRY = { command: 'npx', args: ['-y', 'argus-mcp'] };

test.each([
  '{}',
  '{}\n',
  '{ }',
  '{\n}\n',
  '{\n\n  \n}\n',
  '{ // nothing\n}\n',
  '{ /* nothing */ }',
  '{"a":1}',
  '{"a":1,}',
  '{ "a": 1 }\n',
  '{"a":1 // one\n}',
  '{\n  "a": 1\n}\n',
  '{\n  "a": 1,\n}\n',
  '{\n  "a": 1 // one\n}\n',
  '{\n  "a": 1, // one\n  // two\n}\n',
  '{\n  "a": 1 /* , */\n  // , \n}\n',
  '{\r\n\t"a": 1\r\n}\r\n',
  '\uFEFF{\n    "a": {"b": [1, 2]}\n}',
  '{"mcpServers":{}}',
  '{\n  "mcpServers": {}\n}\n',
  '{\n  "mcpServers": {\n  }\n}\n',
  '{\n  "mcpServers": { // mine\n  },\n  "b": 2\n}\n',
  '{\n  "mcpServers": {\n    "other": { "command": "x" }\n  }\n}\n',
  '{\n  "mcpServers": {\n    "other": { "command": "x" }, // keep\n  },\n  "b": 2\n}\n',
  '{\n  "mcpServers": {"other": {"command": "x"}}, "b": 2 }',
  '  \n{"a":1}\n\n',
  '{"a":"}, // { \\" "}',
])('restores %j', (text) => {
  const changed = setJsonEntry(text, ENTRY_PATH, SERVER_ENTRY);
  const plain = (json: string) => parse(json.replace(/^\uFEFF/u, ''), [], { allowTrailingComma: true });
  const { mcpServers, ...otherKeys } = plain(changed);
  const { mcpServers: serversBefore = {}, ...keysBefore } = plain(text);
  expect(mcpServers).toEqual({ ...serversBefore, argus: SERVER_ENTRY });
  expect(otherKeys).toEqual(keysBefore);
  expect(setJsonEntry(changed, ENTRY_PATH, SERVER_ENTRY), 'a second time').toBe(changed);
  expect(removeJsonEntry(changed, ENTRY_PATH)).toBe(text);
});

test('removes a file that it created', () => {
  const created = setJsonEntry(undefined, ENTRY_PATH, SERVER_ENTRY);
  expect(created).toBe(
    `{\n  "mcpServers": {\n    "argus": {\n      "command": "npx",\n      "args": ["-y", "argus-mcp"]\n    }\n  }\n}\n`,
  );
  expect(removeJsonEntry(created, ENTRY_PATH)).toBeUndefined();
});

test('keeps text that others added beside and after the entry', () => {
  const added = setJsonEntry('{\n  "a": 1\n}\n', ENTRY_PATH, SERVER_ENTRY)
    .replace('"argus": {', '"argus": { // mine\n      "env": { "X": "1" },')
    .replace(/\}\n {2}\}\n\}\n$/u, '},\n    "later": {"command": "y"}\n  },\n  "z": 1\n}\n');
  expect(setJsonEntry(added, ENTRY_PATH, SERVER_ENTRY)).toBe(added);
  expect(removeJsonEntry(added, ENTRY_PATH)).toBe(
    '{\n  "a": 1,\n  "mcpServers": {\n    "later": {"command": "y"}\n  },\n  "z": 1\n}\n',
  );
});

test("updates an older entry of Argus and keeps the user's keys", () => {
  const old = setJsonEntry('{}', ENTRY_PATH, { command: 'node', args: ['/x/packages/mcp/dist/cli.mjs'] }).replace(
    '"command"',
    '"env": {"A": "1"}, "command"',
  );
  const updated = setJsonEntry(old, ENTRY_PATH, SERVER_ENTRY);
  expect(parse(updated)).toEqual({ mcpServers: { argus: { env: { A: '1' }, ...SERVER_ENTRY } } });
});

test('refuses to replace another server with the same name', () => {
  const otherServer = '{"mcpServers": {"argus": {"command": "argus-panoptes"}}}';
  expect(() => setJsonEntry(otherServer, ENTRY_PATH, SERVER_ENTRY)).toThrow(
    '1:17: another server is already named argus',
  );
  expect(removeJsonEntry(otherServer, ENTRY_PATH)).toBe(otherServer);
  for (const textWithoutEntry of ['{}', '{"mcpServers": {"x": {}}}'])
    expect(removeJsonEntry(textWithoutEntry, ENTRY_PATH)).toBe(textWithoutEntry);
});

test.each([
  ['{\n  "a": ,\n}', '2:8: it is not valid JSON (ValueExpected)'],
  ['{"a": 1', '1:8: it is not valid JSON (CloseBraceExpected)'],
  ['[]', '1:1: it is not a JSON object'],
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['{"mcpServers": []}', '1:2: mcpServers is not an object'],
  ['{\n"mcpServers": {},\n"mcpServers": {}}', '3:1: mcpServers is there twice'],
  ['{"mcpServers": {"argus": {}, "argus": {}}}', '1:30: argus is there twice'],
])('refuses %j', (text, problem) => {
  expect(() => setJsonEntry(text, ENTRY_PATH, SERVER_ENTRY)).toThrow(problem);
});

/**
 * Creates JSON objects with blanks, comments and commas in all places. The seed is fixed, so the objects are always the
 * same.
 */
function generateJsonTexts(count: number): string[] {
  let seed = 7;
  const randomBelow = (n: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 0x7fffffff;
    return seed % n;
  };
  const pickText = (texts: readonly string[]) => texts[randomBelow(texts.length)] ?? '';
  const pickBlank = () =>
    pickText(['', ' ', '\n', '\n  ', '\t', ' // c, {}\n', ' /* , } */ ', '\n\n    ', ' // x \n   ']);
  const createValue = (depth: number): string =>
    randomBelow(3) > 0 || depth > 2
      ? pickText(['1', '"s, }"', 'null', `[${pickBlank()}1,${pickBlank()}2]`])
      : createObject(depth + 1, []);
  const createObject = (depth: number, more: string[]): string => {
    const pairs = Array.from(
      { length: randomBelow(4) },
      (_, at) => `"k${at}"${pickBlank()}:${pickBlank()}${createValue(depth)}`,
    );
    const properties = [...pairs, ...more].map((property) => property + pickBlank());
    const comma = properties.length > 0 && randomBelow(3) === 0 ? `,${pickBlank()}` : '';
    return `{${pickBlank()}${properties.join(`,${pickBlank()}`)}${comma}}`;
  };
  return Array.from({ length: count }, () => {
    const servers =
      randomBelow(2) === 0
        ? []
        : [`"mcpServers":${createObject(1, randomBelow(2) === 0 ? [] : ['"o": {"command": "x"}'])}`];
    return pickBlank() + createObject(0, servers) + pickBlank();
  });
}

test('restores a file of any form', () => {
  for (const text of generateJsonTexts(500)) {
    const changed = setJsonEntry(text, ENTRY_PATH, SERVER_ENTRY);
    expect(parse(changed, [], { allowTrailingComma: true }).mcpServers.argus, text).toEqual(SERVER_ENTRY);
    expect(removeJsonEntry(changed, ENTRY_PATH)).toBe(text);
  }
});

/* Adds the hook to the lists of an agent's events and removes it again. The hook is the same as in the plugins. */

const HOOK_COMMAND = 'argus-mcp hook';
const PLUGIN_HOOK_FILES = {
  claude: 'claude/argus/hooks/hooks.json',
  codex: 'codex/hooks/hooks.json',
  cursor: 'cursor/hooks.json',
  gemini: 'gemini/hooks/hooks.json',
} as const;
const AGENTS = ['claude', 'codex', 'cursor', 'gemini'] as const;

function hookFormOf(agent: (typeof AGENTS)[number], command = HOOK_COMMAND): HookEntries {
  const form = HOSTS[agent].hook?.form(command);
  if (form === undefined) throw new Error(agent);
  return form;
}

test.each(AGENTS)('%s has the hook of its plugin', (agent) => {
  const plugin = path.resolve(import.meta.dirname, '../../../agents', PLUGIN_HOOK_FILES[agent]);
  const created = setJsonHooks(undefined, hookFormOf(agent));
  expect(JSON.parse(created)).toEqual(JSON.parse(readFileSync(plugin, 'utf8')));
  for (const form of [hookFormOf(agent), hookFormOf(agent, 'argus hook')])
    expect(removeJsonHooks(created, form)).toBeUndefined();
});

const OTHER_HOOK = '{"matcher": "Bash", "hooks": [{"type": "command", "command": "./lint.sh hook"}]}';

test.each([
  ['{}'],
  ['{\n  "version": 1\n}\n'],
  ['{\n  "model": "x"\n}\n'],
  ['{\n  "hooks": {}\n}\n'],
  ['{\n  "hooks": {\n  }, // mine\n}\n'],
  ['{\n  "hooks": {\n    "PostToolUse": []\n  }\n}\n'],
  ['{\n  "hooks": {"PostToolUse": [ // mine\n  ]}\n}\n'],
  [`{"hooks": {"PostToolUse": [${OTHER_HOOK}]}}`],
  [`{\r\n\t"hooks": {\r\n\t\t"PostToolUse": [\r\n\t\t\t${OTHER_HOOK}, // mine\r\n\t\t],\r\n\t\t"Stop": []\r\n\t}\r\n}`],
  [`{\n  "hooks": {\n    "SessionStart": [\n      ${OTHER_HOOK}\n    ]\n  }\n}\n`],
])('restores %j', (text) => {
  for (const agent of AGENTS) {
    const form = hookFormOf(agent);
    const changed = setJsonHooks(text, form);
    const configBefore = parse(text, [], { allowTrailingComma: true });
    const { hooks } = parse(changed, [], { allowTrailingComma: true });
    for (const [event, element] of Object.entries(form.elements))
      expect(hooks[event]).toEqual([...(configBefore.hooks?.[event] ?? []), element]);
    expect(setJsonHooks(changed, form)).toBe(changed);
    const byPath = setJsonHooks(changed, hookFormOf(agent, 'node "C:\\argus-mcp\\dist\\hook.mjs"'));
    expect(byPath).not.toContain(HOOK_COMMAND);
    expect(parse(byPath, [], { allowTrailingComma: true }).hooks).not.toEqual(hooks);
    expect(removeJsonHooks(byPath, form)).toBe(text);
  }
});

test('refuses hooks that are not a list', () => {
  expect(() => setJsonHooks('{"hooks": {"PostToolUse": {}}}', hookFormOf('codex'))).toThrow(
    '1:12: PostToolUse is not an array',
  );
  expect(() => setJsonHooks('{"hooks": []}', hookFormOf('codex'))).toThrow('1:2: hooks is not an object');
});

test('finds the file of the user', () => {
  const files = (platform: NodeJS.Platform, home: string) =>
    AGENTS.map((agent) => HOSTS[agent].hook?.userFile({ platform, home, env: {} }));
  expect(files('linux', '/home/a')).toEqual([
    '/home/a/.claude/settings.json',
    '/home/a/.codex/hooks.json',
    '/home/a/.cursor/hooks.json',
    '/home/a/.gemini/settings.json',
  ]);
  expect(files('win32', 'C:\\a')[2]).toBe('C:\\a\\.cursor\\hooks.json');
});
