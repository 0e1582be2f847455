/**
 * Proposes an answer for a prompt of a script, with its source and a confidence. A credential gets no answer, and a
 * destructive question gets `n`. Other answers come from the project, the script or the prompt itself.
 */

import path from 'node:path';
import { getNested, asString as textOf, tryParse } from '../../environment/facts.ts';
import { Git } from '../../git/git.ts';
import type { ProjectFiles } from '../context/code/project-files.ts';
import { type Prompt, UNKNOWN } from './prompts.ts';

type ProposedValue = { value: string; source: string; confidence: number };
type ProjectValues = Awaited<ReturnType<typeof readProjectValues>>;

/** Proposes an answer. `redact` returns a text without secrets unchanged. */
export function proposeAnswer(prompt: Prompt, name: string, project: ProjectValues, redact: (text: string) => string) {
  const { text, terminal, conditional, singleKey } = prompt;
  const proposed = isCredential(prompt, name) ? undefined : proposeValue(prompt, name, project, redact);
  const base = { name, prompt: text, ...(terminal && { terminal }), ...(conditional && { conditional }) };
  const enter = singleKey && proposed?.value !== '' ? { enter: false } : {};
  if (proposed !== undefined && redact(proposed.value) === proposed.value) return { ...base, ...proposed, ...enter };
  const variable = toEnvironmentName(name) || 'NAME';
  const note = `Argus never fills in credentials: set the environment variable ${variable} and write value_from_env: ${variable} in the file`;
  return { ...base, source: 'user_required', confidence: 0, deferred: true, credential: true, note };
}

/** Tries the rules in order. The first rule that has a value wins. */
function proposeValue(
  prompt: Prompt,
  name: string,
  project: ProjectValues,
  redact: (text: string) => string,
): ProposedValue {
  const { text, fallback } = prompt;
  const createValue = (value: string, source: string, confidence: number): ProposedValue => ({
    value,
    source,
    confidence,
  });
  if (isDangerous(prompt)) return createValue('n', 'destructive question', 0.95);
  if (isYesNo(prompt)) return answerYesNo(prompt);
  const projectValue = findProjectValue(text, name, project, redact);
  if (projectValue) return projectValue;
  if (fallback && !fallback.includes(UNKNOWN)) return createValue(fallback, 'default in the script', 0.9);
  const promptDefault = extractDefault(text);
  if (promptDefault !== undefined) return createValue(promptDefault, 'default in the prompt', 0.9);
  // The default, or the whole prompt, is known only when the script runs.
  if (/[[(][^\])]*…[^\])]*[\])]/u.test(text) || hasNoWords(text)) return createValue('', 'default in the prompt', 0.3);
  const usualValue = USUAL_VALUES.find(([pattern]) => pattern.test(`${text} ${name.replaceAll('_', ' ')}`))?.[1];
  return usualValue === undefined
    ? createValue('test', 'placeholder', 0.1)
    : createValue(usualValue, 'kind of question', 0.3);
}

/** Values that most programs accept for a kind of prompt. */
const USUAL_VALUES: readonly [pattern: RegExp, value: string][] = [
  [/\b(?:optional|leave (?:empty|blank)|(?:press|hit) .*(?:enter|return|key)|or enter)\b|按任意键|按回车/iu, ''],
  [/\bport\b/iu, '3000'],
  [/\b(?:host(?:name)?|server)\b/iu, 'localhost'],
  [/\benv(?:ironment)?\b|\bstage\b/iu, 'development'],
  [/\b(?:how many|number of|count|replicas|workers|instances|option|choice)\b/iu, '1'],
  [/\b(?:dir(?:ectory)?|folder|path)\b/iu, '.'],
];

