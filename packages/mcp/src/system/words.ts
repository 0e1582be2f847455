/**
 * Splits a command line into its words, enough to see which runner it starts and where to put arguments. Nothing is
 * expanded or executed; what is not understood is called opaque.
 */

export interface Word {
  /** Without quotes. */
  text: string;
  /** Offsets into the command line, quotes included. */
  start: number;
  end: number;
}

/** The last simple command of a line: the one that arguments at the end would go to. */
export interface LastCommand {
  words: Word[];
  /** False: a pipe, a redirection or a subshell is around it, so that nothing may be inserted. */
  editable: boolean;
}

/** `a && b; c` gives `c`. */
export function lastCommand(line: string, windows = process.platform === 'win32'): LastCommand {
  let words: Word[] = [];
  let editable = true;
  /** Subshells around it; what ends in a way that is not read never ends. */
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
      // What was around the command before is around it alone.
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

/** One of the commands of a line, or a group of them in parentheses or braces. */
export interface LineCommand {
  /** Empty for a group. */
  words: string[];
  /** What stands between it and the one before; empty for the first. */
  joint: '' | '&&' | '||' | '|' | ';';
  group?: { kind: '(' | '{'; commands: LineCommand[] };
}

/** The commands of a line, without redirections; undefined where something is in it that only a shell understands. */
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
    const isFresh = current.words.length === 0 && current.group === undefined;
    const rest = line.slice(at, at + 2);
    const char = rest.charAt(0);
    const redirection = /^(?:\d*|&)>{1,2}(?:&\d|&-|\|)?|^\d*<(?!<)/u.exec(line.slice(at, at + 8))?.[0];
    if (redirection !== undefined && redirection !== '') {
      at += redirection.length;
      // `2>&1` names where it leads by itself.
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

/** Words that only white space parts, quoted as for a POSIX shell whatever the machine, and the quote that is not closed. */
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

/** What ends a word of a command. */
const COMMAND_END = /[\s;|&<>()]/u;
/** What a backslash may stand before between double quotes; elsewhere there it stands for itself. */
const ESCAPABLE = /["\\$`]/u;

/** `windows`: only double quotes group, and a backslash is one of a path. */
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

/** Length of a backslash with the end of its line, which join two lines to one; 0 where there is none. */
function lineEndAfter(line: string, at: number): number {
  return /^\\\r?\n/u.exec(line.slice(at, at + 3))?.[0].length ?? 0;
}
