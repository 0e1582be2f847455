/**
 * Finds what a shell script asks, in the order it would ask: walks its commands as a shell would, through functions and
 * helper files, without running anything. Parsing: `unbash` (100 kB, typed, kept well; sh-syntax and tree-sitter bring
 * megabytes of wasm, mvdan-sh and bash-parser are given up). Conditions are not decided: what stands in a branch may or
 * may not be asked.
 */

import type { Command, CommandArgument, Redirection, Script, Statement, SyntaxNode } from 'unbash';
import { scriptOf, unwrapped } from './invocation.ts';
import { knownPrompts } from './known.ts';
import { type Prompt, prompt } from './prompts.ts';
import { readCall } from './read-command.ts';
import { printedBy, Scope, textOf, UNKNOWN } from './shell-words.ts';

type Parser = Pick<typeof import('unbash'), 'parse' | 'forEachChild'>;

/** Functions that call each other, files that source each other. */
const MAX_DEPTH = 12;

/** A loop over a list of words asks once for each. */
const MAX_ROUNDS = 10;

/** A script that asks more is a program with a terminal of its own. */
const MAX_PROMPTS = 100;

/** Functions that call functions can make a short script endless. */
const MAX_COMMANDS = 50_000;

/** Of what was printed before a question. */
const MAX_CONTEXT_LINES = 4;

export interface ScanSource {
  text: string;
  /** As it is shown: `setup.sh`. */
  name: string;
  zsh: boolean;
}

export interface Surroundings {
  /** The text of a script that another runs or sources; undefined where it is none of the project's. */
  open(file: string, from: string): ScanSource | undefined;
}

export interface Scanned {
  prompts: Prompt[];
  notes: string[];
}

/** What a script, or a command line, asks. */
export async function scanShell(source: ScanSource, surroundings: Surroundings): Promise<Scanned> {
  const walk = new Walk(await import('unbash'), surroundings);
  walk.script(source, new Scope(), 0);
  return { prompts: walk.prompts, notes: [...new Set(walk.notes)] };
}

/** Where standard input comes from. */
type Stdin = 'inherited' | 'elsewhere' | 'terminal';

interface ScanContext {
  source: ScanSource;
  scope: Scope;
  stdin: Stdin;
  conditional: boolean;
  depth: number;
  /** The variable that a command substitution goes into. */
  target: string | null;
  /** Statements after this one, where the answer is looked at. */
  after: string;
}

class Walk {
  readonly prompts: Prompt[] = [];
  readonly notes: string[] = [];
  readonly #parser: Parser;
  readonly #surroundings: Surroundings;
  readonly #functions = new Map<string, { body: SyntaxNode; source: ScanSource }>();
  /** Printed since the last question. */
  #printed: string[] = [];
  #ended = false;
  #commands = 0;

  constructor(parser: Parser, surroundings: Surroundings) {
    this.#parser = parser;
    this.#surroundings = surroundings;
  }

  script(source: ScanSource, scope: Scope, depth: number, outer: Partial<ScanContext> = {}): void {
    if (depth > MAX_DEPTH) return;
    const tree: Script & { errors?: readonly { message: string }[] | undefined } = this.#parser.parse(source.text);
    if (tree.errors?.length)
      this.notes.push(`${source.name} is not wholly understood: ${tree.errors[0]?.message ?? ''}`);
    const here: ScanContext = {
      stdin: 'inherited',
      conditional: false,
      target: null,
      after: '',
      ...outer,
      source,
      scope,
      depth,
    };
    this.#list(tree.commands, here);
  }

  #list(statements: readonly Statement[], here: ScanContext): void {
    for (const [index, statement] of statements.entries()) {
      if (this.#ended || this.prompts.length >= MAX_PROMPTS) return;
      const following = statements[index + 2] ?? statements[index + 1];
      const after = following ? here.source.text.slice(statement.end, following.end).slice(0, 2_000) : here.after;
      // What runs beside the script has no terminal to ask on.
      if (!statement.background) this.#node(statement.command, { ...here, after });
    }
  }

