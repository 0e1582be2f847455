/**
 * Makes the runners of Node, Python, Ruby and PHP write reports, even if scripts, workspaces or task runners start
 * them. The environment of the run loads a hook into every process. The hook adds a reporter to known runners, a plugin
 * to pytest, and an option to PHPUnit. Each process writes its own report. The reporters are in `reporters/`, in a form
 * that every runner can load. This process loads none of them.
 */

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { quoteArgument } from '../system/command-line.ts';
import type { AdapterContext, ReportSettings } from './adapters/adapter.ts';
import { ADDITION_PREFIX } from './reporters/kept-variables.cjs';

/** The folder with the reporters. In the published package, it is next to the bundle. */
export const REPORTERS_FOLDER = fileURLToPath(new URL('./reporters', import.meta.url));

const NODE_HOOK_FILE = path.join(REPORTERS_FOLDER, 'hook.cjs').replaceAll('\\', '/');
const RUBY_HOOK_OPTION = '-rargus_reporter';
/** Python loads `sitecustomize` from this folder, and finds the pytest plugin there. */
const PYTHON_HOOK_FOLDER = path.join(REPORTERS_FOLDER, 'python', 'path');
const PYTEST_MODULE = 'argus_pytest';
const PYTEST_PLUGIN_OPTION = `-p ${PYTEST_MODULE}`;

/**
 * Additions to variables that scripts may overwrite, each with the separator before the next value. kept-variables.cjs
 * restores lost additions.
 */
const ADDITIONS = {
  NODE_OPTIONS: `--require=${NODE_HOOK_FILE.includes(' ') ? `"${NODE_HOOK_FILE}"` : NODE_HOOK_FILE} `,
  PYTHONPATH: `${PYTHON_HOOK_FOLDER}${path.delimiter}`,
  PYTEST_ADDOPTS: `${PYTEST_PLUGIN_OPTION} -o junit_logging=all `,
  RUBYLIB: `${path.join(REPORTERS_FOLDER, 'ruby')}${path.delimiter}`,
  RUBYOPT: `${RUBY_HOOK_OPTION} `,
};

/** Report formats by runner. The names of the report files start with the runner. */
const REPORT_FORMATS = {
  vitest: 'jest',
  jest: 'jest',
  mocha: 'ctrf',
  ava: 'ctrf',
  uvu: 'ctrf',
  jasmine: 'ctrf',
  qunit: 'ctrf',
  'web-test-runner': 'ctrf',
  playwright: 'ctrf',
  'node:test': 'ctrf',
  rspec: 'ctrf',
  minitest: 'ctrf',
  'test-unit': 'ctrf',
  unittest: 'ctrf',
  busted: 'ctrf',
  pytest: 'junit',
  phpunit: 'junit',
} as const;

/** Returns the additions to the environment of any command, and the locations of the reports. */
export function createHookReportSettings({
  dir,
  root,
  env,
}: Pick<AdapterContext, 'dir' | 'root' | 'env'>): ReportSettings {
  return {
    env: {
      ...createNodeVariables(env.NODE_OPTIONS ?? ''),
      ...createRubyVariables(env),
      ...createPythonVariables(env),
      ...createToxVariables(env),
      ...createPhpVariables(dir, env),
      PW_TEST_REPORTER: path.join(REPORTERS_FOLDER, 'playwright.cjs'),
      ARGUS_REPORT_DIR: dir,
      ARGUS_REPORT_ROOT: root,
      ...Object.fromEntries(Object.entries(ADDITIONS).map(([name, added]) => [`${ADDITION_PREFIX}${name}`, added])),
    },
    files: {
      [PHP_SETTINGS_FILE]: `auto_prepend_file="${REPORTERS_FOLDER.replaceAll('\\', '/')}/php/argus_phpunit.php"\n`,
    },
    reports: Object.entries(REPORT_FORMATS).map(([runner, format]) => ({ kind: 'written', runner, format, dir })),
  };
}

function createNodeVariables(options: string): Record<string, string> {
  return { NODE_OPTIONS: options.includes(NODE_HOOK_FILE) ? options : `${options} ${ADDITIONS.NODE_OPTIONS}`.trim() };
}

/**
 * Ruby loads the hook by name from its own folder, because RUBYOPT supports no quotes and a path may contain spaces.
 */
function createRubyVariables({ RUBYLIB = '', RUBYOPT = '' }: AdapterContext['env']): Record<string, string> {
  const folder = path.join(REPORTERS_FOLDER, 'ruby');
  const folders = RUBYLIB.split(path.delimiter).filter((one) => one !== '');
  return {
    RUBYLIB: [...folders.filter((one) => one !== folder), folder].join(path.delimiter),
    RUBYOPT: RUBYOPT.includes(RUBY_HOOK_OPTION) ? RUBYOPT : `${RUBYOPT} ${RUBY_HOOK_OPTION}`.trim(),
  };
}

/**
 * The folder comes first, because otherwise a `sitecustomize` of the project would hide the hook. The hook then loads
 * the project's module itself.
 */
