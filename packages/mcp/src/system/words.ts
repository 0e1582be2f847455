/**
 * Splits a command line into words to find out which runner it starts and where to insert arguments. Nothing is
 * expanded or executed, and syntax that is not understood makes a command not editable.
 */

export interface Word {
  /** Without quotes. */
  text: string;
  /** Offsets into the command line, including quotes. */
  start: number;
  end: number;
}

/** The last simple command of a line, which receives arguments that are appended. */
export interface LastCommand {
  words: Word[];
  /** False when a pipe, a redirection or a subshell is around it, because nothing may be inserted then. */
  editable: boolean;
}

/** `a && b; c` gives `c`. */
export function lastCommand(line: string, windows = process.platform === 'win32'): LastCommand {
  let words: Word[] = [];
  let editable = true;
  /**
   * The number of open subshells. Infinite after syntax whose end is not parsed, such as a comment or here-document.
   */
  let around = 0;
  let at = 0;
  while (at < line.length) {
    const char = line.charAt(at);
    if (/\s/u.test(char) && char !== '\n') {
      at++;
    } else if (lineEndAfter(line, at) > 0) {
      at += lineEndAfter(line, at);
    } else if (char === ';' || char === '\n' || line.startsWith('&&', at) || line.startsWith('||', at)) {
      words = [];
      // A pipe around the previous command does not affect this command.
      editable = around === 0;
      at += char === ';' || char === '\n' ? 1 : 2;
    } else if ('|&<>()`#'.includes(char)) {
      editable = false;
      if (char === '(') around += 1;
      else if (char === ')') around -= 1;
      else if (char === '#' || char === '`' || line.startsWith('<<', at)) around = Number.POSITIVE_INFINITY;
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
  /** The operator in front of the command. Empty for the first command. */
  joint: '' | '&&' | '||' | '|' | ';';
  group?: { kind: '(' | '{'; commands: LineCommand[] };
}

/** The commands of a line without redirections. Undefined if the line contains syntax that only a shell understands. */
export function lineCommands(line: string, windows = process.platform === 'win32'): LineCommand[] | undefined {
  const read = readCommands(line, 0, windows);
  return read?.end === line.length ? read.commands : undefined;
}

/** Up to the end of the line, or to what closes the group that begins before. */
function readCommands(
  line: string,
  start: number,
  windows: boolean,
  close?: ')' | '}',
): { commands: LineCommand[]; end: number } | undefined {
  const commands: LineCommand[] = [{ words: [], joint: '' }];
  let at = start;
  while (at < line.length) {
    const current = commands.at(-1) ?? { words: [], joint: '' };
    // `time` measures a group as well.
    const isFresh = current.group === undefined && /^(?:time(?: -p)?)?$/u.test(current.words.join(' '));
    const rest = line.slice(at, at + 2);
    const char = rest.charAt(0);
    const redirection = /^(?:\d*|&)>{1,2}(?:&\d|&-|\|)?|^\d*<(?!<)/u.exec(line.slice(at, at + 8))?.[0];
    if (redirection !== undefined && redirection !== '') {
      at += redirection.length;
      // `2>&1` includes its target.
      if (!/&[\d-]$/u.test(redirection)) at = skipTarget(line, at, windows);
    } else if (lineEndAfter(line, at) > 0) {
      at += lineEndAfter(line, at);
    } else if (char === '&' && rest !== '&&') {
      return undefined;
    } else if (/[;\n|&]/u.test(char)) {
      const joint = rest === '&&' || rest === '||' ? rest : char === '|' ? '|' : ';';
      at += joint.length;
      if (rest === '|&') at += 1;
      commands.push({ words: [], joint });
    } else if (/\s/u.test(char)) {
      at += 1;
    } else if (char === '#') {
      at += line.slice(at).search(/$/mu);
    } else if (char === close && (char === ')' || isFresh)) {
      return { commands: nonEmpty(commands), end: at + 1 };
    } else if (isFresh && (char === '(' || /^\{\s/u.test(rest))) {
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
  return close === undefined ? { commands: nonEmpty(commands), end: at } : undefined;
}

function nonEmpty(commands: readonly LineCommand[]): LineCommand[] {
  return commands.filter(({ words, group }) => words.length > 0 || group !== undefined);
}

/** Splits at white space only and handles quotes like a POSIX shell on every machine. `open` is an unclosed quote. */
export function quotedWords(text: string): { words: string[]; open: string | undefined } {
  const words: string[] = [];
  let open: string | undefined;
  let at = 0;
  while (at < text.length) {
    const gap = /\s/u.test(text.charAt(at)) ? 1 : lineEndAfter(text, at);
    const word = gap > 0 ? undefined : readWord(text, at, false, /\s/u);
    if (word !== undefined) words.push(word.text);
    open = word?.open;
    at = word?.end ?? at + gap;
  }
  return { words, open };
}

function skipTarget(line: string, from: number, windows: boolean): number {
  let at = from;
  while (/[ \t]/u.test(line.charAt(at))) at += 1;
  return readWord(line, at, windows).end;
}

/** Quotes one argument for the shell that runs commands. */
export function quoted(argument: string, windows = process.platform === 'win32'): string {
  if (/^[\w@%+=:,./-]+$/u.test(argument)) return argument;
  if (windows) return `"${argument.replaceAll('"', '""')}"`;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}

interface ReadWord extends Word {
  /** The quote that is not closed. */
  open?: string | undefined;
}

/** Ends a word of a command. */
const COMMAND_END = /[\s;|&<>()]/u;
/** Characters that a backslash escapes inside double quotes. Before other characters the backslash is literal. */
const ESCAPABLE = /["\\$`]/u;

/** Reads a word. With `windows`, only double quotes group words, and a backslash is a path separator. */
function readWord(line: string, start: number, windows: boolean, end = COMMAND_END): ReadWord {
  let text = '';
  let open: string | undefined;
  let at = start;
  while (at < line.length) {
    const [char, next] = [line.charAt(at), line.charAt(at + 1)];
    const isEscape = char === '\\' && next !== '' && (windows ? open === '"' && next === '"' : open !== "'");
    const joined = isEscape ? lineEndAfter(line, at) : 0;
    if (open === undefined && end.test(char)) break;
    if (joined > 0) {
      at += joined;
    } else if (isEscape) {
      const stands = windows || (open !== undefined && !ESCAPABLE.test(next));
      text += stands ? char + next : next;
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

/** Returns the length of a backslash and line break that join two lines, or 0. */
function lineEndAfter(line: string, at: number): number {
  return /^\\\r?\n/u.exec(line.slice(at, at + 3))?.[0].length ?? 0;
}
