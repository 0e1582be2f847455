/**
 * What the words of a command run: without the programs that only start another one, and which script it is.
 */

/** `sudo -E timeout 5 env A=b npm init` is `npm init`. */
export function unwrapped(words: readonly string[]): string[] {
  let rest = [...words];
  for (;;) {
    const name = rest[0];
    if (name === 'sudo' || name === 'doas') {
      rest = rest.slice(1);
      while (rest[0]?.startsWith('-')) rest = rest.slice(/^-[ugpCh]$/u.test(rest[0]) ? 2 : 1);
    } else if (name === 'env') {
      rest = rest.slice(1);
      while (/^-|^\w+=/u.test(rest[0] ?? '')) rest = rest.slice(1);
    } else if (name === 'timeout') {
      rest = rest.slice(1);
      while (rest[0]?.startsWith('-')) rest = rest.slice(1);
      rest = rest.slice(1);
    } else if (name !== undefined && /^(?:time|nohup|command|exec|builtin|nice|stdbuf|unbuffer)$/u.test(name)) {
      rest = rest.slice(1);
      while (rest[0]?.startsWith('-')) rest = rest.slice(1);
    } else return rest;
  }
}

interface ScriptCall {
  file: string;
  args: string[];
  sourced: boolean;
  /** The text of `sh -c`. */
  inline?: string;
}

/** A script that the words run or source. */
export function scriptOf([name = '', ...rest]: readonly string[]): ScriptCall | undefined {
  if (name === 'source' || name === '.') return { file: rest[0] ?? '', args: rest.slice(1), sourced: true };
  if (/^(?:.*\/)?(?:ba|z|da|k)?sh$/u.test(name)) {
    let at = 0;
    while (/^[-+]/u.test(rest[at] ?? '')) {
      if (/^-\w*c$/u.test(rest[at] ?? ''))
        return { file: '', args: rest.slice(at + 3), sourced: false, inline: rest[at + 1] ?? '' };
      at += rest[at] === '-o' || rest[at] === '+o' ? 2 : 1;
    }
    const file = rest[at];
    return file === undefined ? undefined : { file, args: rest.slice(at + 1), sourced: false };
  }
  if (name.includes('/') || /\.(?:sh|bash|zsh)$/u.test(name)) return { file: name, args: rest, sourced: false };
  if (/^(?:npm|pnpm|yarn|bun)$/u.test(name)) {
    const script = rest[0] === 'run' || rest[0] === 'run-script' ? rest[1] : rest[0];
    // The surroundings know package scripts by this name.
    return script === undefined || script.startsWith('-')
      ? undefined
      : { file: `package.json#${script}`, args: [], sourced: false };
  }
  return undefined;
}
