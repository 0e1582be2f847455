/** Adds, updates and removes the hook in an agent's JSON: an element in the list of each event. */

import { getNodeValue, type Node } from 'jsonc-parser';
import {
  childrenOf,
  endOf,
  formatted,
  inserted,
  objectUnder,
  parsed,
  propertyOf,
  styleOf,
  takenOut,
} from './json-text.ts';
import { positionOf, Refused } from './refused.ts';

export interface HookForm {
  /** The element to add, by event. */
  elements: Readonly<Record<string, object>>;
  /** Other keys of a new file. */
  extra?: object;
}

const KEY = 'hooks';

/** Returns the text unchanged if it already has the hook. */
export function withJsonHooks(text: string | undefined, form: HookForm): string {
  if (text === undefined) return newFile(form);
  return Object.entries(form.elements).reduce((text, [event, element]) => withHook(text, event, element), text);
}

/** Returns the text unchanged if it has no hook, or undefined if the file contains nothing else. */
export function withoutJsonHooks(text: string, form: HookForm): string | undefined {
  const found = Object.keys(form.elements).flatMap((event) => {
    const own = ownIn(text, event);
    return own === undefined ? [] : [[event, getNodeValue(own)]];
  });
  let left: string | undefined = text === newFile({ ...form, elements: Object.fromEntries(found) }) ? undefined : text;
  // Remove in the reverse order of adding, because later elements may depend on earlier ones.
  for (const event of Object.keys(form.elements).reverse()) {
    const own = left === undefined ? undefined : ownIn(left, event);
    if (left !== undefined && own !== undefined) left = takenOut(left, own);
  }
  return left;
}

/**
 * Puts `extra` behind the hooks, unlike a file that existed before. So `withoutJsonHooks` can recognize a file that was
 * created here.
 */
function newFile({ elements, extra }: HookForm): string {
  const lists = Object.fromEntries(Object.entries(elements).map(([event, element]) => [event, [element]]));
  return `${formatted({ [KEY]: lists, ...extra }, styleOf(''), '')}\n`;
}

function withHook(text: string, event: string, element: object): string {
  const root = parsed(text);
  const hooks = objectUnder(text, root, KEY);
  if (hooks === undefined) return inserted(text, root, KEY, { [event]: [element] });
  const list = listUnder(text, hooks, event);
  if (list === undefined) return inserted(text, hooks, event, [element]);
  const own = ownIn(text, event);
  if (own === undefined) return inserted(text, list, undefined, element);
  if (JSON.stringify(getNodeValue(own)) === JSON.stringify(element)) return text;
  const indent = /[ \t]*$/u.exec(text.slice(0, own.offset))?.[0] ?? '';
  return text.slice(0, own.offset) + formatted(element, styleOf(text), indent) + text.slice(endOf(own));
}

function listUnder(text: string, hooks: Node, event: string): Node | undefined {
  const property = propertyOf(text, hooks, event);
  const list = property?.children?.[1];
  if (property === undefined || list === undefined) return undefined;
  if (list.type !== 'array') throw new Refused(`${positionOf(text, property.offset)}: ${event} is no list`);
  return list;
}

function ownIn(text: string, event: string): Node | undefined {
  const hooks = objectUnder(text, parsed(text), KEY);
  const list = hooks && listUnder(text, hooks, event);
  return list && childrenOf(list).find((one) => isOwn(getNodeValue(one)));
}

/** True if an element calls only the hook of Argus. */
function isOwn(element: unknown): boolean {
  if (typeof element !== 'object' || element === null) return false;
  const handlers: unknown[] = 'hooks' in element && Array.isArray(element.hooks) ? element.hooks : [element];
  const isCall = (handler: unknown) =>
    typeof handler === 'object' &&
    handler !== null &&
    'command' in handler &&
    /(?:\bargus(?:-mcp)?|\bcli\.mjs"?) hook$/u.test(String(handler.command));
  return handlers.length > 0 && handlers.every(isCall);
}
