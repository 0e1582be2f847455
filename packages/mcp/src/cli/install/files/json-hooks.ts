/** The hook in an agent's JSON: one element in the list of each event, put in, brought up to date, taken out again. */

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
  /** By event, what its list gets. */
  elements: Readonly<Record<string, object>>;
  /** What a file has besides. */
  extra?: object;
}

const KEY = 'hooks';

/** The same text where it is there already. */
export function withJsonHooks(text: string | undefined, form: HookForm): string {
  if (text === undefined) return newFile(form);
  return Object.entries(form.elements).reduce((text, [event, element]) => withHook(text, event, element), text);
}

/** The same text where it is not there; undefined where the file was made for it. */
export function withoutJsonHooks(text: string, form: HookForm): string | undefined {
  const found = Object.keys(form.elements).flatMap((event) => {
    const own = ownIn(text, event);
    return own === undefined ? [] : [[event, getNodeValue(own)]];
  });
  let left: string | undefined = text === newFile({ ...form, elements: Object.fromEntries(found) }) ? undefined : text;
  // What came last goes first, for the rest stands on it.
  for (const event of Object.keys(form.elements).reverse()) {
    const own = left === undefined ? undefined : ownIn(left, event);
    if (left !== undefined && own !== undefined) left = takenOut(left, own);
  }
  return left;
}

/** In another order than a file has that was there before, so that the two can be told apart. */
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

/** Whether an element calls the hook of Argus, and nothing else. */
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
