/**
 * What kind of answer a prompt wants: a secret, a yes or no, a choice, a word; and which answers are dangerous.
 */

/** What is asked, as far as a text and a name show. */
export interface Asked {
  prompt: string;
  /** The variable it goes into. */
  variable?: string | null | undefined;
  /** What is typed is not shown. */
  silent?: boolean | undefined;
  /** What was printed right before. */
  context?: readonly string[] | undefined;
}

/** Words of secrets, whole. */
const SECRET_WORDS =
  /\b(?:passwords?|passwd|passphrases?|passcode|pwd|secrets?|(?:api|access|auth|refresh|bearer|deploy|session|id|github|gitlab|npm|slack|bot|personal access)[ _-]?tokens?|tokens?|api[ _-]?keys?|access[ _-]?keys?|secret[ _-]?keys?|private[ _-]?keys?|encryption[ _-]?keys?|signing[ _-]?keys?|master[ _-]?keys?|service[ _-]?role[ _-]?keys?|license[ _-]?keys?|credentials?|pin(?:[ _-]?(?:code|number))?|otp|one[ -]time (?:code|password)|2fa|mfa|(?:verification|authentication|auth|security)[ _-]?code|connection[ _-]?string|dsn|pat|cvv|ssn)\b|密码|口令|密钥|令牌|验证码/iu;

/** In names of variables: `DB_PASS`, `githubToken`, `AWS_SECRET_ACCESS_KEY`. */
const SECRET_NAME =
  /(?:^|_)(?:PASS|PASSWD|PASSWORD|PASSPHRASE|PWD|PW|SECRET|TOKEN|APIKEY|CREDENTIALS?|PAT|PIN|OTP|DSN)(?:_|\d|$)|(?:^|_)(?:API|ACCESS|SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER|AUTH|LICENSE)_?KEY(?:_|\d|$)/u;

/** What is said of a secret without being one: where it lies, what it is called, how long it lives. */
const ABOUT_SECRETS =
  /\b(?:path|file(?:name)?|location|directory|folder|name|length|type|algorithm|expir\w*|ttl|lifetime|policy|provider|manager|id)\b[^:?]*[:?\])]*\s*$/iu;

/** An access key's id is half a credential. */
const SECRET_ID = /access[ _-]?key[ _-]?id/iu;

export function isCredential(asked: Asked): boolean {
  if (asked.silent) return true;
  const { prompt } = asked;
  if (isYesNo(asked)) return false;
  if (SECRET_ID.test(prompt) || SECRET_ID.test(asked.variable ?? '')) return true;
  const words = withoutDefault(prompt);
  if (ABOUT_SECRETS.test(words) && !/pass(?:word|phrase)[^\w]*$/iu.test(words)) return false;
  if (SECRET_WORDS.test(words)) return true;
  // A text that says what it wants counts more than a name, unless it says nothing.
  const name = snake(asked.variable ?? '');
  return SECRET_NAME.test(name) && !/_(?:PATH|FILE|NAME|LENGTH|TYPE|TTL|ID|DIR)$/u.test(name);
}

/** Words of questions that must not be answered yes. */
const DANGER =
  /\b(?:delet\w*|remov\w*|eras\w*|overwrit\w*|drop(?:s|ped|ping)?(?!-)|destroy\w*|wip(?:e|es|ed|ing)|purg\w*|truncat\w*|uninstall\w*|discard\w*|prun\w*|reset(?:s|ting)?|forc(?:e|ed|ibly)|irreversibl\w*|permanent\w*|are you (?:really |absolutely )?sure|cannot be undone|can'?t be undone|no undo|data loss|format (?:the )?(?:disk|drive|volume|partition)|lose (?:all|your)|clobber|nuke|rollback|roll back|revert|terminate|shut ?down|reboot)\b|删除|覆盖|清空|确定要|不可恢复|卸载/iu;

/** Commands behind a yes that cannot be taken back. */
const DANGEROUS_COMMAND =
  /\brm\s+(?:-\w+\s+)*-\w*[rf]|\bdrop\s+(?:table|database|schema)\b|\bdropdb\b|\bdelete\s+from\b|\btruncate\s+(?:table|-s)|\bgit\s+(?:push\b[^\n;&|]*(?:--force\b|\s-f\b)|reset\s+--hard|clean\s+-\w*[fdx])|\bdocker\s+(?:\w+\s+)?(?:prune|rmi?)\b|\bdocker[ -]compose\s+down\b[^\n;&|]*-v|\bkubectl\s+delete\b|\bhelm\s+(?:uninstall|delete)\b|\bterraform\s+destroy\b|\bmkfs|\bdd\s+[^\n]*of=|\bshred\b|\bunlink\b|\bfind\b[^\n;|]*-delete/iu;

export function isDangerous(asked: Asked, consequence = ''): boolean {
  if (DANGEROUS_COMMAND.test(consequence)) return true;
  if (DANGER.test(asked.prompt)) return isYesNo(asked) || isConfirmation(asked.prompt);
  // A bare "Continue?" means what was said before it.
  const before = (asked.context ?? []).join('\n');
  return isBareConfirmation(asked.prompt) && DANGER.test(before);
}

const YES_NO =
  /[[(]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?|n(?:o)?\s*[/|,]\s*y(?:es)?|\[y\]\s*\/\s*n|y\s*\/\s*\[n\])[^\])]*[\])]|\by\/n\b|\byes\/no\b|\(\[y\]\/n\)|是否/iu;
