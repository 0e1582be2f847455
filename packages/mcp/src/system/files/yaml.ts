/**
 * Parses YAML of unknown origin with limits for size, depth and aliases. Only core tags are allowed. Errors name the
 * line.
 */

import type { Document, LineCounter } from 'yaml';

/** The parser's check for duplicate keys takes time that grows with the square of the number of tokens. */
const MAX_TOKENS = 50_000;

/**
 * The limit for the parser's stack, where a level takes up to two entries. Without it the library recurses until the
 * process dies.
 */
const MAX_DEPTH = 100;

const MAX_ALIASES = 100;

type Keys = readonly (string | number)[];

export interface ReadYaml {
  value: unknown;
  /** The line where the value of the keys begins, or the nearest enclosing value. */
  lineOf(keys: Keys): number;
}

/** An error in a text and its line. */
export class YamlError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Parses the single document of a text. An empty text is an empty map. Throws a YamlError. */
export async function readYaml(text: string): Promise<ReadYaml> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  requireSmall(yaml, text, lines);
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // Fixed here because a `%YAML` line in the text could choose another schema.
    schema: 'core',
    resolveKnownTags: false,
  });
  // The library only warns about unknown tags and directives, and ignores them otherwise.
  const wrong = document.errors[0] ?? document.warnings[0];
  if (wrong) throw new YamlError(lines.linePos(wrong.pos[0]).line, sentenceOf(wrong));
  requireFewAliases(yaml, document, lines);
  return { value: plainValueOf(document), lineOf: (keys) => lineOf(document, lines, keys) };
}

type Library = typeof import('yaml');

/** Checks the limits before the document is built. This first stage of the parser needs no recursion. */
function requireSmall({ Lexer, Parser }: Library, text: string, lines: LineCounter): void {
  const lexer = new Lexer();
  const parser = new Parser(lines.addNewLine);
  let tokens = 0;
  lines.addNewLine(0);
  for (const lexeme of lexer.lex(text)) {
    tokens += 1;
    const here = () => lines.linePos(parser.offset).line;
    if (tokens > MAX_TOKENS) throw new YamlError(here(), 'too long: it goes on after 50,000 words and marks');
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH) throw new YamlError(here(), 'nested too deeply');
  }
  lines.lineStarts.length = 0;
}

/**
 * Limits aliases, because a few short aliases can expand to more than memory holds, and an alias inside its own anchor
 * is endless.
 */
function requireFewAliases({ visit }: Library, document: Document, lines: LineCounter): void {
  let count = 0;
  visit(document, {
    Alias(_key, alias, path) {
      const refuse = (what: string) => new YamlError(lines.linePos(alias.range?.[0] ?? 0).line, what);
      count += 1;
      if (count > MAX_ALIASES) throw refuse(`more than ${MAX_ALIASES} aliases`);
      const anchored = alias.resolve(document);
      if (!anchored) throw refuse(`the alias *${alias.source} has no anchor before it`);
      if (path.includes(anchored)) throw refuse(`the alias *${alias.source} stands in what it stands for`);
    },
  });
}

function plainValueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch (thrown) {
    if (thrown instanceof ReferenceError) throw new YamlError(1, 'its aliases stand for too much');
    throw thrown;
  }
}

function sentenceOf({ code, message }: { code: string; message: string }): string {
  const tag = /^Unresolved tag: (?:tag:yaml\.org,2002:(?<core>.*)|(?<own>.*))$/u.exec(message)?.groups;
  if (code !== 'TAG_RESOLVE_FAILED' || tag === undefined) return message;
  return `unknown tag ${tag.core === undefined ? tag.own : `!!${tag.core}`}`;
}

function lineOf(document: Document, lines: LineCounter, keys: Keys): number {
  for (let depth = keys.length; depth > 0; depth--) {
    const start = startOf(document.getIn(keys.slice(0, depth), true));
    if (start !== undefined) return lines.linePos(start).line;
  }
  return 1;
}

function startOf(node: unknown): number | undefined {
  if (node === null || typeof node !== 'object' || !('range' in node) || !Array.isArray(node.range)) return undefined;
  const start: unknown = node.range[0];
  return typeof start === 'number' ? start : undefined;
}
