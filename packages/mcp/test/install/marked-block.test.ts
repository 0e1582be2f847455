/** Adds blocks to Codex's TOML file and to AGENTS.md, updates them, and restores the file. */
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import {
  type BlockMarks,
  removeBlock,
  removeTomlEntry,
  setBlock,
  setTomlEntry,
} from '../../src/cli/install/files/marked-block.ts';

const BLOCK_MARKS: BlockMarks = { begin: '<!-- argus:begin -->', end: '<!-- argus:end -->' };
const SERVER_ENTRY = { command: 'npx', args: ['-y', 'argus-mcp'], tool_timeout_sec: 1800 };

test.each(['', '\n', 'a', 'a\n', 'a\n\n', 'a\r\nb\r\n', 'a\r\nb', '\uFEFFa\n', 'x <!-- argus:begin -->\n'])(
  'restores %j',
  (text) => {
    const changed = setBlock(text, BLOCK_MARKS, 'one\ntwo\n');
    expect(changed).toContain(BLOCK_MARKS.begin);
    expect(setBlock(changed, BLOCK_MARKS, 'one\ntwo\n')).toBe(changed);
    const newer = setBlock(changed, BLOCK_MARKS, 'three');
    expect(newer).not.toContain('two');
    expect(removeBlock(newer, BLOCK_MARKS)).toBe(text);
  },
);

test('removes a file that it created', () => {
  const created = setBlock(undefined, BLOCK_MARKS, 'one');
  expect(created).toBe('<!-- argus:begin -->\none\n<!-- argus:end -->\n');
  expect(removeBlock(created, BLOCK_MARKS)).toBeUndefined();
});

test('keeps text after the block', () => {
  const extended = `${setBlock('a\n', BLOCK_MARKS, 'one')}\nb\n`;
  expect(setBlock(extended, BLOCK_MARKS, 'two')).toBe('a\n\n<!-- argus:begin -->\ntwo\n<!-- argus:end -->\n\nb\n');
  expect(removeBlock(extended, BLOCK_MARKS)).toBe('a\n\nb\n');
  expect(removeBlock('a\nb\n', BLOCK_MARKS)).toBe('a\nb\n');
});

test.each(['a\n<!-- argus:begin -->\n', '<!-- argus:end -->\n<!-- argus:begin -->\n', '<!-- argus:end -->'])(
  'refuses the incomplete block in %j',
  (text) => {
    expect(() => setBlock(text, BLOCK_MARKS, 'one')).toThrow(/^\d:1: the block of Argus at this line is incomplete/u);
    expect(() => removeBlock(text, BLOCK_MARKS)).toThrow(/is incomplete/u);
  },
);

test.each(['', 'model = "x" # mine\n', '[mcp_servers.other]\ncommand = "y"', '\uFEFFa = 1\r\n\r\n[b]\r\nc = 2\r\n'])(
  'restores the config.toml %j',
  (text) => {
    const changed = setTomlEntry(text, SERVER_ENTRY);
    const { mcp_servers: servers, ...otherTables } = parse(changed.replace(/^\uFEFF/u, ''));
    const { mcp_servers: serversBefore, ...tablesBefore } = parse(text.replace(/^\uFEFF/u, ''));
    expect(servers).toEqual({ ...Object(serversBefore), argus: SERVER_ENTRY });
    expect(otherTables).toEqual(tablesBefore);
    expect(setTomlEntry(changed, SERVER_ENTRY)).toBe(changed);
    const newer = setTomlEntry(changed, {
      ...SERVER_ENTRY,
      command: 'node',
      args: ['C:\\a "b"\\packages\\mcp\\dist\\cli.mjs'],
    });
    expect(setTomlEntry(newer, SERVER_ENTRY)).toBe(changed);
    expect(removeTomlEntry(newer)).toBe(text);
  },
);

test('keeps a server that another person added', () => {
  const byHand = '[mcp_servers.argus]\ncommand = "npx"\nargs = ["-y", "argus-mcp"]\n';
  expect(setTomlEntry(byHand, SERVER_ENTRY)).toBe(byHand);
  expect(removeTomlEntry(byHand)).toBe(byHand);
  expect(() => setTomlEntry('[mcp_servers]\nargus = { command = "z" }\n', SERVER_ENTRY)).toThrow('another server');
});

test.each([
  ['a = \n', /^1:\d+: it is not valid TOML/u],
  ['mcp_servers = { x = { command = "y" } }\n', /it is not valid TOML/u],
])('refuses %j', (text, problem) => {
  expect(() => setTomlEntry(text, SERVER_ENTRY)).toThrow(problem);
});
