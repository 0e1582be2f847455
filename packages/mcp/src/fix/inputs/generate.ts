/** Makes an inputs file: the questions of a command, each with a proposed answer. The command is not run. */

import path from 'node:path';
import { createInspector } from 'argus-engine';
import { ArgusError } from '../../errors.ts';
import { field, readManifest } from '../../run/planning/scripts.ts';
import { quoted, quotedWords } from '../../system/words.ts';
import { ProjectFiles } from '../context/code/files.ts';
import { answer } from './answers/answers.ts';
import { isCredential } from './answers/kinds.ts';
import { projectValues } from './answers/project-values.ts';
import { expectScript } from './expect-script.ts';
import { INPUTS_VERSION, type InputsFile } from './inputs-file.ts';
import { type Prompt, promptsIn, type Source, UNKNOWN } from './script/prompts.ts';

const MAX_NAME_CHARACTERS = 80;

export interface GenerateRequest {
  root: string;
  /** A command line, or the path of a script in the project. */
  command: string;
  /** ISO 8601. */
  now: string;
  /** Prompts that were seen while it ran. */
  prompts?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

export interface Generated {
  file: InputsFile;
  /** Base name of the file without `-inputs.yaml`. */
  name: string;
  /** Of a script its interpreter and its path. */
  command: string;
}

/** Gives a text back as it is where it holds no secret. */
export function redactor(): (text: string) => string {
  const inspector = createInspector();
  return (text) => {
    const { redacted, redactions } = inspector.inspect({ text });
    return redactions.length > 0 ? redacted.replaceAll(/\[REDACTED:[^\]]*\]/gu, UNKNOWN) : text;
  };
}

export async function generateInputs({ root, now, signal, ...request }: GenerateRequest): Promise<Generated> {
  const given = request.command.trim();
  if (given === '') throw new ArgusError('INVALID_INPUT', 'The command is empty. Give a script or a command line.');
  const redact = redactor();
  const files = new ProjectFiles(root);
  const script = sourceAt(files, given);
  const sources = script ? [script] : scriptsOf(files, given);
  const found = sources.flatMap(promptsIn);
  const seen = (request.prompts ?? []).map((text): Prompt => ({ text }));
  const fresh = seen.filter(({ text }) => !found.some((one) => wordsOf(one.text) === wordsOf(text)));
  const prompts = [...found, ...fresh].map((one) => withoutSecrets(one, redact));
  const names = namesOf(prompts);
  const project = await projectValues(files, signal);
  const inputs = prompts.map((one, at) => answer(one, names[at] ?? '', project, redact));
  const shown = redact(script?.name ?? given);
  const command = script ? `${interpreterOf(script)} ${quoted(shown, false)}` : shown;
  return {
    command,
    name: inputsNames(command, 'command')[0] ?? '',
    file: inputsFile({ script: shown, generated: now, inputs }, command),
  };
}

/** With a program for `expect` where answers given in order would not do. */
export function inputsFile(content: Omit<InputsFile, 'version' | 'expect_script'>, command: string): InputsFile {
  const { inputs } = content;
  const needsTerminal = inputs.some(({ terminal, enter }) => terminal || enter === false);
  const isUnsure = inputs.length > 1 && inputs.some(({ conditional }) => conditional);
  const program = needsTerminal || isUnsure ? expectScript(command, inputs) : null;
  return { version: INPUTS_VERSION, ...content, ...(program === null ? {} : { expect_script: program }) };
}

/** The letters alone, by which a prompt is known again. */
export function wordsOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

/** The words of a command line that may be scripts: by an ending, or where a command or its interpreter expects one. */
function scriptWords(command: string): string[] {
  const words = quotedWords(command.replaceAll(/&&|[;&|()]/gu, ' ; ')).words;
  return words.filter((word, at) => {
    const before = words.slice(0, at).findLast((one) => !/^-|=/u.test(one)) ?? ';';
    const isRun = /^(?:;|sudo|(?:ba|z|da|k)?sh|python[\d.]*|node|source|\.)$/u.test(before);
    return (
      /\.(?:sh|bash|zsh|py|[cm]?[jt]s|exp)$/u.test(word) ||
      (isRun && word.includes('/')) ||
      (isRun && before !== ';' && !word.startsWith('-'))
    );
  });
}

/** A script of package.json is a command line too. */
function scriptsOf(files: ProjectFiles, command: string): Source[] {
  const name = /\b(?:npm|pnpm|yarn|bun)[ \t]+run[ \t]+([\w:.-]+)/u.exec(command)?.[1];
  const text = name && field(field(readManifest(files.root), 'scripts'), name);
  const lines = [command, ...(typeof text === 'string' ? [text] : [])];
  return lines.flatMap((line) => [
    { text: line, name: '' },
    ...scriptWords(line).flatMap((word) => sourceAt(files, word) ?? []),
  ]);
}

function sourceAt(files: ProjectFiles, file: string): Source | undefined {
  const name = files.inside(file);
  const text = name === undefined ? undefined : files.text(name);
  return name === undefined || text === undefined ? undefined : { text, name };
}

function interpreterOf({ text, name }: Source): string {
  const [, ending = ''] = /\.(\w+)$/u.exec(name) ?? [];
  const usual =
    { py: 'python3', exp: 'expect', sh: 'sh', zsh: 'zsh' }[ending] ?? (/[jt]s$/u.test(ending) ? 'node' : 'bash');
  return /^#!.*\b((?:ba|z|da|k)?sh|python[\d.]*|node|expect)\b/u.exec(text)?.[1] ?? usual;
}

/** A default that is shown may be a secret; a credential's is one whatever it looks like. */
function withoutSecrets(one: Prompt, redact: (text: string) => string): Prompt {
  const { text, variable = '', fallback } = one;
  const shown = isCredential(one, variable) ? text.replaceAll(/([[(])[^\])]*(?=[\])])/gu, `$1${UNKNOWN}`) : text;
  return { ...one, text: redact(shown), fallback: fallback && redact(fallback) };
}

/** Variables that are called the same in every script. */
const ANYTHING = /^(?:REPLY|reply|ans(?:wer)?|response|input|yn|choice|confirm|var|val(?:ue)?|\w)$/u;

/** Names that the reader of a file can tell apart. */
function namesOf(prompts: readonly Prompt[]): string[] {
  const used = new Map<string, number>();
  return prompts.map(({ variable = '', text }) => {
    const words =
      text
        .replaceAll(/[[(][^\])]*[\])]/gu, ' ')
        .toLowerCase()
        .match(/[a-z0-9]+/gu) ?? [];
    const name = (ANYTHING.test(variable) ? '' : variable) || words.slice(0, 4).join('_') || variable || 'input';
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

/** Base names of files for a command, the one that is written first: its script's, and the contract's `basename | sed`. */
export function inputsNames(command: string, commandHash: string): string[] {
  const slug = (text: string) => path.posix.basename(text.trim()).replaceAll(/[^a-zA-Z0-9]/gu, '-');
  const scripts = scriptWords(command).reverse();
  const own = scripts.map((file) => path.posix.basename(file).replace(/\.[A-Za-z]+$/u, ''));
  const tidy = own.length > 0 ? [] : [slug(command).replaceAll(/-+/gu, '-').replaceAll(/^-|-$/gu, '')];
  const safe = [...own, ...tidy, slug(command), ...scripts.map(slug), commandHash].map((name) =>
    name
      .replaceAll(/[^\w.-]/gu, '-')
      .replace(/^\.+/u, '')
      .slice(0, MAX_NAME_CHARACTERS),
  );
  return [...new Set(safe)].filter((name) => name !== '');
}
