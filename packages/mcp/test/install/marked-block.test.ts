/** Adds blocks to Codex's TOML and to AGENTS.md, updates them, and restores the file. */
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { type BlockMarks, withBlock, withoutBlock } from '../../src/cli/install/files/marked-block.ts';
import { withoutTomlEntry, withTomlEntry } from '../../src/cli/install/files/toml-entry.ts';

const MARKS: BlockMarks = { begin: '<!-- argus:begin -->', end: '<!-- argus:end -->' };
const ENTRY = { command: 'npx', args: ['-y', 'argus-mcp'], tool_timeout_sec: 1800 };

test.each(['', '\n', 'a', 'a\n', 'a\n\n', 'a\r\nb\r\n', 'a\r\nb', '\uFEFFa\n', 'x <!-- argus:begin -->\n'])(
  'restores %j',
  (text) => {
    const after = withBlock(text, MARKS, 'one\ntwo\n');
    expect(after).toContain(MARKS.begin);
    expect(withBlock(after, MARKS, 'one\ntwo\n')).toBe(after);
    const newer = withBlock(after, MARKS, 'three');
    expect(newer).not.toContain('two');
    expect(withoutBlock(newer, MARKS)).toBe(text);
  },
);

test('removes a file that it created', () => {
  const after = withBlock(undefined, MARKS, 'one');
  expect(after).toBe('<!-- argus:begin -->\none\n<!-- argus:end -->\n');
  expect(withoutBlock(after, MARKS)).toBeUndefined();
});

test('keeps text after the block', () => {
  const after = `${withBlock('a\n', MARKS, 'one')}\nb\n`;
  expect(withBlock(after, MARKS, 'two')).toBe('a\n\n<!-- argus:begin -->\ntwo\n<!-- argus:end -->\n\nb\n');
  expect(withoutBlock(after, MARKS)).toBe('a\n\nb\n');
  expect(withoutBlock('a\nb\n', MARKS)).toBe('a\nb\n');
});

test.each(['a\n<!-- argus:begin -->\n', '<!-- argus:end -->\n<!-- argus:begin -->\n', '<!-- argus:end -->'])(
  'refuses the incomplete block in %j',
  (text) => {
    expect(() => withBlock(text, MARKS, 'one')).toThrow(/^\d:1: a block of Argus begins or ends there/u);
    expect(() => withoutBlock(text, MARKS)).toThrow(/is not whole/u);
  },
);

test.each(['', 'model = "x" # mine\n', '[mcp_servers.other]\ncommand = "y"', '\uFEFFa = 1\r\n\r\n[b]\r\nc = 2\r\n'])(
  'restores the config.toml %j',
  (text) => {
    const after = withTomlEntry(text, ENTRY);
    const { mcp_servers: servers, ...others } = parse(after.replace(/^\uFEFF/u, ''));
    const { mcp_servers: before, ...same } = parse(text.replace(/^\uFEFF/u, ''));
    expect(servers).toEqual({ ...Object(before), argus: ENTRY });
    expect(others).toEqual(same);
    expect(withTomlEntry(after, ENTRY)).toBe(after);
    const newer = withTomlEntry(after, {
      ...ENTRY,
      command: 'node',
      args: ['C:\\a "b"\\packages\\mcp\\dist\\cli.mjs'],
    });
    expect(withTomlEntry(newer, ENTRY)).toBe(after);
    expect(withoutTomlEntry(newer)).toBe(text);
  },
);

test('keeps a server that another person added', () => {
  const byHand = '[mcp_servers.argus]\ncommand = "npx"\nargs = ["-y", "argus-mcp"]\n';
  expect(withTomlEntry(byHand, ENTRY)).toBe(byHand);
  expect(withoutTomlEntry(byHand)).toBe(byHand);
  expect(() => withTomlEntry('[mcp_servers]\nargus = { command = "z" }\n', ENTRY)).toThrow('another server');
});

test.each([
  ['a = \n', /^1:\d+: it is no TOML/u],
  ['mcp_servers = { x = { command = "y" } }\n', /it is no TOML/u],
])('refuses %j', (text, problem) => {
  expect(() => withTomlEntry(text, ENTRY)).toThrow(problem);
});
