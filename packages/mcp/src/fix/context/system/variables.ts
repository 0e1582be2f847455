/**
 * Lists the environment variables that the failing code and the error mention, and whether each is set. Values are not
 * shown, stored or compared.
 */

import { io } from '../../../system/io.ts';
import type { Finding } from '../context-model.ts';
import type { ContextScope } from '../scope.ts';

/** How languages read the environment: `process.env.A`, `os.environ.get("A")`, `getenv("A")`, `env::var("A")`. */
const READS =
  /(?:\b(?:process|import\.meta|Deno|Bun)\.env|\bos\.environ|\bENV|\$_(?:ENV|SERVER))(?:\.(?:get|fetch|pop|setdefault))?[.([]+\s*["'`]?(?<object>[A-Za-z_]\w*)|(?:[gG]et[eE]nv|GetEnvironmentVariable|LookupEnv|\benv::var(?:_os)?|\benv!)\(\s*["'](?<call>[A-Za-z_]\w*)/gu;

/** Variables in scripts, configuration and messages. */
const SHELL = /\$\{([A-Z_][A-Z0-9_]{2,})(?:[:?=+-][^}]*)?\}|\$([A-Z_][A-Z0-9_]{2,})\b/gu;

/** A message about a variable, and the name in the message. */
const MESSAGE_LINE =
  /env(?:ironment)?\b|not set|unset|unbound variable|is (?:missing|required)|missing required|KeyError|must be (?:set|defined)/iu;
const NAME_IN_MESSAGE = /(?<![\w.-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{2,}(?=: unbound variable))(?![\w-])/gu;

/** Codes that look like names of variables. */
const CODES = /^(?:ERR_|E[A-Z]+_E|SIG[A-Z]+$|HTTP_\d|TS_\d)/u;

/** Variables that the shell sets. */
const SHELL_OWN =
  /^(?:PATH|HOME|(?:OLD)?PWD|USER|SHELL|TERM|LANG|IFS|RANDOM|SECONDS|LINENO|BASH_SOURCE|OPTARG|OPTIND|PPID|E?UID)?$/u;

/** Files that list the variables of a project. */
const ENV_FILES = '.env.example .env.sample .env.template .env .env.local .env.development .env.test'.split(' ');

const MAX_NAMES = 20;

export function environmentVariables(scope: ContextScope): Finding {
  const { place, request } = scope;
  const inError = namesInMessage(request.errorText);
  const inCode = place === null ? [] : namesInCode(place.lines.join('\n'), place.file);
  const names = [...new Set([...inError, ...inCode])].slice(0, MAX_NAMES);
  if (names.length === 0) {
    const where = place === null ? 'The error names' : `Neither the error nor ${place.file} names`;
    return { why_not: `${where} ${place === null ? 'no' : 'any'} environment variable.` };
  }
  const rows = names.map((name) => {
    const value = io().env[name];
    const set = value === undefined ? 'not set' : value === '' ? 'set, but empty' : 'set';
    // Only the names are used, never the text after `=`.
    const assigned = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=`, 'mu');
    const named = ENV_FILES.filter((file) => assigned.test(scope.files.text(file) ?? ''));
    if (set !== 'set' && inError.includes(name)) {
      scope.evidence.push({ weight: 8, text: `the environment variable ${name} is ${set}` });
    }
    return `${name}: ${set}${named.length > 0 ? `; named in ${named.join(', ')}` : ''}`;
  });
  const source = [inError.length > 0 && 'error text', inCode.length > 0 && place?.file].filter((one) => one);
  return { answer: `${rows.join('\n')}\n(names only; values are never read out)`, source: source.join(', ') };
}

function namesInCode(text: string, file: string): string[] {
  const isShell = /\.(?:sh|bash|zsh|ya?ml|env|toml|conf)$|Dockerfile|Makefile|compose/u.test(file);
  const assigned = [...text.matchAll(/^\s*(?:local\s+|readonly\s+)?([A-Z_][A-Z0-9_]*)=(?!\$)/gmu)].map(
    ([, name]) => name,
  );
  const shell = isShell ? [...text.matchAll(SHELL)].map(([, braced, plain]) => braced ?? plain ?? '') : [];
  return variables([...namesRead(text), ...shell.filter((name) => !assigned.includes(name))]);
}

function namesInMessage(text: string): string[] {
  const lines = text.split('\n').filter((line) => MESSAGE_LINE.test(line));
  const told = [...lines.join('\n').matchAll(NAME_IN_MESSAGE), ...text.matchAll(/\$\{([A-Z_][A-Z0-9_]{2,})\}/gu)];
  return variables([...namesRead(text), ...told.map(([, name = '']) => name)]).filter((name) => !CODES.test(name));
}

function namesRead(text: string): string[] {
  return [...text.matchAll(READS)].map(({ groups }) => groups?.object ?? groups?.call ?? '');
}

function variables(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => !SHELL_OWN.test(name));
}
