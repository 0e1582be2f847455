/**
 * Decides what a prompt is answered with: never a credential, never a yes that destroys; else what the project, the
 * script or the question itself says, with how sure that is. Finding prompts: `script/`. Values: project-values.ts.
 */

import { type Input, USER_REQUIRED } from '../inputs-model.ts';
import type { Prompt } from '../script/prompts.ts';
import { UNKNOWN } from '../script/shell-words.ts';
import { choicesIn, defaultIn, isCredential, isDangerous, isGoOn, isPause, isUnwanted, isYesNo } from './kinds.ts';
import type { ProjectValues, Topic, Value } from './project-values.ts';

/** A prompt's input, all but its name. */
export type Answered = Omit<Input, 'name'>;

export function answer(
  prompt: Prompt,
  name: string,
  project: ProjectValues,
  looksSecret: (text: string) => boolean,
): Answered {
  // By the same name the file is read again.
  const asked = { ...prompt, prompt: prompt.text, variable: name };
  const base = {
    prompt: prompt.text.trim(),
    ...(prompt.terminal ? { terminal: true } : {}),
    ...(prompt.conditional ? { conditional: true } : {}),
  };
  if (isCredential(asked)) return { ...base, ...deferred(advice(name, project)), credential: true };
  if (prompt.answer?.deferred !== undefined) {
    return { ...base, ...deferred(`${prompt.answer.deferred}; write value: or value_from_env: in the file`) };
  }
  const found = prompt.answer?.value === undefined ? guess(prompt, project) : fixed(prompt);
  if (looksSecret(found.value)) return { ...base, ...deferred(advice(name, project)), credential: true };
  // Enter is a key too.
  const oneKey = prompt.singleKey && found.value !== '';
  return { ...base, ...found, ...(oneKey ? { enter: false } : {}) };
}

function deferred(note: string): Pick<Answered, 'deferred' | 'source' | 'confidence' | 'note'> {
  return { source: USER_REQUIRED, confidence: 0, deferred: true, note };
}

function advice(input: string, project: ProjectValues): string {
  const name = environmentName(input) || 'NAME';
  const files = project.envFilesWith(name);
  const known = files.length > 0 ? ` (named in ${files.join(', ')})` : '';
  return `never filled in: put it into the environment variable ${name}${known} and write value_from_env: ${name} in the file`;
}

export function environmentName(variable: string): string {
  return variable
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1_$2')
    .replaceAll(/\W+/gu, '_')
    .toUpperCase();
}

function fixed({ answer: given, source }: Prompt): Value {
  return { value: given?.value ?? '', source, confidence: given?.confidence ?? 0.8 };
}

/** The first that knows. */
function guess(prompt: Prompt, project: ProjectValues): Value {
  const asked = { ...prompt, prompt: prompt.text };
  if (isDangerous(asked, prompt.consequence)) return { value: 'n', source: 'destructive question', confidence: 0.95 };
  if (isPause(asked)) return { value: '', source: 'prompt', confidence: 0.95 };
  if (prompt.menu.length > 0) return fromMenu(prompt);
  if (isYesNo(asked) || looksLikeYesNo(prompt)) return yesNo(prompt);
  return fromProject(prompt, project) ?? fromPrompt(prompt) ?? fromWords(prompt);
}

