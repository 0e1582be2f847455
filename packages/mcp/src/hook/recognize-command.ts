/**
 * Decides which commands the hook handles: commands that test, build or lint. A line that also uses another machine or
 * a database is skipped, because the output of such a line may be private. `run/` handles test runners and scripts of
 * packages.
 */

import path from 'node:path';
import { isLauncherWord, getProgramName as plainName } from '../run/adapters/adapter.ts';
import { ADAPTERS } from '../run/adapters.ts';
import { type LineCommand, parseLineCommands, quoteArgument } from '../system/command-line.ts';

/** A command that the hook handles. */
export interface RecognizedCommand {
  /** The command line, without changes of the folder before it and filters after it. */
  command: string;
  /** The folder in which the command runs. */
  folder: string;
  /**
   * Variables that the line sets and that may change the result, such as `PYTEST_ADDOPTS=-k other`. They are sorted and
   * joined by NUL characters.
   */
  variables: string;
  /** Meaning of the line's exit code for this command. */
  exitCodeMeaning: ExitCodeMeaning;
}

interface ExitCodeMeaning {
  /** True if exit code 0 means that all commands passed. */
  passed: boolean;
  /** True if any other exit code means that a command failed. */
  failed: boolean;
}

/** If one of these words is anywhere in a line, the hook skips the line. */
const PRIVATE_WORDS = new Set(
  'psql pg_dump mysql mysqldump mongosh mongodump redis-cli curl wget ssh scp sftp rsync'.split(' '),
);

/** If one of these programs is called in a line, the hook skips the line. */
const PRIVATE_PROGRAMS = new Set(
  (
    'pg_restore mariadb sqlite3 mongo cqlsh sqlcmd clickhouse-client http https xh nc ncat telnet openssl ftp mosh ssh-add ' +
    'ssh-keygen gpg aws gcloud az doctl heroku fly flyctl vercel netlify wrangler kubectl oc helm terraform tofu pulumi ' +
    'ansible ansible-playbook vault op pass gh glab printenv docker podman'
  ).split(' '),
);

/**
 * Programs that run another command. The hook ignores such a program, its options, and the duration of `timeout`. The
 * value has the letters of the options that take a value, such as `k` in `timeout -k 5 60 npm test`.
 */
const WRAPPER_OPTIONS = new Map(
  Object.entries({
    time: 'fo',
    nice: 'n',
    ionice: 'cn',
    nohup: '',
    env: 'uC',
    command: '',
    exec: 'a',
    stdbuf: 'ioe',
    unbuffer: '',
    sudo: 'ughD',
    timeout: 'ks',
    gtimeout: 'ks',
    'xvfb-run': 'nes',
    'cross-env': '',
    dotenv: 'evf',
  }),
);

/** Shells, which run the text that follows `-c`. */
const SHELLS = new Set('sh bash dash zsh ksh'.split(' '));

/** Package managers whose scripts are defined by the project. */
const PACKAGE_MANAGERS = new Set('npm pnpm yarn bun deno composer'.split(' '));

const FOLDER_COMMANDS = new Set(['cd', 'pushd']);

/** Commands that change nothing on which the result of a test could depend. */
const HARMLESS_COMMANDS = new Set(
  'cd pushd popd export set source . echo true : clear pwd mkdir ls cat date sleep'.split(' '),
);

/** Words that change the order of execution, the exit code of the line, or the program that a name starts. */
const UNSUPPORTED_WORDS = new Set(
  (
    '! if then elif else fi for while until do done case esac select function coproc trap eval break continue ' +
    'alias enable hash'
  ).split(' '),
);

/** Commands that end the line with their own exit code. */
const EXIT_COMMANDS = new Set(['exit', 'return', 'logout']);
const SET_OR_EXIT_COMMANDS = new Set(['set', ...EXIT_COMMANDS]);

/** Programs that only read the output of a pipe. */
const FILTER_PROGRAMS = new Set(
  'tail head grep egrep rg tee cat less sed awk cut sort uniq wc tr ansi2txt column'.split(' '),
);

/** Subcommands of git that do not change the files of the work tree. */
const HARMLESS_GIT_COMMANDS = new Set(
  'add commit push fetch status diff log show branch tag remote rev-parse ls-files blame'.split(' '),
);

type ArgumentRule = true | RegExp;

/**
 * Tools that build and lint. The value is true if any arguments are accepted, otherwise a pattern for the arguments.
 */