function answerYesNo({ text, after = '', fallback, singleKey }: Prompt): ProposedValue {
  const own = /[[(]\s*Y\s*[/|]|\[y\]/u.test(text) ? 'y' : /[/|]\s*\[?N\b/u.test(text) ? 'n' : undefined;
  const usual = own ?? fallback?.charAt(0).toLowerCase() ?? (hasNoWords(text) ? 'n' : 'y');
  const yes = usual !== 'n' || /\b(?:continue|proceed|go ahead|go on|ready|correct|ok(?:ay)?)\b/iu.test(text);
  // Some scripts accept only the complete word.
  const isWord = !singleKey && (/\byes\/no\b/iu.test(text) || /["'\s]yes["'\s]/iu.test(after.split('\n', 2).join(' ')));
  const source = own ? 'default in the prompt' : 'harmless question';
  return { value: isWord ? (yes ? 'yes' : 'no') : yes ? 'y' : 'n', source, confidence: own ? 0.8 : 0.6 };
}

/** True if the prompt has no words outside of its brackets. */
const hasNoWords = (text: string) => !/\p{L}/u.test(text.replaceAll(BRACKETS, ''));

function findProjectValue(text: string, name: string, project: ProjectValues, redact: (text: string) => string) {
  const set = project.findVariable(toEnvironmentName(name));
  // A `.env` file may contain a secret under a harmless name.
  const line = `${toEnvironmentName(name)}=${set?.value}`;
  if (set && redact(line) === line) return set;
  const known = project.findByTopic(text.replaceAll(BRACKETS, ' '));
  return known === undefined ? project.findByTopic(toEnvironmentName(name).replaceAll('_', ' ')) : known;
}

const UNWANTED_CHOICES = /^(?:quit|exit|cancel|abort|none|no|back|q|prod(?:uction)?|live)$/iu;
/** Matches a default or a remark in brackets. */
const BRACKETS = /[[(][^\])]*[\])]/gu;

/** Matches words for secrets in a prompt. */
const SECRET_WORDS =
  /\b(?:passwords?|passwd|passphrases?|passcode|pwd|secrets?|(?:api|access|auth|refresh|bearer|deploy|session|id|github|gitlab|npm|slack|bot|personal access)[ _-]?tokens?|tokens?|api[ _-]?keys?|access[ _-]?keys?|secret[ _-]?keys?|private[ _-]?keys?|encryption[ _-]?keys?|signing[ _-]?keys?|master[ _-]?keys?|service[ _-]?role[ _-]?keys?|license[ _-]?keys?|credentials?|pin(?:[ _-]?(?:code|number))?|otp|one[ -]time (?:code|password)|2fa|mfa|(?:verification|authentication|auth|security)[ _-]?code|connection[ _-]?string|dsn|pat|cvv|ssn)\b|密码|口令|密钥|令牌|验证码/iu;

/** Matches words for secrets in the name of a variable: `DB_PASS`, `githubToken`, `AWS_SECRET_ACCESS_KEY`. */
const SECRET_NAME =
  /(?:^|_)(?:PASS|PASSWD|PASSWORD|PASSPHRASE|PWD|PW|SECRET|TOKEN|APIKEY|CREDENTIALS?|PAT|PIN|OTP|DSN)(?:_|\d|$)|(?:^|_)(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER|AUTH|LICENSE)_?KEY(?:_|\d|$)/u;

/**
 * Matches a prompt for a property of a secret, such as its path, which is harmless. The id of an access key is an
 * exception.
 */
const SECRET_PROPERTY =
  /\b(?:path|file(?:name)?|location|directory|folder|name|length|type|algorithm|expir\w*|ttl|lifetime|policy|provider|manager|(?<!access[ _-]?key[ _-]?)id)\b[^:?]*[:?\])]*\s*$/iu;

export function isCredential(prompt: Prompt, name: string): boolean {
  if (prompt.silent || isYesNo({ text: prompt.text })) return prompt.silent === true;
  const words = prompt.text.replaceAll(BRACKETS, ' ');
  if (SECRET_PROPERTY.test(words) && !/pass(?:word|phrase)[^\w]*$/iu.test(words)) return false;
  // The name of the variable may show that a neutral prompt, such as `Value:`, asks for a secret.
  const variable = toEnvironmentName(name);
  const isNamed = SECRET_NAME.test(variable) && !/_(?:PATH|FILE|NAME|LENGTH|TYPE|TTL|(?<!KEY_)ID|DIR)$/u.test(variable);
  return isNamed || SECRET_WORDS.test(words);
}

/** Matches words in questions that must not be answered with yes. */
const DANGEROUS_WORDS =
  /\b(?:delet\w*|remov\w*|eras\w*|overwrit\w*|drop(?:s|ped|ping)?(?!-)|destroy\w*|wip(?:e|es|ed|ing)|purg\w*|truncat\w*|uninstall\w*|discard\w*|prun\w*|reset(?:s|ting)?|forc(?:e|ed|ibly)|irreversibl\w*|permanent\w*|are you (?:really |absolutely )?sure|cannot be undone|can'?t be undone|no undo|data loss|format (?:the )?(?:disk|drive|volume|partition)|lose (?:all|your)|clobber|nuke|rollback|roll back|revert|terminate|shut ?down|reboot)\b|删除|覆盖|清空|确定要|不可恢复|卸载/iu;

/** Matches commands that cannot be undone. */
const DANGEROUS_COMMAND =
  /\brm\s+(?:-\w+\s+)*-\w*[rf]|\bdrop\s+(?:table|database|schema)\b|\bdropdb\b|\bdelete\s+from\b|\btruncate\s+(?:table|-s)|\bgit\s+(?:push\b[^\n;&|]*(?:--force\b|\s-f\b)|reset\s+--hard|clean\s+-\w*[fdx])|\bdocker\s+(?:\w+\s+)?(?:prune|rmi?)\b|\bdocker[ -]compose\s+down\b[^\n;&|]*-v|\bkubectl\s+delete\b|\bhelm\s+(?:uninstall|delete)\b|\bterraform\s+destroy\b|\bmkfs|\bdd\s+[^\n]*of=|\bshred\b|\bunlink\b|\bfind\b[^\n;|]*-delete/iu;

/** Detects a destructive question by its words, by the output before it, or by the code after it. */
function isDangerous(prompt: Prompt): boolean {
  const { text, before = '', after = '' } = prompt;
  if (DANGEROUS_WORDS.test(text)) return isYesNo(prompt) || /\?|\bconfirm\b|\btype\b|\bto [cdp]\w+\b/iu.test(text);
  const isBare = BARE_CONFIRMATION.test(text);
  return (isBare && DANGEROUS_WORDS.test(before)) || ((isBare || isYesNo(prompt)) && DANGEROUS_COMMAND.test(after));
}

/** Matches a question that refers to the output before it, such as `Continue?`. */
const BARE_CONFIRMATION =
  /^\W*(?:(?:do you (?:want|wish) to|would you like to)?\s*(?:continue|proceed|go on|go ahead)|are you ready|ok|confirm|yes\b|y\/n|\[y)/iu;

const YES_NO =
  /[[(]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?|n(?:o)?\s*[/|,]\s*y(?:es)?|\[y\]\s*\/\s*n|y\s*\/\s*\[n\])[^\])]*[\])]|\by\/n\b|\byes\/no\b|\(\[y\]\/n\)|是否/iu;
