/**
 * Makes the runners of Node, Python, Ruby and PHP write reports, even if scripts, workspaces or task runners start
 * them. The environment of the run loads a hook into every process. The hook adds a reporter to known runners, and
 * gives pytest a plugin and PHPUnit an option. Each process writes its own report. The reporters are in `reporters/`,
 * in a form that every runner can load, and this process loads none of them.
 */

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AdapterContext, Reporting } from './adapters/adapter.ts';
import { ADDED } from './reporters/kept-variables.cjs';

/** The bundle has this folder too. */
export const REPORTERS = fileURLToPath(new URL('./reporters', import.meta.url));

const HOOK = path.join(REPORTERS, 'hook.cjs').replaceAll('\\', '/');
const RUBY_HOOK = '-rargus_reporter';
/** Python loads `sitecustomize` from this folder, and finds the plugin there too. */
const PYTHON_HOOK = path.join(REPORTERS, 'python', 'path');
const PYTEST_MODULE = 'argus_pytest';
const PYTEST_PLUGIN = `-p ${PYTEST_MODULE}`;

/**
 * Additions to variables that scripts may overwrite, each with the separator to a following value. kept-variables.cjs
 * restores them.
 */
const ADDITIONS = {
  NODE_OPTIONS: `--require=${HOOK.includes(' ') ? `"${HOOK}"` : HOOK} `,
  PYTHONPATH: `${PYTHON_HOOK}${path.delimiter}`,
  PYTEST_ADDOPTS: `${PYTEST_PLUGIN} -o junit_logging=all `,
  RUBYLIB: `${path.join(REPORTERS, 'ruby')}${path.delimiter}`,
  RUBYOPT: `${RUBY_HOOK} `,
};

/** Runners whose reports are named after them, with the format. */
const FORMATS = {
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

/** Additions to the environment of any command, and the places of the reports. */
export function hookReporting({ dir, root, env }: Pick<AdapterContext, 'dir' | 'root' | 'env'>): Reporting {
  return {
    env: {
      ...nodeHook(env.NODE_OPTIONS ?? ''),
      ...rubyHook(env),
      ...pythonHook(env),
      ...toxOverride(env),
      ...phpSettings(dir, env),
      PW_TEST_REPORTER: path.join(REPORTERS, 'playwright.cjs'),
      ARGUS_REPORT_DIR: dir,
      ARGUS_REPORT_ROOT: root,
      ...Object.fromEntries(Object.entries(ADDITIONS).map(([name, added]) => [`${ADDED}${name}`, added])),
    },
    files: { [PHP_SETTINGS]: `auto_prepend_file="${REPORTERS.replaceAll('\\', '/')}/php/argus_phpunit.php"\n` },
    reports: Object.entries(FORMATS).map(([runner, format]) => ({ kind: 'written', runner, format, dir })),
  };
}

function nodeHook(options: string): Record<string, string> {
  return { NODE_OPTIONS: options.includes(HOOK) ? options : `${options} ${ADDITIONS.NODE_OPTIONS}`.trim() };
}

/** The hook is loaded by name from its own folder, because RUBYOPT supports no quotes and a path may contain spaces. */
function rubyHook({ RUBYLIB = '', RUBYOPT = '' }: AdapterContext['env']): Record<string, string> {
  const folder = path.join(REPORTERS, 'ruby');
  const folders = RUBYLIB.split(path.delimiter).filter((one) => one !== '');
  return {
    RUBYLIB: [...folders.filter((one) => one !== folder), folder].join(path.delimiter),
    RUBYOPT: RUBYOPT.includes(RUBY_HOOK) ? RUBYOPT : `${RUBYOPT} ${RUBY_HOOK}`.trim(),
  };
}

/**
 * The folder comes first, because a `sitecustomize` of the project would hide it otherwise. The hook loads that of the
 * project itself.
 */
function pythonHook({ PYTEST_ADDOPTS = '', PYTHONPATH = '' }: AdapterContext['env']): Record<string, string> {
  const folders = PYTHONPATH.split(path.delimiter).filter((one) => one !== '' && one !== PYTHON_HOOK);
  const options = `${PYTEST_ADDOPTS} ${ADDITIONS.PYTEST_ADDOPTS}`.trim();
  return {
    PYTHONPATH: [PYTHON_HOOK, ...folders].join(path.delimiter),
    PYTEST_ADDOPTS: PYTEST_ADDOPTS.includes(PYTEST_PLUGIN) ? PYTEST_ADDOPTS : options,
  };
}

/**
 * For a pytest that does not find the plugin, for example because a Makefile sets PYTHONPATH: uses the report of
 * pytest. Of several processes, only the last report remains. Undefined for any other error message.
 */
export function pytestReport(
  complaint: string,
  { dir, env }: Pick<AdapterContext, 'dir' | 'env'>,
): Reporting | undefined {
  if (!complaint.includes(PYTEST_MODULE)) return undefined;
  const file = path.join(dir, 'pytest-own.xml');
  const options = `${env.PYTEST_ADDOPTS ?? ''} -o junit_logging=all "--junitxml=${file.replaceAll('\\', '/')}"`.trim();
  return { env: { PYTEST_ADDOPTS: options }, reports: [{ kind: 'file', path: file, format: 'junit' }] };
}

/**
 * tox hides the environment from its commands:
 * https://tox.wiki/en/stable/config.html#overriding-configuration-from-the-command-line
 */
function toxOverride({ TOX_OVERRIDE = '' }: AdapterContext['env']): Record<string, string> {
  const overrides = TOX_OVERRIDE.split(';').filter((one) => one !== '' && !TOX_PASSES.includes(one));
  return { TOX_OVERRIDE: [...overrides, ...TOX_PASSES].join(';') };
}

/** Names of the common section in tox.ini, in pyproject.toml, and in tox.toml. */
const TOX_PASSES = ['testenv', 'tool.tox.env_run_base', 'env_run_base'].map(
  (section) => `${section}.pass_env+=ARGUS_REPORT_*,NODE_OPTIONS,PYTEST_ADDOPTS,PYTHONPATH`,
);

/** Makes PHP read settings from an additional folder. In this list an empty name means PHP's default folder. */
function phpSettings(dir: string, { PHP_INI_SCAN_DIR = '' }: AdapterContext['env']): Record<string, string> {
  return { PHP_INI_SCAN_DIR: `${PHP_INI_SCAN_DIR}${path.delimiter}${dir}` };
}

const PHP_SETTINGS = 'argus.ini';
