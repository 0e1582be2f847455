/**
 * A block of lines between two marks in a text that belongs to someone else: it is added at the end, updated in place,
 * and removed again. A line break is added before the block and removed with it, so that removing the block restores
 * the text.
 */

import { parse, TomlError } from 'smol-toml';
import { isServerOfArgus, SERVER_NAME, type ServerEntry } from '../agents.ts';
import { ConfigEditError } from './config-file.ts';

export interface BlockMarks {
  begin: string;
  end: string;
}

interface BlockRange {
  start: number;
  end: number;
}

/** Returns the text with the block. The text does not change if it already has this block. */
export function setBlock(text: string | undefined, marks: BlockMarks, content: string): string {
  const eol = text?.includes('\r\n') ? '\r\n' : '\n';
  const block = `${[marks.begin, ...content.trimEnd().split('\n'), marks.end].join(eol)}${eol}`;
  if (text === undefined) return block;
  const range = findBlock(text, marks);
  if (range === undefined) return text + eol + block;
  return text.slice(0, range.start) + block + text.slice(range.end);
}

/** Returns the text without the block, or undefined if the file contained nothing else. */
export function removeBlock(text: string, marks: BlockMarks): string | undefined {
  const range = findBlock(text, marks);
  if (range === undefined) return text;
  if (range.start === 0 && range.end === text.length) return undefined;
  return text.slice(0, range.start).replace(/\r?\n$/u, '') + text.slice(range.end);
}

/** Finds the block, from its begin mark to the end of the line with its end mark. */
function findBlock(text: string, { begin, end }: BlockMarks): BlockRange | undefined {
  const [begins, ends] = [findLineOffsets(text, begin), findLineOffsets(text, end)];
  const [first, last] = [begins[0], ends[0]];
  if (first === undefined && last === undefined) return undefined;
  const isWhole = begins.length === 1 && ends.length === 1 && first !== undefined && last !== undefined;
  if (!isWhole || last < first) {
    const at = text.slice(0, first ?? last).split('\n').length;
    throw new ConfigEditError(`${at}:1: the block of Argus at this line is incomplete; repair it or remove it`);
  }
  const after = text.indexOf('\n', last);
  return { start: first, end: after < 0 ? text.length : after + 1 };
}

function findLineOffsets(text: string, line: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(line); at >= 0; at = text.indexOf(line, at + 1)) {
    const before = at === 0 || text[at - 1] === '\n';
    if (before && /^[ \t]*(?:\r?\n|$)/u.test(text.slice(at + line.length))) found.push(at);
  }
  return found;
}

/*
 * The server in Codex's config.toml is such a block. Only whole lines are added, so the formatting of the file does not
 * change.
 */

const TOML_MARKS: BlockMarks = { begin: '# argus:begin, taken out by: argus install --remove', end: '# argus:end' };

/**
 * Returns the text with the server. The text does not change if it already has the server, in a block or written by
 * hand.
 */
export function setTomlEntry(text: string | undefined, entry: ServerEntry): string {
  const handWritten = parseServer(removeBlock(text ?? '', TOML_MARKS) ?? '');
  if (handWritten !== undefined) {
    if (text !== undefined && isServerOfArgus(handWritten)) return text;
    throw new ConfigEditError(`another server is already named ${SERVER_NAME}`);
  }
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${formatTomlValue(value)}`);
  const after = setBlock(text, TOML_MARKS, [`[mcp_servers.${SERVER_NAME}]`, ...lines].join('\n'));
  // Throws if `mcp_servers` is an inline table, because nothing can be added to it.
  parseServer(after);
  return after;
}

export function removeTomlEntry(text: string): string | undefined {
  parseServer(text);
  return removeBlock(text, TOML_MARKS);
}

/** Returns the entry of Argus, in a block or written by hand, or undefined if there is none. */
export function findTomlEntry(text: string): unknown {
  const server = parseServer(text);
  return isServerOfArgus(server) ? server : undefined;
}

function parseServer(text: string): unknown {
  try {
    const { mcp_servers: servers } = parse(text.replace(/^\uFEFF/u, ''));
    return typeof servers === 'object' && SERVER_NAME in servers
      ? Object.entries(servers).find(([key]) => key === SERVER_NAME)?.[1]
      : undefined;
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [reason = ''] = thrown.message.replace(/^Invalid TOML document: /u, '').split('\n');
    throw new ConfigEditError(`${thrown.line}:${thrown.column}: it is not valid TOML (${reason})`);
  }
}

/** Returns a value in TOML. JSON syntax is valid TOML for strings, numbers, booleans and lists of strings. */
function formatTomlValue(value: ServerEntry[string]): string {
  return Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value);
}