function createPythonVariables({
  PYTEST_ADDOPTS = '',
  PYTHONPATH = '',
}: AdapterContext['env']): Record<string, string> {
  const folders = PYTHONPATH.split(path.delimiter).filter((one) => one !== '' && one !== PYTHON_HOOK_FOLDER);
  const options = `${PYTEST_ADDOPTS} ${ADDITIONS.PYTEST_ADDOPTS}`.trim();
  return {
    PYTHONPATH: [PYTHON_HOOK_FOLDER, ...folders].join(path.delimiter),
    PYTEST_ADDOPTS: PYTEST_ADDOPTS.includes(PYTEST_PLUGIN_OPTION) ? PYTEST_ADDOPTS : options,
  };
}

/**
 * Returns settings for a pytest that does not find the plugin, for example because a Makefile sets PYTHONPATH. pytest
 * then writes its own report. If there are several processes, only the last report remains. Returns undefined for any
 * other error message.
 */
export function createPytestReportSettings(
  errorMessage: string,
  { dir, env }: Pick<AdapterContext, 'dir' | 'env'>,
): ReportSettings | undefined {
  if (!errorMessage.includes(PYTEST_MODULE)) return undefined;
  const file = path.join(dir, 'pytest-own.xml');
  const options = `${env.PYTEST_ADDOPTS ?? ''} -o junit_logging=all "--junitxml=${file.replaceAll('\\', '/')}"`.trim();
  return { env: { PYTEST_ADDOPTS: options }, reports: [{ kind: 'file', path: file, format: 'junit' }] };
}

/**
 * tox hides the environment from its commands:
 * https://tox.wiki/en/stable/config.html#overriding-configuration-from-the-command-line
 */
function createToxVariables({ TOX_OVERRIDE = '' }: AdapterContext['env']): Record<string, string> {
  const overrides = TOX_OVERRIDE.split(';').filter((one) => one !== '' && !TOX_PASS_OVERRIDES.includes(one));
  return { TOX_OVERRIDE: [...overrides, ...TOX_PASS_OVERRIDES].join(';') };
}

/** The sections have other names in tox.ini, in pyproject.toml and in tox.toml. */
const TOX_PASS_OVERRIDES = ['testenv', 'tool.tox.env_run_base', 'env_run_base'].map(
  (section) => `${section}.pass_env+=ARGUS_REPORT_*,NODE_OPTIONS,PYTEST_ADDOPTS,PYTHONPATH`,
);

/** Makes PHP read settings from an additional folder. An empty name in this list means PHP's default folder. */
function createPhpVariables(dir: string, { PHP_INI_SCAN_DIR = '' }: AdapterContext['env']): Record<string, string> {
  return { PHP_INI_SCAN_DIR: `${PHP_INI_SCAN_DIR}${path.delimiter}${dir}` };
}

const PHP_SETTINGS_FILE = 'argus.ini';

/*
 * Finds in the output what Argus added to a command: the rejection of an option, echoed arguments, and messages about
 * reports.
 */

/** Words with which runners and package managers reject an unknown option. */
const REJECTED_OPTION =
  /\b(?:unknown|unrecognized|unexpected|unsupported|invalid|not allowed|no such|no module named|cannot load such)\b/iu;

/** Options that the hook adds. */
const HOOK_OPTIONS = ['testResultsProcessor', 'reporter', 'argus_pytest', 'junit_logging', 'argus_reporter'];

/** Messages of Vitest and pytest about a written report, and a message of nextest about an unknown key. */
const REPORT_MESSAGE = /\breport written to\b|\bgenerated xml file\b|\bignoring unknown configuration keys?\b/u;

/** The changes to a command that make its runner write a report. */
export interface Additions {
  /** The added arguments. */
  addedArguments: readonly string[];
  /** The folder of the reports. */
  dir: string;
}

/** Returns the line in which a command rejected the additions. */
export function findRejection(text: string, { addedArguments, dir }: Additions): string | undefined {
  const names = addedArguments.map((argument) => argument.replace(/^-+/u, '').replace(/[= ].*$/su, ''));
  const options = [...names, ...HOOK_OPTIONS];
  const rejectsOption = (line: string) => REJECTED_OPTION.test(line) && options.some((option) => line.includes(option));
  const namesReportPath = (line: string) => line.includes(dir) || line.includes(REPORTERS_FOLDER);
  return text.split('\n').find((line) => namesReportPath(line) || rejectsOption(line));
}

/** Removes echoed additions, and lines that only name the report. */
export function removeAdditions(text: string, { addedArguments, dir }: Additions): string {
  if (!text.includes(dir)) return text;
  const lines = text.split('\n').filter((line) => !(line.includes(dir) && REPORT_MESSAGE.test(line)));
  return lines.map((line) => (line.includes(dir) ? addedArguments.reduce(removeArgument, line) : line)).join('\n');
}

/** Removes an echoed argument, which each package manager quotes in a different way. */
function removeArgument(line: string, argument: string): string {
  const forms = [quoteArgument(argument), argument, JSON.stringify(argument), `'${argument}'`];
  for (const echoed of forms.map((form) => ` ${form}`)) {
    const start = line.indexOf(echoed);
    const end = start + echoed.length;
    if (start >= 0 && /^(?:\s|$)/u.test(line.slice(end))) return line.slice(0, start) + line.slice(end);
  }
  return line;
}
