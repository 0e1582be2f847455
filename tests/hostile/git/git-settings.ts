/**
 * Git settings that can make git run a program: how a test adds each setting to a repository, and why the program does
 * not run when Argus inspects that repository. git-settings-harmless.txt lists harmless settings.
 */

import { readFileSync } from 'node:fs';

/** The reason why a program does not run. */
type Protection =
  /** Overridden in every call of git: SETTINGS and DRIVER_SETTINGS in packages/mcp/src/git/settings.ts. */
  | 'overridden'
  /** Disabled by an option of every git command that has such an option: COMMANDS in the same file. */
  | 'flagged'
  /** Needs a transport, and all transports are forbidden: GIT_ALLOW_PROTOCOL in the same file. */
  | 'no transport'
  /** Affects only commands that are not in COMMANDS. */
  | 'not called'
  /** Contains the names of other settings, which have separate entries. */
  | 'leads to others';

export interface ProgramSetting {
  kept: Protection;
  /** Returns settings to write into a repository so that git starts the program, which records its name. */
  plant: (program: string) => [name: string, value: string][];
}

const programSetting = (name: string, kept: Protection): ProgramSetting => ({
  kept,
  plant: (program) => [[name, program]],
});
const settingsWithValues = (kept: Protection, ...plant: [string, string][]): ProgramSetting => ({
  kept,
  plant: () => plant,
});

