/**
 * The options for every call of git, so that reading a repository starts no program that the repository names. `git.ts`
 * starts git. The tests in `git-settings` list each setting that can run a program and the option that prevents it.
 */

import { RUN_MARKS } from '../system/run-marks.ts';

/** Settings with a fixed name. The command line takes precedence over the settings of repository, user and machine. */
const SETTINGS = [
  // A folder in the work tree may look like a bare repository with its own settings.
  'safe.bareRepository=explicit',
  // Empty instead of `false`, because git before 2.36 took any value as the name of a program.
  'core.fsmonitor=',
  // Git finds no hooks, because this path is not a folder. On Windows git reads it as NUL and finds no hooks either.
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
  // The git process in a submodule would read the submodule's own settings.
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
 * Settings with a name in the middle that a repository chooses. Each existing setting is overridden by its full name.
 * The middle may contain any character, including line breaks.
 */
const DRIVERS: readonly { name: RegExp; value: string }[] = [
  // An empty value means no filter, so the file is read unchanged. A required filter would then be an error.
  { name: /^filter\..+\.(?:clean|smudge|process)$/su, value: '' },
  { name: /^filter\..+\.required$/su, value: 'false' },
  { name: /^diff\..+\.(?:command|textconv)$/su, value: '' },
  { name: /^merge\..+\.driver$/su, value: '' },
  { name: /^gpg\..+\.(?:program|defaultkeycommand)$/su, value: '' },
  { name: /^hook\..+\.command$/su, value: '' },
  { name: /^remote\..+\.(?:uploadpack|receivepack|vcs)$/su, value: '' },
];

/** An empty environment variable for names that contain `=`, because `-c` would end the name there. */
const NOTHING = 'ARGUS_GIT_NOTHING';

export function fixedSettings(): string[] {
  return ['--no-pager', ...SETTINGS.flatMap((setting) => ['-c', setting])];
}

/** The options for the settings with these names, which must be unique. */
export function driverSettings(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const driver = DRIVERS.find((one) => one.name.test(name));
    if (driver === undefined) return [];
    return name.includes('=') ? [`--config-env=${name}=${NOTHING}`] : ['-c', `${name}=${driver.value}`];
  });
}

/** Replaces invalid UTF-8. */
const NO_TEXT = '\uFFFD';

/**
 * True if the name of a driver contains invalid UTF-8. Git compares bytes, so a command line option with the decoded
 * name would override another driver or none.
 */
export function isUnanswerable(name: string): boolean {
  return name.includes(NO_TEXT) && DRIVERS.some((driver) => driver.name.test(name));
}

/**
 * Variables with the place of git and its settings, which the user sets. All other `GIT_` variables are removed,
 * because they would change the files that git reads or the programs that it starts.
 */
const KEPT =
  /^GIT_(?:EXEC_PATH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|ATTR_NOSYSTEM)$/iu;

/** Changes to the environment. Undefined unsets a variable. */
export function gitEnvironment(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const unset = Object.keys(env).filter((name) => /^(?:GIT_|SSH_ASKPASS)/iu.test(name) && !KEPT.test(name));
  return {
    ...Object.fromEntries(unset.map((name) => [name, undefined])),
    // Argus may run inside a run, and git is not one of the run's processes.
    [RUN_MARKS]: undefined,
    // Reading must not take a lock that another git process needs.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // Prevents a partial clone from fetching missing objects with the programs in its settings, because no transport
    // has this name. `GIT_NO_LAZY_FETCH` works since 2.45 and gives a better error message.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    [NOTHING]: '',
  };
}

/** Switches off the two ways in which a diff starts programs. Other commands reject these options. */
const PLAIN_DIFF = ['--no-ext-diff', '--no-textconv'];

/**
 * The commands in use with their fixed options. `drivers` is true if the command may use drivers from attributes or
 * call hooks. The settings are then read first, which costs an additional process.
 */
export const COMMANDS = {
  blame: { drivers: true, always: PLAIN_DIFF },
  'cat-file': { drivers: false, always: [] },
  'check-attr': { drivers: false, always: [] },
  'commit-tree': { drivers: true, always: ['--no-gpg-sign'] },
  config: { drivers: false, always: [] },
  'diff-files': { drivers: true, always: [...PLAIN_DIFF, '--ignore-submodules=all'] },
  'diff-index': { drivers: true, always: [...PLAIN_DIFF, '--ignore-submodules=all'] },
  'diff-tree': { drivers: true, always: [...PLAIN_DIFF, '--submodule=short'] },
  'for-each-ref': { drivers: false, always: [] },
  grep: { drivers: true, always: ['--no-textconv', '--no-recurse-submodules'] },
  'hash-object': { drivers: false, always: ['--no-filters'] },
  log: { drivers: true, always: [...PLAIN_DIFF, '--no-show-signature'] },
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

export type GitCommand = keyof typeof COMMANDS;

/** Path specs that exclude files of Argus and its fix loop from questions about a project's changes. */
export const NOT_OURS = [':(top,exclude,glob)**/.argus/**', ':(top,exclude,glob)**/.claude/fixes/**'];