const QUESTION_VERB =
  /^\W*(?:do|does|did|are|is|should|shall|would|will|can|may|have|has|want to|continue|proceed|overwrite|install|enable|disable|use|create|delete|remove|force|skip|run|start|ok)\b[^:]*\?\s*(?:[[(][^\])]*[\])])?\s*:?\s*$/iu;

/** A question that takes yes or no. */
export function isYesNo({ prompt }: Asked): boolean {
  return YES_NO.test(prompt) || QUESTION_VERB.test(prompt);
}

/** `Type 'DELETE' to confirm`, `Enter the name to delete it`. */
function isConfirmation(prompt: string): boolean {
  return /\?|\bconfirm\b|\bto (?:continue|proceed|delete|destroy|confirm)\b|\btype\b.*['"`]?\w+['"`]?/iu.test(prompt);
}

function isBareConfirmation(prompt: string): boolean {
  return /^\W*(?:(?:do you (?:want|wish) to|would you like to)?\s*(?:continue|proceed|go on|go ahead)|are you ready|ok|confirm|yes\b|y\/n|\[y)/iu.test(
    prompt,
  );
}

/** `Press any key`, `Hit Enter to continue`. */
export function isPause({ prompt }: Asked): boolean {
  return /\b(?:press|hit|push|strike)\b.*\b(?:enter|return|any key|a key|key)\b|按任意键|按回车/iu.test(prompt);
}

/** Yes where the question is whether to go on; null where its own default decides. */
export function isGoOn({ prompt }: Asked): boolean {
  return /\b(?:continue|proceed|go ahead|go on|ready|correct|looks good|ok(?:ay)?|is this ok)\b/iu.test(prompt);
}

/** `[Y/n]` is `y`, `(yes)` is `yes`, `[8080]` is `8080`, `(default: main)` is `main`. */
export function defaultIn(prompt: string): string | null {
  const told = /\bdefaults?(?:\s+(?:is|to))?\s*[:=]?\s*["'`]?([^\s"'`\])},;]+)/iu.exec(prompt)?.[1];
  if (told !== undefined) return told;
  const brackets = [...prompt.matchAll(/\[([^[\]]{1,80})\]|\(([^()]{1,80})\)/gu)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  const last = brackets.at(-1)?.trim();
  if (last === undefined) return null;
  const choices = splitChoices(last);
  if (choices.length > 1) return capital(choices);
  // A remark is no value; a value has no spaces, or is a path or a name.
  if (
    /^(?:optional|required|e\.?g\.?|i\.e\.|example|leave|press|hidden|none|in |max|min|must|at least|no |the |your |not )/iu.test(
      last,
    )
  )
    return null;
  return /\s/u.test(last) || last.includes('…') ? null : last;
}

/** `(dev/staging/prod)`, `[a|b|c]`, `{x,y}`. */
export function choicesIn(prompt: string): string[] {
  const groups = [...prompt.matchAll(/[[({]([^[\](){}]{1,120})[\])}]/gu)].map((match) => splitChoices(match[1] ?? ''));
  return groups.find((choices) => choices.length > 1) ?? [];
}

function splitChoices(text: string): string[] {
  const parts = text.split(/\s*[/|,]\s*|\s+or\s+/u).map((part) => part.trim().replace(/^["'`]|["'`]$/gu, ''));
  const isList = parts.length > 1 && parts.every((part) => /^[\w.@+-]{1,30}$/u.test(part));
  // A path is no list of choices.
  return isList && !/^[/~.]/u.test(text.trim()) ? parts : [];
}

/** Of `Y/n` and `dev/STAGING/prod` the one in capitals, if there is just one. */
function capital(choices: readonly string[]): string | null {
  const capitals = choices.filter((choice) => /^[A-Z]/u.test(choice));
  const [only] = capitals;
  return capitals.length === 1 && only !== undefined ? only.toLowerCase() : null;
}

/** Choices that end, undo or reach production. */
export function isUnwanted(choice: string): boolean {
  return (
    /^(?:quit|exit|cancel|abort|none|no|back|q|prod(?:uction)?|live)$/iu.test(choice.trim()) || DANGER.test(choice)
  );
}

function withoutDefault(prompt: string): string {
  return prompt.replaceAll(/[[(][^\])]*[\])]/gu, ' ');
}

function snake(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])/gu, '$1_$2').toUpperCase();
}
