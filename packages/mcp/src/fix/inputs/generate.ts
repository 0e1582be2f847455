/**
 * Makes an inputs file: finds what a command asks and proposes an answer for each. The command is not run. Writing the
 * file: inputs-file.ts.
 */

import path from 'node:path';
import { ArgusError } from '../../errors.ts';
import { field, readManifest } from '../../run/planning/scripts.ts';
import { quoted } from '../../system/words.ts';
import type { ProjectFiles } from '../context/code/files.ts';
import { answer } from './answers/answers.ts';
import { isCredential } from './answers/kinds.ts';
import { inputsName, scriptName } from './answers/names.ts';
import { projectValues } from './answers/project-values.ts';
import { hidden, redactor } from './answers/secrets.ts';
import { expectScript } from './expect-script.ts';
import { type Generated, type GenerateRequest, INPUTS_VERSION, type Input } from './inputs-model.ts';
import { type Prompt, prompt } from './script/prompts.ts';
import { type ScanSource, scanShell } from './script/scan.ts';
import { UNKNOWN } from './script/shell-words.ts';

export async function generateInputs(request: GenerateRequest): Promise<Generated> {
  const { root, now, signal } = request;
  if (request.command.trim() === '') {
    throw new ArgusError('INVALID_INPUT', 'The command is empty. Give a script or a command line.');
  }
  const project = await projectValues(root, signal);
  const redact = redactor();
  const hide = (text: string) => hidden(text, redact);
  const { source, command, name, notes } = sourceOf(request.command, project.files, hide);
  const scanned = await scanShell(source, { open: (file, from) => open(project.files, file, from) });
  const found = scanned.prompts.map((one) => withoutSecrets(one, hide));
  const seen = (request.prompts ?? []).map((text) => withoutSecrets(prompt(text, 'seen while it ran'), hide));
  const prompts = [...found, ...seen.filter((one) => !found.some((known) => sameText(known, one)))];
  const names = namesOf(prompts);
  const inputs = prompts.map((one, index): Input => {
    const own = names[index] ?? '';
    return { name: own, ...answer(one, own, project, (text) => redact(text) !== text) };
  });
  const script = needsExpect(prompts) ? expectScript(command, inputs) : null;
  return {
    name,
    command,
    notes: [...notes, ...scanned.notes.map(hide)],
    file: {
      version: INPUTS_VERSION,
      script: source.name,
      generated: now,
      inputs,
      ...(script === null ? {} : { expect_script: script }),
    },
  };
}

/** A script by its path, else a command line. */
function sourceOf(
  given: string,
  files: ProjectFiles,
  hide: (text: string) => string,
): { source: ScanSource; command: string; name: string; notes: string[] } {
  const trimmed = given.trim();
  const file = files.inside(trimmed);
  const text = file === undefined ? undefined : files.text(file);
  if (file === undefined || text === undefined) {
    const command = hide(trimmed);
    return { source: { text: trimmed, name: command, zsh: false }, command, name: inputsName(command), notes: [] };
  }
  const shown = hide(file);
  if (!isShell(text, file)) {
    const note = `${shown} is no shell script: what it asks is not known before it runs; fix-problem notices it then.`;
    return {
      source: { text: '', name: shown, zsh: false },
      command: hide(trimmed),
      name: scriptName(file),
      notes: [note],
    };
  }
  const zsh = isZsh(text, file);
  return {
    notes: [],
    source: { text, name: shown, zsh },
    command: `${interpreter(text, file)} ${quoted(shown, false)}`,
    name: scriptName(file),
  };
}

/** A default that a script shows may be a secret; a credential's is one whatever it looks like. */
function withoutSecrets(one: Prompt, hide: (text: string) => string): Prompt {
  const { text, fallback, menu } = one;
  const shown = isCredential({ ...one, prompt: text })
    ? text.replaceAll(/([[(])[^\])]*(?=[\])])/gu, `$1${UNKNOWN}`)
    : text;
  return { ...one, text: hide(shown), fallback: fallback === null ? null : hide(fallback), menu: menu.map(hide) };
}

function interpreter(text: string, file: string): string {
  const named = /^#!.*\b((?:ba|z|da|k)?sh)\b/u.exec(text)?.[1];
  return named ?? (file.endsWith('.zsh') ? 'zsh' : file.endsWith('.sh') ? 'sh' : 'bash');
}

function isZsh(text: string, file: string): boolean {
  return file.endsWith('.zsh') || /^#!.*\bzsh\b/u.test(text);
}

/** Scripts of the project that another one runs; package scripts are called `package.json#name`. */
function open(files: ProjectFiles, file: string, from: string): ScanSource | undefined {
  const script = /^package\.json#(.+)$/u.exec(file)?.[1];
  if (script !== undefined) {
    const text = field(field(readManifest(files.root), 'scripts'), script);
    return typeof text === 'string' ? { text, name: `package.json scripts.${script}`, zsh: false } : undefined;
  }
  // A helper is named from the folder of the script, or from where it is run.
  const known = file.replace(/^…\//u, '');
  for (const candidate of [known, path.posix.join(path.posix.dirname(from), known)]) {
    const inside = files.inside(candidate);
    const text = inside === undefined ? undefined : files.text(inside);
    if (inside !== undefined && text !== undefined && isShell(text, inside)) {
      return { text, name: inside, zsh: isZsh(text, inside) };
    }
  }
  return undefined;
}

function isShell(text: string, file: string): boolean {
  if (/\.(?:py|[cm]?[jt]s|rb|pl|php|ps1|bat|cmd)$/u.test(file)) return false;
  return /\.(?:sh|bash|zsh|command)$/u.test(file) || /^#!.*\b(?:ba|z|da|k)?sh\b/u.test(text) || !text.startsWith('#!');
}

/** Variables that are called the same in every script. */
const ANYTHING = /^(?:REPLY|reply|ans(?:wer)?|response|input|yn|choice|confirm|var|val(?:ue)?|\w)$/u;

/** Names that a file's reader can tell apart. */
function namesOf(prompts: readonly Prompt[]): string[] {
  const used = new Map<string, number>();
  return prompts.map(({ variable, text }) => {
    const telling = variable !== null && !ANYTHING.test(variable) ? variable : nameOf(text);
    const name = telling || variable || 'input';
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${name}_${count}`;
  });
}

function nameOf(text: string): string {
  const words = text
    .replaceAll(/[[(][^\])]*[\])]/gu, ' ')
    .toLowerCase()
    .match(/[a-z0-9]+/gu);
  return (words ?? []).slice(0, 4).join('_');
}

function sameText(a: Prompt, b: Prompt): boolean {
  const plain = ({ text }: Prompt) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
  return plain(a) === plain(b);
}

/** A pipe answers by order; what may not be asked, or is asked on the terminal, must be answered by what it says. */
function needsExpect(prompts: readonly Prompt[]): boolean {
  if (prompts.some(({ terminal, singleKey }) => terminal || singleKey)) return true;
  return prompts.length > 1 && prompts.some(({ conditional }) => conditional);
}
