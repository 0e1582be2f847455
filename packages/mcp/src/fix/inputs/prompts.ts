/**
 * Finds the prompts in the source of a script or command line, in the order of the lines, without running it. Branches
 * and loops are not evaluated: a prompt in an indented line, or after `then`, counts as conditional.
 */

import { splitQuotedWords } from '../../system/command-line.ts';

/** Stands for a part of a text that is known only when the script runs. */
export const UNKNOWN = '…';

/**
 * A prompt of a script. `variable`: the variable that stores the answer. `silent`: the input is hidden. `singleKey`: no
 * Enter follows. `terminal`: the answer is read from the terminal. `conditional`: the script may ask any number of
 * times.
 */
export interface Prompt {
  text: string;
  variable?: string | undefined;
  silent?: boolean;
  singleKey?: boolean;
  terminal?: boolean;
  conditional?: boolean;
  /** The value that the script uses for an empty answer. */
  fallback?: string | undefined;
  /** The output right before the prompt. */
  before?: string;
  /** The source after the prompt, which uses the answer. */
  after?: string;
}

export type Source = { text: string; name: string };

/** Limits, because regular expressions run over texts that anyone may have written. */
const MAX_PROMPTS = 100;
const MAX_SCRIPT_CHARACTERS = 128 * 1024;
const MAX_TEXT_CHARACTERS = 300;
const MAX_AFTER_CHARACTERS = 400;

