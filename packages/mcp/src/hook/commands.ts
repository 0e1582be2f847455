/**
 * Which commands the hook looks at: those that test, build or lint, and no line that also talks to another machine or to
 * a database, whose output is nobody's business here. Runners and scripts of packages: `run/`.
 */

import path from 'node:path';
import { isLauncherWord, basename as plainName } from '../run/adapters/adapter.ts';
import { ADAPTERS } from '../run/adapters.ts';
import { quoted, type SimpleCommand, simpleCommands } from '../system/words.ts';

/** A command that counts. */
export interface Recognised {
  /** What is remembered: the line without the folder it changes to and the filters behind it. */
  command: string;
  /** Where it runs. */
  folder: string;
  /** How far the exit code of the line is the exit code of these commands. */
  tells: LineEnd;
}

interface LineEnd {
  /** Exit code 0 means that all of them passed. */
  passed: boolean;
  /** Another exit code means that one of them failed. */
  failed: boolean;
}

/** Named anywhere in a line, and the hook looks away. */
const FOREIGN_ANYWHERE = new Set(
  'psql pg_dump mysql mysqldump mongosh mongodump redis-cli curl wget ssh scp sftp rsync'.split(' '),
);

/** The same where one of its commands is one of these. */
const FOREIGN = new Set(
  (
    'pg_restore mariadb sqlite3 mongo cqlsh sqlcmd clickhouse-client http https xh nc ncat telnet openssl ftp mosh ssh-add ' +
    'ssh-keygen gpg aws gcloud az doctl heroku fly flyctl vercel netlify wrangler kubectl oc helm terraform tofu pulumi ' +
    'ansible ansible-playbook vault op pass gh glab printenv docker podman'
  ).split(' '),
);

/** Run another command; they, their options and a duration are passed over. */
const AROUND = new Set(
  'time nice ionice nohup env command exec stdbuf unbuffer sudo timeout gtimeout xvfb-run cross-env dotenv'.split(' '),
);

/** Their scripts are somebody's own commands. */
const MANAGERS = new Set('npm pnpm yarn bun deno composer'.split(' '));

const CHANGES_FOLDER = new Set(['cd', 'pushd']);

/** Change nothing that a test could fail for. */
const HARMLESS = new Set('cd pushd export set source . echo true : clear pwd mkdir ls cat date sleep'.split(' '));

/** Words after which the order of commands is no longer the order in the line, or its exit code is another one. */
const UNREADABLE = new Set(
  '! if then elif else fi for while until do done case esac select function coproc trap eval break continue'.split(' '),
);

/** They end the line where they stand, with a code of their own. */
const ENDS = new Set(['exit', 'return', 'logout']);

/** What is behind a pipe for reading only. */
const FILTERS = new Set('tail head grep egrep rg tee cat less sed awk cut sort uniq wc tr ansi2txt column'.split(' '));

/** What of git leaves the files of the work tree as they are. */
const GIT_KEEPS = new Set(
  'add commit push fetch status diff log show branch tag remote rev-parse ls-files blame'.split(' '),
);

type Arguments = true | RegExp;

/** Tools that build and lint: any of their commands, or those whose first arguments say so. */
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
  // What their targets do only their files say; a name is all that is looked at.
  ...byTarget('make gmake just task rake invoke inv'),
  ...sameAs(['mvn', 'mvnw', 'mvnd'], /(?:^| )(?:test|verify|package|compile|install|test-compile)\b/u),
  ...sameAs(['gradle', 'gradlew'], /(?:^| |:)(?:test|check|build|assemble|compile\w*|lint\w*|\w+Test)\b/u),
};

/** A script or target with such a name tests, builds or lints. */
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

/** Longer lines write files. */
const MAX_LINE_CHARACTERS = 4_000;

/** Undefined: not looked at. */
export async function recognise(line: string, cwd: string): Promise<Recognised | undefined> {
  const commands = line.length > MAX_LINE_CHARACTERS ? undefined : simpleCommands(line);
  if (commands === undefined || isForeign(commands)) return undefined;
  let folder = cwd;
  const counting: SimpleCommand[] = [];
  let failed = true;
  for (const command of commands) {
    const words = bare(command.words);
    const [program = ''] = words;
    if (counting.length === 0 && CHANGES_FOLDER.has(program) && words[1] !== undefined)
      folder = path.resolve(folder, words[1]);
    else if (command.joint === '|' && FILTERS.has(program)) failed &&= counting.length === 0;
    else if (await counts(words, folder)) {
      failed &&= command.joint !== '|' && (counting.length === 0 || command.joint === '&&');
      counting.push(command);
    } else if (counting.length > 0 || !HARMLESS.has(program)) failed = false;
  }
  if (counting.length === 0) return undefined;
  return {
    command: counting
      .map(({ words }) =>
        bare(words)
          .map((word) => quoted(word))
          .join(' '),
      )
      .join(' && '),
    folder,
    tells: { passed: passesAsWhole(commands, new Set(counting)) && keepsFiles(commands, counting), failed },
  };
}

/**
 * True where the exit code 0 of a line means that these of its commands ran and ended with 0. They must be in its last list,
 * `&&` must be all that joins that list, and a command behind a pipe hides their code unless `pipefail` is set. After
 * `set -e` an earlier command that is not part of a list counts too.
 */
