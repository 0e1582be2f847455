/**
 * Lists the environment variables that the failing code and the error mention, and whether each variable is set. Values
 * are not shown, stored or compared.
 */

import { io } from '../../../system/io.ts';
import type { ContextScope, Finding } from '../context-model.ts';

/** Matches code that reads a variable: `process.env.A`, `os.environ.get("A")`, `getenv("A")`, `env::var("A")`. */
const VARIABLE_READ =
  /(?:\b(?:process|import\.meta|Deno|Bun)\.env|\bos\.environ|\bENV|\$_(?:ENV|SERVER))(?:\.(?:get|fetch|pop|setdefault))?[.([]+\s*["'`]?(?<object>[A-Za-z_]\w*)|(?:[gG]et[eE]nv|GetEnvironmentVariable|LookupEnv|\benv::var(?:_os)?|\benv!)\(\s*["'](?<call>[A-Za-z_]\w*)/gu;

/** Matches variables in scripts, configuration and messages. */
const SHELL_VARIABLE = /\$\{([A-Z_][A-Z0-9_]{2,})(?:[:?=+-][^}]*)?\}|\$([A-Z_][A-Z0-9_]{2,})\b/gu;

/** Matches a message about a variable. */
const MESSAGE_LINE =
  /env(?:ironment)?\b|not set|unset|unbound variable|is (?:missing|required)|missing required|KeyError|must be (?:set|defined)/iu;
const NAME_IN_MESSAGE = /(?<![\w.-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{2,}(?=: unbound variable))(?![\w-])/gu;

/** Codes that look like names of variables. */
const ERROR_CODE = /^(?:ERR_|E[A-Z]+_E|SIG[A-Z]+$|HTTP_\d|TS_\d)/u;

/** Variables that the shell sets. */
const SHELL_BUILTIN =
  /^(?:PATH|HOME|(?:OLD)?PWD|USER|SHELL|TERM|LANG|IFS|RANDOM|SECONDS|LINENO|BASH_SOURCE|OPTARG|OPTIND|PPID|E?UID)?$/u;

/** Files in which a project lists its variables. */
const ENV_FILES = '.env.example .env.sample .env.template .env .env.local .env.development .env.test'.split(' ');

const MAX_NAMES = 20;

export function listEnvironmentVariables(scope: ContextScope): Finding {
  const { place, request } = scope;
  const inError = extractNamesInMessage(request.errorText);
  const inCode = place === null ? [] : extractNamesInCode(place.lines.join('\n'), place.file);
  const names = [...new Set([...inError, ...inCode])].slice(0, MAX_NAMES);
  if (names.length === 0) {
    const where = place === null ? 'The error names' : `Neither the error nor ${place.file} names`;
    return { why_not: `${where} ${place === null ? 'no' : 'any'} environment variable.` };
  }
  const rows = names.map((name) => {
    const value = io().env[name];
    const state = value === undefined ? 'not set' : value === '' ? 'set, but empty' : 'set';
    // Only the names are used, never the values.
    const assigned = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=`, 'mu');
    const filesWithVariable = ENV_FILES.filter((file) => assigned.test(scope.files.readText(file) ?? ''));
    if (state !== 'set' && inError.includes(name)) {
      scope.evidence.push({ weight: 8, text: `the environment variable ${name} is ${state}` });
    }
    return `${name}: ${state}${filesWithVariable.length > 0 ? `; named in ${filesWithVariable.join(', ')}` : ''}`;
  });
  const source = [inError.length > 0 && 'error text', inCode.length > 0 && place?.file].filter((one) => one);
  return { answer: `${rows.join('\n')}\n(only names; values are never shown)`, source: source.join(', ') };
}

function extractNamesInCode(text: string, file: string): string[] {
  const isShell = /\.(?:sh|bash|zsh|ya?ml|env|toml|conf)$|Dockerfile|Makefile|compose/u.test(file);
  const assigned = [...text.matchAll(/^\s*(?:local\s+|readonly\s+)?([A-Z_][A-Z0-9_]*)=(?!\$)/gmu)].map(
    ([, name]) => name,
  );
  const shell = isShell ? [...text.matchAll(SHELL_VARIABLE)].map(([, braced, plain]) => braced ?? plain ?? '') : [];
  return filterVariableNames([...extractReadNames(text), ...shell.filter((name) => !assigned.includes(name))]);
}

function extractNamesInMessage(text: string): string[] {
  const lines = text.split('\n').filter((line) => MESSAGE_LINE.test(line));
  const mentioned = [...lines.join('\n').matchAll(NAME_IN_MESSAGE), ...text.matchAll(/\$\{([A-Z_][A-Z0-9_]{2,})\}/gu)];
  return filterVariableNames([...extractReadNames(text), ...mentioned.map(([, name = '']) => name)]).filter(
    (name) => !ERROR_CODE.test(name),
  );
}

function extractReadNames(text: string): string[] {
  return [...text.matchAll(VARIABLE_READ)].map(({ groups }) => groups?.object ?? groups?.call ?? '');
}

function filterVariableNames(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => !SHELL_BUILTIN.test(name));
}
