/**
 * Detects commands that watch for changes and never end. Runners that watch only at a terminal need no rule, because a
 * run has no terminal.
 */

import { basename, isLauncherWord } from '../adapters/adapter.ts';

/** Options and subcommands that make a program watch, and the replacement that runs once. */
interface Watcher {
  options?: readonly string[];
  subcommands?: readonly string[];
  /** The program watches unless the command contains such a word. */
  unless?: readonly string[];
  once: string;
}

const LEAVE_OUT = 'Leave the option out, or pass the command without it where it stands in a script';
const BY_OPTION: Watcher = { options: ['--watch', '-w'], once: LEAVE_OUT };

const WATCHERS = new Map<string, Watcher>(
  Object.entries({
    ava: BY_OPTION,
    bun: { options: ['--watch', '--hot'], once: LEAVE_OUT },
    cargo: { subcommands: ['watch'], once: "Pass 'cargo test'" },
    deno: { options: ['--watch', '--watch-hmr'], once: LEAVE_OUT },
    dotnet: { subcommands: ['watch'], once: "Pass 'dotnet test'" },
    gradle: { options: ['-t', '--continuous'], once: LEAVE_OUT },
    gradlew: { options: ['-t', '--continuous'], once: LEAVE_OUT },
    guard: { unless: ['list', 'show', 'help'], once: 'Pass the command of its tests' },
    jest: { options: ['--watch', '--watchAll'], once: LEAVE_OUT },
    karma: { subcommands: ['start'], unless: ['--single-run'], once: 'Add --single-run' },
    mocha: BY_OPTION,
    ng: { subcommands: ['test'], unless: ['--watch=false', '--no-watch'], once: 'Add --watch=false' },
    node: { options: ['--watch', '--watch-path'], once: LEAVE_OUT },
    nodemon: { unless: ['--version', '--help'], once: 'Pass the command that it starts' },
    playwright: { options: ['--ui', '--ui-host', '--ui-port'], once: LEAVE_OUT },
    ptw: { unless: ['--version', '--help'], once: "Pass 'pytest'" },
    'pytest-watch': { unless: ['--version', '--help'], once: "Pass 'pytest'" },
    rollup: BY_OPTION,
    tap: { options: ['--watch', '-w'], subcommands: ['repl'], once: LEAVE_OUT },
    tsc: BY_OPTION,
    vitest: { options: ['--watch', '-w', '--ui'], subcommands: ['watch', 'dev'], once: "Pass 'vitest run'" },
    webpack: { options: ['--watch', '-w'], subcommands: ['watch'], once: LEAVE_OUT },
  }),
);

/** The advice if the words start a watching program. Undefined if the command ends by itself. */
export function watchAdvice(words: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    const watcher = WATCHERS.get(basename(word));
    if (watcher !== undefined && isTold(watcher, words.slice(index + 1))) return watcher.once;
    if (!isLauncherWord(word)) return undefined;
  }
  return undefined;
}

function isTold({ options, subcommands, unless }: Watcher, rest: readonly string[]): boolean {
  if (unless?.some((word) => rest.includes(word))) return false;
  if (options === undefined && subcommands === undefined) return true;
  if (subcommands?.includes(rest.find((word) => !word.startsWith('-')) ?? '')) return true;
  return rest.some((word, index) => {
    const [option = '', value = rest[index + 1]] = word.split('=', 2);
    return options?.includes(option) === true && value !== 'false';
  });
}

/**
 * Programs that start Jest with `--watch` outside continuous integration: those of Create React App, and kcd-scripts.
 */
const WATCHES_OUTSIDE_CI = new Set(['react-scripts', 'craco', 'react-app-rewired', 'kcd-scripts']);

export function watchingOff(words: readonly string[]): Record<string, string> {
  const start = words.findIndex((word) => !isLauncherWord(word));
  return WATCHES_OUTSIDE_CI.has(basename(words[start])) && words[start + 1] === 'test' ? { CI: 'true' } : {};
}
