/**
 * Splits a command line into words, to find out which test runner it starts and where arguments can be inserted.
 * Nothing is expanded or executed. A command with syntax that is not supported is not editable.
 */

export interface CommandWord {
  /** The word without quotes. */
  text: string;
  /** Offsets in the command line, including quotes. */
  start: number;
  end: number;
}

/** The last simple command of a line, to which arguments are appended. */
export interface LastCommand {
  words: CommandWord[];
  /** False if a pipe, a redirection or a subshell is around the command, because then nothing may be inserted. */
  editable: boolean;
}

/** Returns the last command: `c` for `a && b; c`. */
export function parseLastCommand(line: string, windows = process.platform === 'win32'): LastCommand {
  let words: CommandWord[] = [];
  let editable = true;
  /** Number of open subshells. Infinite after syntax whose end is not parsed, such as a comment or a here-document. */
  let openSubshells = 0;
  let at = 0;
  while (at < line.length) {
    const char = line.charAt(at);
    if (/\s/u.test(char) && char !== '\n') {
      at++;
    } else if (measureLineContinuation(line, at) > 0) {
      at += measureLineContinuation(line, at);
    } else if (char === ';' || char === '\n' || line.startsWith('&&', at) || line.startsWith('||', at)) {
      words = [];
      // A pipe in the previous command does not affect this command.
      editable = openSubshells === 0;
      at += char === ';' || char === '\n' ? 1 : 2;
    } else if ('|&<>()`#'.includes(char)) {
      editable = false;
      if (char === '(') openSubshells += 1;
      else if (char === ')') openSubshells -= 1;
      else if (char === '#' || char === '`' || line.startsWith('<<', at)) openSubshells = Number.POSITIVE_INFINITY;
      at++;
    } else {
      const word = readWord(line, at, windows);
      if (word.text.includes('$(') || word.text.includes('`')) editable = false;
      words.push(word);
      at = word.end;
    }
  }
  return { words, editable: editable && words.length > 0 };
}

/** A command of a line, or a group of commands in parentheses or braces. */
export interface LineCommand {
  /** Empty for a group. */
  words: string[];
  /** The operator before the command. Empty for the first command. */
  operator: '' | '&&' | '||' | '|' | ';';
  group?: { kind: '(' | '{'; commands: LineCommand[] };
}

/**
 * Returns the commands of a line, without redirections. Returns undefined if the line contains syntax that only a shell
 * understands.
 */
export function parseLineCommands(line: string, windows = process.platform === 'win32'): LineCommand[] | undefined {
  const read = readCommands(line, 0, windows);
  return read?.end === line.length ? read.commands : undefined;
}

