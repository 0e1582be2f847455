/**
 * The text a shell word would become, as far as it can be known without running anything.
 */

import type { DoubleQuotedChild, ParameterExpansionPart, Script, Word, WordPart } from 'unbash';

/** Stands for what only a run would know. */
export const UNKNOWN = '…';

/** What is known of names at a point of a script. */
export class Scope {
  readonly #variables: Map<string, string>;
  readonly #positional: readonly string[];

  constructor(positional: readonly string[] = [], variables: ReadonlyMap<string, string> = new Map()) {
    this.#positional = positional;
    this.#variables = new Map(variables);
  }

  /** The scope of a function called here. */
  call(positional: readonly string[]): Scope {
    return new Scope(positional, this.#variables);
  }

  set(name: string, value: string): void {
    if (value.includes(UNKNOWN)) this.#variables.delete(name);
    else this.#variables.set(name, value);
  }

  get(name: string): string | undefined {
    if (/^\d+$/u.test(name)) return name === '0' ? undefined : this.#positional[Number(name) - 1];
    if (name === '@' || name === '*') return this.#positional.length > 0 ? this.#positional.join(' ') : undefined;
    return this.#variables.get(name);
  }
}

export function textOf(word: Word | undefined, scope: Scope): string {
  if (word === undefined) return '';
  return word.parts === undefined ? word.value : word.parts.map((part) => partText(part, scope)).join('');
}

function partText(part: WordPart | DoubleQuotedChild, scope: Scope): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map((inner) => partText(inner, scope)).join('');
    case 'SimpleExpansion':
      return scope.get(part.text.slice(1)) ?? UNKNOWN;
    case 'ParameterExpansion':
      return expansion(part, scope);
    case 'Glob':
    case 'BraceExpansion':
    case 'ExtendedGlob':
      return part.text;
    case 'CommandExpansion':
      return printedIn(part.script, scope) ?? UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/** `$(echo -e "${BOLD}Name")`; how text looks is nothing to read. */
function printedIn(script: Script | undefined, scope: Scope): string | undefined {
  const [first, ...others] = script?.commands ?? [];
  const node = first?.command;
  if (node?.type !== 'Command' || others.length > 0) return undefined;
  const words = [node.name, ...node.args].map((one) => (one?.type === 'Word' ? textOf(one, scope) : ''));
  return words[0] === 'tput' ? '' : printedBy(words)?.replace(/\n$/u, '');
}

/** What `echo` and `printf` print; undefined for all others. */
export function printedBy([name, ...rest]: readonly string[]): string | undefined {
  if (name === 'echo' || name === 'print') return rest.filter((word) => !/^-[neEr]+$/u.test(word)).join(' ');
  return name === 'printf' ? formatted(rest.filter((word) => word !== '--')) : undefined;
}

/** `printf "%s: " "Name"`. */
function formatted([format = '', ...values]: readonly string[]): string {
  let next = 0;
  return format.replaceAll(/%(?:[-\d.]*)([sdbq%])/gu, (_, kind: string) =>
    kind === '%' ? '%' : (values[next++] ?? ''),
  );
}

function expansion({ parameter, prefix, operation }: ParameterExpansionPart, scope: Scope): string {
  if (prefix !== undefined) return UNKNOWN;
  const value = scope.get(parameter);
  if (operation === undefined) return value ?? UNKNOWN;
  if (operation.type !== 'Default') return UNKNOWN;
  if (/[-=]$/u.test(operation.operator)) return value ?? textOf(operation.operand, scope);
  return value ?? UNKNOWN;
}
