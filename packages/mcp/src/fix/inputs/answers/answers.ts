/**
 * What a prompt is answered with: never a credential, never a yes that destroys; else what the project, the script or
 * the question itself says, with how sure that is. Which questions are which: kinds.ts.
 */

import type { Input } from '../inputs-file.ts';
import { type Prompt, UNKNOWN } from '../script/prompts.ts';
import { choicesIn, defaultIn, environmentName, isCredential, isDangerous, isUnwanted, isYesNo } from './kinds.ts';
import type { ProjectValues, Value } from './project-values.ts';

/** `redact` gives a text back as it is where it holds no secret. */
export function answer(prompt: Prompt, name: string, project: ProjectValues, redact: (text: string) => string): Input {
  const { text, terminal, conditional, singleKey } = prompt;
  const found = isCredential(prompt, name) ? undefined : answerTo(prompt, name, project, redact);
  const base = { name, prompt: text, ...(terminal && { terminal }), ...(conditional && { conditional }) };
  // Enter is a key too.
  const enter = singleKey && found?.value !== '' ? { enter: false } : {};
  if (found !== undefined && redact(found.value) === found.value) return { ...base, ...found, ...enter };
  const variable = environmentName(name) || 'NAME';
  const file = project.variable(variable)?.source.split(' ', 1)[0];
  const known = file === undefined ? '' : ` (named in ${file})`;
  const note = `never filled in: put it into the environment variable ${variable}${known} and write value_from_env: ${variable} in the file`;
  return { ...base, source: 'user_required', confidence: 0, deferred: true, credential: true, note };
}

/** The first rule that knows. */
function answerTo(prompt: Prompt, name: string, project: ProjectValues, redact: (text: string) => string): Value {
  const { text, fallback, before = '' } = prompt;
  const value = (value: string, source: string, confidence: number): Value => ({ value, source, confidence });
  if (isDangerous(prompt)) return value('n', 'destructive question', 0.95);
  if (/\b(?:press|hit|push)\b.*\b(?:enter|return|key)\b|按任意键|按回车/iu.test(text)) return value('', 'prompt', 0.95);
  if (isYesNo(prompt)) return yesNo(prompt);
  const told = fromProject(text, name, project, redact);
  if (told) return told;
  if (fallback && !fallback.includes(UNKNOWN)) return value(fallback, 'default in the script', 0.9);
  const own = defaultIn(text);
  if (own !== undefined) return value(own, 'default in the prompt', 0.9);
  // The default that it shows, or all of the question, is known when it runs.
  if (/[[(][^\])]*…[^\])]*[\])]/u.test(text) || isUnknown(text)) return value('', 'default in the prompt', 0.3);
  const choice = choicesIn(text).find((one) => !isUnwanted(one));
  if (choice !== undefined) return value(choice, 'choices in the prompt', 0.5);
  if (/^\s*(?:\[?1[\].):]|1 -)\s*\S/mu.test(before)) return value('1', 'list above the prompt', 0.4);
  const usual = USUAL.find(([pattern]) => pattern.test(`${text} ${name.replaceAll('_', ' ')}`))?.[1];
  return usual === undefined ? value('test', 'placeholder', 0.1) : value(usual, 'kind of question', 0.3);
}

/** Values that any program of the kind takes; the first that fits. */
const USUAL: readonly [pattern: RegExp, value: string][] = [
  [/\b(?:optional|leave (?:empty|blank)|press enter|or enter)\b/iu, ''],
  [/\bport\b/iu, '3000'],
  [/\burl\b|\bendpoint\b/iu, 'http://localhost:3000'],
  [/\b(?:host(?:name)?|server|address)\b/iu, 'localhost'],
  [/\benv(?:ironment)?\b|\bstage\b/iu, 'development'],
  [/\b(?:how many|number of|count|replicas|workers|instances|option|choice)\b/iu, '1'],
  [/\b(?:dir(?:ectory)?|folder|path)\b/iu, '.'],
];

function yesNo({ text, after = '', fallback, singleKey }: Prompt): Value {
  const own = /[[(]\s*Y\s*[/|]|\[y\]/u.test(text) ? 'y' : /[/|]\s*\[?N\b/u.test(text) ? 'n' : undefined;
  const usual = own ?? fallback?.charAt(0).toLowerCase() ?? (isUnknown(text) ? 'n' : 'y');
  const isGoOn = /\b(?:continue|proceed|go ahead|go on|ready|correct|looks good|ok(?:ay)?)\b/iu.test(text);
  const yes = isGoOn || usual !== 'n';
  // Some take the whole word only.
  const isWord = !singleKey && (/\byes\/no\b/iu.test(text) || /["'\s]yes["'\s]/iu.test(after.split('\n', 2).join(' ')));
  const source = own ? 'default in the prompt' : 'harmless question';
  return { value: isWord ? (yes ? 'yes' : 'no') : yes ? 'y' : 'n', source, confidence: own ? 0.8 : 0.6 };
}

/** It has no words but those of its choices. */
function isUnknown(text: string): boolean {
  return !/\p{L}/u.test(text.replaceAll(/[[(][^\])]*[\])]/gu, ''));
}

function fromProject(text: string, name: string, project: ProjectValues, redact: (text: string) => string) {
  const set = project.variable(environmentName(name));
  // A `.env` file holds secrets under any name.
  const line = `${environmentName(name)}=${set?.value}`;
  if (set && redact(line) === line) return set;
  const known = project.about(text.replaceAll(/[[(][^\])]*[\])]/gu, ' '));
  return known === undefined ? project.about(environmentName(name).replaceAll('_', ' ')) : known;
}