/** Reads commands up to the end of the line, or to the bracket that closes the group. */
function readCommands(
  line: string,
  start: number,
  windows: boolean,
  close?: ')' | '}',
): { commands: LineCommand[]; end: number } | undefined {
  const commands: LineCommand[] = [{ words: [], operator: '' }];
  let at = start;
  while (at < line.length) {
    const current = commands.at(-1) ?? { words: [], operator: '' };
    // `time` can be before a group as well.
    const isAtCommandStart = current.group === undefined && /^(?:time(?: -p)?)?$/u.test(current.words.join(' '));
    const rest = line.slice(at, at + 2);
    const char = rest.charAt(0);
    const redirection = /^(?:\d*|&)>{1,2}(?:&\d|&-|\|)?|^\d*<(?!<)/u.exec(line.slice(at, at + 8))?.[0];
    if (redirection !== undefined && redirection !== '') {
      at += redirection.length;
      // `2>&1` already includes its target.
      if (!/&[\d-]$/u.test(redirection)) at = skipRedirectionTarget(line, at, windows);
    } else if (measureLineContinuation(line, at) > 0) {
      at += measureLineContinuation(line, at);
    } else if (char === '&' && rest !== '&&') {
      return undefined;
    } else if (/[;\n|&]/u.test(char)) {
      const joint = rest === '&&' || rest === '||' ? rest : char === '|' ? '|' : ';';
      at += joint.length;
      if (rest === '|&') at += 1;
      commands.push({ words: [], operator: joint });
    } else if (/\s/u.test(char)) {
      at += 1;
    } else if (char === '#') {
      at += line.slice(at).search(/$/mu);
    } else if (char === close && (char === ')' || isAtCommandStart)) {
      return { commands: removeEmptyCommands(commands), end: at + 1 };
    } else if (isAtCommandStart && (char === '(' || /^\{\s/u.test(rest))) {
      const kind = char === '(' ? '(' : '{';
      const inside = readCommands(line, at + 1, windows, kind === '(' ? ')' : '}');
      if (inside === undefined) return undefined;
      current.group = { kind, commands: inside.commands };
      current.words = [];
      at = inside.end;
    } else if (current.group !== undefined || '<>()`{}'.includes(char)) {
      return undefined;
    } else {
      const word = readWord(line, at, windows);
      if (word.text.includes('$(') || word.text.includes('`')) return undefined;
      current.words.push(word.text);
      at = word.end;
    }
  }
  return close === undefined ? { commands: removeEmptyCommands(commands), end: at } : undefined;
}

function removeEmptyCommands(commands: readonly LineCommand[]): LineCommand[] {
  return commands.filter(({ words, group }) => words.length > 0 || group !== undefined);
}

/**
 * Splits a text at white space, and handles quotes as a POSIX shell does on every system. `open` is a quote that is not
 * closed.
 */
export function splitQuotedWords(text: string): { words: string[]; open: string | undefined } {
  const words: string[] = [];
  let open: string | undefined;
  let at = 0;
  while (at < text.length) {
    const gap = /\s/u.test(text.charAt(at)) ? 1 : measureLineContinuation(text, at);
    const word = gap > 0 ? undefined : readWord(text, at, false, /\s/u);
    if (word !== undefined) words.push(word.text);
    open = word?.open;
    at = word?.end ?? at + gap;
  }
  return { words, open };
}

function skipRedirectionTarget(line: string, from: number, windows: boolean): number {
  let at = from;
  while (/[ \t]/u.test(line.charAt(at))) at += 1;
  return readWord(line, at, windows).end;
}

/** Quotes an argument for the shell that runs commands. */
export function quoteArgument(argument: string, windows = process.platform === 'win32'): string {
  if (/^[\w@%+=:,./-]+$/u.test(argument)) return argument;
  if (windows) return `"${argument.replaceAll('"', '""')}"`;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}

interface ParsedWord extends CommandWord {
  /** The quote that is not closed. */
  open?: string | undefined;
}

/** Matches a character that ends a word of a command. */
const WORD_END = /[\s;|&<>()]/u;
/** Characters that a backslash escapes inside double quotes. Before another character, a backslash is literal. */
const ESCAPABLE_CHARACTER = /["\\$`]/u;

/** Reads a word. With `windows`, only double quotes group words, and a backslash is a path separator. */
function readWord(line: string, start: number, windows: boolean, end = WORD_END): ParsedWord {
  let text = '';
  let open: string | undefined;
  let at = start;
  while (at < line.length) {
    const [char, next] = [line.charAt(at), line.charAt(at + 1)];
    const isEscape = char === '\\' && next !== '' && (windows ? open === '"' && next === '"' : open !== "'");
    const continuationLength = isEscape ? measureLineContinuation(line, at) : 0;
    if (open === undefined && end.test(char)) break;
    if (continuationLength > 0) {
      at += continuationLength;
    } else if (isEscape) {
      const isLiteral = windows || (open !== undefined && !ESCAPABLE_CHARACTER.test(next));
      text += isLiteral ? char + next : next;
      at += 2;
    } else if (char === open || (open === undefined && (char === '"' || (char === "'" && !windows)))) {
      open = char === open ? undefined : char;
      at += 1;
    } else {
      text += char;
      at += 1;
    }
  }
  return { text, start, end: at, open };
}

/** Returns the length of a backslash with a line break, which join two lines, or 0 if they are not at this offset. */
function measureLineContinuation(line: string, at: number): number {
  return /^\\\r?\n/u.exec(line.slice(at, at + 3))?.[0].length ?? 0;
}
