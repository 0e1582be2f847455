/** What kind of answer a prompt wants: a secret, a yes or no, a choice; and which answers are dangerous. */

import type { Prompt } from '../script/prompts.ts';

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
export function isDangerous(prompt: Prompt): boolean {
  const { text, before = '', after = '' } = prompt;
  if (DANGER.test(text)) return isYesNo(prompt) || CONFIRMATION.test(text);
  const isBare = BARE_CONFIRMATION.test(text);
  return (isBare && DANGER.test(before)) || ((isBare || isYesNo(prompt)) && DANGEROUS_COMMAND.test(after));
}

/** `Type 'DELETE' to confirm`, `Enter the name to delete it`. */
const CONFIRMATION = /\?|\bconfirm\b|\bto (?:continue|proceed|delete|destroy|confirm)\b|\btype\b.*['"`]?\w+['"`]?/iu;

/** It asks about what was said before it. */
const BARE_CONFIRMATION =
  /^\W*(?:(?:do you (?:want|wish) to|would you like to)?\s*(?:continue|proceed|go on|go ahead)|are you ready|ok|confirm|yes\b|y\/n|\[y)/iu;

const YES_NO =
  /[[(]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?|n(?:o)?\s*[/|,]\s*y(?:es)?|\[y\]\s*\/\s*n|y\s*\/\s*\[n\])[^\])]*[\])]|\by\/n\b|\byes\/no\b|\(\[y\]\/n\)|是否/iu;
const QUESTION_VERB =
  /^\W*(?:do|does|did|are|is|should|shall|would|will|can|may|have|has|want to|continue|proceed|overwrite|install|enable|disable|use|create|delete|remove|force|skip|run|start|ok)\b[^:]*\?\s*(?:[[(][^\])]*[\])])?\s*:?\s*$/iu;

/** A question that takes yes or no, by its words or by what the next lines compare the answer with. */
export function isYesNo({ text, after = '' }: Prompt): boolean {
  const next = after.split('\n', 3).join(' ');
  return (
    YES_NO.test(text) || QUESTION_VERB.test(text) || (/\?\W*$/u.test(text) && /["'\s[^]y(?:es)?["'\s\]]/iu.test(next))
  );
}

/** `[Y/n]` is `y`, `[8080]` is `8080`, `(default: main)` is `main`; undefined where the prompt shows none. */
export function defaultIn(text: string): string | undefined {
  const told = /\bdefaults?(?:\s+(?:is|to))?\s*[:=]?\s*["'`]?([^\s"'`\])},;]+)/iu.exec(text)?.[1];
  if (told !== undefined) return told;
  const last = [...text.matchAll(/[[(]([^[\]()]{1,80})[\])]/gu)].at(-1)?.[1]?.trim() ?? '';
  const choices = choicesIn(`(${last})`);
  const [capital, ...others] = choices.filter((choice) => /^[A-Z]/u.test(choice));
  if (choices.length > 1) return others.length === 0 ? capital?.toLowerCase() : undefined;
  return last === '' || REMARK.test(last) || /[\s…]/u.test(last) ? undefined : last;
}

const REMARK = /^(?:optional|required|e\.?g\.?|example|leave|press|hidden|none|max|min|must)/iu;

/** `(dev/staging/prod)`, `[a|b|c]`, `{x,y}`; a path is no list of choices. */
export function choicesIn(text: string): string[] {
  const groups = [...text.matchAll(/[[({]([^[\](){}]{1,120})[\])}]/gu)].map(([, group = '']) =>
    /^\s*[/~.]/u.test(group)
      ? []
      : group.split(/\s*[/|,]\s*|\s+or\s+/u).map((part) => part.trim().replaceAll(/["'`]/gu, '')),
  );
  return groups.find((parts) => parts.length > 1 && parts.every((part) => /^[\w.@+-]{1,30}$/u.test(part))) ?? [];
}

/** Choices that end, undo or reach production. */
export function isUnwanted(choice: string): boolean {
  return (
    /^(?:quit|exit|cancel|abort|none|no|back|q|prod(?:uction)?|live)$/iu.test(choice.trim()) || DANGER.test(choice)
  );
}

/** The variable through which a secret could come: `dbPassword` is `DB_PASSWORD`. */
export function environmentName(variable: string): string {
  return variable
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1_$2')
    .replaceAll(/\W+/gu, '_')
    .toUpperCase();
}
