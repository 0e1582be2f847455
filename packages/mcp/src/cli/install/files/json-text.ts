/**
 * Edits JSON with comments as text. An addition changes no other bytes and can be recognized later, so that removing it
 * restores the file:
 * - In an empty object or array, the addition goes right behind the opening brace. If the only child is on a line of
 *   its own, its object was added with it, and both are removed together.
 * - Otherwise the addition goes behind the last child. It starts with a comma if that child had no trailing comma, and
 *   ends with a comma if it had one.
 */

import {
  getNodeValue,
  type JSONVisitor,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { positionOf, Refused } from './refused.ts';

export function parsed(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(withoutMark(text), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (text.trim() === '') throw new Refused('it is empty; remove it, and it is written anew');
  if (error !== undefined) {
    throw new Refused(`${positionOf(text, error.offset)}: it is no JSON (${printParseErrorCode(error.error)})`);
  }
  if (root?.type !== 'object') throw new Refused('1:1: it is no JSON object');
  return root;
}

/** Replaces the byte order mark with a blank, so that offsets stay the same. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/u, ' ');
}

export function objectUnder(text: string, root: Node, key: string): Node | undefined {
  const property = propertyOf(text, root, key);
  if (property === undefined) return undefined;
  const value = property.children?.[1];
  if (value?.type !== 'object') throw new Refused(`${positionOf(text, property.offset)}: ${key} is no object`);
  return value;
}

export function propertyOf(text: string, object: Node, key: string): Node | undefined {
  const [property, second] = childrenOf(object).filter((one) => one.children?.[0]?.value === key);
  if (second !== undefined) throw new Refused(`${positionOf(text, second.offset)}: ${key} is there twice`);
  return property;
}

export const childrenOf = (object: Node): Node[] => object.children ?? [];
export const endOf = ({ offset, length }: Node) => offset + length;

export function contentOf(property: Node): unknown {
  const value = property.children?.[1];
  return value === undefined ? undefined : getNodeValue(value);
}

export interface Style {
  eol: string;
  unit: string;
}

export function styleOf(text: string): Style {
  const unit = /^\uFEFF?\s*\{[^\n]*\n([ \t]+)/u.exec(text)?.[1];
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: unit ?? '  ' };
}

/** Indents all lines after the first. Lists are written on one line. */
export function formatted(value: unknown, { eol, unit }: Style, indent: string): string {
  const text = JSON.stringify(value, null, unit).replaceAll(
    /\[\s+("[^[\]{}]*?")\s+\]/gu,
    (_, list: string) => `[${list.replaceAll(/,\n\s+/gu, ', ')}]`,
  );
  return text.replaceAll('\n', eol + indent);
}

/** Inserts a property into an object, or a value into an array if there is no key. */
export function inserted(text: string, container: Node, key: string | undefined, value: unknown): string {
  const style = styleOf(text);
  const last = childrenOf(container).at(-1);
  const indent = indentOf(text, container, style);
  const prefix = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const property = prefix + formatted(value, style, indent ?? lineIndent(text, container.offset));
  if (last === undefined) return spliced(text, container.offset + 1, property);
  const { comma, end, endsInLineComment } = gapAfter(text, endOf(last), endOf(container) - 1);
  const separator = indent === undefined && !endsInLineComment ? ' ' : style.eol + (indent ?? '');
  if (comma !== undefined) return spliced(text, end, `${separator}${property},`);
  return spliced(spliced(text, end, separator + property), endOf(last), ',');
}

/** Returns the indentation of the properties. Undefined if the first property is not on a line of its own. */
function indentOf(text: string, object: Node, { unit }: Style): string | undefined {
  const [first] = childrenOf(object);
  if (first === undefined) return undefined;
  const before = text.slice(object.offset + 1, first.offset);
  return before.includes('\n') ? lineIndent(text, first.offset, unit) : undefined;
}

function lineIndent(text: string, offset: number, otherwise = ''): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]+/u.exec(text.slice(start, offset))?.[0] ?? otherwise;
}

function spliced(text: string, at: number, more: string): string {
  return text.slice(0, at) + more + text.slice(at);
}

/**
 * Finds the comma between the end of a property and the next property or the brace, and the end of the last comment or
 * comma there.
 */
function gapAfter(text: string, from: number, to: number) {
  const isIn = (offset: number) => offset >= from && offset < to;
  let comma: number | undefined;
  let end = from;
  let endsInLineComment = false;
  const visitor: JSONVisitor = {
    onSeparator(_char, offset) {
      if (!isIn(offset)) return;
      [comma, end, endsInLineComment] = [offset, offset + 1, false];
    },
    onComment(offset, length) {
      if (isIn(offset)) [end, endsInLineComment] = [offset + length, text.startsWith('//', offset)];
    },
  };
  visit(withoutMark(text), visitor, { allowTrailingComma: true });
  return { comma, end, endsInLineComment };
}

/** True if an object was added for its only property. */
function cameWithIt(text: string, object: Node): boolean {
  const [only, other] = childrenOf(object);
  if (only === undefined || other !== undefined) return false;
  const before = text.slice(object.offset + 1, only.offset);
  return before.includes('\n') && (before + text.slice(endOf(only), endOf(object) - 1)).trim() === '';
}

/**
 * Removes a property, or a value of an array, with the containers that were added for it. Undefined if that is the
 * whole file.
 */
export function takenOut(text: string, child: Node): string | undefined {
  const container = child.parent;
  if (container === undefined) return undefined;
  if (!cameWithIt(text, container)) return removed(text, container, child);
  if (container.parent !== undefined) return takenOut(text, container.parent);
  const isAll = (text.slice(0, container.offset) + text.slice(endOf(container))).trim() === '';
  return isAll ? undefined : removed(text, container, child);
}

function removed(text: string, object: Node, property: Node): string {
  const all = childrenOf(object);
  const at = all.indexOf(property);
  const [previous, next] = [all[at - 1], all[at + 1]];
  const { comma } = gapAfter(text, endOf(property), next?.offset ?? endOf(object) - 1);
  const end = comma === undefined ? endOf(property) : comma + 1;
  const gapStart = previous === undefined ? object.offset + 1 : endOf(previous);
  const isAlone = previous === undefined && next === undefined;
  const start = isAlone ? property.offset : gapAfter(text, gapStart, property.offset).end;
  const rest = text.slice(0, start) + text.slice(end);
  if (previous === undefined || next !== undefined || comma !== undefined) return rest;
  const before = gapAfter(text, gapStart, property.offset).comma;
  return before === undefined ? rest : rest.slice(0, before) + rest.slice(before + 1);
}
