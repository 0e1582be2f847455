/** Adds, updates and removes the MCP server and the hook of Argus in the JSON configuration of an agent. */

import { applyEdits, getNodeValue, modify, type Node } from 'jsonc-parser';
import { type HookEntries, isServerOfArgus, type ServerEntry } from '../agents.ts';
import { ConfigEditError, formatPosition } from './config-file.ts';
import {
  detectStyle,
  findObject,
  findProperty,
  formatValue,
  getChildren,
  getEnd,
  getPropertyValue,
  insertValue,
  parseObject,
  removeAddition,
} from './json-text.ts';

/** The key of the servers, and the name of the server of Argus. */
type EntryKeys = readonly [container: string, name: string];

/** Returns the text with the entry. The text does not change if it already has the entry. */
export function setJsonEntry(text: string | undefined, [container, name]: EntryKeys, entry: ServerEntry): string {
  if (text === undefined) return `${formatValue({ [container]: { [name]: entry } }, detectStyle(''), '')}\n`;
  const root = parseObject(text);
  const servers = findObject(text, root, container);
  if (servers === undefined) return insertValue(text, root, container, { [name]: entry });
  const existing = findProperty(text, servers, name);
  if (existing === undefined) return insertValue(text, servers, name, entry);
  return updateEntry(text, existing, [container, name], entry);
}

/** Returns the text without the entry of Argus, or undefined if the file contained nothing else. */
export function removeJsonEntry(text: string, keys: EntryKeys): string | undefined {
  const property = findEntryProperty(text, keys);
  return property === undefined ? text : removeAddition(text, property);
}

/** Returns the entry of Argus, no matter who wrote it, or undefined if there is none. */
export function findJsonEntry(text: string, keys: EntryKeys): unknown {
  const property = findEntryProperty(text, keys);
  return property && getPropertyValue(property);
}

function findEntryProperty(text: string, [container, name]: EntryKeys): Node | undefined {
  const servers = findObject(text, parseObject(text), container);
  const property = servers && findProperty(text, servers, name);
  return property !== undefined && isServerOfArgus(getPropertyValue(property)) ? property : undefined;
}

/** Updates an entry. Keeps the keys that the user added. */
function updateEntry(text: string, property: Node, keys: EntryKeys, entry: ServerEntry): string {
  const style = detectStyle(text);
  const current = getPropertyValue(property);
  if (!isServerOfArgus(current)) {
    throw new ConfigEditError(`${formatPosition(text, property.offset)}: another server is already named ${keys[1]}`);
  }
  const currentFields = new Map<string, unknown>(Object.entries(current));
  const formattingOptions = { eol: style.eol, insertSpaces: !style.unit.includes('\t'), tabSize: style.unit.length };
  return Object.entries(entry)
    .filter(([key, value]) => JSON.stringify(currentFields.get(key)) !== JSON.stringify(value))
    .reduce((text, [key, value]) => applyEdits(text, modify(text, [...keys, key], value, { formattingOptions })), text);
}

/* The configuration has a list of hooks for each event. The hook of Argus is an element of such a list. */

const HOOKS_KEY = 'hooks';

/** Returns the text with the hook. The text does not change if it already has the hook. */
export function setJsonHooks(text: string | undefined, form: HookEntries): string {
  if (text === undefined) return createHooksFile(form);
  return Object.entries(form.elements).reduce((text, [event, element]) => setHook(text, event, element), text);
}

/** Returns the text without the hook of Argus, or undefined if the file contained nothing else. */
export function removeJsonHooks(text: string, form: HookEntries): string | undefined {
  const ownElements = Object.keys(form.elements).flatMap((event) => {
    const own = findOwnHook(text, event);
    return own === undefined ? [] : [[event, getNodeValue(own)]];
  });
  let rest: string | undefined =
    text === createHooksFile({ ...form, elements: Object.fromEntries(ownElements) }) ? undefined : text;
  // Remove in the reverse order of adding, because a later addition may have extended an earlier one.
  for (const event of Object.keys(form.elements).reverse()) {
    const own = rest === undefined ? undefined : findOwnHook(rest, event);
    if (rest !== undefined && own !== undefined) rest = removeAddition(rest, own);
  }
  return rest;
}

/**
 * Returns the text of a new file. `extra` follows the hooks, unlike in a file that existed before, so that
 * `removeJsonHooks` recognizes a file that Argus created.
 */
function createHooksFile({ elements, extra }: HookEntries): string {
  const lists = Object.fromEntries(Object.entries(elements).map(([event, element]) => [event, [element]]));
  return `${formatValue({ [HOOKS_KEY]: lists, ...extra }, detectStyle(''), '')}\n`;
}

function setHook(text: string, event: string, element: object): string {
  const root = parseObject(text);
  const hooks = findObject(text, root, HOOKS_KEY);
  if (hooks === undefined) return insertValue(text, root, HOOKS_KEY, { [event]: [element] });
  const list = findEventList(text, hooks, event);
  if (list === undefined) return insertValue(text, hooks, event, [element]);
  const own = findOwnHook(text, event);
  if (own === undefined) return insertValue(text, list, undefined, element);
  if (JSON.stringify(getNodeValue(own)) === JSON.stringify(element)) return text;
  const indent = /[ \t]*$/u.exec(text.slice(0, own.offset))?.[0] ?? '';
  return text.slice(0, own.offset) + formatValue(element, detectStyle(text), indent) + text.slice(getEnd(own));
}

function findEventList(text: string, hooks: Node, event: string): Node | undefined {
  const property = findProperty(text, hooks, event);
  const list = property?.children?.[1];
  if (property === undefined || list === undefined) return undefined;
  if (list.type !== 'array')
    throw new ConfigEditError(`${formatPosition(text, property.offset)}: ${event} is not an array`);
  return list;
}

function findOwnHook(text: string, event: string): Node | undefined {
  const hooks = findObject(text, parseObject(text), HOOKS_KEY);
  const list = hooks && findEventList(text, hooks, event);
  return list && getChildren(list).find((one) => isArgusHook(getNodeValue(one)));
}

/** True if an element of an event's list calls the hook of Argus and nothing else. */
function isArgusHook(element: unknown): boolean {
  if (typeof element !== 'object' || element === null) return false;
  const handlers: unknown[] = 'hooks' in element && Array.isArray(element.hooks) ? element.hooks : [element];
  const callsArgusHook = (handler: unknown) =>
    typeof handler === 'object' &&
    handler !== null &&
    'command' in handler &&
    /(?:\bargus(?:-mcp)?|\bcli\.mjs"?) hook$|[\\/](?:argus-)?mcp[\\/]dist[\\/]hook\.mjs"?$/u.test(
      String(handler.command),
    );
  return handlers.length > 0 && handlers.every(callsArgusHook);
}
