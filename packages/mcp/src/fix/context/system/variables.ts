/**
 * Which environment variables the failing code and its error speak of, and whether each is set. No value is shown,
 * stored or compared.
 */

import { io } from '../../../system/io.ts';
import type { ProjectFiles } from '../code/files.ts';
import type { Finding } from '../context-model.ts';
import type { ContextScope } from '../scope.ts';

/** How languages read the environment. */
const READS: readonly RegExp[] = [
  /process\.env(?:\.|\[["'`])([A-Za-z_]\w*)/gu,
  /import\.meta\.env\.([A-Za-z_]\w*)/gu,
  /os\.environ(?:\.get\(|\[|\.pop\(|\.setdefault\()\s*["']([A-Za-z_]\w*)/gu,
  /(?:os\.)?[gG]et[eE]nv\(\s*["']([A-Za-z_]\w*)/gu,
  /os\.LookupEnv\(\s*"([A-Za-z_]\w*)/gu,
  /env::var(?:_os)?\(\s*"([A-Za-z_]\w*)/gu,
  /\benv!\(\s*"([A-Za-z_]\w*)/gu,
  /ENV(?:\.fetch\(|\[)\s*["']([A-Za-z_]\w*)/gu,
  /Environment\.GetEnvironmentVariable\(\s*"([A-Za-z_]\w*)/gu,
  /\$_(?:ENV|SERVER)\[["']([A-Za-z_]\w*)/gu,
  /(?:Deno|Bun)\.env(?:\.get\(["']|\.)([A-Za-z_]\w*)/gu,
];

/** In scripts, configuration and messages. */
const SHELL = /\$\{([A-Z_][A-Z0-9_]{2,})(?:[:?=+-][^}]*)?\}|\$([A-Z_][A-Z0-9_]{2,})\b/gu;

/** A message about a variable, and the name in it. */
const MESSAGE_LINE =
  /env(?:ironment)?\b|not set|unset|unbound variable|is (?:missing|required)|missing required|KeyError|must be (?:set|defined)/iu;
const NAME_IN_MESSAGE = /(?<![\w.-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Z][A-Z0-9]{2,}(?=: unbound variable))(?![\w-])/gu;

/** What looks like a name of a variable and is a code. */
const CODES = /^(?:ERR_|E[A-Z]+_E|SIG[A-Z]+$|HTTP_\d|TS_\d)/u;

/** Shells set these, so nobody asks. */
const SHELL_OWN = new Set(
  'PATH HOME PWD OLDPWD USER SHELL TERM LANG IFS RANDOM SECONDS LINENO BASH_SOURCE OPTARG OPTIND PPID UID EUID'.split(
    ' ',
  ),
);

/** Files that say which variables there are; the first are examples. */
export const ENV_FILES = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env',
  '.env.local',
  '.env.development',
  '.env.test',
];

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
  const files = envFilesIn(scope.files);
  const rows = names.map((name) => {
    const set = io().env[name] === undefined ? 'not set' : io().env[name] === '' ? 'set, but empty' : 'set';
    const named = filesNaming(name, files);
    if (set !== 'set' && inError.includes(name)) {
      scope.evidence.push({ weight: 8, text: `the environment variable ${name} is ${set}` });
    }
    return `${name}: ${set}${named.length > 0 ? `; named in ${named.join(', ')}` : ''}`;
  });
  const source = [inError.length > 0 && 'error text', inCode.length > 0 && place?.file].filter((one) => one);
  return { answer: `${rows.join('\n')}\n(names only; values are never read out)`, source: source.join(', ') };
}

export function namesInCode(text: string, file: string): string[] {
  const found = READS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
  const shell = /\.(?:sh|bash|zsh|ya?ml|env|toml|conf)$|Dockerfile|Makefile|compose/u.test(file);
  if (shell) found.push(...shellNames(text));
  return [...new Set(found)].filter((name) => name !== '' && !SHELL_OWN.has(name));
}

export function namesInMessage(text: string): string[] {
  const read = READS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
  const told = text
    .split('\n')
    .filter((line) => MESSAGE_LINE.test(line))
    .flatMap((line) => [...line.matchAll(NAME_IN_MESSAGE)].map((match) => match[1] ?? ''));
  const braces = [...text.matchAll(/\$\{([A-Z_][A-Z0-9_]{2,})\}/gu)].map((match) => match[1] ?? '');
  return [...new Set([...read, ...told, ...braces])].filter(
    (name) => name !== '' && !CODES.test(name) && !SHELL_OWN.has(name),
  );
}

function shellNames(text: string): string[] {
  const assigned = new Set(
    [...text.matchAll(/^\s*(?:local\s+|readonly\s+)?([A-Z_][A-Z0-9_]*)=(?!\$)/gmu)].map((match) => match[1]),
  );
  const used = [...text.matchAll(SHELL)].map((match) => match[1] ?? match[2] ?? '');
  return used.filter((name) => !assigned.has(name));
}

export type EnvFile = { file: string; names: Set<string> };

/** The names alone; what stands behind `=` is passed over. */
export function envFilesIn(files: Pick<ProjectFiles, 'text'>): EnvFile[] {
  const assigned = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=/gmu;
  return ENV_FILES.map((file) => {
    const names = [...(files.text(file) ?? '').matchAll(assigned)].map((match) => match[1] ?? '');
    return { file, names: new Set(names) };
  });
}

export function filesNaming(name: string, files: readonly EnvFile[]): string[] {
  return files.filter(({ names }) => names.has(name)).map(({ file }) => file);
}
