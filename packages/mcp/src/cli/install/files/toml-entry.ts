/**
 * A server in Codex's config.toml, as a block between marks: its own lines are added, and nobody's formatting is touched.
 */

import { parse, TomlError } from 'smol-toml';
import { isServerOfArgus, SERVER_NAME, type ServerEntry } from '../agents.ts';
import { type BlockMarks, withBlock, withoutBlock } from './marked-block.ts';
import { Refused } from './refused.ts';

const MARKS: BlockMarks = { begin: '# argus:begin, taken out by: argus install --remove', end: '# argus:end' };

/** The same text where the server is there already, in a block or by hand. */
export function withTomlEntry(text: string | undefined, entry: ServerEntry): string {
  const others = serverIn(withoutBlock(text ?? '', MARKS) ?? '');
  if (others !== undefined) {
    if (text !== undefined && isServerOfArgus(others)) return text;
    throw new Refused(`another server is called ${SERVER_NAME} there`);
  }
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`);
  const after = withBlock(text, MARKS, [`[mcp_servers.${SERVER_NAME}]`, ...lines].join('\n'));
  // Where mcp_servers is a table in one line, nothing can be added to it.
  serverIn(after);
  return after;
}

export function withoutTomlEntry(text: string): string | undefined {
  serverIn(text);
  return withoutBlock(text, MARKS);
}

/** Whether it is there, in a block or by hand. */
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

/** Texts, numbers and lists of texts are written alike. */
function tomlValue(value: ServerEntry[string]): string {
  return Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value);
}
