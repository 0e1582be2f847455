/** Adds a server to a JSON configuration and removes it again. The file must be the same, byte for byte. */
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { withJsonEntry, withoutJsonEntry } from '../../src/cli/install/files/json-entry.ts';

const KEYS = ['mcpServers', 'argus'] as const;
const ENTRY = { command: 'npx', args: ['-y', 'argus-mcp'] };

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
  const after = withJsonEntry(text, KEYS, ENTRY);
  const plain = (json: string) => parse(json.replace(/^\uFEFF/u, ''), [], { allowTrailingComma: true });
  const { mcpServers, ...others } = plain(after);
  const { mcpServers: before = {}, ...same } = plain(text);
  expect(mcpServers).toEqual({ ...before, argus: ENTRY });
  expect(others).toEqual(same);
  expect(withJsonEntry(after, KEYS, ENTRY), 'a second time').toBe(after);
  expect(withoutJsonEntry(after, KEYS)).toBe(text);
});

test('removes a file that it created', () => {
  const after = withJsonEntry(undefined, KEYS, ENTRY);
  expect(after).toBe(
    `{\n  "mcpServers": {\n    "argus": {\n      "command": "npx",\n      "args": ["-y", "argus-mcp"]\n    }\n  }\n}\n`,
  );
  expect(withoutJsonEntry(after, KEYS)).toBeUndefined();
});

test('keeps text that others added beside and after the entry', () => {
  const added = withJsonEntry('{\n  "a": 1\n}\n', KEYS, ENTRY)
    .replace('"argus": {', '"argus": { // mine\n      "env": { "X": "1" },')
    .replace(/\}\n {2}\}\n\}\n$/u, '},\n    "later": {"command": "y"}\n  },\n  "z": 1\n}\n');
  expect(withJsonEntry(added, KEYS, ENTRY)).toBe(added);
  expect(withoutJsonEntry(added, KEYS)).toBe(
    '{\n  "a": 1,\n  "mcpServers": {\n    "later": {"command": "y"}\n  },\n  "z": 1\n}\n',
  );
});

test("updates an older entry of Argus and keeps the user's keys", () => {
  const old = withJsonEntry('{}', KEYS, { command: 'node', args: ['/x/packages/mcp/dist/cli.mjs'] }).replace(
    '"command"',
    '"env": {"A": "1"}, "command"',
  );
  const after = withJsonEntry(old, KEYS, ENTRY);
  expect(parse(after)).toEqual({ mcpServers: { argus: { env: { A: '1' }, ...ENTRY } } });
});

test('refuses another server of the same name', () => {
  const other = '{"mcpServers": {"argus": {"command": "argus-panoptes"}}}';
  expect(() => withJsonEntry(other, KEYS, ENTRY)).toThrow('1:17: another server is called argus there');
  expect(withoutJsonEntry(other, KEYS)).toBe(other);
  for (const none of ['{}', '{"mcpServers": {"x": {}}}']) expect(withoutJsonEntry(none, KEYS)).toBe(none);
});

test.each([
  ['{\n  "a": ,\n}', '2:8: it is no JSON (ValueExpected)'],
  ['{"a": 1', '1:8: it is no JSON (CloseBraceExpected)'],
  ['[]', '1:1: it is no JSON object'],
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['{"mcpServers": []}', '1:2: mcpServers is no object'],
  ['{\n"mcpServers": {},\n"mcpServers": {}}', '3:1: mcpServers is there twice'],
  ['{"mcpServers": {"argus": {}, "argus": {}}}', '1:30: argus is there twice'],
])('refuses %j', (text, problem) => {
  expect(() => withJsonEntry(text, KEYS, ENTRY)).toThrow(problem);
});

/** Objects with blanks, comments and commas in all places. The seed is fixed, so they are the same each time. */
function madeUp(count: number): string[] {
  let seed = 7;
  const below = (n: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 0x7fffffff;
    return seed % n;
  };
  const oneOf = (texts: readonly string[]) => texts[below(texts.length)] ?? '';
  const blank = () => oneOf(['', ' ', '\n', '\n  ', '\t', ' // c, {}\n', ' /* , } */ ', '\n\n    ', ' // x \n   ']);
  const value = (depth: number): string =>
    below(3) > 0 || depth > 2 ? oneOf(['1', '"s, }"', 'null', `[${blank()}1,${blank()}2]`]) : object(depth + 1, []);
  const object = (depth: number, more: string[]): string => {
    const own = Array.from({ length: below(4) }, (_, at) => `"k${at}"${blank()}:${blank()}${value(depth)}`);
    const properties = [...own, ...more].map((property) => property + blank());
    const comma = properties.length > 0 && below(3) === 0 ? `,${blank()}` : '';
    return `{${blank()}${properties.join(`,${blank()}`)}${comma}}`;
  };
  return Array.from({ length: count }, () => {
    const servers =
      below(2) === 0 ? [] : [`"mcpServers":${object(1, below(2) === 0 ? [] : ['"o": {"command": "x"}'])}`];
    return blank() + object(0, servers) + blank();
  });
}

test('restores a file of any form', () => {
  for (const text of madeUp(500)) {
    const after = withJsonEntry(text, KEYS, ENTRY);
    expect(parse(after, [], { allowTrailingComma: true }).mcpServers.argus, text).toEqual(ENTRY);
    expect(withoutJsonEntry(after, KEYS)).toBe(text);
  }
});