const BUILD_TOOLS: Readonly<Record<string, ArgumentRule>> = {
  ...withAnyArguments(
    'tsc vue-tsc tsgo svelte-check eslint oxlint stylelint xo standard knip webpack rollup esbuild swc tsup',
  ),
  ...withAnyArguments('mypy pyright basedpyright flake8 pylint bandit tox nox pre-commit ty'),
  ...withAnyArguments(
    'golangci-lint staticcheck javac kotlinc scalac ktlint detekt checkstyle ant sbt msbuild xcodebuild swiftlint',
  ),
  ...withAnyArguments(
    'rustc gcc g++ cc c++ clang clang++ clang-tidy cppcheck ninja samu rubocop standardrb phpstan psalm phpcs',
  ),
  ...withAnyArguments('shellcheck hadolint yamllint actionlint markdownlint markdownlint-cli2'),
  biome: /^(?:ci|check|lint|format)\b/u,
  prettier: /(?:^| )(?:--check|-c|--list-different|-l)\b/u,
  ruff: /^(?:check|format)\b/u,
  black: /--check\b/u,
  isort: /--check/u,
  vite: /^build\b/u,
  next: /^(?:build|lint)\b/u,
  nuxt: /^(?:build|typecheck)\b/u,
  astro: /^(?:build|check)\b/u,
  parcel: /^build\b/u,
  turbo: /^(?:run )?(?:test|build|lint|check|typecheck)/u,
  nx: /^(?:run-many|affected|test|build|lint|typecheck|run [^ ]+:(?:test|build|lint))/u,
  cargo: /^(?:\+\S+ )?(?:t|test|nextest|b|build|c|check|clippy|fmt .*--check|doc)\b/u,
  go: /^(?:test|build|vet)\b/u,
  cmake: /^--build\b/u,
  meson: /^(?:test|compile)\b/u,
  bazel: /^(?:build|test)\b/u,
  dotnet: /^(?:build|test)\b/u,
  swift: /^(?:build|test)\b/u,
  mix: /^(?:test|compile|credo|dialyzer|format .*--check)/u,
  zig: /^(?:build|test)\b/u,
  flutter: /^(?:test|analyze|build)\b/u,
  dart: /^(?:test|analyze|compile)\b/u,
  stack: /^(?:build|test)\b/u,
  cabal: /^(?:build|test)\b/u,
  rebar3: /^(?:ct|eunit|compile|dialyzer)\b/u,
  lein: /^(?:test|compile)\b/u,
  // Only the files of these tools define what a target does, so the name of the target decides.
  ...withTargetPattern('make gmake just task rake invoke inv'),
  ...withPattern(['mvn', 'mvnw', 'mvnd'], /(?:^| )(?:test|verify|package|compile|install|test-compile)\b/u),
  ...withPattern(['gradle', 'gradlew'], /(?:^| |:)(?:test|check|build|assemble|compile\w*|lint\w*|\w+Test)\b/u),
};

/** Matches names of scripts and targets that test, build or lint. */
const TEST_OR_BUILD_NAME =
  /^(?:t|tst|test|tests|lint|build|check|typecheck|type-check|types|tsc|compile|verify|ci|unit|e2e|spec)(?:[:._-]|$)/u;

function withAnyArguments(names: string): Record<string, true> {
  return Object.fromEntries(names.split(' ').map((name) => [name, true]));
}

function withPattern(names: readonly string[], pattern: RegExp): Record<string, RegExp> {
  return Object.fromEntries(names.map((name) => [name, pattern]));
}

function withTargetPattern(names: string): Record<string, RegExp> {
  const target =
    /^(?:-\S+ (?:\d+ )?|\w+=\S* )*(?:$|all\b|(?:t|test|tests|lint|build|check|typecheck|compile|verify|ci|unit|spec)(?:$|[ :._-]))/u;
  return withPattern(names.split(' '), target);
}

/** Longer lines usually write files, so they are skipped. */
const MAX_LINE_CHARACTERS = 4_000;

/** Returns the command that tests, builds or lints, or undefined if the hook skips the line. */
export async function recognizeCommand(line: string, cwd: string): Promise<RecognizedCommand | undefined> {
  const commands = line.length > MAX_LINE_CHARACTERS ? undefined : parseInnerCommands(parseLineCommands(line));
  if (commands === undefined || isPrivate(commands)) return undefined;
  const found = await recognizeInCommands(commands, cwd, { errexit: false, pipefail: false });
  return found && { ...found, variables: listAssignments(commands).sort().join('\0') };
}