const QUESTION_VERB =
  /^\W*(?:do|does|did|are|is|should|shall|would|will|can|may|have|has|want to|continue|proceed|overwrite|install|enable|disable|use|create|delete|remove|force|skip|run|start|ok)\b[^:]*\?\s*(?:[[(][^\])]*[\])])?\s*:?\s*$/iu;

/** Detects a yes-or-no question by its words, or by a comparison of the answer with `y` in the next lines. */
function isYesNo({ text, after = '' }: Prompt): boolean {
  if (YES_NO.test(text) || QUESTION_VERB.test(text)) return true;
  return /\?\W*$/u.test(text) && /["'\s[^]y(?:es)?["'\s\]]/iu.test(after.split('\n', 3).join(' '));
}

/**
 * Returns the default in a prompt: `8080` for `[8080]`, `main` for `(default: main)`, `staging` for
 * `(dev/STAGING/prod)`.
 */
function extractDefault(text: string): string | undefined {
  const namedDefault = /\bdefaults?(?:\s+(?:is|to))?\s*[:=]?\s*["'`]?([^\s"'`\])},;]+)/iu.exec(text)?.[1];
  const candidate = namedDefault ?? [...text.matchAll(/[[({]([^[\](){}]{1,80})[\])}]/gu)].at(-1)?.[1]?.trim() ?? '';
  const choices = /^[\w@+-][\w.@+-]*(?:\s*[/|,]\s*[\w.@+-]+)+$/u.test(candidate) ? candidate.split(/\s*[/|,]\s*/u) : [];
  const capital = choices.find((choice) => /^[A-Z]/u.test(choice))?.toLowerCase();
  if (choices.length > 0)
    return capital ?? choices.find((one) => !UNWANTED_CHOICES.test(one) && !DANGEROUS_WORDS.test(one));
  const isRemark = /^(?:optional|required|e\.?g\.?|example|leave|press|hidden|none|max|min|must)|^$|[\s…]/iu.test(
    candidate,
  );
  return isRemark ? undefined : candidate;
}

/** Converts a name to the name of an environment variable: `dbPassword` to `DB_PASSWORD`. */
export function toEnvironmentName(variable: string): string {
  const words = variable.replaceAll(/([a-z\d])([A-Z])/gu, '$1_$2');
  return words.replaceAll(/\W+/gu, '_').toUpperCase();
}

const ENV_FILES = ['.env', '.env.local', '.env.development', '.env.example'];
const AUTHOR_SOURCES = ['git config user.name', 'package.json author.name', 'package.json author'];
const REPOSITORY_SOURCES = ['package.json repository', 'package.json repository.url', 'git config remote.origin.url'];
const NAME_SOURCES = ['package.json name', 'README title', 'folder name'];

/**
 * Topics of prompts. Each has its sources in the order of preference. The first topic that matches the prompt counts.
 */
const TOPICS: readonly [about: RegExp, ...sources: string[]][] = [
  [/\be-?mail\b|邮箱/iu, 'git config user.email', 'package.json author.email'],
  [/\brepo(?:sitory)?\b|\bremote url\b|仓库/iu, ...REPOSITORY_SOURCES],
  [/^(?!.*(?:node|python|php|java|go|rust|postgres|docker|api) ?version).*\bversion\b|版本/iu, 'package.json version'],
  [/\bdescri(?:be|ption)\b|描述/iu, 'package.json description', 'README'],
  [/\blicen[sc]e\b|许可/iu, 'package.json license'],
  [/\bbranch\b|分支/iu, 'git branch'],
  [/^\W*author\W*$/iu, 'git config user', ...AUTHOR_SOURCES],
  [/\bauthor\b|\bmaintainer\b|\b(?:your|full|first|real) name\b|姓名|作者/iu, ...AUTHOR_SOURCES],
  [/\b(?:project|app(?:lication)?|package)\b.*\b(?:name|id)\b|^\W*(?:project|app)\W*$|项目名/iu, ...NAME_SOURCES],
];

export async function readProjectValues(files: ProjectFiles, signal?: AbortSignal) {
  const git = new Git(files.root);
  const { stdout } = await git.run(['config', '--get-regexp', '^(user\\.(name|email)|remote\\..*\\.url)$'], { signal });
  const settings = new Map([...stdout.matchAll(/^(\S+) (.*)$/gmu)].map(([, key = '', value = '']) => [key, value]));
  const [name, email] = [settings.get('user.name'), settings.get('user.email')];
  if (name && email) settings.set('user', `${name} <${email}>`);
  const branch = await git.run(['symbolic-ref', '--quiet', '--short', 'HEAD'], { signal });
  const manifest = tryParse(JSON.parse, files.readText('package.json'));
  const readme = files.readText('README.md') ?? '';
  const title = /^#\s+(.+?)\s*#*$/mu.exec(readme)?.[1]?.toLowerCase();
  const readers: Readonly<Record<string, (key: string) => [confidence: number, value: string | undefined]>> = {
    'git config': (key) => [0.95, settings.get(key)],
    'package.json': (key) => [0.95, textOf(getNested(manifest, ...key.split('.')))?.replace(/^@[^/]+\/|^git\+/u, '')],
    'git branch': () => [0.7, branch.stdout],
    'README title': () => [0.7, title?.replaceAll(/[^a-z0-9]+/gu, '-')],
    README: () => [0.7, /^#\s.*\n+(?:\[?!\[.*\n+)*([A-Z][^\n<[]{10,160})/mu.exec(readme)?.[1]],
    'folder name': () => [0.6, path.basename(files.root)],
  };
  const readSource = (source: string): ProposedValue[] => {
    const [, kind = source, key = ''] = /^(git config|package\.json) (.*)$/u.exec(source) ?? [];
    return createProposal(source, ...(readers[kind]?.(key) ?? [0, undefined]));
  };
  return {
    /** Returns undefined if the topic of the text is not known, and null if the project has no value for the topic. */
    findByTopic(topicText: string): ProposedValue | null | undefined {
      const [topic, ...sources] = TOPICS.find(([pattern]) => pattern.test(topicText)) ?? [];
      return topic && (sources.flatMap(readSource)[0] ?? null);
    },
    /** Returns the value of a variable in a `.env` file. */
    findVariable(variableName: string): ProposedValue | undefined {
      const line = new RegExp(`^[ \\t]*(?:export[ \\t]+)?${variableName}[ \\t]*=[ \\t]*(["']?)([^"'#\\n]*)\\1`, 'mu');
      const all = /^\w+$/u.test(variableName) ? ENV_FILES : [];
      return all.flatMap((file) =>
        createProposal(`${file} ${variableName}`, 0.9, line.exec(files.readText(file) ?? '')?.[2]),
      )[0];
    },
  };
}

/**
 * Returns a list with the value, without the password in a remote URL. Returns an empty list if the value cannot answer
 * a prompt, for example because it has a line break.
 */
function createProposal(source: string, confidence: number, value = ''): ProposedValue[] {
  const clean = value.trim().replace(/^(\w+:\/\/)[^/@\s]+@/u, '$1');
  return clean === '' || clean.length > 200 || /[\r\n\0]/u.test(clean) ? [] : [{ value: clean, source, confidence }];
}