  #node(node: SyntaxNode, here: ScanContext): void {
    switch (node.type) {
      case 'Command':
        this.#command(node, here);
        break;
      case 'Statement':
        this.#node(node.command, here);
        break;
      case 'CompoundList':
        this.#list(node.commands, here);
        break;
      case 'Subshell':
      case 'BraceGroup':
        this.#list(node.body.commands, here);
        break;
      case 'Redirected':
        this.#node(node.command, { ...here, stdin: stdinOf(node.redirects, here) });
        break;
      case 'Pipeline':
        for (const [index, one] of node.commands.entries()) {
          this.#node(one, index === 0 ? here : { ...here, stdin: 'elsewhere' });
        }
        break;
      case 'AndOr':
        this.#andOr(node, here);
        break;
      case 'If':
        this.#if(node, here);
        break;
      case 'While':
        this.#while(node, here);
        break;
      case 'For':
        this.#for(node, here);
        break;
      case 'ArithmeticFor':
        this.#node(node.body, { ...here, conditional: true });
        break;
      case 'Case':
        for (const item of node.items) this.#node(item.body, { ...here, conditional: true });
        break;
      case 'Select':
        this.#select(node, here);
        break;
      case 'Function':
        this.#functions.set(node.name.value, { body: node.body, source: here.source });
        break;
      default:
    }
  }

  #andOr(node: Extract<SyntaxNode, { type: 'AndOr' }>, here: ScanContext): void {
    node.commands.forEach((one, index) => {
      const from = this.prompts.length;
      this.#node(one, index === 0 ? here : { ...here, conditional: true });
      const next = node.commands[index + 1];
      // `confirm "..." && rm -rf x`: the answer decides about what follows.
      if (next && node.operators[index] === '&&') this.#leadsTo(from, here.source.text.slice(next.pos, node.end));
    });
  }

  #if(node: Extract<SyntaxNode, { type: 'If' }>, here: ScanContext): void {
    for (const branch of [node, ...node.elif]) {
      const from = this.prompts.length;
      this.#node(branch.clause, branch === node ? here : { ...here, conditional: true });
      this.#leadsTo(from, here.source.text.slice(branch.then.pos, branch.then.end));
      this.#node(branch.then, { ...here, conditional: true });
    }
    if (node.else) this.#node(node.else, { ...here, conditional: true });
  }

  #while(node: Extract<SyntaxNode, { type: 'While' }>, here: ScanContext): void {
    const clause = here.source.text.slice(node.clause.pos, node.clause.end);
    // `while read line`: lines of a file or a pipe, unless it says what it wants.
    const isFilter = /^\s*(?:IFS=\S*\s+)?read\b/u.test(clause) && !/\s-\w*p|\?/u.test(clause);
    if (!isFilter) this.#node(node.clause, here);
    const forever = /^\s*(?:true|:|\[\s*1\s*\]|\(\(\s*1\s*\)\))\s*;?\s*$/u.test(clause);
    this.#node(node.body, { ...here, conditional: here.conditional || !(forever || node.kind === 'until') });
  }

  #for(node: Extract<SyntaxNode, { type: 'For' }>, here: ScanContext): void {
    const values = node.wordlist?.map((word) => textOf(word, here.scope)) ?? [UNKNOWN];
    const known = values.every((value) => !value.includes(UNKNOWN) && !/[*?{]/u.test(value));
    for (const value of known ? values.slice(0, MAX_ROUNDS) : [UNKNOWN]) {
      here.scope.set(node.name.value, value);
      this.#node(node.body, { ...here, conditional: here.conditional || !known });
    }
  }

  #select(node: Extract<SyntaxNode, { type: 'Select' }>, here: ScanContext): void {
    const menu = node.wordlist?.map((word) => textOf(word, here.scope)) ?? [];
    const text = here.scope.get('PS3') ?? '#? ';
    this.#ask(prompt(text, this.#at(node.pos, here), { variable: node.name.value, menu }), here);
    this.#node(node.body, { ...here, conditional: true });
  }

  #command(node: Command, here: ScanContext): void {
    this.#commands += 1;
    if (this.#commands === MAX_COMMANDS) {
      this.#ended = true;
      this.notes.push(`${here.source.name} runs more than ${MAX_COMMANDS} commands; what it asks later is not known.`);
    }
    if (this.#ended) return;
    const inner: ScanContext = { ...here, stdin: stdinOf(node.redirects, here) };
    this.#substitutions(node, inner);
    for (const one of node.prefix) if (one.type === 'Assignment') this.#assign(one, node.name === undefined, inner);
    for (const one of node.args) if (one.type === 'Assignment') this.#assign(one, true, inner);
    if (node.name === undefined) return;
    const words = [textOf(node.name, here.scope), ...node.args.map((one) => argumentText(one, here.scope))];
    const run = unwrapped(words);
    if (run[0] === 'read' || run[0] === 'vared') this.#read(run, node, inner);
    else if (!this.#prints(run, node, inner)) this.#call(run, node, inner);
  }

  /** Commands inside words run first: `name=$(ask "Name")`. */
  #substitutions(node: Command, here: ScanContext): void {
    const target = node.prefix.find((one) => one.type === 'Assignment');
    const visit = (child: SyntaxNode, name: string | null): void => {
      if (child.type === 'CommandExpansion') {
        const source = { ...here.source, text: child.script?.source ?? here.source.text };
        if (child.script) this.#list(child.script.commands, { ...here, source, target: name });
        return;
      }
      if (child.type === 'ProcessSubstitution') return;
      const inside = child.type === 'Assignment' ? child.name : name;
      this.#parser.forEachChild(child, (grandchild) => visit(grandchild, inside));
    };
    this.#parser.forEachChild(node, (child) => visit(child, target?.name ?? null));
  }

  #assign(one: Extract<CommandArgument, { type: 'Assignment' }>, stays: boolean, { scope }: ScanContext): void {
    if (stays && one.value.type === 'Word' && !one.append) scope.set(one.name, textOf(one.value, scope));
  }

  #read(words: readonly string[], node: Command, here: ScanContext): void {
    const call = readCall(words.slice(1), here.source.zsh);
    const elsewhere = here.stdin === 'elsewhere' || (call.descriptor !== null && call.descriptor !== 0);
    if (elsewhere || (call.bulk && call.prompt === null)) return;
    const own = call.prompt ?? this.#printed.at(-1) ?? '';
    const variable = here.target ?? call.variable;
    const context = call.prompt === null ? this.#printed.slice(0, -1) : this.#printed;
    const asked = prompt(own, this.#at(node.pos, here), {
      variable: variable !== null && /^[A-Za-z_]\w*$/u.test(variable) ? variable : null,
      silent: call.silent || /\bstty\s+-echo\b/u.test(here.source.text.slice(Math.max(0, node.pos - 200), node.pos)),
      singleKey: call.singleKey,
      fallback: call.initial ?? fallbackIn(here.source.text, call.variable),
      context,
      ...checkOf(here.after, call.variable ?? 'REPLY'),
    });
    this.#ask(asked, here);
    if (call.variable !== null) here.scope.set(call.variable, UNKNOWN);
  }

  #ask(asked: Prompt, here: ScanContext): void {
    if (here.stdin === 'elsewhere') return;
    const { conditional, stdin } = here;
    this.prompts.push({
      ...asked,
      terminal: asked.terminal || stdin === 'terminal',
      conditional: asked.conditional || conditional,
      context: asked.context.slice(-MAX_CONTEXT_LINES),
    });
    this.#printed = [];
  }

  /** Text that stands on the screen when the next question is asked. */
  #prints(words: readonly string[], node: Command, here: ScanContext): boolean {
    const printed = printedBy(words);
    if (printed !== undefined) this.#say(printed);
    else if (words[0] === 'cat') {
      for (const one of node.redirects) if (one.type === 'HereDoc') this.#say(one.body.text);
    } else return false;
    // Into a file it is no question.
    if (
      node.redirects.some(
        (one) =>
          one.type === 'Redirect' &&
          /^>/u.test(one.operator) &&
          !/^(?:&?[12]|\/dev\/(?:tty|std\w+))$/u.test(textOf(one.target, here.scope)),
      )
    ) {
      this.#printed.pop();
    }
    return true;
  }

  #say(text: string): void {
    const lines = text
      .replaceAll('\\n', '\n')
      .replaceAll('\\c', '')
      .split('\n')
      .filter((line) => line.trim() !== '');
    this.#printed.push(...lines.slice(-MAX_CONTEXT_LINES));
    this.#printed = this.#printed.slice(-MAX_CONTEXT_LINES - 1);
  }

  /** A function, a helper file, or a program that is known to ask. */
  #call(words: readonly string[], node: Command, here: ScanContext): void {
    const [name = '', ...rest] = words;
    if (here.depth > MAX_DEPTH) return;
    const known = this.#functions.get(name);
    if (known) {
      const scope = here.scope.call(rest);
      this.#node(known.body, { ...here, source: known.source, scope, depth: here.depth + 1 });
    } else if (name === 'exit') {
      this.#ended ||= !here.conditional && here.depth === 0;
    } else if (!this.#otherScript(words, here)) {
      const found = knownPrompts(words, () => this.#at(node.pos, here));
      for (const one of found.prompts) this.#ask(one, here);
      this.notes.push(...found.notes);
    }
  }

  /** False where the words run or source no script of the project. */
  #otherScript(words: readonly string[], here: ScanContext): boolean {
    const script = scriptOf(words);
    if (script === undefined) return false;
    if (script.inline !== undefined) {
      this.script({ ...here.source, text: script.inline }, new Scope(script.args), here.depth + 1, here);
      return true;
    }
    const opened = this.#surroundings.open(script.file, here.source.name);
    if (opened === undefined) return false;
    const scope = script.sourced ? here.scope : new Scope(script.args);
    const { stdin, conditional, target, after } = here;
    this.script(opened, scope, here.depth + 1, { stdin, conditional, target, after });
    return true;
  }

  /** What the questions since `from` decide about. */
  #leadsTo(from: number, consequence: string): void {
    for (let index = from; index < this.prompts.length; index++) {
      const asked = this.prompts[index];
      if (asked)
        this.prompts[index] = { ...asked, consequence: `${asked.consequence}\n${consequence.slice(0, 2_000)}` };
    }
  }

  #at(position: number, { source }: ScanContext): string {
    return `${source.name}:${source.text.slice(0, position).split('\n').length}`;
  }
}

