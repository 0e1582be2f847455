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
  /** How the line ended is how this ended; else what was printed has to tell. */
  tells: boolean;
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

/** Change nothing that a test could fail for. */
const HARMLESS = new Set('cd pushd export set source . echo true : clear pwd mkdir ls cat date sleep'.split(' '));

/** What is behind a pipe for reading only. */
const FILTERS = new Set('tail head grep egrep rg tee cat less sed awk cut sort uniq wc tr ansi2txt column'.split(' '));

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
  let tells = true;
  for (const command of commands) {
    const words = bare(command.words);
    const [program = ''] = words;
    if (counting.length === 0 && program === 'cd' && words[1] !== undefined) folder = path.resolve(folder, words[1]);
    else if (command.joint === '|' && FILTERS.has(program)) tells &&= counting.length === 0;
    else if (await counts(words, folder)) {
      tells &&= command.joint !== '|' && (counting.length === 0 || command.joint === '&&');
      counting.push(command);
    } else if (counting.length > 0 || !HARMLESS.has(program)) tells = false;
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
    tells,
  };
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
