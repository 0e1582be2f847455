/**
 * What every call of git is told, so that looking at a repository starts nothing that the repository names. Starting
 * git: git.ts. Which setting can run a program, and what keeps it from that, is a table of its own among the tests:
 * git-settings.
 */

import { RUN_MARKS } from '../system/run-marks.ts';

/** Settings with one name. The last word is the command line's, whatever a repository, a user or a machine has said. */
const SETTINGS = [
  // A folder of the work tree may have the form of a bare repository, and with it settings of its own.
  'safe.bareRepository=explicit',
  // Empty and not `false`: before 2.36 the value was the name of a program, whatever it said.
  'core.fsmonitor=',
  // No folder, so no hook is in it. On Windows git takes it for NUL, and looks below it in vain as well.
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
  // A submodule's own settings are read by the git that is started in it.
  'submodule.recurse=false',
  'diff.submodule=short',
  'status.submoduleSummary=false',
  // The rest starts nothing: an output that can be read, and nothing written beside what is asked for.
  'core.logAllRefUpdates=false',
  'core.quotePath=false',
  'core.safecrlf=false',
  'core.splitIndex=false',
  'color.ui=false',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
];

/**
 * Settings of which a repository chooses the middle of the name: each that is there is answered by its own name. The
 * middle may hold any letter, separators of lines as well.
 */
const DRIVERS: readonly { name: RegExp; value: string }[] = [
  // Empty is no filter, and without one a file is taken as it is; but for one that is required that is an error.
  { name: /^filter\..+\.(?:clean|smudge|process)$/su, value: '' },
  { name: /^filter\..+\.required$/su, value: 'false' },
  { name: /^diff\..+\.(?:command|textconv)$/su, value: '' },
  { name: /^merge\..+\.driver$/su, value: '' },
  { name: /^gpg\..+\.(?:program|defaultkeycommand)$/su, value: '' },
  { name: /^hook\..+\.command$/su, value: '' },
  { name: /^remote\..+\.(?:uploadpack|receivepack|vcs)$/su, value: '' },
];

/** Holds nothing, for names with `=` in them: `-c` would take that for the end of the name. */
const NOTHING = 'ARGUS_GIT_NOTHING';

export function fixedSettings(): string[] {
  return ['--no-pager', ...SETTINGS.flatMap((setting) => ['-c', setting])];
}

/** For the names of all settings that there are, each once. */
export function driverSettings(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const driver = DRIVERS.find((one) => one.name.test(name));
    if (driver === undefined) return [];
    return name.includes('=') ? [`--config-env=${name}=${NOTHING}`] : ['-c', `${name}=${driver.value}`];
  });
}

/** Stands for bytes that are no text. */
const NO_TEXT = '\uFFFD';

/**
 * Whether the name of a driver has bytes that are no text. Git compares bytes and a command line here is text, so that
 * an answer by this name would reach another driver, or none.
 */
export function isUnanswerable(name: string): boolean {
  return name.includes(NO_TEXT) && DRIVERS.some((driver) => driver.name.test(name));
}

/** The user's own, of where git and its settings are. Any other says what to look at, or what to start. */
const KEPT =
  /^GIT_(?:EXEC_PATH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|ATTR_NOSYSTEM)$/iu;

/** Changes to the environment; undefined is unset. */
export function gitEnvironment(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  const unset = Object.keys(env).filter((name) => /^(?:GIT_|SSH_ASKPASS)/iu.test(name) && !KEPT.test(name));
  return {
    ...Object.fromEntries(unset.map((name) => [name, undefined])),
    // Argus may run inside a run, which did not start this git.
    [RUN_MARKS]: undefined,
    // Reading must not take the lock another git may need.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    // A partial clone fetches what it lacks, in the way and with the programs that its settings name: no transport has
    // this name. The second is understood from 2.45 on, and says it better.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_NO_LAZY_FETCH: '1',
    [NOTHING]: '',
  };
}

/** The two ways in which a diff starts programs; other commands refuse the words. */
const PLAIN_DIFF = ['--no-ext-diff', '--no-textconv'];

/**
 * Every command that is used, with what it is always told. `drivers`: it may read files by the drivers that attributes
 * name, or call hooks, so that these are looked up first; that is a process more.
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

/** For what asks about changes of a project: those that Argus and its fix loop make are none. */
export const NOT_OURS = [':(top,exclude,glob)**/.argus/**', ':(top,exclude,glob)**/.claude/fixes/**'];