function passesAsWhole(commands: readonly SimpleCommand[], counting: ReadonlySet<SimpleCommand>): boolean {
  const options = { errexit: false, pipefail: false };
  const lists = listsOf(commands);
  for (const [index, list] of lists.entries()) {
    for (const [at, command] of list.entries()) {
      const isBeforePipe = list[at + 1]?.joint === '|';
      if (!isReadable(command)) return false;
      // In a pipe it is set for that part alone.
      if (command.joint !== '|' && !isBeforePipe) setOptions(bare(command.words), options);
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
 * Whether the files that lie here now are those that were tested: what follows the tests only reads, or keeps in git what is
 * there. After `git stash && npm test && git stash pop` others lie here.
 */
function keepsFiles(commands: readonly SimpleCommand[], counting: readonly SimpleCommand[]): boolean {
  const last = counting.at(-1);
  return commands.slice(last === undefined ? 0 : commands.indexOf(last) + 1).every(({ words }) => {
    const [program = '', ...rest] = bare(words);
    if (program === 'git') return GIT_KEEPS.has(rest[0] ?? '');
    const writes = rest.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/u.test(word)) && program === 'sed';
    return !writes && (FILTERS.has(program) || HARMLESS.has(program) || ENDS.has(program));
  });
}

/** The parts of a line between semicolons and ends of lines. */
function listsOf(commands: readonly SimpleCommand[]): SimpleCommand[][] {
  const lists: SimpleCommand[][] = [];
  for (const command of commands) {
    if (command.joint === ';' || command.joint === '') lists.push([command]);
    else lists.at(-1)?.push(command);
  }
  return lists;
}

function isReadable({ words, joint }: SimpleCommand): boolean {
  const [program = '', code] = bare(words);
  if (UNREADABLE.has(words[0] ?? '') || UNREADABLE.has(program)) return false;
  // `cd web || exit` ends with the code of what failed.
  return !ENDS.has(program) || (joint === '||' && (code === undefined || /^[1-9]\d*$/u.test(code)));
}

/** `set -euo pipefail`, `set +e`. */
function setOptions([program, ...words]: readonly string[], options: { errexit: boolean; pipefail: boolean }): void {
  if (program !== 'set') return;
  for (const [at, word] of words.entries()) {
    const [, sign, letters = ''] = /^([-+])([A-Za-z]+)$/u.exec(word) ?? [];
    if (sign === undefined) continue;
    const named = letters.includes('o') ? words[at + 1] : undefined;
    if (letters.includes('e') || named === 'errexit') options.errexit = sign === '-';
    if (named === 'pipefail') options.pipefail = sign === '-';
  }
}

function isForeign(commands: readonly SimpleCommand[]): boolean {
  return commands.some(({ words }) => {
    const [program = ''] = bare(words);
    return FOREIGN.has(plainName(program)) || words.some((word) => FOREIGN_ANYWHERE.has(plainName(word)));
  });
}

/** `CI=1 timeout 60 npm test`: without what only surrounds it. */
function bare(words: readonly string[]): string[] {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    const isDuration = /^(?:timeout|gtimeout)$/u.test(words[at - 1] ?? '') && /^[\d.]+[smhd]?$/u.test(word);
    const isPart = /^\w+=/u.test(word) || AROUND.has(plainName(word)) || isDuration || (at > 0 && word.startsWith('-'));
    if (!isPart) break;
    at += 1;
  }
  return words.slice(at);
}

async function counts(words: readonly string[], folder: string): Promise<boolean> {
  const tool = isTool(words);
  if (tool !== undefined) return tool;
  if (ADAPTERS.some((adapter) => adapter.recognise(words) !== undefined)) return true;
  return MANAGERS.has(plainName(words[0] ?? '')) && isScript(words, folder);
}

/** A tool by itself, or behind launchers; undefined where none of them is named. */
function isTool(words: readonly string[]): boolean | undefined {
  for (const [index, word] of words.entries()) {
    const name = plainName(word);
    const known = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (known !== undefined) return known === true || known.test(words.slice(index + 1).join(' '));
    if (!isLauncherWord(word)) return undefined;
  }
  return undefined;
}

/** A script of a package: by what it starts, where that is known to be something else; else by its name. */
async function isScript(words: readonly string[], folder: string): Promise<boolean> {
  const [{ recognisedRunner }, { scriptOf }] = await Promise.all([
    import('../run/planning/plan.ts'),
    import('../run/planning/scripts.ts'),
  ]);
  const script = scriptOf(words, folder);
  if (script === undefined) return recognisedRunner(words.map((word) => quoted(word)).join(' '), folder) !== null;
  const inner = simpleCommands(script.text);
  if (inner !== undefined && isForeign(inner)) return false;
  if (inner?.some(({ words: one }) => isTool(bare(one)) === true)) return true;
  if (recognisedRunner(script.text, folder) !== null) return true;
  const name = words
    .slice(1)
    .find((word) => word !== 'run' && word !== 'run-script' && word !== 'task' && !word.startsWith('-'));
  return name !== undefined && NAME.test(name);
}
