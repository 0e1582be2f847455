/**
 * The runners Argus knows: how each is recognised, filtered, and made to write a report beside what it prints.
 * Does not: run anything, or read reports.
 */

import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ReportFormat } from 'argus-engine';
import {
  GRADLE_PROJECTS_MAY_BE_EMPTY,
  gradleTest,
  hasGradleProjects,
  hasMavenModules,
  MAVEN_MODULES_MAY_BE_EMPTY,
  mavenTest,
} from './jvm.ts';

/** Where the reports of a run will be. */
export type ReportSource =
  | { kind: 'file'; path: string; format: ReportFormat | null }
  /** Files that processes of this runner wrote, each its own. */
  | { kind: 'written'; dir: string; runner: string; format: ReportFormat }
  /** Only files written during the run count. */
  | { kind: 'glob'; pattern: string; format: ReportFormat | null };

/** What makes a runner write its report. */
export interface Reporting {
  /** Arguments of the runner. */
  args?: string[];
  env?: Record<string, string>;
  /** Files to write into the report folder first. */
  files?: Record<string, string>;
  reports: ReportSource[];
  /** Its own output is replaced by something that must be turned back into what a person would see. */
  translate?: 'go-json' | 'libtest';
  notes?: string[];
}

export interface AdapterContext {
  /** Temporary folder for reports. */
  dir: string;
  /** Project. */
  root: string;
  /** Words of the runner's command. */
  words: readonly string[];
  /** The environment the command will have. */
  env: Readonly<Record<string, string | undefined>>;
  /** Arguments reach the runner only at its end, through a package script. */
  throughScript: boolean;
  /** Only some tests are asked for. */
  filtered: boolean;
}

export interface Adapter {
  name: string;
  /** Index of the word after which the runner's arguments begin, if these words start it. */
  recognise(words: readonly string[]): number | undefined;
  /** Arguments that run only tests with this name. */
  filter(name: string): string[];
  /** `filter` takes a whole case name too, not only the test's own. */
  takesCaseNames?: boolean;
  /** Arguments must come before everything else, not at the end. */
  argsFirst?: boolean;
  /** It ends badly where it finds no test, unless it was told not to; but not where a filter leaves none. */
  failsWithoutTests?: boolean;
  /** What it needs to write a report; the runners of Node that `reporters.ts` reaches need nothing. */
  reporting?(context: AdapterContext): Reporting;
}

const vitest: Adapter = {
  name: 'vitest',
  failsWithoutTests: true,
  recognise: program('vitest'),
  filter: (name) => ['-t', name],
};

const jest: Adapter = {
  name: 'jest',
  failsWithoutTests: true,
  recognise: program('jest'),
  filter: (name) => ['-t', name],
};

const playwright: Adapter = {
  name: 'playwright',
  failsWithoutTests: true,
  recognise: (words) => afterSubcommand(words, program('playwright')(words), 'test'),
  filter: (name) => ['-g', name],
};

const mocha: Adapter = {
  name: 'mocha',
  recognise: program('mocha', '_mocha'),
  filter: (name) => ['--grep', name],
};

const nodeTest: Adapter = {
  name: 'node:test',
  recognise: (words) => (basename(words[0]) === 'node' && words.includes('--test') ? 1 : undefined),
  filter: (name) => [`--test-name-pattern=${name}`],
  argsFirst: true,
  reporting({ dir, env, words, throughScript }) {
    const file = path.join(dir, 'node-test.xml');
    const shown = hasOption(words, '--test-reporter')
      ? []
      : ['--test-reporter=spec', '--test-reporter-destination=stdout'];
    const args = [...shown, '--test-reporter=junit', `--test-reporter-destination=${file}`];
    const reports: ReportSource[] = [{ kind: 'file', path: file, format: 'junit' }];
    if (!throughScript) return { args, reports };
    // Behind `npm test` arguments would land after the file names, where node no longer reads them.
    const quotedArgs = args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg));
    return { env: { NODE_OPTIONS: [env.NODE_OPTIONS ?? '', ...quotedArgs].join(' ').trim() }, reports };
  },
};

const bun: Adapter = {
  name: 'bun',
  failsWithoutTests: true,
  recognise: (words) => (basename(words[0]) === 'bun' && words[1] === 'test' ? 2 : undefined),
  filter: (name) => ['-t', name],
  reporting({ dir }) {
    const file = path.join(dir, 'bun.xml');
    const args = ['--reporter=junit', `--reporter-outfile=${file}`];
    return { args, reports: [{ kind: 'file', path: file, format: 'junit' }] };
  },
};

const deno: Adapter = {
  name: 'deno',
  failsWithoutTests: true,
  recognise: (words) => (basename(words[0]) === 'deno' && words[1] === 'test' ? 2 : undefined),
  // Of a case name the test's own part; a step cannot be run alone.
  filter: (name) => [`--filter=${name.includes(' > ') ? name.split(' > ')[1] : name}`],
  takesCaseNames: true,
  argsFirst: true,
  reporting({ dir }) {
    const file = path.join(dir, 'deno.xml');
    return { args: [`--junit-path=${file}`], reports: [{ kind: 'file', path: file, format: 'junit' }] };
  },
};

const pytest: Adapter = {
  name: 'pytest',
  failsWithoutTests: true,
  recognise: program('pytest', 'py.test'),
  filter: (name) => ['-k', name],
  reporting({ dir, env }) {
    const file = path.join(dir, 'pytest.xml');
    const options = `--junitxml="${file}" -o junit_logging=all`;
    return {
      env: { PYTEST_ADDOPTS: [env.PYTEST_ADDOPTS ?? '', options].join(' ').trim() },
      reports: [{ kind: 'file', path: file, format: 'junit' }],
    };
  },
};

