/** Adds, updates and removes a server in a JSON configuration. */

import { applyEdits, modify, type Node } from 'jsonc-parser';
import { isServerOfArgus, type ServerEntry } from '../agents.ts';
import { contentOf, formatted, inserted, objectUnder, parsed, propertyOf, styleOf, takenOut } from './json-text.ts';
import { positionOf, Refused } from './refused.ts';

/** The key that holds the servers, and the name of our server. */
export type EntryKeys = readonly [container: string, name: string];

/** Returns the text unchanged if it already has the entry. */
export function withJsonEntry(text: string | undefined, [container, name]: EntryKeys, entry: ServerEntry): string {
  if (text === undefined) return `${formatted({ [container]: { [name]: entry } }, styleOf(''), '')}\n`;
  const root = parsed(text);
  const servers = objectUnder(text, root, container);
  if (servers === undefined) return inserted(text, root, container, { [name]: entry });
  const there = propertyOf(text, servers, name);
  if (there === undefined) return inserted(text, servers, name, entry);
  return updated(text, there, [container, name], entry);
}

/** Returns the text unchanged if it has no entry, or undefined if the file contains nothing else. */
export function withoutJsonEntry(text: string, keys: EntryKeys): string | undefined {
  const there = entryIn(text, keys);
  return there === undefined ? text : takenOut(text, there);
}

/** True if the text has the entry, from any writer. */
export function hasJsonEntry(text: string, keys: EntryKeys): boolean {
  return entryIn(text, keys) !== undefined;
}

function entryIn(text: string, [container, name]: EntryKeys): Node | undefined {
  const servers = objectUnder(text, parsed(text), container);
  const there = servers && propertyOf(text, servers, name);
  return there !== undefined && isServerOfArgus(contentOf(there)) ? there : undefined;
}

/** Updates an entry and keeps the keys that the user added to it. */
function updated(text: string, property: Node, keys: EntryKeys, entry: ServerEntry): string {
  const style = styleOf(text);
  const there = contentOf(property);
  if (!isServerOfArgus(there)) {
    throw new Refused(`${positionOf(text, property.offset)}: another server is called ${keys[1]} there`);
  }
  const found = new Map<string, unknown>(Object.entries(there));
  const formattingOptions = { eol: style.eol, insertSpaces: !style.unit.includes('\t'), tabSize: style.unit.length };
  return Object.entries(entry)
    .filter(([key, value]) => JSON.stringify(found.get(key)) !== JSON.stringify(value))
    .reduce((text, [key, value]) => applyEdits(text, modify(text, [...keys, key], value, { formattingOptions })), text);
}
