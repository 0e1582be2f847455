/**
 * Detects commands that watch for changes and never end. Runners that watch only at a terminal need no rule here,
 * because a run has no terminal.
 */

import { getProgramName, isLauncherWord } from '../adapters/adapter.ts';

/** Options and subcommands with which a program watches for changes. */
interface WatchRule {
  options?: readonly string[];
  subcommands?: readonly string[];
  /** The program watches unless the command contains one of these words. */
  unless?: readonly string[];
  advice: string;
}

const REMOVE_OPTION_ADVICE = 'Remove the option, or pass the command without it if a script contains it';
const WATCH_OPTION_RULE: WatchRule = { options: ['--watch', '-w'], advice: REMOVE_OPTION_ADVICE };

const WATCH_RULES = new Map<string, WatchRule>(
  Object.entries({
    ava: WATCH_OPTION_RULE,
    bun: { options: ['--watch', '--hot'], advice: REMOVE_OPTION_ADVICE },
    cargo: { subcommands: ['watch'], advice: "Pass 'cargo test'" },
    deno: { options: ['--watch', '--watch-hmr'], advice: REMOVE_OPTION_ADVICE },
    dotnet: { subcommands: ['watch'], advice: "Pass 'dotnet test'" },
    gradle: { options: ['-t', '--continuous'], advice: REMOVE_OPTION_ADVICE },
    gradlew: { options: ['-t', '--continuous'], advice: REMOVE_OPTION_ADVICE },
    guard: { unless: ['list', 'show', 'help'], advice: 'Pass the command of its tests' },
    jest: { options: ['--watch', '--watchAll'], advice: REMOVE_OPTION_ADVICE },
    karma: { subcommands: ['start'], unless: ['--single-run'], advice: 'Add --single-run' },
    mocha: WATCH_OPTION_RULE,
    ng: { subcommands: ['test'], unless: ['--watch=false', '--no-watch'], advice: 'Add --watch=false' },
    node: { options: ['--watch', '--watch-path'], advice: REMOVE_OPTION_ADVICE },
    nodemon: { unless: ['--version', '--help'], advice: 'Pass the command that it starts' },
    playwright: { options: ['--ui', '--ui-host', '--ui-port'], advice: REMOVE_OPTION_ADVICE },
    ptw: { unless: ['--version', '--help'], advice: "Pass 'pytest'" },
    'pytest-watch': { unless: ['--version', '--help'], advice: "Pass 'pytest'" },
    rollup: WATCH_OPTION_RULE,
    tap: { options: ['--watch', '-w'], subcommands: ['repl'], advice: REMOVE_OPTION_ADVICE },
    tsc: WATCH_OPTION_RULE,
    vitest: { options: ['--watch', '-w', '--ui'], subcommands: ['watch', 'dev'], advice: "Pass 'vitest run'" },
    webpack: { options: ['--watch', '-w'], subcommands: ['watch'], advice: REMOVE_OPTION_ADVICE },
  }),
);

/** Returns advice if the words start a program that watches. Returns undefined if the command ends by itself. */
export function getWatchAdvice(words: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    const rule = WATCH_RULES.get(getProgramName(word));
    if (rule !== undefined && requestsWatchMode(rule, words.slice(index + 1))) return rule.advice;
    if (!isLauncherWord(word)) return undefined;
  }
  return undefined;
}

function requestsWatchMode({ options, subcommands, unless }: WatchRule, argumentWords: readonly string[]): boolean {
  if (unless?.some((word) => argumentWords.includes(word))) return false;
  if (options === undefined && subcommands === undefined) return true;
  if (subcommands?.includes(argumentWords.find((word) => !word.startsWith('-')) ?? '')) return true;
  return argumentWords.some((word, index) => {
    const [option = '', value = argumentWords[index + 1]] = word.split('=', 2);
    return options?.includes(option) === true && value !== 'false';
  });
}

/** Programs that start Jest with `--watch` unless they run in CI: the programs of Create React App, and kcd-scripts. */
const WATCHES_OUTSIDE_CI = new Set(['react-scripts', 'craco', 'react-app-rewired', 'kcd-scripts']);

export function createNoWatchVariables(words: readonly string[]): Record<string, string> {
  const start = words.findIndex((word) => !isLauncherWord(word));
  return WATCHES_OUTSIDE_CI.has(getProgramName(words[start])) && words[start + 1] === 'test' ? { CI: 'true' } : {};
}