/** Where the question does not say so, the code that looks at the answer does. */
function looksLikeYesNo({ check }: Prompt): boolean {
  return /\[yY\]|\[Yy\]|=~\s*\^?\[?[yY]|==?\s*["']?y(?:es)?["']?[\s\]]/u.test(check);
}

function yesNo(prompt: Prompt): Value {
  const { text, check, fallback, singleKey } = prompt;
  const own =
    /[[(]\s*Y\s*[/|]\s*n/u.test(text) || /\[y\]\/n/u.test(text)
      ? 'y'
      : /[[(]\s*y\s*[/|]\s*N/u.test(text)
        ? 'n'
        : undefined;
  const byDefault = own ?? fallback?.charAt(0).toLowerCase();
  const yes = isGoOn({ prompt: text }) || byDefault !== 'n';
  const source = isGoOn({ prompt: text })
    ? 'question whether to go on'
    : own
      ? 'default in the prompt'
      : fallback
        ? 'default in the script'
        : 'harmless question';
  // Some take the whole word only.
  const wholeWord =
    !singleKey &&
    (/\(yes\/no\)|\byes\/no\b/iu.test(text) || /["'\s^|(](?:yes|YES)["'\s$|)]/u.test(check)) &&
    !/\[yY\]|\[Yy\]|["'\s|(^]y["'\s|)$]/u.test(check);
  return { value: wholeWord ? (yes ? 'yes' : 'no') : yes ? 'y' : 'n', source, confidence: byDefault ? 0.8 : 0.6 };
}

function fromMenu({ menu, fallback }: Prompt): Value {
  const chosen = fallback === null ? -1 : menu.indexOf(fallback);
  const safe = menu.findIndex((one) => !isUnwanted(one) && !one.includes(UNKNOWN));
  const index = chosen >= 0 ? chosen : Math.max(0, safe);
  return { value: String(index + 1), source: `menu: ${menu[index] ?? ''}`, confidence: chosen >= 0 ? 0.8 : 0.4 };
}

/** What a prompt or its variable is about; the first that fits. */
const ABOUT: readonly { topic: Topic; pattern: RegExp }[] = [
  { topic: 'author_email', pattern: /\be-?mail\b|邮箱/iu },
  { topic: 'repository', pattern: /\b(?:git )?repo(?:sitory)?(?: url)?\b|\bremote url\b|仓库/iu },
  {
    topic: 'version',
    pattern:
      /^(?!.*(?:node|python|php|java|go|rust|postgres|mysql|redis|docker|kubernetes|api) ?version)\W*(?:\w+ ){0,3}version\b|版本/iu,
  },
  { topic: 'description', pattern: /\bdescri(?:be|ption)\b|描述/iu },
  { topic: 'license', pattern: /\blicen[sc]e\b|许可/iu },
  { topic: 'homepage', pattern: /\bhome ?page\b|\bwebsite\b/iu },
  { topic: 'main', pattern: /\bentry ?point\b|\bmain file\b/iu },
  { topic: 'test_command', pattern: /\btest command\b/iu },
  { topic: 'keywords', pattern: /\bkeywords\b/iu },
  { topic: 'branch', pattern: /\bbranch(?: name)?\b|分支/iu },
  { topic: 'organization', pattern: /\bgit(?:hub|lab) (?:user ?name|user|handle|account|org)/iu },
  { topic: 'organization', pattern: /\borgani[sz]ation\b|\bcompany\b|\bscope\b/iu },
  { topic: 'user', pattern: /\buser ?name\b|\blogin\b|用户名/iu },
  { topic: 'author', pattern: /^\W*author\W*$/iu },
  {
    topic: 'author_name',
    pattern:
      /\bauthor\b|\b(?:your|full|first|real|maintainer)(?:'s)? (?:full )?name\b|\bmaintainer\b|\byour name\b|姓名|作者/iu,
  },
  {
    topic: 'project_name',
    pattern:
      /\b(?:project|app(?:lication)?|package|service|module|repo|image|site|crate)(?:'s)?[ _-]?(?:name|id|slug)\b|\bname (?:of|for) (?:the|your) (?:project|app|package|service)|\bwhat(?:'s| is) (?:the|your) (?:project|app)\b|^\W*(?:project|app)\W*$|项目名/iu,
  },
  { topic: 'port', pattern: /\bport\b|端口/iu },
  { topic: 'python', pattern: /\bpython version\b/iu },
  { topic: 'node', pattern: /\bnode(?:\.js)? version\b/iu },
];

function fromProject({ text, variable, fallback }: Prompt, project: ProjectValues): Value | undefined {
  const words = text.replaceAll(/[[(][^\])]*[\])]/gu, ' ');
  const name = (variable ?? '').replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').replaceAll('_', ' ');
  for (const about of [words, name]) {
    const topic = ABOUT.find(({ pattern }) => pattern.test(about))?.topic;
    const value = topic && project.get(topic);
    // What the script proposes for a port is right for the script.
    if (value && !(topic === 'port' && (fallback ?? defaultIn(text)))) return value;
    if (topic && !value) return undefined;
  }
  return undefined;
}

function fromPrompt({ text, fallback, variable }: Prompt): Value | undefined {
  if (fallback !== null && !fallback.includes(UNKNOWN))
    return { value: fallback, source: 'default in the script', confidence: 0.9 };
  const own = defaultIn(text);
  if (own !== null) return { value: own, source: 'default in the prompt', confidence: 0.9 };
  // A default is shown that only a run would know.
  if (/[[(][^\])]*…[^\])]*[\])]/u.test(text)) return { value: '', source: 'default in the prompt', confidence: 0.7 };
  const choices = choicesIn(text);
  const first = choices.find((one) => !isUnwanted(one));
  if (first !== undefined) return { value: first, source: 'choices in the prompt', confidence: 0.5 };
  return environmentChoice(`${text} ${variable ?? ''}`);
}

function environmentChoice(words: string): Value | undefined {
  return /\benv(?:ironment)?\b|\bstage\b/iu.test(words) && !/variable|file|path/iu.test(words)
    ? { value: 'development', source: 'kind of question', confidence: 0.5 }
    : undefined;
}

/** Values that any program of the kind takes; the first that fits. */
const USUAL: readonly { pattern: RegExp; value: string }[] = [
  { pattern: /\b(?:optional|leave (?:empty|blank)|press enter|or enter)\b/iu, value: '' },
  { pattern: /\bport\b/iu, value: '3000' },
  { pattern: /\b(?:host(?:name)?|server|address)\b/iu, value: 'localhost' },
  { pattern: /\bip\b/iu, value: '127.0.0.1' },
  { pattern: /\burl\b|\bendpoint\b/iu, value: 'http://localhost:3000' },
  { pattern: /\bdomain\b/iu, value: 'example.com' },
  { pattern: /\be-?mail\b/iu, value: 'user@example.com' },
  { pattern: /\b(?:how many|number of|count|replicas|workers|instances|amount|quantity|size)\b/iu, value: '1' },
  { pattern: /\b(?:timeout|seconds|minutes|interval|retries)\b/iu, value: '30' },
  { pattern: /\bversion\b/iu, value: '0.1.0' },
  { pattern: /\b(?:dir(?:ectory)?|folder|path)\b/iu, value: '.' },
  { pattern: /\bnamespace\b/iu, value: 'default' },
  { pattern: /\bregion\b/iu, value: 'us-east-1' },
  { pattern: /\b(?:database|db)(?: name)?\b/iu, value: 'app' },
  {
    pattern: /\b(?:enter|choose|select|pick|choice|option)\b.*(?:\b(?:number|option|choice|1)\b|\[1|\(1)/iu,
    value: '1',
  },
];

function fromWords({ text, variable, context }: Prompt): Value {
  // A numbered list above asks for a number.
  if (context.some((line) => /^\s*(?:\[?1[\].):]|1 -)\s*\S/u.test(line)))
    return { value: '1', source: 'list above the prompt', confidence: 0.4 };
  const words = `${text} ${(variable ?? '').replaceAll('_', ' ')}`;
  const usual = USUAL.find(({ pattern }) => pattern.test(words));
  if (usual) return { value: usual.value, source: 'kind of question', confidence: 0.3 };
  return { value: 'test', source: 'placeholder', confidence: 0.1 };
}
