/**
 * Decides which commands the hook handles: commands that test, build or lint. It skips a line that also talks to
 * another machine or a database, because the output of such a line may be private. `run/` handles runners and scripts
 * of packages.
 */

import path from 'node:path';
import { isLauncherWord, basename as plainName } from '../run/adapters/adapter.ts';
import { ADAPTERS } from '../run/adapters.ts';
import { type LineCommand, lineCommands, quoted } from '../system/words.ts';

/** A command that the hook handles. */
export interface Recognised {
  /** The line without changes of the folder before it and filters after it. */
  command: string;
  /** The folder in which the command runs. */
  folder: string;
  /** True if the exit code of the line is that of the command. */
  tells: LineEnd;
}

interface LineEnd {
  /** True if exit code 0 means that all commands passed. */
  passed: boolean;
  /** True if any other exit code means that a command failed. */
  failed: boolean;
}

/** Words anywhere in a line that make the hook skip the line, for example `curl`. */
const FOREIGN_ANYWHERE = new Set(
  'psql pg_dump mysql mysqldump mongosh mongodump redis-cli curl wget ssh scp sftp rsync'.split(' '),
);

/** Commands that make the hook skip a line. */
const FOREIGN = new Set(
  (
    'pg_restore mariadb sqlite3 mongo cqlsh sqlcmd clickhouse-client http https xh nc ncat telnet openssl ftp mosh ssh-add ' +
    'ssh-keygen gpg aws gcloud az doctl heroku fly flyctl vercel netlify wrangler kubectl oc helm terraform tofu pulumi ' +
    'ansible ansible-playbook vault op pass gh glab printenv docker podman'
  ).split(' '),
);

/**
 * Wrappers that run another command. The hook skips them, their options and a duration. The letters are options with a
 * value.
 */
