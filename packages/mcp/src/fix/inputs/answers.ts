/**
 * What a prompt is answered with: never a credential, never a yes that destroys; else what the project, the script or
 * the question itself says, with how sure that is.
 */

import type { ProjectValues, Value } from './project-values.ts';
import { type Prompt, UNKNOWN } from './prompts.ts';

/** `redact` gives a text back as it is where it holds no secret. */
export function answer(prompt: Prompt, name: string, project: ProjectValues, redact: (text: string) => string) {
  const { text, terminal, conditional, singleKey } = prompt;
  const found = isCredential(prompt, name) ? undefined : proposal(prompt, name, project, redact);
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
function proposal(prompt: Prompt, name: string, project: ProjectValues, redact: (text: string) => string): Value {
  const { text, fallback } = prompt;
  const value = (value: string, source: string, confidence: number): Value => ({ value, source, confidence });
  if (isDangerous(prompt)) return value('n', 'destructive question', 0.95);
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
  const usual = USUAL.find(([pattern]) => pattern.test(`${text} ${name.replaceAll('_', ' ')}`))?.[1];
  return usual === undefined ? value('test', 'placeholder', 0.1) : value(usual, 'kind of question', 0.3);
}

/** Values that any program of the kind takes; the first that fits. */
const USUAL: readonly [pattern: RegExp, value: string][] = [
  [/\b(?:optional|leave (?:empty|blank)|(?:press|hit) .*(?:enter|return|key)|or enter)\b|按任意键|按回车/iu, ''],
  [/\bport\b/iu, '3000'],
  [/\burl\b|\bendpoint\b/iu, 'http://localhost:3000'],
  [/\b(?:host(?:name)?|server)\b/iu, 'localhost'],
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

/** Words of secrets, whole. */
const SECRET_WORDS =
  /\b(?:passwords?|passwd|passphrases?|passcode|pwd|secrets?|(?:api|access|auth|refresh|bearer|deploy|session|id|github|gitlab|npm|slack|bot|personal access)[ _-]?tokens?|tokens?|api[ _-]?keys?|access[ _-]?keys?|secret[ _-]?keys?|private[ _-]?keys?|encryption[ _-]?keys?|signing[ _-]?keys?|master[ _-]?keys?|service[ _-]?role[ _-]?keys?|license[ _-]?keys?|credentials?|pin(?:[ _-]?(?:code|number))?|otp|one[ -]time (?:code|password)|2fa|mfa|(?:verification|authentication|auth|security)[ _-]?code|connection[ _-]?string|dsn|pat|cvv|ssn)\b|密码|口令|密钥|令牌|验证码/iu;

/** In names of variables: `DB_PASS`, `githubToken`, `AWS_SECRET_ACCESS_KEY`. */
const SECRET_NAME =
  /(?:^|_)(?:PASS|PASSWD|PASSWORD|PASSPHRASE|PWD|PW|SECRET|TOKEN|APIKEY|CREDENTIALS?|PAT|PIN|OTP|DSN)(?:_|\d|$)|(?:^|_)(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER|AUTH|LICENSE)_?KEY(?:_|\d|$)/u;

/** What is said of a secret without being one; the id of an access key is half of one. */
const ABOUT_SECRETS =
  /\b(?:path|file(?:name)?|location|directory|folder|name|length|type|algorithm|expir\w*|ttl|lifetime|policy|provider|manager|(?<!access[ _-]?key[ _-]?)id)\b[^:?]*[:?\])]*\s*$/iu;

export function isCredential(prompt: Prompt, name: string): boolean {
  const { text, silent } = prompt;
  if (silent || isYesNo(prompt)) return silent === true;
  const words = text.replaceAll(/[[(][^\])]*[\])]/gu, ' ');
  if (ABOUT_SECRETS.test(words) && !/pass(?:word|phrase)[^\w]*$/iu.test(words)) return false;
  // The name counts where the text says nothing.
  const variable = environmentName(name);
  const isNamed = SECRET_NAME.test(variable) && !/_(?:PATH|FILE|NAME|LENGTH|TYPE|TTL|(?<!KEY_)ID|DIR)$/u.test(variable);
  return isNamed || SECRET_WORDS.test(words);
}

