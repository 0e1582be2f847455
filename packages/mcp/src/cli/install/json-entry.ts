/**
 * Puts one server into a JSON configuration, comments and all, and takes it out again. Only the entry's own bytes are
 * added, in a way that can be told apart afterwards, so that taking it out leaves the file as it was:
 *
 * - into an empty object right behind its brace, so that what stands there on a line of its own is in an object that
 *   came with it, which goes with it;
 * - else behind the last property, with the comma that this one lacks; or with one of its own where that had one.
 */

import {
  applyEdits,
  getNodeValue,
  type JSONVisitor,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { isServerOfArgus, type ServerEntry } from './agents.ts';
import { positionOf, Refused } from './refused.ts';

/** The key that holds the servers, and the name of ours. */
export type EntryKeys = readonly [container: string, name: string];

/** The same text where the entry is there already. */
export function withJsonEntry(text: string | undefined, [container, name]: EntryKeys, entry: ServerEntry): string {
  const style = styleOf(text ?? '');
  if (text === undefined) return `${formatted({ [container]: { [name]: entry } }, style, '')}\n`;
  const root = parsed(text);
  const servers = objectUnder(text, root, container);
  if (servers === undefined) return inserted(text, root, container, { [name]: entry }, style);
  const there = propertyOf(text, servers, name);
  if (there === undefined) return inserted(text, servers, name, entry, style);
  return updated(text, there, [container, name], entry, style);
}

/** The same text where the entry is not there; undefined where the file was made for it. */
export function withoutJsonEntry(text: string, [container, name]: EntryKeys): string | undefined {
  const root = parsed(text);
  const servers = objectUnder(text, root, container);
  const there = servers && propertyOf(text, servers, name);
  if (servers === undefined || there === undefined || !isServerOfArgus(contentOf(there))) return text;
  if (!cameWithIt(text, servers)) return removed(text, servers, there);
  const holder = propertyOf(text, root, container);
  if (holder === undefined) return text;
  const isAll = cameWithIt(text, root) && text.slice(0, root.offset) + text.slice(endOf(root)).trim() === '';
  return isAll ? undefined : removed(text, root, holder);
}

/** Whether it is there, however it came. */
export function hasJsonEntry(text: string, [container, name]: EntryKeys): boolean {
  const servers = objectUnder(text, parsed(text), container);
  const there = servers && propertyOf(text, servers, name);
  return there !== undefined && isServerOfArgus(contentOf(there));
}

function parsed(text: string): Node {
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

/** A blank instead of the byte order mark, so that places stay what they are. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/u, ' ');
}

function objectUnder(text: string, root: Node, key: string): Node | undefined {
  const property = propertyOf(text, root, key);
  if (property === undefined) return undefined;
  const value = property.children?.[1];
  if (value?.type !== 'object') throw new Refused(`${positionOf(text, property.offset)}: ${key} is no object`);
  return value;
}

function propertyOf(text: string, object: Node, key: string): Node | undefined {
  const [property, second] = propertiesOf(object).filter((one) => one.children?.[0]?.value === key);
  if (second !== undefined) throw new Refused(`${positionOf(text, second.offset)}: ${key} is there twice`);
  return property;
}

const propertiesOf = (object: Node): Node[] => object.children ?? [];
const endOf = ({ offset, length }: Node) => offset + length;

function contentOf(property: Node): unknown {
  const value = property.children?.[1];
  return value === undefined ? undefined : getNodeValue(value);
}

interface Style {
  eol: string;
  unit: string;
}

function styleOf(text: string): Style {
  const unit = /^\uFEFF?\s*\{[^\n]*\n([ \t]+)/u.exec(text)?.[1];
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', unit: unit ?? '  ' };
}

/** Its lines after the first are moved to the right; lists stand in one line. */
function formatted(value: unknown, { eol, unit }: Style, indent: string): string {
  const text = JSON.stringify(value, null, unit).replaceAll(
    /\[\s+("[^[\]{}]*?")\s+\]/gu,
    (_, list: string) => `[${list.replaceAll(/,\n\s+/gu, ', ')}]`,
  );
  return text.replaceAll('\n', eol + indent);
}

function inserted(text: string, object: Node, key: string, value: unknown, style: Style): string {
  const last = propertiesOf(object).at(-1);
  const indent = indentOf(text, object, style);
  const property = `${JSON.stringify(key)}: ${formatted(value, style, indent ?? lineIndent(text, object.offset))}`;
  if (last === undefined) return spliced(text, object.offset + 1, property);
  const { comma, end, endsInLineComment } = gapAfter(text, endOf(last), endOf(object) - 1);
  const separator = indent === undefined && !endsInLineComment ? ' ' : style.eol + (indent ?? '');
  if (comma !== undefined) return spliced(text, end, `${separator}${property},`);
  return spliced(spliced(text, end, separator + property), endOf(last), ',');
}

/** Of its properties, where they stand on lines of their own. */
function indentOf(text: string, object: Node, { unit }: Style): string | undefined {
  const [first] = propertiesOf(object);
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

/** What stands between the end of a property and the next one or the brace: its comma, and where the last of it ends. */
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

/** Whether an object that holds nothing else was made for its one property. */
function cameWithIt(text: string, object: Node): boolean {
  const [only, other] = propertiesOf(object);
  if (only === undefined || other !== undefined) return false;
  const before = text.slice(object.offset + 1, only.offset);
  return before.includes('\n') && (before + text.slice(endOf(only), endOf(object) - 1)).trim() === '';
}

function removed(text: string, object: Node, property: Node): string {
  const all = propertiesOf(object);
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

/** What its user added to it stays. */
function updated(text: string, property: Node, keys: EntryKeys, entry: ServerEntry, style: Style): string {
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