/** Matches names of scripts and targets that run tests. */
const TEST_NAME = /^(?:t|tst|tests?|unit|e2e|spec|verify|ci)(?:[:._-]|$)/u;

/**
 * Returns the name of the runner, or of the script that runs tests, such as `npm test`. Undefined for a build and a
 * linter.
 */
export function findTestProgram(command: string): string | undefined {
  for (const { words } of parseLineCommands(command) ?? []) {
    const [program = '', ...rest] = removeWrappers(words);
    const adapter = ADAPTERS.find((one) => one.recognize([program, ...rest]) !== undefined);
    if (adapter !== undefined) return adapter.name;
    const script = rest.find((word) => !word.startsWith('-') && word !== 'run' && word !== 'run-script');
    if (script !== undefined && TEST_NAME.test(script)) return `${plainName(program)} ${script}`;
  }
  return undefined;
}

/** Variables that change how much a command prints, but not its result. */
const HARMLESS_VARIABLE =
  /^(?:CI|DEBUG|TERM|COLUMNS|LINES|LANG|LC_\w+|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|PY_COLORS|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_\w+|NODE_NO_WARNINGS|npm_config_(?:loglevel|color|progress|fund|audit))=/iu;

/** Commands whose arguments are assignments. */
const ASSIGNMENT_COMMANDS = new Set(['export', 'declare', 'typeset', 'readonly']);

/** Returns the assignments in a line, in front of commands and in commands such as `export`. */
function listAssignments(commands: readonly ParsedCommand[]): string[] {
  return commands.flatMap(({ words, inner }) => {
    const rest = removeWrappers(words);
    const candidates = ASSIGNMENT_COMMANDS.has(rest[0] ?? '') ? words : words.slice(0, words.length - rest.length);
    const assignments = candidates.filter((word) => /^\w+=/u.test(word) && !HARMLESS_VARIABLE.test(word));
    return [...assignments, ...(inner === undefined ? [] : listAssignments(inner.commands))];
  });
}

interface ShellOptions {
  errexit: boolean;
  pipefail: boolean;
}

/** A command of a line. `inner` has the commands of a group, or of a shell with `-c`. */
interface ParsedCommand extends Omit<LineCommand, 'group'> {
  inner?: { kind: '(' | '{' | 'shell'; commands: ParsedCommand[]; options: ShellOptions };
}

/** Adds the commands of groups and shells. Returns undefined if one of them cannot be parsed. */
function parseInnerCommands(commands: readonly LineCommand[] | undefined): ParsedCommand[] | undefined {
  const read = commands?.map(({ words, operator, group }): ParsedCommand | undefined => {
    const options = { errexit: false, pipefail: false };
    const text = group === undefined ? extractShellText(removeWrappers(words), options) : undefined;
    if (group === undefined && text === undefined) return { words, operator };
    const inner = parseInnerCommands(group?.commands ?? parseLineCommands(text ?? '', false));
    return inner && { words, operator, inner: { kind: group?.kind ?? 'shell', commands: inner, options } };
  });
  return read?.every((one) => one !== undefined) ? read : undefined;
}

/** Returns the text that a shell runs, such as `npm test` for `bash -euo pipefail -c 'npm test'`. Sets the options. */
function extractShellText([program = '', ...words]: readonly string[], options: ShellOptions): string | undefined {
  if (!SHELLS.has(plainName(program))) return undefined;
  let runsText = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (!/^[-+]./u.test(word)) return runsText ? word : undefined;
    runsText ||= /^-[a-zA-Z]*c/u.test(word);
    setOptions(['set', ...words.slice(at, at + 2)], options);
    if (/^[-+][a-zA-Z]*o$/u.test(word)) at += 1;
  }
  return undefined;
}

/**
 * Recognizes the commands of a line or a group that test, build or lint. `outer` has the shell options that apply at
 * its start.
 */