/** Words of questions that must not be answered yes. */
const DANGER =
  /\b(?:delet\w*|remov\w*|eras\w*|overwrit\w*|drop(?:s|ped|ping)?(?!-)|destroy\w*|wip(?:e|es|ed|ing)|purg\w*|truncat\w*|uninstall\w*|discard\w*|prun\w*|reset(?:s|ting)?|forc(?:e|ed|ibly)|irreversibl\w*|permanent\w*|are you (?:really |absolutely )?sure|cannot be undone|can'?t be undone|no undo|data loss|format (?:the )?(?:disk|drive|volume|partition)|lose (?:all|your)|clobber|nuke|rollback|roll back|revert|terminate|shut ?down|reboot)\b|删除|覆盖|清空|确定要|不可恢复|卸载/iu;

/** Commands behind a yes that cannot be taken back. */
const DANGEROUS_COMMAND =
  /\brm\s+(?:-\w+\s+)*-\w*[rf]|\bdrop\s+(?:table|database|schema)\b|\bdropdb\b|\bdelete\s+from\b|\btruncate\s+(?:table|-s)|\bgit\s+(?:push\b[^\n;&|]*(?:--force\b|\s-f\b)|reset\s+--hard|clean\s+-\w*[fdx])|\bdocker\s+(?:\w+\s+)?(?:prune|rmi?)\b|\bdocker[ -]compose\s+down\b[^\n;&|]*-v|\bkubectl\s+delete\b|\bhelm\s+(?:uninstall|delete)\b|\bterraform\s+destroy\b|\bmkfs|\bdd\s+[^\n]*of=|\bshred\b|\bunlink\b|\bfind\b[^\n;|]*-delete/iu;

/** A question whose yes destroys something, by its words, by what was printed before it, or by the code behind it. */
function isDangerous(prompt: Prompt): boolean {
  const { text, before = '', after = '' } = prompt;
  if (DANGER.test(text)) return isYesNo(prompt) || /\?|\bconfirm\b|\btype\b|\bto [cdp]\w+\b/iu.test(text);
  const isBare = BARE_CONFIRMATION.test(text);
  return (isBare && DANGER.test(before)) || ((isBare || isYesNo(prompt)) && DANGEROUS_COMMAND.test(after));
}

/** It asks about what was said before it. */
const BARE_CONFIRMATION =
  /^\W*(?:(?:do you (?:want|wish) to|would you like to)?\s*(?:continue|proceed|go on|go ahead)|are you ready|ok|confirm|yes\b|y\/n|\[y)/iu;

const YES_NO =
  /[[(]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?|n(?:o)?\s*[/|,]\s*y(?:es)?|\[y\]\s*\/\s*n|y\s*\/\s*\[n\])[^\])]*[\])]|\by\/n\b|\byes\/no\b|\(\[y\]\/n\)|是否/iu;
const QUESTION_VERB =
  /^\W*(?:do|does|did|are|is|should|shall|would|will|can|may|have|has|want to|continue|proceed|overwrite|install|enable|disable|use|create|delete|remove|force|skip|run|start|ok)\b[^:]*\?\s*(?:[[(][^\])]*[\])])?\s*:?\s*$/iu;

/** A question that takes yes or no, by its words or by what the next lines compare the answer with. */
function isYesNo({ text, after = '' }: Prompt): boolean {
  if (YES_NO.test(text) || QUESTION_VERB.test(text)) return true;
  return /\?\W*$/u.test(text) && /["'\s[^]y(?:es)?["'\s\]]/iu.test(after.split('\n', 3).join(' '));
}

/** `[Y/n]` is `y`, `[8080]` is `8080`, `(default: main)` is `main`; undefined where the prompt shows none. */
function defaultIn(text: string): string | undefined {
  const told = /\bdefaults?(?:\s+(?:is|to))?\s*[:=]?\s*["'`]?([^\s"'`\])},;]+)/iu.exec(text)?.[1];
  const last = told ?? [...text.matchAll(/[[(]([^[\]()]{1,80})[\])]/gu)].at(-1)?.[1]?.trim() ?? '';
  const choices = choicesIn(`(${last})`);
  const [capital, ...others] = choices.filter((choice) => /^[A-Z]/u.test(choice));
  if (choices.length > 1) return others.length === 0 ? capital?.toLowerCase() : undefined;
  const isRemark = /^(?:optional|required|e\.?g\.?|example|leave|press|hidden|none|max|min|must)|^$|[\s…]/iu.test(last);
  return isRemark ? undefined : last;
}

/** `(dev/staging/prod)`, `[a|b|c]`; a path is no list of choices. */
function choicesIn(text: string): string[] {
  const list = /[[({]\s*([\w.@+-]{1,30}(?:\s*[/|,]\s*[\w.@+-]{1,30})+)\s*[\])}]/u.exec(text)?.[1] ?? '';
  return list.startsWith('.') ? [] : list.split(/\s*[/|,]\s*/u).filter((choice) => choice !== '');
}

/** A choice that ends, undoes or reaches production. */
function isUnwanted(choice: string): boolean {
  return /^(?:quit|exit|cancel|abort|none|no|back|q|prod(?:uction)?|live)$/iu.test(choice) || DANGER.test(choice);
}

/** The variable through which a secret could come: `dbPassword` is `DB_PASSWORD`. */
export function environmentName(variable: string): string {
  const words = variable.replaceAll(/([a-z\d])([A-Z])/gu, '$1_$2');
  return words.replaceAll(/\W+/gu, '_').toUpperCase();
}
