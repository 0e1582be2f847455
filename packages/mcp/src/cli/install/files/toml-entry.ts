/**
 * A server in Codex's config.toml, as a block between marks. Only whole lines are added, so the formatting of the file
 * is kept.
 */

import { parse, TomlError } from 'smol-toml';
import { isServerOfArgus, SERVER_NAME, type ServerEntry } from '../agents.ts';
import { type BlockMarks, withBlock, withoutBlock } from './marked-block.ts';
import { Refused } from './refused.ts';

const MARKS: BlockMarks = { begin: '# argus:begin, taken out by: argus install --remove', end: '# argus:end' };

/** Returns the text unchanged if it already has the server, in a block or written by hand. */
export function withTomlEntry(text: string | undefined, entry: ServerEntry): string {
  const others = serverIn(withoutBlock(text ?? '', MARKS) ?? '');
  if (others !== undefined) {
    if (text !== undefined && isServerOfArgus(others)) return text;
    throw new Refused(`another server is called ${SERVER_NAME} there`);
  }
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`);
  const after = withBlock(text, MARKS, [`[mcp_servers.${SERVER_NAME}]`, ...lines].join('\n'));
  // Throws if `mcp_servers` is an inline table, because nothing can be added to it.
  serverIn(after);
  return after;
}

export function withoutTomlEntry(text: string): string | undefined {
  serverIn(text);
  return withoutBlock(text, MARKS);
}

/** True if the server is there, in a block or written by hand. */
export function hasTomlEntry(text: string): boolean {
  return isServerOfArgus(serverIn(text));
}

function serverIn(text: string): unknown {
  try {
    const { mcp_servers: servers } = parse(text.replace(/^\uFEFF/u, ''));
    return typeof servers === 'object' && SERVER_NAME in servers
      ? Object.entries(servers).find(([key]) => key === SERVER_NAME)?.[1]
      : undefined;
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [reason = ''] = thrown.message.replace(/^Invalid TOML document: /u, '').split('\n');
    throw new Refused(`${thrown.line}:${thrown.column}: it is no TOML (${reason})`);
  }
}

/** JSON syntax is valid TOML for texts, numbers and lists of texts. */
function tomlValue(value: ServerEntry[string]): string {
  return Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value);
}