export function findPrompts({ text: whole, name }: Source): Prompt[] {
  const text = whole.slice(0, MAX_SCRIPT_CHARACTERS);
  const isShell = !/\.(?:py|[cm]?[jt]sx?|exp)$/u.test(name) && /^(?!#!)|^#!.*\b(?:ba|z|da|k)?sh\b/u.test(text);
  const prompts = isShell ? findShellPrompts(text) : findCallPrompts(text, name).slice(0, MAX_PROMPTS);
  return prompts.map((one) => {
    const shown = one.text.slice(0, 2 * MAX_TEXT_CHARACTERS).replaceAll(TERMINAL_COLORS, UNKNOWN);
    return { ...one, text: shown.trim().slice(0, MAX_TEXT_CHARACTERS) };
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors begin with a control character
const TERMINAL_COLORS = /(?:(?:\u001b|\\(?:033|e|x1b|u001b))\[[\d;]*m|…)+/giu;

/** Matches a string literal of one line. */
const STRING_LITERAL = /[rfubRFUB]*(?<quote>["'`])(?<text>(?:\\.|(?!\k<quote>).)*)\k<quote>/u.source;
const ASSIGNED_VARIABLE = /(?:\b(?<name>\w+)\s*(?::\s*\w+)?=\s*(?:await\s+)?(?:\w+\(\s*)*)?/u.source;
const OPTIONS = /(?<options>\{[^{}]*\btype\s*:[^{}]*|\b(?:password|confirm|input)\(\s*\{[^{}]*)\bmessage\s*:\s*/u
  .source;
const MAYBE_PYTHON_FILE = /^(?!.*\.(?:[cm]?[jt]sx?|exp)$)/u;
const MAYBE_NODE_FILE = /^(?!.*\.(?:py|exp)$)/u;

/** Calls that print a prompt, by the files in which they occur. */
const PROMPT_CALLS: readonly { files: RegExp; call: string; rest?: Partial<Prompt> }[] = [
  { files: MAYBE_PYTHON_FILE, call: `${ASSIGNED_VARIABLE}(?<![.\\w])(?:raw_)?input\\(\\s*${STRING_LITERAL}` },
  {
    files: MAYBE_PYTHON_FILE,
    call: `${ASSIGNED_VARIABLE}(?:click|typer)\\.(?<options>prompt|confirm)\\(\\s*${STRING_LITERAL}`,
  },
  {
    files: MAYBE_PYTHON_FILE,
    call: `${ASSIGNED_VARIABLE}(?:\\w+\\.)?getpass\\(\\s*(?:prompt=)?${STRING_LITERAL}`,
    rest: { silent: true, terminal: true },
  },
  { files: MAYBE_NODE_FILE, call: `${ASSIGNED_VARIABLE}\\w[\\w.]*\\.question\\(\\s*${STRING_LITERAL}` },
  { files: MAYBE_NODE_FILE, call: `${OPTIONS}${STRING_LITERAL}`, rest: { terminal: true, conditional: true } },
  { files: /\.exp$|^[^.]+$/u, call: `send_user\\s+(?:--\\s+)?${STRING_LITERAL}[^\\n]*\\n\\s*expect_user\\b` },
];

function findCallPrompts(text: string, file: string): Prompt[] {
  const found = PROMPT_CALLS.filter(({ files }) => files.test(file)).flatMap(({ call, rest }) =>
    [...text.matchAll(new RegExp(call, 'gu'))].map(({ index, groups = {}, 0: all }) => {
      const { options = '', text: literal = '', name = /\bname\s*:\s*["'`](\w+)/u.exec(options)?.[1] } = groups;
      const lines = literal.replaceAll(/\$?\{[^{}]*\}/gu, UNKNOWN).split(/\\[nr]/u);
      const prompt: Prompt = {
        text: (lines.findLast((line) => line.trim() !== '') ?? '').replaceAll(/\\(.)/gu, '$1'),
        variable: name,
        conditional: /^\s/u.test(text.slice(text.lastIndexOf('\n', index) + 1, index + 1)),
        after: text.slice(index + all.length, index + all.length + MAX_AFTER_CHARACTERS),
        silent: /password|invisible/u.test(options),
        fallback: /\bconfirm\b/u.test(options) ? 'y' : undefined,
        ...rest,
      };
      return { index, one: prompt };
    }),
  );
  return found.sort((a, b) => a.index - b.index).map(({ one }) => one);
}

/** Matches strings, comments and here-documents of a shell script, which contain no commands. */
const NO_COMMANDS =
  /\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"|(?<=^|\s)#[^\n]*|<<-?[ \t]*(["']?)(?<end>\w+)\1[^\n]*\n(?:[\s\S]{0,4000}?\n)??[ \t]*\k<end>(?=\n|$)/gmu;

/** A command starts after a separator or a reserved word. */
const COMMAND_START = /(?<=^|[;&|({!]|\b(?:then|do|else|if|elif|while|until)\b)[ \t]*/u.source;
const PROMPT_COMMAND = '(?:IFS=\\S*\\s+)?(?<name>read|select|echo|printf)[ \\t]+(?<args>[^\\n;&|()`]*)';

/** Matches the text before a command in its line if the command is conditional. */
const CONDITIONAL_PREFIX = /^\s|\b(?:then|do|else)\b|&&|\|\||\)/u;

/** Matches a function of a shell script. It ends with its line, or with a brace at the beginning of a line. */
const FUNCTION = /^[ \t]*(?:function[ \t]+)?([\w:-]+)[ \t]*\(\)\s*\{(.*(?=\}[ \t]*$)|[\s\S]{0,2000}?\n(?=\}))\}/gmu;

/** Replaces calls of functions that read input by the bodies of these functions. */
function inlineReadingFunctions(script: string): string {
  const bodies = new Map<string, string>();
  const text = script.replaceAll(FUNCTION, (all, name: string, body: string) => {
    if (/\bread\b/u.test(body)) bodies.set(name, body.replaceAll(/\n[ \t]+/gu, '\n'));
    return bodies.has(name) ? '' : all;
  });
  const call = `${COMMAND_START}(${[...bodies.keys(), '\n'].join('|')})(?![\\w:-])((?:"[^"\\n]*"|[^"\\n;&|)])*)`;
  return text.replaceAll(new RegExp(call, 'gmu'), (_, name: string, args: string) => {
    const words = ['', ...splitQuotedWords(args).words];
    const positionalParameter = /\$(?:([1-9])|\{([1-9])[^}]*\})/gu;
    return (bodies.get(name) ?? '').replaceAll(
      positionalParameter,
      (_all, bare, braced) => words[Number(bare ?? braced)] ?? '',
    );
  });
}

/** Replaces strings, comments and here-documents with fillers of the same length, so that offsets do not change. */
function maskNonCommands(text: string): string {
  return text.replaceAll(NO_COMMANDS, (part) => {
    const filler = part.startsWith('#') ? ' ' : '_';
    return (part.startsWith('<') ? '<' : filler) + part.slice(1).replaceAll(/[^\n]/gu, filler);
  });
}

function findShellPrompts(script: string): Prompt[] {
  // `"$(echo -e "Name: ")"` contains a string in a string.
  const nested = /\$\((?:echo|printf)[ \t]+(?:-\w+[ \t]+)*"([^"\n]*)"\)/gu;
  const text = inlineReadingFunctions(script.replaceAll('\\\n', '  '))
    .slice(0, MAX_SCRIPT_CHARACTERS)
    .replaceAll(nested, '$1');
  const assignment = /(?<=^|[\s;])(\w+)=\$?(["']?)([^"'$`\n]*)\2(?=$|[\s;])/gmu;
  const variables = new Map([['PS3', '#? ']]);
  const expansion = /\$\{?(\w+)(?::?[-=]([^}]*))?[^\s}"]*\}|\$(\w+|[@*])|\$\(.*?\)|`.*?`/gu;
  const expandVariables = (raw: string) => {
    const text = raw.slice(0, 2 * MAX_TEXT_CHARACTERS);
    return text.replaceAll(expansion, (_, name, usual, bare) => variables.get(name ?? bare) ?? usual ?? UNKNOWN);
  };
  const prompts: Prompt[] = [];
  let [printed, scanned]: [string[], number] = [[], 0];
  const commands = maskNonCommands(text);
  for (const { index, 0: all, groups = {} } of commands.matchAll(new RegExp(COMMAND_START + PROMPT_COMMAND, 'gmu'))) {
    const { name = '', args = '' } = groups;
    const end = index + all.length;
    for (const [, to = '', , value = ''] of text.slice(scanned, index).matchAll(assignment)) variables.set(to, value);
    scanned = index;
    const before = commands.slice(commands.lastIndexOf('\n', index) + 1, end - args.length).replace(/\w+\s*$/u, '');
    const { words } = splitQuotedWords(text.slice(end - args.length, end));
    if (name === 'echo' || name === 'printf') {
      if (!/>\s*[^&\s/]/u.test(args))
        printed = [...printed, ...formatPrintedLines(words.map(expandVariables))].slice(-4);
      continue;
    }
    const menu = { variable: words[0], fallback: '1', text: '$PS3' };
    const { text: ownText, ...call } = name === 'select' ? menu : parseReadOptions(words);
    const readsOtherInput = /<(?!\s*\/dev\/tty)|(?<=^|\s)-\w*u\s*[1-9]/u.test(args) || /(?<!\|)\|\s*$/u.test(before);
    // A `read` without a prompt before it reads data.
    const question = readsOtherInput ? undefined : (ownText ?? (/\bwhile\b/u.test(before) ? undefined : printed.pop()));
    if (question === undefined || prompts.length === MAX_PROMPTS) continue;
    const variable = /^[A-Za-z_]\w*$/u.exec(call.variable ?? '')?.[0];
    prompts.push({
      fallback: new RegExp(`\\$\\{${variable}:?[-=]["']?([^}"'$\`]+)["']?\\}`, 'u').exec(text)?.[1],
      ...call,
      text: expandVariables(question),
      variable: /(\w+)=\$\($/u.exec(before)?.[1] ?? variable,
      terminal: /<\s*\/dev\/tty/u.test(args),
      conditional: CONDITIONAL_PREFIX.test(before),
      before: printed.join('\n'),
      after: text.slice(end, end + MAX_AFTER_CHARACTERS).split(/\b(?:read|select)\s/u, 1)[0] ?? '',
    });
    printed = [];
  }
  return prompts;
}

function formatPrintedLines(words: readonly string[]): string[] {
  const [format = '', ...values] = words.filter((word) => !/^(?:-[neEr-]+|>.*)$/u.test(word));
  const filled = format.replaceAll(/%[-\d.]*[sdbq]/gu, () => values.shift() ?? '');
  const lines = [filled, ...values].join(' ').split(/\\[nc]|\n/u);
  return lines.filter((line) => line.trim() !== '');
}

function parseReadOptions(words: readonly string[]): Partial<Prompt> {
  const call: Partial<Prompt> = {};
  let at = 0;
  for (; /^-./u.test(words[at] ?? ''); at++) {
    const [, flags, option, attached] = /^-([^adinNptuk]*)([adinNptuk]?)([\s\S]*)$/u.exec(words[at] ?? '') ?? [];
    if (flags?.includes('s')) call.silent = true;
    if (flags?.includes('q') || option === 'k') call.singleKey = true;
    const value = !option || option === 'k' ? '' : attached || words[++at] || '';
    if (option === 'p') call.text = value;
    else if (option?.toLowerCase() === 'n') call.singleKey = value === '1';
  }
  return { ...call, variable: words[at] };
}
