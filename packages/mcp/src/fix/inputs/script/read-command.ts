/**
 * What a `read` of bash, sh or zsh asks: its options, its variable, its prompt. What was printed before it: scan.ts.
 */

export interface ReadCall {
  prompt: string | null;
  variable: string | null;
  silent: boolean;
  singleKey: boolean;
  initial: string | null;
  /** Not standard input. */
  descriptor: number | null;
  /** Fills an array or reads to another end than the line's. */
  bulk: boolean;
}

/** Options of bash and zsh that take a value. */
const WITH_VALUE = 'adinNptuk';

/** The words after `read`, as far as they are known. */
export function readCall(words: readonly string[], zsh: boolean): ReadCall {
  const call: ReadCall = {
    prompt: null,
    variable: null,
    silent: false,
    singleKey: false,
    initial: null,
    descriptor: null,
    bulk: false,
  };
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') {
      at++;
      break;
    }
    if (!word.startsWith('-') || word === '-') break;
    at = takeOptions(call, words, at, zsh);
  }
  const [first] = words.slice(at);
  // zsh: `read "name?Prompt"`.
  const asked = first === undefined ? null : /^(\w*)\?([\s\S]*)$/u.exec(first);
  call.variable = (asked ? asked[1] : first) || null;
  if (asked) call.prompt = asked[2] ?? '';
  return call;
}

/** One word of options, with the value of its last one; gives the index it ended at. */
function takeOptions(call: ReadCall, words: readonly string[], at: number, zsh: boolean): number {
  const letters = (words[at] ?? '').slice(1);
  for (let index = 0; index < letters.length; index++) {
    const letter = letters.charAt(index);
    if (zsh && (letter === 'q' || letter === 'k')) {
      call.singleKey = true;
      // A number may follow -k at once.
      if (/^\d*$/u.test(letters.slice(index + 1))) return at;
      continue;
    }
    if (zsh && letter === 'p') continue;
    if (!WITH_VALUE.includes(letter)) {
      if (letter === 's') call.silent = true;
      continue;
    }
    const attached = letters.slice(index + 1);
    setOption(call, letter, attached === '' ? (words[at + 1] ?? '') : attached);
    return attached === '' ? at + 1 : at;
  }
  return at;
}

function setOption(call: ReadCall, letter: string, value: string): void {
  if (letter === 'p') call.prompt = value;
  else if (letter === 'i') call.initial = value;
  else if (letter === 'n' || letter === 'N' || letter === 'k') call.singleKey = value === '1';
  else if (letter === 'u') call.descriptor = Number(value);
  else if (letter === 'a') call.bulk = true;
  else if (letter === 'd') call.bulk = value !== '\n';
}