const nextest: Adapter = {
  name: 'nextest',
  failsWithoutTests: true,
  recognise: (words) => afterSubcommand(words, cargoSubcommand(words, 'nextest'), 'run'),
  filter: (name) => [name],
  argsFirst: true,
  reporting({ dir, root }) {
    const file = path.join(dir, 'nextest.xml');
    const onlyProgram = existsSync(path.join(root, 'src/main.rs')) && !existsSync(path.join(root, 'src/lib.rs'));
    return {
      notes: onlyProgram ? [] : ['nextest runs no doctests; argus_run with command "cargo test --doc" does.'],
      args: ['--tool-config-file', `argus:${path.join(dir, 'argus-nextest.toml')}`],
      files: { 'argus-nextest.toml': `[profile.default.junit]\npath = ${JSON.stringify(file)}\n` },
      reports: [{ kind: 'file', path: file, format: 'junit' }],
    };
  },
};

const cargoTest: Adapter = {
  name: 'cargo test',
  recognise: (words) => cargoSubcommand(words, 'test') ?? cargoSubcommand(words, 't'),
  filter: (name) => [name],
  reporting({ dir }) {
    const file = path.join(dir, 'libtest.json');
    return { reports: [{ kind: 'file', path: file, format: 'ctrf' }], translate: 'libtest' };
  },
};

const goTest: Adapter = {
  name: 'go test',
  recognise: (words) => (basename(words[0]) === 'go' && words[1] === 'test' ? 2 : undefined),
  filter: (name) => ['-run', name],
  argsFirst: true,
  reporting({ dir, words }) {
    if (words.includes('-json')) return { reports: [] };
    const file = path.join(dir, 'go-test.json');
    return { args: ['-json'], reports: [{ kind: 'file', path: file, format: 'go-test' }], translate: 'go-json' };
  },
};

const maven: Adapter = {
  name: 'maven',
  recognise: program('mvn', 'mvnw', 'mvnd'),
  filter: (name) => [`-Dtest=${mavenTest(name)}`],
  takesCaseNames: true,
  reporting: ({ root, filtered }) => ({
    args: filtered && hasMavenModules(root) ? MAVEN_MODULES_MAY_BE_EMPTY : [],
    reports: xmlOf('target/surefire-reports', 'target/failsafe-reports'),
  }),
};

const gradle: Adapter = {
  name: 'gradle',
  recognise: program('gradle', 'gradlew'),
  filter: (name) => ['--tests', gradleTest(name)],
  takesCaseNames: true,
  reporting({ dir, root, filtered }) {
    const reports = xmlOf('build/test-results');
    if (!filtered || !hasGradleProjects(root)) return { reports };
    const args = ['--init-script', path.join(dir, 'argus.gradle')];
    return { args, files: { 'argus.gradle': GRADLE_PROJECTS_MAY_BE_EMPTY }, reports };
  },
};

/** In the order they are tried; the first that recognises a command has it. */
export const ADAPTERS: readonly Adapter[] = [
  vitest,
  jest,
  playwright,
  mocha,
  nodeTest,
  bun,
  deno,
  pytest,
  nextest,
  cargoTest,
  goTest,
  maven,
  gradle,
];

/** Whether the runner ends well without a test too, so that only its report tells. */
export function maySucceedEmpty(runner: string): boolean {
  return ADAPTERS.find(({ name }) => name === runner)?.failsWithoutTests !== true;
}

/** Programs that only start another one; their name and options are passed over. */
const LAUNCHERS = new Set(
  'npx pnpx bunx bun pnpm yarn npm node cross-env env time nice c8 nyc xvfb-run dotenv uv poetry pipenv pdm hatch rye python python3 py coverage'.split(
    ' ',
  ),
);

/** Subcommands of launchers. */
const LAUNCHER_WORDS = new Set(['exec', 'run', 'dlx', 'x', '-m', '--']);

/** Recognises a program by its file name, behind any launchers. */
function program(...names: string[]): Adapter['recognise'] {
  return (words) => {
    for (const [index, word] of words.entries()) {
      if (names.includes(basename(word))) return index + 1;
      const passedOver = LAUNCHERS.has(basename(word)) || LAUNCHER_WORDS.has(word) || /^(?:-|\w+=)/u.test(word);
      if (!passedOver) return undefined;
    }
    return undefined;
  };
}

/** `node_modules/.bin/jest`, `jest.js`, `mvnw.cmd` and `python3.11` by their plain names. */
function basename(word = ''): string {
  const name = word.split(/[\\/]/u).at(-1) ?? '';
  return name.replace(/\.(?:[cm]?js|cmd|exe|bat)$/u, '').replace(/^python3?\.\d+$/u, 'python3');
}

function afterSubcommand(words: readonly string[], index: number | undefined, subcommand: string): number | undefined {
  return index !== undefined && words[index] === subcommand ? index + 1 : undefined;
}

/** `cargo +nightly test`. */
function cargoSubcommand(words: readonly string[], subcommand: string): number | undefined {
  if (basename(words[0]) !== 'cargo') return undefined;
  const index = words[1]?.startsWith('+') ? 2 : 1;
  return words[index] === subcommand ? index + 1 : undefined;
}

function hasOption(words: readonly string[], option: string): boolean {
  return words.some((word) => word === option || word.startsWith(`${option}=`));
}

function xmlOf(...folders: string[]): ReportSource[] {
  return folders.map((folder) => ({ kind: 'glob', pattern: `**/${folder}/**/*.xml`, format: 'junit' }));
}