async function recognizeInCommands(
  commands: readonly ParsedCommand[],
  cwd: string,
  outer: ShellOptions,
): Promise<Omit<RecognizedCommand, 'variables'> | undefined> {
  let folder = cwd;
  const recognized = new Map<ParsedCommand, { command: string; passed: boolean }>();
  const options = { ...outer };
  let failed = true;
  for (const [at, command] of commands.entries()) {
    const words = removeWrappers(command.words);
    const [program = ''] = words;
    const { inner } = command;
    // `set -e` does not end a group whose exit code is used.
    const innerOptions = inner?.kind === 'shell' ? inner.options : { ...options, errexit: false };
    const found = inner && (await recognizeInCommands(inner.commands, folder, innerOptions));
    if (!isInPipe(commands, at)) setOptions(words, options);
    if (found !== undefined) {
      if (recognized.size === 0) folder = found.folder;
      failed &&=
        found.exitCodeMeaning.failed &&
        command.operator !== '|' &&
        (recognized.size === 0 || command.operator === '&&');
      recognized.set(command, { command: found.command, passed: found.exitCodeMeaning.passed });
    } else if (recognized.size === 0 && FOLDER_COMMANDS.has(program) && words[1] !== undefined)
      folder = path.resolve(folder, words[1]);
    else if (command.operator === '|' && FILTER_PROGRAMS.has(program)) failed &&= recognized.size === 0;
    else if (inner === undefined && (await isTestOrBuildCommand(words, folder))) {
      failed &&= command.operator !== '|' && (recognized.size === 0 || command.operator === '&&');
      recognized.set(command, { command: words.map((word) => quoteArgument(word)).join(' '), passed: true });
    } else if (recognized.size > 0 || !HARMLESS_COMMANDS.has(program)) failed = false;
  }
  if (recognized.size === 0) return undefined;
  const [all, found] = [new Set(recognized.keys()), [...recognized.values()]];
  const passed =
    found.every((one) => one.passed) && provesPass(commands, all, outer) && leavesFilesUnchanged(commands, all);
  return { command: found.map((one) => one.command).join(' && '), folder, exitCodeMeaning: { passed, failed } };
}

/**
 * True if exit code 0 of the line means that these commands ran and exited with 0. Normally, they must be in the last
 * list of the line, and only `&&` may join that list. A pipe after them hides their exit code, so it is accepted only
 * with `pipefail`. After `set -e`, an earlier command that is not part of a list is accepted too.
 */
function provesPass(
  commands: readonly ParsedCommand[],
  recognized: ReadonlySet<ParsedCommand>,
  outer: ShellOptions,
): boolean {
  const options = { ...outer };
  const lists = splitLists(commands);
  for (const [index, list] of lists.entries()) {
    for (const [at, command] of list.entries()) {
      const isBeforePipe = list[at + 1]?.operator === '|';
      if (!isSupported(command)) return false;
      if (!isInPipe(list, at)) setOptions(removeWrappers(command.words), options);
      if (recognized.has(command) && isBeforePipe && !options.pipefail) return false;
    }
    if (!list.some((command) => recognized.has(command))) continue;
    const isAlone = list.every(({ operator }) => operator !== '&&');
    const endsLine = index === lists.length - 1 || (options.errexit && isAlone);
    if (!endsLine || list.some(({ operator }) => operator === '||')) return false;
  }
  return true;
}

/**
 * True if the files after the line are the files that were tested. This holds if commands after the tests only read
 * files or only store existing files in git. It does not hold after `git stash && npm test && git stash pop`.
 */
function leavesFilesUnchanged(commands: readonly ParsedCommand[], recognized: ReadonlySet<ParsedCommand>): boolean {
  const last = [...recognized].at(-1);
  return commands.slice(last === undefined ? 0 : commands.indexOf(last) + 1).every(({ words }) => {
    const [program = '', ...rest] = removeWrappers(words);
    if (program === 'git') return HARMLESS_GIT_COMMANDS.has(rest[0] ?? '');
    const writes = rest.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/u.test(word)) && program === 'sed';
    return !writes && (FILTER_PROGRAMS.has(program) || HARMLESS_COMMANDS.has(program) || EXIT_COMMANDS.has(program));
  });
}

/** True if the command is part of a pipe, because options that such a command sets apply only there. */
function isInPipe(commands: readonly ParsedCommand[], at: number): boolean {
  return commands[at]?.operator === '|' || commands[at + 1]?.operator === '|';
}

/** Splits a line at semicolons and line breaks. */
function splitLists(commands: readonly ParsedCommand[]): ParsedCommand[][] {
  const lists: ParsedCommand[][] = [];
  for (const command of commands) {
    if (command.operator === ';' || command.operator === '') lists.push([command]);
    else lists.at(-1)?.push(command);
  }
  return lists;
}

