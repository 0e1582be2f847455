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
  let at = 0;
  while (at < line.length) {
    const char = line.charAt(at);
    if (/\s/u.test(char) && char !== '\n') {
      at++;
    } else if (char === ';' || char === '\n' || line.startsWith('&&', at) || line.startsWith('||', at)) {
      words = [];
      at += char === ';' || char === '\n' ? 1 : 2;
    } else if ('|&<>()`'.includes(char) || char === '#') {
      editable = false;
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

/** One of the commands of a line. */
export interface SimpleCommand {
  words: string[];
  /** What stands between it and the one before; empty for the first. */
  joint: '' | '&&' | '||' | '|' | ';';
}

/** The commands of a line, without redirections; undefined where something is in it that only a shell understands. */
export function simpleCommands(line: string, windows = process.platform === 'win32'): SimpleCommand[] | undefined {
  const commands: SimpleCommand[] = [{ words: [], joint: '' }];
  let at = 0;
  while (at < line.length) {
    const rest = line.slice(at, at + 2);
    const char = rest.charAt(0);
    const redirection = /^(?:\d*|&)>{1,2}(?:&\d|&-|\|)?|^\d*<(?!<)/u.exec(line.slice(at, at + 8))?.[0];
    if (redirection !== undefined && redirection !== '') {
      at += redirection.length;
      // `2>&1` names where it leads by itself.
      if (!/&[\d-]$/u.test(redirection)) at = skipTarget(line, at, windows);
    } else if (char === '\\' && (line.charAt(at + 1) === '\n' || line.startsWith('\r\n', at + 1))) {
      at += line.charAt(at + 1) === '\n' ? 2 : 3;
    } else if (char === '&' && rest !== '&&') {
      return undefined;
    } else if (/[;\n|&]/u.test(char)) {
      const joint = rest === '&&' || rest === '||' ? rest : char === '|' ? '|' : ';';
      at += joint.length;
      if (rest === '|&') at += 1;
      commands.push({ words: [], joint });
    } else if (/\s/u.test(char)) {
      at += 1;
    } else if ('<>()`#{}'.includes(char)) {
      return undefined;
    } else {
      const word = readWord(line, at, windows);
      if (word.text.includes('$(') || word.text.includes('`')) return undefined;
      commands.at(-1)?.words.push(word.text);
      at = word.end;
    }
  }
  return commands.filter(({ words }) => words.length > 0);
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

function readWord(line: string, start: number, windows: boolean): Word {
  let text = '';
  let at = start;
  while (at < line.length) {
    const char = line.charAt(at);
    if (/[\s;|&<>()]/u.test(char)) break;
    if (char === '"' || (char === "'" && !windows)) {
      const close = closingQuote(line, at);
      text += line.slice(at + 1, close);
      at = close + 1;
    } else if (char === '\\' && !windows) {
      text += line.charAt(at + 1);
      at += 2;
    } else {
      text += char;
      at++;
    }
  }
  return { text, start, end: Math.min(at, line.length) };
}

/** Offset of the quote that closes the one at `open`, or the line's end. */
function closingQuote(line: string, open: number): number {
  const quote = line.charAt(open);
  for (let at = open + 1; at < line.length; at++) {
    if (line.charAt(at) === '\\' && quote === '"') at++;
    else if (line.charAt(at) === quote) return at;
  }
  return line.length;
}