/** Sorted by the names of `git help --config`, followed by names that `git help --config` does not list. */
export const PROGRAM_SETTINGS: Readonly<Record<string, ProgramSetting>> = {
  'alias.*': {
    kept: 'not called',
    plant: (program) => ['status', 'log', 'evil'].map((name) => [`alias.${name}`, `!${program}`]),
  },
  'attr.tree': settingsWithValues('leads to others', ['attr.tree', 'HEAD']),
  'browser.<tool>.cmd': programSetting('browser.evil.cmd', 'not called'),
  'browser.<tool>.path': programSetting('browser.firefox.path', 'not called'),
  'bundle.<id>.uri': {
    kept: 'no transport',
    plant: (program) => [
      ['bundle.version', '1'],
      ['bundle.mode', 'all'],
      ['bundle.evil.uri', `ext::${program}`],
    ],
  },
  'commit.gpgSign': settingsWithValues('flagged', ['commit.gpgSign', 'true']),
  'core.alternateRefsCommand': programSetting('core.alternateRefsCommand', 'overridden'),
  'core.askPass': programSetting('core.askPass', 'overridden'),
  'core.attributesFile': settingsWithValues('leads to others', ['core.attributesFile', '.gitattributes']),
  'core.editor': programSetting('core.editor', 'overridden'),
  'core.fsmonitor': programSetting('core.fsmonitor', 'overridden'),
  'core.gitProxy': programSetting('core.gitProxy', 'overridden'),
  'core.hooksPath': settingsWithValues('overridden', ['core.hooksPath', '.git/evil-hooks']),
  'core.pager': programSetting('core.pager', 'overridden'),
  'core.sshCommand': programSetting('core.sshCommand', 'overridden'),
  // Tested separately, because it disables the other settings.
  'core.worktree': settingsWithValues('leads to others'),
  'credential.<url>.*': {
    kept: 'no transport',
    plant: (program) => [['credential.https://evil.test.helper', `!${program}`]],
  },
  'credential.helper': { kept: 'overridden', plant: (program) => [['credential.helper', `!${program}`]] },
  'diff.<driver>.command': programSetting('diff.evil.command', 'flagged'),
  'diff.<driver>.textconv': programSetting('diff.evil.textconv', 'flagged'),
  'diff.external': programSetting('diff.external', 'flagged'),
  'diff.guitool': settingsWithValues('not called', ['diff.guitool', 'evil']),
  'diff.submodule': settingsWithValues('overridden', ['diff.submodule', 'diff']),
  'diff.tool': settingsWithValues('not called', ['diff.tool', 'evil']),
  'difftool.<tool>.cmd': programSetting('difftool.evil.cmd', 'not called'),
  'difftool.<tool>.path': programSetting('difftool.meld.path', 'not called'),
  'extensions.worktreeConfig': settingsWithValues('leads to others', ['extensions.worktreeConfig', 'true']),
  'fetch.bundleURI': { kept: 'no transport', plant: (program) => [['fetch.bundleURI', `ext::${program}`]] },
  'fetch.recurseSubmodules': settingsWithValues('no transport', ['fetch.recurseSubmodules', 'true']),
  'filter.<driver>.clean': programSetting('filter.evil.clean', 'overridden'),
  'filter.<driver>.smudge': programSetting('filter.evil.smudge', 'overridden'),
  // Both formats may contain `%G?`, which starts gpg.
  'format.pretty': settingsWithValues('leads to others', ['format.pretty', 'signed']),
  'gc.auto': settingsWithValues('overridden', ['gc.auto', '1']),
  'gc.recentObjectsHook': programSetting('gc.recentObjectsHook', 'overridden'),
  'gitcvs.dbDriver': settingsWithValues('not called', ['gitcvs.dbDriver', 'evil']),
  'gpg.<format>.program': programSetting('gpg.openpgp.program', 'overridden'),
  'gpg.format': settingsWithValues('leads to others', ['gpg.format', 'openpgp']),
  'gpg.program': programSetting('gpg.program', 'overridden'),
  'gpg.ssh.defaultKeyCommand': programSetting('gpg.ssh.defaultKeyCommand', 'overridden'),
  'guitool.<name>.cmd': programSetting('guitool.evil.cmd', 'not called'),
  'help.browser': settingsWithValues('not called', ['help.browser', 'evil']),
  'http.<url>.*': { kept: 'no transport', plant: (program) => [['http.https://evil.test.proxy', program]] },
  'imap.tunnel': programSetting('imap.tunnel', 'not called'),
  'include.path': settingsWithValues('leads to others', ['include.path', 'included-config']),
  'includeIf.<condition>.path': settingsWithValues('leads to others', ['includeIf.gitdir:**.path', 'included-config']),
  'instaweb.browser': programSetting('instaweb.browser', 'not called'),
  'instaweb.httpd': programSetting('instaweb.httpd', 'not called'),
  'interactive.diffFilter': programSetting('interactive.diffFilter', 'overridden'),
  'log.showSignature': settingsWithValues('overridden', ['log.showSignature', 'true']),
  'maintenance.auto': settingsWithValues('overridden', ['maintenance.auto', 'true']),
  'man.<tool>.cmd': programSetting('man.evil.cmd', 'not called'),
  'man.<tool>.path': programSetting('man.man.path', 'not called'),
  'man.viewer': settingsWithValues('not called', ['man.viewer', 'evil']),
  'merge.<driver>.driver': programSetting('merge.evil.driver', 'overridden'),
  'merge.<driver>.recursive': settingsWithValues('not called', ['merge.evil.recursive', 'evil']),
  'merge.guitool': settingsWithValues('not called', ['merge.guitool', 'evil']),
  'merge.tool': settingsWithValues('not called', ['merge.tool', 'evil']),
  'merge.verifySignatures': settingsWithValues('not called', ['merge.verifySignatures', 'true']),
  'mergetool.<tool>.cmd': programSetting('mergetool.evil.cmd', 'not called'),
  'mergetool.<tool>.path': programSetting('mergetool.meld.path', 'not called'),
  'mergetool.<vimdiff variant>.layout': settingsWithValues('not called', ['mergetool.vimdiff.layout', 'LOCAL']),
  'pager.<cmd>': {
    kept: 'overridden',
    plant: (program) =>
      ['status', 'log', 'blame', 'grep', 'config', 'diff-tree'].map((name) => [`pager.${name}`, program]),
  },
  'pretty.<name>': settingsWithValues('leads to others', ['pretty.signed', 'format:%h %G? %s']),
  'protocol.<name>.allow': settingsWithValues(
    'no transport',
    ['protocol.ext.allow', 'always'],
    ['protocol.file.allow', 'always'],
  ),
  'protocol.allow': settingsWithValues('no transport', ['protocol.allow', 'always']),
  'pull.octopus': settingsWithValues('not called', ['pull.octopus', 'evil']),
  'pull.twohead': settingsWithValues('not called', ['pull.twohead', 'evil']),
  'push.gpgSign': settingsWithValues('not called', ['push.gpgSign', 'true']),
  'push.recurseSubmodules': settingsWithValues('not called', ['push.recurseSubmodules', 'on-demand']),
  'receive.autogc': settingsWithValues('not called', ['receive.autogc', 'true']),
  'receive.procReceiveRefs': settingsWithValues('not called', ['receive.procReceiveRefs', 'refs/']),
  'remote.<name>.promisor': settingsWithValues('no transport', ['remote.evil.promisor', 'true']),
  'remote.<name>.proxy': programSetting('remote.evil.proxy', 'no transport'),
  'remote.<name>.pushurl': { kept: 'not called', plant: (program) => [['remote.evil.pushurl', `ext::${program}`]] },
  'remote.<name>.receivepack': programSetting('remote.evil.receivepack', 'not called'),
  'remote.<name>.uploadpack': programSetting('remote.local.uploadpack', 'no transport'),
  'remote.<name>.url': { kept: 'no transport', plant: (program) => [['remote.evil.url', `ext::${program}`]] },
  // Tested separately, because a remote with this setting has no address.
  'remote.<name>.vcs': settingsWithValues('no transport'),
  'sendemail.<identity>.*': programSetting('sendemail.evil.toCmd', 'not called'),
  'sendemail.ccCmd': programSetting('sendemail.ccCmd', 'not called'),
  'sendemail.headerCmd': programSetting('sendemail.headerCmd', 'not called'),
  'sendemail.identity': settingsWithValues('not called', ['sendemail.identity', 'evil']),
  'sendemail.smtpServer': programSetting('sendemail.smtpServer', 'not called'),
  'sendemail.toCmd': programSetting('sendemail.toCmd', 'not called'),
  'sendemail.validate': settingsWithValues('not called', ['sendemail.validate', 'true']),
  'sequence.editor': programSetting('sequence.editor', 'overridden'),
  'status.submoduleSummary': settingsWithValues('overridden', ['status.submoduleSummary', 'true']),
  'submodule.<name>.update': { kept: 'not called', plant: (program) => [['submodule.evil.update', `!${program}`]] },
  'submodule.<name>.url': { kept: 'not called', plant: (program) => [['submodule.evil.url', `ext::${program}`]] },
  'submodule.recurse': settingsWithValues('overridden', ['submodule.recurse', 'true']),
  'tag.forceSignAnnotated': settingsWithValues('not called', ['tag.forceSignAnnotated', 'true']),
  'tag.gpgSign': settingsWithValues('not called', ['tag.gpgSign', 'true']),
  // Git reads these settings only from the user's configuration. They write files.
  'trace2.eventTarget': settingsWithValues('leads to others', ['trace2.eventTarget', '/dev/null']),
  'trace2.normalTarget': settingsWithValues('leads to others', ['trace2.normalTarget', '/dev/null']),
  'trace2.perfTarget': settingsWithValues('leads to others', ['trace2.perfTarget', '/dev/null']),
  'transfer.bundleURI': settingsWithValues('no transport', ['transfer.bundleURI', 'true']),
  'uploadpack.packObjectsHook': programSetting('uploadpack.packObjectsHook', 'overridden'),
  'url.<base>.insteadOf': {
    kept: 'no transport',
    plant: (program) => [[`url.ext::${program} .insteadOf`, 'https://evil.test/']],
  },
  'url.<base>.pushInsteadOf': {
    kept: 'not called',
    plant: (program) => [[`url.ext::${program} push.pushInsteadOf`, 'https://evil.test/']],
  },
  'web.browser': settingsWithValues('not called', ['web.browser', 'evil']),

  'extensions.partialClone': settingsWithValues(
    'no transport',
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'evil'],
  ),
  'filter.<driver>.process': programSetting('filter.evil-process.process', 'overridden'),
  'filter.<driver>.required': settingsWithValues(
    'overridden',
    ['filter.evil.required', 'true'],
    ['filter.evil-process.required', 'true'],
  ),
  'filter.<driver with =>.clean': programSetting('filter.ev=il.clean', 'overridden'),
  'gpg.ssh.program': programSetting('gpg.ssh.program', 'overridden'),
  'gpg.x509.program': programSetting('gpg.x509.program', 'overridden'),
  'hook.<name>.command': {
    kept: 'overridden',
    plant: (program) => [
      ['hook.evil.command', program],
      ['hook.evil.event', 'reference-transaction'],
    ],
  },
  'tar.<format>.command': programSetting('tar.evil.command', 'not called'),
  'trailer.<token>.cmd': programSetting('trailer.evil.cmd', 'not called'),
  'trailer.<token>.command': programSetting('trailer.evil2.command', 'not called'),
};

const CLASSIFIED_SETTINGS = new Set(
  [...Object.keys(PROGRAM_SETTINGS), ...readHarmlessSettings()].map((name) => name.toLowerCase()),
);

/** Returns the settings that a person has to classify. */
export function findUnclassified(names: readonly string[]): string[] {
  return names.filter((name) => !CLASSIFIED_SETTINGS.has(name.toLowerCase()));
}

/** Reads lines of the form `section: name name`. */
function readHarmlessSettings(): string[] {
  const text = readFileSync(new URL('git-settings-harmless.txt', import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [, section, names = ''] = /^([^#:\s]+): (.+)$/u.exec(line) ?? [];
    return section === undefined ? [] : names.split('  ').map((name) => `${section}.${name}`);
  });
}