const AROUND = new Map(
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

/** Shells, which run the text of an argument after `-c`. */
const SHELLS = new Set('sh bash dash zsh ksh'.split(' '));

/** Managers whose scripts are defined by the project. */
const MANAGERS = new Set('npm pnpm yarn bun deno composer'.split(' '));

const CHANGES_FOLDER = new Set(['cd', 'pushd']);

/** Change nothing that a test could fail for. */
const HARMLESS = new Set('cd pushd popd export set source . echo true : clear pwd mkdir ls cat date sleep'.split(' '));

/** Words that change the order of execution or the exit code of the line. */
const UNREADABLE = new Set(
  '! if then elif else fi for while until do done case esac select function coproc trap eval break continue'.split(' '),
);

/** Commands that end the line with their own exit code. */
const ENDS = new Set(['exit', 'return', 'logout']);
const SETS_OR_ENDS = new Set(['set', ...ENDS]);

/** Programs that only read the output of a pipe. */
const FILTERS = new Set('tail head grep egrep rg tee cat less sed awk cut sort uniq wc tr ansi2txt column'.split(' '));

/** Subcommands of git that do not change the files of the work tree. */
const GIT_KEEPS = new Set(
  'add commit push fetch status diff log show branch tag remote rev-parse ls-files blame'.split(' '),
);

type Arguments = true | RegExp;

/** Tools that build and lint. The value is true for any arguments, or a pattern for the arguments. */
const TOOLS: Readonly<Record<string, Arguments>> = {
  ...always('tsc vue-tsc tsgo svelte-check eslint oxlint stylelint xo standard knip webpack rollup esbuild swc tsup'),
  ...always('mypy pyright basedpyright flake8 pylint bandit tox nox pre-commit ty'),
  ...always(
    'golangci-lint staticcheck javac kotlinc scalac ktlint detekt checkstyle ant sbt msbuild xcodebuild swiftlint',
  ),
  ...always('rustc gcc g++ cc c++ clang clang++ clang-tidy cppcheck ninja samu rubocop standardrb phpstan psalm phpcs'),
  ...always('shellcheck hadolint yamllint actionlint markdownlint markdownlint-cli2'),
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
  // Only the files of these tools define their targets, so the name of the target decides.
  ...byTarget('make gmake just task rake invoke inv'),
  ...sameAs(['mvn', 'mvnw', 'mvnd'], /(?:^| )(?:test|verify|package|compile|install|test-compile)\b/u),
  ...sameAs(['gradle', 'gradlew'], /(?:^| |:)(?:test|check|build|assemble|compile\w*|lint\w*|\w+Test)\b/u),
};

/** Names of scripts and targets that test, build or lint. */
const NAME =
  /^(?:t|tst|test|tests|lint|build|check|typecheck|type-check|types|tsc|compile|verify|ci|unit|e2e|spec)(?:[:._-]|$)/u;

function always(names: string): Record<string, true> {
  return Object.fromEntries(names.split(' ').map((name) => [name, true]));
}

function sameAs(names: readonly string[], is: RegExp): Record<string, RegExp> {
  return Object.fromEntries(names.map((name) => [name, is]));
}

function byTarget(names: string): Record<string, RegExp> {
  const target =
    /^(?:-\S+ (?:\d+ )?|\w+=\S* )*(?:$|all\b|(?:t|test|tests|lint|build|check|typecheck|compile|verify|ci|unit|spec)(?:$|[ :._-]))/u;
  return sameAs(names.split(' '), target);
}

/** Maximum length of a line. Longer lines usually write files. */
const MAX_LINE_CHARACTERS = 4_000;

/** Returns undefined if the hook skips the line. */
export async function recognise(line: string, cwd: string): Promise<Recognised | undefined> {
  const commands = line.length > MAX_LINE_CHARACTERS ? undefined : withInner(lineCommands(line));
  if (commands === undefined || isForeign(commands)) return undefined;
  return recogniseAll(commands, cwd, { errexit: false, pipefail: false });
}

interface ShellOptions {
  errexit: boolean;
  pipefail: boolean;
}

/** A command of a line. `inner` has the commands of a group or of a shell with `-c`. */
interface ReadCommand extends Omit<LineCommand, 'group'> {
  inner?: { kind: '(' | '{' | 'shell'; commands: ReadCommand[]; options: ShellOptions };
}

/** Adds the commands of groups and shells. Returns undefined if one of them cannot be parsed. */
function withInner(commands: readonly LineCommand[] | undefined): ReadCommand[] | undefined {
  const read = commands?.map(({ words, joint, group }): ReadCommand | undefined => {
    const options = { errexit: false, pipefail: false };
    const text = group === undefined ? textForShell(bare(words), options) : undefined;
    if (group === undefined && text === undefined) return { words, joint };
    const inner = withInner(group?.commands ?? lineCommands(text ?? '', false));
    return inner && { words, joint, inner: { kind: group?.kind ?? 'shell', commands: inner, options } };
  });
  return read?.every((one) => one !== undefined) ? read : undefined;
}

/** The text of a shell command such as `bash -euo pipefail -c 'npm test'`. Sets the options. */
function textForShell([program = '', ...words]: readonly string[], options: ShellOptions): string | undefined {
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

/** `outer` has the options at the start of a group. */
async function recogniseAll(
  commands: readonly ReadCommand[],
  cwd: string,
  outer: ShellOptions,
): Promise<Recognised | undefined> {
  let folder = cwd;
  const counting = new Map<ReadCommand, { command: string; passed: boolean }>();
  const options = { ...outer };
  let failed = true;
  for (const [at, command] of commands.entries()) {
    const words = bare(command.words);
    const [program = ''] = words;
    const { inner } = command;
    // `set -e` does not end a group whose exit code is used.
    const innerOptions = inner?.kind === 'shell' ? inner.options : { ...options, errexit: false };
    const found = inner && (await recogniseAll(inner.commands, folder, innerOptions));
    if (!isInPipe(commands, at)) setOptions(words, options);
    if (found !== undefined) {
      if (counting.size === 0) folder = found.folder;
      failed &&= found.tells.failed && command.joint !== '|' && (counting.size === 0 || command.joint === '&&');
      counting.set(command, { command: found.command, passed: found.tells.passed });
    } else if (counting.size === 0 && CHANGES_FOLDER.has(program) && words[1] !== undefined)
      folder = path.resolve(folder, words[1]);
    else if (command.joint === '|' && FILTERS.has(program)) failed &&= counting.size === 0;
    else if (inner === undefined && (await counts(words, folder))) {
      failed &&= command.joint !== '|' && (counting.size === 0 || command.joint === '&&');
      counting.set(command, { command: words.map((word) => quoted(word)).join(' '), passed: true });
    } else if (counting.size > 0 || !HARMLESS.has(program)) failed = false;
  }
  if (counting.size === 0) return undefined;
  const [all, found] = [new Set(counting.keys()), [...counting.values()]];
  const passed = found.every((one) => one.passed) && passesAsWhole(commands, all, outer) && keepsFiles(commands, all);
  return { command: found.map((one) => one.command).join(' && '), folder, tells: { passed, failed } };
}

/**
 * Returns true if exit code 0 of the line means that these commands ran and ended with 0. They must be in the last list
 * of the line, only `&&` may join that list, and a command after a pipe hides their exit code unless `pipefail` is set.
 * After `set -e`, an earlier command that is not part of a list counts too.
 */
function passesAsWhole(
  commands: readonly ReadCommand[],
  counting: ReadonlySet<ReadCommand>,
  outer: ShellOptions,
): boolean {
  const options = { ...outer };
  const lists = listsOf(commands);
  for (const [index, list] of lists.entries()) {
    for (const [at, command] of list.entries()) {
      const isBeforePipe = list[at + 1]?.joint === '|';
      if (!isReadable(command)) return false;
      if (!isInPipe(list, at)) setOptions(bare(command.words), options);
      if (counting.has(command) && isBeforePipe && !options.pipefail) return false;
    }
    if (!list.some((command) => counting.has(command))) continue;
    const isAlone = list.every(({ joint }) => joint !== '&&');
    const endsLine = index === lists.length - 1 || (options.errexit && isAlone);
    if (!endsLine || list.some(({ joint }) => joint === '||')) return false;
  }
  return true;
}

/**
 * Returns true if the current files are the tested files. This holds if commands after the tests only read files or
 * only store existing files in git. It does not hold after `git stash && npm test && git stash pop`.
 */
function keepsFiles(commands: readonly ReadCommand[], counting: ReadonlySet<ReadCommand>): boolean {
  const last = [...counting].at(-1);
  return commands.slice(last === undefined ? 0 : commands.indexOf(last) + 1).every(({ words }) => {
    const [program = '', ...rest] = bare(words);
    if (program === 'git') return GIT_KEEPS.has(rest[0] ?? '');
    const writes = rest.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/u.test(word)) && program === 'sed';
    return !writes && (FILTERS.has(program) || HARMLESS.has(program) || ENDS.has(program));
  });
}

/** Returns true if the command is part of a pipe, because options that such a command sets apply only there. */
function isInPipe(commands: readonly ReadCommand[], at: number): boolean {
  return commands[at]?.joint === '|' || commands[at + 1]?.joint === '|';
}

/** The parts of a line between semicolons or line breaks. */
function listsOf(commands: readonly ReadCommand[]): ReadCommand[][] {
  const lists: ReadCommand[][] = [];
  for (const command of commands) {
    if (command.joint === ';' || command.joint === '') lists.push([command]);
    else lists.at(-1)?.push(command);
  }
  return lists;
}

function isReadable({ words, joint, inner }: ReadCommand): boolean {
  // A group with braces sets options and ends the line for the outer commands too.
  if (inner?.kind === '{')
    return inner.commands.every((one) => isReadable(one) && !SETS_OR_ENDS.has(bare(one.words)[0] ?? ''));
  const [program = '', code] = bare(words);
  if (UNREADABLE.has(words[0] ?? '') || UNREADABLE.has(program)) return false;
  // `cd web || exit` ends with the exit code of the failed command.
  return !ENDS.has(program) || (joint === '||' && (code === undefined || /^[1-9]\d*$/u.test(code)));
}

/** Handles commands such as `set -euo pipefail` and `set +e`. */
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

function isForeign(commands: readonly ReadCommand[]): boolean {
  return commands.some(({ words, inner }) => {
    const [program = ''] = bare(words);
    if (inner !== undefined && isForeign(inner.commands)) return true;
    return FOREIGN.has(plainName(program)) || words.some((word) => FOREIGN_ANYWHERE.has(plainName(word)));
  });
}

/** Removes wrappers, for example from `CI=1 timeout 60 npm test`. */
function bare(words: readonly string[]): string[] {
  let at = 0;
  let around = '';
  while (at < words.length) {
    const word = words[at] ?? '';
    const isDuration = /^g?timeout$/u.test(around) && /^[\d.]+[smhd]?$/u.test(word);
    const isPart = /^\w+=/u.test(word) || AROUND.has(plainName(word)) || isDuration || (at > 0 && word.startsWith('-'));
    if (!isPart) break;
    if (AROUND.has(plainName(word))) around = plainName(word);
    else if (isDuration) around = '';
    const hasValue = /^-\w$/u.test(word) && AROUND.get(around)?.includes(word.charAt(1)) === true;
    at += hasValue ? 2 : 1;
  }
  return words.slice(at);
}

async function counts(words: readonly string[], folder: string): Promise<boolean> {
  const tool = isTool(words);
  if (tool !== undefined) return tool;
  if (ADAPTERS.some((adapter) => adapter.recognise(words) !== undefined)) return true;
  return MANAGERS.has(plainName(words[0] ?? '')) && isScript(words, folder);
}

/**
 * Returns true if a tool, possibly after launchers, is called with matching arguments. Returns undefined without a
 * tool.
 */
function isTool(words: readonly string[]): boolean | undefined {
  for (const [index, word] of words.entries()) {
    const name = plainName(word);
    const known = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (known !== undefined) return known === true || known.test(words.slice(index + 1).join(' '));
    if (!isLauncherWord(word)) return undefined;
  }
  return undefined;
}

/**
 * Returns true if a script of a package tests, builds or lints. The script text decides if it is recognized, otherwise
 * the name.
 */
async function isScript(words: readonly string[], folder: string): Promise<boolean> {
  const [{ recognisedRunner }, { scriptOf }] = await Promise.all([
    import('../run/planning/plan.ts'),
    import('../run/planning/scripts.ts'),
  ]);
  const script = scriptOf(words, folder);
  if (script === undefined) return recognisedRunner(words.map((word) => quoted(word)).join(' '), folder) !== null;
  const inner = withInner(lineCommands(script.text));
  if (inner !== undefined && isForeign(inner)) return false;
  if (inner?.some(({ words: one }) => isTool(bare(one)) === true)) return true;
  if (recognisedRunner(script.text, folder) !== null) return true;
  const name = words
    .slice(1)
    .find((word) => word !== 'run' && word !== 'run-script' && word !== 'task' && !word.startsWith('-'));
  return name !== undefined && NAME.test(name);
}