function isSupported({ words, operator, inner }: ParsedCommand): boolean {
  // A group with braces sets options and ends the line for the outer commands too.
  if (inner?.kind === '{')
    return inner.commands.every(
      (one) => isSupported(one) && !SET_OR_EXIT_COMMANDS.has(removeWrappers(one.words)[0] ?? ''),
    );
  const [program = '', code] = removeWrappers(words);
  if (UNSUPPORTED_WORDS.has(words[0] ?? '') || UNSUPPORTED_WORDS.has(program)) return false;
  // In `cd web || exit`, exit ends the line with the exit code of the failed command.
  return !EXIT_COMMANDS.has(program) || (operator === '||' && (code === undefined || /^[1-9]\d*$/u.test(code)));
}

/** Applies a command such as `set -euo pipefail` or `set +e` to the options. */
function setOptions([program, ...words]: readonly string[], options: ShellOptions): void {
  if (program !== 'set') return;
  for (const [at, word] of words.entries()) {
    const [, sign, letters = ''] = /^([-+])([A-Za-z]+)$/u.exec(word) ?? [];
    if (sign === undefined) continue;
    const named = letters.includes('o') ? words[at + 1] : undefined;
    if (letters.includes('e') || named === 'errexit') options.errexit = sign === '-';
    if (named === 'pipefail') options.pipefail = sign === '-';
  }
}

function isPrivate(commands: readonly ParsedCommand[]): boolean {
  return commands.some(({ words, inner }) => {
    const [program = ''] = removeWrappers(words);
    if (inner !== undefined && isPrivate(inner.commands)) return true;
    return PRIVATE_PROGRAMS.has(plainName(program)) || words.some((word) => PRIVATE_WORDS.has(plainName(word)));
  });
}

/** Removes wrappers and assignments: `CI=1 timeout 60 npm test` becomes `npm test`. */
function removeWrappers(words: readonly string[]): string[] {
  let at = 0;
  let wrapper = '';
  while (at < words.length) {
    const word = words[at] ?? '';
    const isDuration = /^g?timeout$/u.test(wrapper) && /^[\d.]+[smhd]?$/u.test(word);
    const isPart =
      /^\w+=/u.test(word) || WRAPPER_OPTIONS.has(plainName(word)) || isDuration || (at > 0 && word.startsWith('-'));
    if (!isPart) break;
    if (WRAPPER_OPTIONS.has(plainName(word))) wrapper = plainName(word);
    else if (isDuration) wrapper = '';
    const hasValue = /^-\w$/u.test(word) && WRAPPER_OPTIONS.get(wrapper)?.includes(word.charAt(1)) === true;
    at += hasValue ? 2 : 1;
  }
  return words.slice(at);
}

async function isTestOrBuildCommand(words: readonly string[], folder: string): Promise<boolean> {
  const tool = isBuildToolCall(words);
  if (tool !== undefined) return tool;
  if (ADAPTERS.some((adapter) => adapter.recognize(words) !== undefined)) return true;
  return PACKAGE_MANAGERS.has(plainName(words[0] ?? '')) && isTestOrBuildScript(words, folder);
}

/**
 * True if a tool, possibly after launchers, is called with matching arguments. Returns undefined if the words name no
 * known tool.
 */
function isBuildToolCall(words: readonly string[]): boolean | undefined {
  for (const [index, word] of words.entries()) {
    const name = plainName(word);
    const known = Object.hasOwn(BUILD_TOOLS, name) ? BUILD_TOOLS[name] : undefined;
    if (known !== undefined) return known === true || known.test(words.slice(index + 1).join(' '));
    if (!isLauncherWord(word)) return undefined;
  }
  return undefined;
}

/**
 * True if a script of a package tests, builds or lints. If the text of the script is recognized, it decides, otherwise
 * the name.
 */
async function isTestOrBuildScript(words: readonly string[], folder: string): Promise<boolean> {
  const [{ recognizeRunnerName }, { findScript }] = await Promise.all([
    import('../run/planning/plan.ts'),
    import('../run/planning/scripts.ts'),
  ]);
  const script = findScript(words, folder);
  if (script === undefined)
    return recognizeRunnerName(words.map((word) => quoteArgument(word)).join(' '), folder) !== null;
  const inner = parseInnerCommands(parseLineCommands(script.text));
  if (inner !== undefined && isPrivate(inner)) return false;
  if (inner?.some(({ words: one }) => isBuildToolCall(removeWrappers(one)) === true)) return true;
  if (recognizeRunnerName(script.text, folder) !== null) return true;
  const name = words
    .slice(1)
    .find((word) => word !== 'run' && word !== 'run-script' && word !== 'task' && !word.startsWith('-'));
  return name !== undefined && TEST_OR_BUILD_NAME.test(name);
}