function stdinOf(redirects: readonly Redirection[], here: ScanContext): Stdin {
  let stdin = here.stdin;
  for (const one of redirects) {
    const descriptor = one.descriptor?.type === 'FileDescriptor' ? one.descriptor.value : 0;
    if (descriptor !== 0) continue;
    if (one.type !== 'Redirect') stdin = 'elsewhere';
    else if (one.operator.startsWith('<')) {
      const target = textOf(one.target, here.scope);
      stdin = target === '/dev/tty' ? 'terminal' : target === '&0' || target === '0' ? stdin : 'elsewhere';
    }
  }
  return stdin;
}

function argumentText(one: CommandArgument, scope: Scope): string {
  return one.type === 'Word' ? textOf(one, scope) : one.text;
}

/** `${NAME:-web}`, `[ -z "$NAME" ] && NAME=web`, anywhere in the script. */
function fallbackIn(text: string, variable: string | null): string | null {
  if (variable === null || !/^\w+$/u.test(variable)) return null;
  const patterns = [
    new RegExp(`\\$\\{${variable}:?[-=]["']?([^}"'$\`]+)["']?\\}`, 'u'),
    new RegExp(
      `-z\\s+"?\\$\\{?${variable}\\}?"?\\s*\\]\\]?\\s*(?:&&|;?\\s*then)\\s*${variable}=["']?([^"'\\s$\`;]+)`,
      'u',
    ),
    new RegExp(`-n\\s+"?\\$\\{?${variable}\\}?"?\\s*\\]\\]?\\s*\\|\\|\\s*${variable}=["']?([^"'\\s$\`;]+)`, 'u'),
  ];
  return patterns.map((pattern) => pattern.exec(text)?.[1]?.trim()).find((value) => value) ?? null;
}

/** The statements after a question, where they look at its answer. */
function checkOf(after: string, variable: string): Pick<Prompt, 'check' | 'consequence'> {
  const looks = /^\w+$/u.test(variable) && new RegExp(`\\$\\{?${variable}\\b`, 'u').test(after);
  return looks ? { check: after, consequence: bodyOf(after) } : { check: '', consequence: '' };
}

/** Of `if ...; then BODY fi` and `case ... in y) BODY`, what is done when the answer is yes. */
function bodyOf(text: string): string {
  const then = /\bthen\b([\s\S]*?)(?:\belse\b|\bfi\b|$)/u.exec(text)?.[1];
  const item = /\bin\b[\s\S]*?[yY](?:es|ES)?\S*\)([\s\S]*?);;/u.exec(text)?.[1];
  const and = /\]\]?\s*&&([^\n]*)/u.exec(text)?.[1];
  return [then, item, and].filter((part) => part !== undefined).join('\n');
}
