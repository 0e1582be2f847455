/**
 * Parses YAML from unknown sources, with limits for size, depth and aliases. Only core tags are allowed. Errors name
 * the line.
 */

import type { Document, LineCounter } from 'yaml';

/** The time of the parser's check for duplicate keys grows with the square of the number of tokens. */
const MAX_TOKENS = 50_000;

/**
 * Limit for the stack of the parser, where a level takes up to two entries. Without a limit, the library recurses until
 * the process crashes.
 */
const MAX_STACK_ENTRIES = 100;

const MAX_ALIASES = 100;

type Keys = readonly (string | number)[];

export interface ParsedYaml {
  value: unknown;
  /** Returns the line where the value of the keys begins, or the line of the nearest enclosing value. */
  findLine(keys: Keys): number;
}

/** An error in a text, with its line. */
export class YamlError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Parses a text with a single document. An empty text is an empty map. Throws a YamlError. */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  requireWithinLimits(yaml, text, lines);
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // Set here, because a `%YAML` line in the text could otherwise select another schema.
    schema: 'core',
    resolveKnownTags: false,
  });
  // The library only warns about unknown tags and directives, and otherwise ignores them.
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem) throw new YamlError(lines.linePos(problem.pos[0]).line, formatProblem(problem));
  requireFewAliases(yaml, document, lines);
  return { value: toPlainValue(document), findLine: (keys) => findLineOfKeys(document, lines, keys) };
}

type YamlLibrary = typeof import('yaml');

/** Checks the limits before the document is built. This stage of the parser does not recurse. */
function requireWithinLimits({ Lexer, Parser }: YamlLibrary, text: string, lines: LineCounter): void {
  const lexer = new Lexer();
  const parser = new Parser(lines.addNewLine);
  let tokens = 0;
  lines.addNewLine(0);
  for (const lexeme of lexer.lex(text)) {
    tokens += 1;
    const here = () => lines.linePos(parser.offset).line;
    if (tokens > MAX_TOKENS) throw new YamlError(here(), 'too long: it has more than 50,000 YAML tokens');
    for (const _token of parser.next(lexeme));
    if (parser.stack.length > MAX_STACK_ENTRIES) throw new YamlError(here(), 'nested too deeply');
  }
  lines.lineStarts.length = 0;
}

/**
 * Limits aliases, because a few short aliases can expand to more text than fits into memory, and an alias inside its
 * own anchor is endless.
 */
function requireFewAliases({ visit }: YamlLibrary, document: Document, lines: LineCounter): void {
  let count = 0;
  visit(document, {
    Alias(_key, alias, path) {
      const createError = (what: string) => new YamlError(lines.linePos(alias.range?.[0] ?? 0).line, what);
      count += 1;
      if (count > MAX_ALIASES) throw createError(`more than ${MAX_ALIASES} aliases`);
      const anchored = alias.resolve(document);
      if (!anchored) throw createError(`the alias *${alias.source} has no anchor before it`);
      if (path.includes(anchored)) throw createError(`the alias *${alias.source} contains itself`);
    },
  });
}

function toPlainValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {};
  } catch (thrown) {
    if (thrown instanceof ReferenceError) throw new YamlError(1, 'its aliases expand to too much text');
    throw thrown;
  }
}

function formatProblem({ code, message }: { code: string; message: string }): string {
  const tag = /^Unresolved tag: (?:tag:yaml\.org,2002:(?<core>.*)|(?<own>.*))$/u.exec(message)?.groups;
  if (code !== 'TAG_RESOLVE_FAILED' || tag === undefined) return message;
  return `unknown tag ${tag.core === undefined ? tag.own : `!!${tag.core}`}`;
}

function findLineOfKeys(document: Document, lines: LineCounter, keys: Keys): number {
  for (let depth = keys.length; depth > 0; depth--) {
    const start = getStartOffset(document.getIn(keys.slice(0, depth), true));
    if (start !== undefined) return lines.linePos(start).line;
  }
  return 1;
}

function getStartOffset(node: unknown): number | undefined {
  if (node === null || typeof node !== 'object' || !('range' in node) || !Array.isArray(node.range)) return undefined;
  const start: unknown = node.range[0];
  return typeof start === 'number' ? start : undefined;
}
