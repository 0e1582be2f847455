/**
 * Edits JSON with comments as text. An addition changes no other bytes and can be recognized later, so that removing
 * the addition restores the file:
 * - In an empty object or array, the addition follows the opening brace. If the only child of an object is on a line of
 *   its own, Argus added the object together with the child, and removes both together.
 * - Otherwise the addition follows the last child. It starts with a comma if that child had no trailing comma, and ends
 *   with a comma if it had one.
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
import { ConfigEditError, formatPosition } from './config-file.ts';

export function parseObject(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(replaceByteOrderMark(text), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (text.trim() === '') throw new ConfigEditError('it is empty; delete it, then try again');
  if (error !== undefined) {
    throw new ConfigEditError(
      `${formatPosition(text, error.offset)}: it is not valid JSON (${printParseErrorCode(error.error)})`,
    );
  }
  if (root?.type !== 'object') throw new ConfigEditError('1:1: it is not a JSON object');
  return root;
}

/** Replaces the byte order mark with a space, so that offsets do not change. */
function replaceByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/u, ' ');
}

export function findObject(text: string, root: Node, key: string): Node | undefined {
  const property = findProperty(text, root, key);
  if (property === undefined) return undefined;
  const value = property.children?.[1];
  if (value?.type !== 'object')
    throw new ConfigEditError(`${formatPosition(text, property.offset)}: ${key} is not an object`);
  return value;
}

export function findProperty(text: string, object: Node, key: string): Node | undefined {
  const [property, second] = getChildren(object).filter((one) => one.children?.[0]?.value === key);
  if (second !== undefined) throw new ConfigEditError(`${formatPosition(text, second.offset)}: ${key} is there twice`);
  return property;
}

export const getChildren = (object: Node): Node[] => object.children ?? [];
export const getEnd = ({ offset, length }: Node) => offset + length;

export function getPropertyValue(property: Node): unknown {
  const value = property.children?.[1];
  return value === undefined ? undefined : getNodeValue(value);
}

interface JsonStyle {
  eol: string;
  unit: string;
}

export function detectStyle(text: string): JsonStyle {
  const unit = /^\uFEFF?\s*\{[^\n]*\n([ \t]+)/u.exec(text)?.[1];
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: unit ?? '  ' };
}

/** Formats a value. Indents all lines after the first, and writes lists of strings on one line. */
export function formatValue(value: unknown, { eol, unit }: JsonStyle, indent: string): string {
  const text = JSON.stringify(value, null, unit).replaceAll(
    /\[\s+("[^[\]{}]*?")\s+\]/gu,
    (_, list: string) => `[${list.replaceAll(/,\n\s+/gu, ', ')}]`,
  );
  return text.replaceAll('\n', eol + indent);
}

/** Inserts a property into an object, or a value into an array if there is no key. */
export function insertValue(text: string, container: Node, key: string | undefined, value: unknown): string {
  const style = detectStyle(text);
  const last = getChildren(container).at(-1);
  const indent = getChildIndent(text, container, style);
  const prefix = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const property = prefix + formatValue(value, style, indent ?? getLineIndent(text, container.offset));
  if (last === undefined) return insertText(text, container.offset + 1, property);
  const { comma, end, endsInLineComment } = findGap(text, getEnd(last), getEnd(container) - 1);
  const separator = indent === undefined && !endsInLineComment ? ' ' : style.eol + (indent ?? '');
  if (comma !== undefined) return insertText(text, end, `${separator}${property},`);
  return insertText(insertText(text, end, separator + property), getEnd(last), ',');
}

/** Returns the indentation of the properties, or undefined if the first property is not on a line of its own. */
function getChildIndent(text: string, object: Node, { unit }: JsonStyle): string | undefined {
  const [first] = getChildren(object);
  if (first === undefined) return undefined;
  const before = text.slice(object.offset + 1, first.offset);
  return before.includes('\n') ? getLineIndent(text, first.offset, unit) : undefined;
}

function getLineIndent(text: string, offset: number, fallback = ''): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]+/u.exec(text.slice(start, offset))?.[0] ?? fallback;
}

function insertText(text: string, at: number, more: string): string {
  return text.slice(0, at) + more + text.slice(at);
}

/**
 * Finds the comma between the end of a property and the next property or closing brace, and the end of the last comment
 * or comma in this gap.
 */
function findGap(text: string, from: number, to: number) {
  const isInGap = (offset: number) => offset >= from && offset < to;
  let comma: number | undefined;
  let end = from;
  let endsInLineComment = false;
  const visitor: JSONVisitor = {
    onSeparator(_char, offset) {
      if (!isInGap(offset)) return;
      [comma, end, endsInLineComment] = [offset, offset + 1, false];
    },
    onComment(offset, length) {
      if (isInGap(offset)) [end, endsInLineComment] = [offset + length, text.startsWith('//', offset)];
    },
  };
  visit(replaceByteOrderMark(text), visitor, { allowTrailingComma: true });
  return { comma, end, endsInLineComment };
}

/** True if Argus added an object together with its only property. */
function wasAddedWithChild(text: string, object: Node): boolean {
  const [only, other] = getChildren(object);
  if (only === undefined || other !== undefined) return false;
  const before = text.slice(object.offset + 1, only.offset);
  return before.includes('\n') && (before + text.slice(getEnd(only), getEnd(object) - 1)).trim() === '';
}

/**
 * Removes a property or an array element, together with the containers that were added for it. Returns undefined if
 * nothing else is left in the file.
 */
export function removeAddition(text: string, child: Node): string | undefined {
  const container = child.parent;
  if (container === undefined) return undefined;
  if (!wasAddedWithChild(text, container)) return removeChild(text, container, child);
  if (container.parent !== undefined) return removeAddition(text, container.parent);
  const isWholeFile = (text.slice(0, container.offset) + text.slice(getEnd(container))).trim() === '';
  return isWholeFile ? undefined : removeChild(text, container, child);
}

function removeChild(text: string, object: Node, property: Node): string {
  const all = getChildren(object);
  const at = all.indexOf(property);
  const [previous, next] = [all[at - 1], all[at + 1]];
  const { comma } = findGap(text, getEnd(property), next?.offset ?? getEnd(object) - 1);
  const end = comma === undefined ? getEnd(property) : comma + 1;
  const gapStart = previous === undefined ? object.offset + 1 : getEnd(previous);
  const isAlone = previous === undefined && next === undefined;
  const start = isAlone ? property.offset : findGap(text, gapStart, property.offset).end;
  const rest = text.slice(0, start) + text.slice(end);
  if (previous === undefined || next !== undefined || comma !== undefined) return rest;
  const before = findGap(text, gapStart, property.offset).comma;
  return before === undefined ? rest : rest.slice(0, before) + rest.slice(before + 1);
}
