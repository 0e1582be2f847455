/**
 * The options for every call of git. With them, reading a repository starts no program that the repository names.
 * `git.ts` starts git. The tests in `git-settings` list each setting that can run a program, and the option that
 * prevents it.
 */

import { RUN_MARKS_VARIABLE } from '../system/process-lock.ts';

/** Settings with a fixed name. The command line has precedence over the settings of repository, user and machine. */
const FIXED_SETTINGS = [
  // A folder in the work tree may look like a bare repository with its own settings.
  'safe.bareRepository=explicit',
  // Empty instead of `false`, because git before 2.36 used any value as the name of a program.
  'core.fsmonitor=',
  // Git finds no hooks, because this path is not a folder. On Windows, git reads it as NUL and finds no hooks either.
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.editor=',
  'sequence.editor=',
  'core.askPass=',
  'core.sshCommand=',
  'core.gitProxy=',
  'core.alternateRefsCommand=',
  'credential.helper=',
  'diff.external=',
  'interactive.diffFilter=',
  'log.showSignature=false',
  'gpg.program=',
  'gpg.openpgp.program=',
  'gpg.x509.program=',
  'gpg.ssh.program=',
  'gpg.ssh.defaultKeyCommand=',
  'gc.auto=0',
  'gc.recentObjectsHook=',
  'maintenance.auto=false',
  'uploadpack.packObjectsHook=',
  // A git process in a submodule would read the submodule's own settings.
  'submodule.recurse=false',
  'diff.submodule=short',
  'status.submoduleSummary=false',
  // The following settings start nothing. They make the output easy to parse and prevent additional writes.
  'core.logAllRefUpdates=false',
  'core.quotePath=false',
  'core.safecrlf=false',
  'core.splitIndex=false',
  'color.ui=false',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
];

/**
 * Settings whose name contains a part that a repository chooses. Each existing setting is overridden by its full name.
 * The part may contain any character, including line breaks.
 */
const DRIVER_SETTINGS: readonly { name: RegExp; value: string }[] = [
  // With an empty value, no filter runs and the file is read unchanged. If the filter was required, that would be an
  // error.
  { name: /^filter\..+\.(?:clean|smudge|process)$/su, value: '' },
  { name: /^filter\..+\.required$/su, value: 'false' },
  { name: /^diff\..+\.(?:command|textconv)$/su, value: '' },
  { name: /^merge\..+\.driver$/su, value: '' },
  { name: /^gpg\..+\.(?:program|defaultkeycommand)$/su, value: '' },
  { name: /^hook\..+\.command$/su, value: '' },
  { name: /^remote\..+\.(?:uploadpack|receivepack|vcs)$/su, value: '' },
];

/**
 * An empty environment variable. It gives an empty value to settings whose name contains `=`, because `-c` would end
 * the name there.
 */
const EMPTY_VARIABLE = 'ARGUS_GIT_NOTHING';

export function createFixedOptions(): string[] {
  return ['--no-pager', ...FIXED_SETTINGS.flatMap((setting) => ['-c', setting])];
}

/** Returns options that disable the drivers among the settings with these names. The names must be unique. */
export function createDriverOptions(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const driver = DRIVER_SETTINGS.find((one) => one.name.test(name));
    if (driver === undefined) return [];
    return name.includes('=') ? [`--config-env=${name}=${EMPTY_VARIABLE}`] : ['-c', `${name}=${driver.value}`];
  });
}

/** Decoding replaces invalid UTF-8 by this character. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/**
 * True if the name of a driver contains invalid UTF-8. Git compares bytes, so an option with the decoded name would
 * override another driver or none.
 */
export function isUndecodableDriver(name: string): boolean {
  return name.includes(REPLACEMENT_CHARACTER) && DRIVER_SETTINGS.some((driver) => driver.name.test(name));
}

/**
 * Variables that name the location of git and of its settings, which the user sets. All other `GIT_` variables are
 * removed, because they would change which files git reads or which programs it starts.
 */
const KEPT_VARIABLE =
  /^GIT_(?:EXEC_PATH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|ATTR_NOSYSTEM)$/iu;

/** Returns changes of the environment. A variable with the value undefined is unset. */
export function createGitEnvironment(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const unset = Object.keys(env).filter((name) => /^(?:GIT_|SSH_ASKPASS)/iu.test(name) && !KEPT_VARIABLE.test(name));
  return {
    ...Object.fromEntries(unset.map((name) => [name, undefined])),
    // Argus may itself run inside a recorded run, but git is not one of the run's processes.
    [RUN_MARKS_VARIABLE]: undefined,
    // Reading must not take a lock that another git process needs.
    GIT_OPTIONAL_LOCKS: '0',
    // Otherwise files in `.git` could present another commit under the hash of the base, or other parents of a commit.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // Prevents a partial clone from fetching missing objects with the programs in its settings, because no transport
    // has this name. `GIT_NO_LAZY_FETCH` works since 2.45 and gives a better error message.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    [EMPTY_VARIABLE]: '',
  };
}

/** Disables the two ways in which a diff starts programs. Commands that do not create diffs reject these options. */
const PLAIN_DIFF_OPTIONS = ['--no-ext-diff', '--no-textconv'];

/**
 * The commands of git that are used, with their fixed options. `drivers` is true if the command may use drivers from
 * attributes or call hooks. Then the settings are read first, which needs an additional process.
 */
export const GIT_COMMANDS = {
  apply: { drivers: true, always: [] },
  blame: { drivers: true, always: PLAIN_DIFF_OPTIONS },
  'cat-file': { drivers: false, always: [] },
  'check-attr': { drivers: false, always: [] },
  'commit-tree': { drivers: true, always: ['--no-gpg-sign'] },
  config: { drivers: false, always: [] },
  'diff-files': { drivers: true, always: [...PLAIN_DIFF_OPTIONS, '--ignore-submodules=all'] },
  'diff-index': { drivers: true, always: [...PLAIN_DIFF_OPTIONS, '--ignore-submodules=all'] },
  'diff-tree': { drivers: true, always: [...PLAIN_DIFF_OPTIONS, '--submodule=short'] },
  'for-each-ref': { drivers: false, always: [] },
  grep: { drivers: true, always: ['--no-textconv', '--no-recurse-submodules'] },
  'hash-object': { drivers: false, always: ['--no-filters'] },
  log: { drivers: true, always: [...PLAIN_DIFF_OPTIONS, '--no-show-signature'] },
  'ls-files': { drivers: false, always: [] },
  'ls-tree': { drivers: false, always: [] },
  'rev-parse': { drivers: false, always: [] },
  status: { drivers: true, always: ['--ignore-submodules=all'] },
  'symbolic-ref': { drivers: false, always: [] },
  'update-index': { drivers: true, always: [] },
  'update-ref': { drivers: true, always: [] },
  version: { drivers: false, always: [] },
  worktree: { drivers: true, always: [] },
  'write-tree': { drivers: true, always: [] },
} as const satisfies Record<string, { drivers: boolean; always: readonly string[] }>;

export type GitCommand = keyof typeof GIT_COMMANDS;

/** Path specs that exclude the files of Argus and of its fix loop when git is asked about changes of a project. */
export const EXCLUDE_ARGUS_FILES = [':(top,exclude,glob)**/.argus/**', ':(top,exclude,glob)**/.claude/fixes/**'];
