/**
 * Git settings that can make git run a program: how a test plants each setting in a repository, and why the program
 * does not run when Argus inspects that repository. Harmless settings: git-settings-harmless.txt.
 */

import { readFileSync } from 'node:fs';

/** The reason why a program does not run. */
type Kept =
  /** Overridden on every call: packages/mcp/src/git/settings.ts, SETTINGS and DRIVERS. */
  | 'overridden'
  /** A flag on every call that knows it: the same file, COMMANDS. */
  | 'flagged'
  /** Needs a transport, and none is allowed: the same file, GIT_ALLOW_PROTOCOL. */
  | 'no transport'
  /** Only commands that are not in COMMANDS look at it. */
  | 'not called'
  /** Names other settings, which have entries of their own. */
  | 'leads to others';

export interface ProgramSetting {
  kept: Kept;
  /** Settings to write into a repository so that they start the program, which records its name. */
  plant: (program: string) => [name: string, value: string][];
}

const value = (name: string, kept: Kept): ProgramSetting => ({ kept, plant: (program) => [[name, program]] });
const given = (kept: Kept, ...plant: [string, string][]): ProgramSetting => ({ kept, plant: () => plant });

/** By the names of `git help --config`, and after them those it does not list. */
export const PROGRAM_SETTINGS: Readonly<Record<string, ProgramSetting>> = {
  'alias.*': {
    kept: 'not called',
    plant: (program) => ['status', 'log', 'evil'].map((name) => [`alias.${name}`, `!${program}`]),
  },
  'attr.tree': given('leads to others', ['attr.tree', 'HEAD']),
  'browser.<tool>.cmd': value('browser.evil.cmd', 'not called'),
  'browser.<tool>.path': value('browser.firefox.path', 'not called'),
  'bundle.<id>.uri': {
    kept: 'no transport',
    plant: (program) => [
      ['bundle.version', '1'],
      ['bundle.mode', 'all'],
      ['bundle.evil.uri', `ext::${program}`],
    ],
  },
  'commit.gpgSign': given('flagged', ['commit.gpgSign', 'true']),
  'core.alternateRefsCommand': value('core.alternateRefsCommand', 'overridden'),
  'core.askPass': value('core.askPass', 'overridden'),
  'core.attributesFile': given('leads to others', ['core.attributesFile', '.gitattributes']),
  'core.editor': value('core.editor', 'overridden'),
  'core.fsmonitor': value('core.fsmonitor', 'overridden'),
  'core.gitProxy': value('core.gitProxy', 'overridden'),
  'core.hooksPath': given('overridden', ['core.hooksPath', '.git/evil-hooks']),
  'core.pager': value('core.pager', 'overridden'),
  'core.sshCommand': value('core.sshCommand', 'overridden'),
  // Planted by a separate test, because it disables the other settings.
  'core.worktree': given('leads to others'),
  'credential.<url>.*': {
    kept: 'no transport',
    plant: (program) => [['credential.https://evil.test.helper', `!${program}`]],
  },
  'credential.helper': { kept: 'overridden', plant: (program) => [['credential.helper', `!${program}`]] },
  'diff.<driver>.command': value('diff.evil.command', 'flagged'),
  'diff.<driver>.textconv': value('diff.evil.textconv', 'flagged'),
  'diff.external': value('diff.external', 'flagged'),
  'diff.guitool': given('not called', ['diff.guitool', 'evil']),
  'diff.submodule': given('overridden', ['diff.submodule', 'diff']),
  'diff.tool': given('not called', ['diff.tool', 'evil']),
  'difftool.<tool>.cmd': value('difftool.evil.cmd', 'not called'),
  'difftool.<tool>.path': value('difftool.meld.path', 'not called'),
  'extensions.worktreeConfig': given('leads to others', ['extensions.worktreeConfig', 'true']),
  'fetch.bundleURI': { kept: 'no transport', plant: (program) => [['fetch.bundleURI', `ext::${program}`]] },
  'fetch.recurseSubmodules': given('no transport', ['fetch.recurseSubmodules', 'true']),
  'filter.<driver>.clean': value('filter.evil.clean', 'overridden'),
  'filter.<driver>.smudge': value('filter.evil.smudge', 'overridden'),
  // Both may ask for `%G?`, which starts gpg.
  'format.pretty': given('leads to others', ['format.pretty', 'signed']),
  'gc.auto': given('overridden', ['gc.auto', '1']),
  'gc.recentObjectsHook': value('gc.recentObjectsHook', 'overridden'),
  'gitcvs.dbDriver': given('not called', ['gitcvs.dbDriver', 'evil']),
  'gpg.<format>.program': value('gpg.openpgp.program', 'overridden'),
  'gpg.format': given('leads to others', ['gpg.format', 'openpgp']),
  'gpg.program': value('gpg.program', 'overridden'),
  'gpg.ssh.defaultKeyCommand': value('gpg.ssh.defaultKeyCommand', 'overridden'),
  'guitool.<name>.cmd': value('guitool.evil.cmd', 'not called'),
  'help.browser': given('not called', ['help.browser', 'evil']),
  'http.<url>.*': { kept: 'no transport', plant: (program) => [['http.https://evil.test.proxy', program]] },
  'imap.tunnel': value('imap.tunnel', 'not called'),
  'include.path': given('leads to others', ['include.path', 'included-config']),
  'includeIf.<condition>.path': given('leads to others', ['includeIf.gitdir:**.path', 'included-config']),
  'instaweb.browser': value('instaweb.browser', 'not called'),
  'instaweb.httpd': value('instaweb.httpd', 'not called'),
  'interactive.diffFilter': value('interactive.diffFilter', 'overridden'),
  'log.showSignature': given('overridden', ['log.showSignature', 'true']),
  'maintenance.auto': given('overridden', ['maintenance.auto', 'true']),
  'man.<tool>.cmd': value('man.evil.cmd', 'not called'),
  'man.<tool>.path': value('man.man.path', 'not called'),
  'man.viewer': given('not called', ['man.viewer', 'evil']),
  'merge.<driver>.driver': value('merge.evil.driver', 'overridden'),
  'merge.<driver>.recursive': given('not called', ['merge.evil.recursive', 'evil']),
  'merge.guitool': given('not called', ['merge.guitool', 'evil']),
  'merge.tool': given('not called', ['merge.tool', 'evil']),
  'merge.verifySignatures': given('not called', ['merge.verifySignatures', 'true']),
  'mergetool.<tool>.cmd': value('mergetool.evil.cmd', 'not called'),
  'mergetool.<tool>.path': value('mergetool.meld.path', 'not called'),
  'mergetool.<vimdiff variant>.layout': given('not called', ['mergetool.vimdiff.layout', 'LOCAL']),
  'pager.<cmd>': {
    kept: 'overridden',
    plant: (program) =>
      ['status', 'log', 'blame', 'grep', 'config', 'diff-tree'].map((name) => [`pager.${name}`, program]),
  },
  'pretty.<name>': given('leads to others', ['pretty.signed', 'format:%h %G? %s']),
  'protocol.<name>.allow': given('no transport', ['protocol.ext.allow', 'always'], ['protocol.file.allow', 'always']),
  'protocol.allow': given('no transport', ['protocol.allow', 'always']),
  'pull.octopus': given('not called', ['pull.octopus', 'evil']),
  'pull.twohead': given('not called', ['pull.twohead', 'evil']),
  'push.gpgSign': given('not called', ['push.gpgSign', 'true']),
  'push.recurseSubmodules': given('not called', ['push.recurseSubmodules', 'on-demand']),
  'receive.autogc': given('not called', ['receive.autogc', 'true']),
  'receive.procReceiveRefs': given('not called', ['receive.procReceiveRefs', 'refs/']),
  'remote.<name>.promisor': given('no transport', ['remote.evil.promisor', 'true']),
  'remote.<name>.proxy': value('remote.evil.proxy', 'no transport'),
  'remote.<name>.pushurl': { kept: 'not called', plant: (program) => [['remote.evil.pushurl', `ext::${program}`]] },
  'remote.<name>.receivepack': value('remote.evil.receivepack', 'not called'),
  'remote.<name>.uploadpack': value('remote.local.uploadpack', 'no transport'),
  'remote.<name>.url': { kept: 'no transport', plant: (program) => [['remote.evil.url', `ext::${program}`]] },
  // Planted by a separate test, because a remote with this setting has no address.
  'remote.<name>.vcs': given('no transport'),
  'sendemail.<identity>.*': value('sendemail.evil.toCmd', 'not called'),
  'sendemail.ccCmd': value('sendemail.ccCmd', 'not called'),
  'sendemail.headerCmd': value('sendemail.headerCmd', 'not called'),
  'sendemail.identity': given('not called', ['sendemail.identity', 'evil']),
  'sendemail.smtpServer': value('sendemail.smtpServer', 'not called'),
  'sendemail.toCmd': value('sendemail.toCmd', 'not called'),
  'sendemail.validate': given('not called', ['sendemail.validate', 'true']),
  'sequence.editor': value('sequence.editor', 'overridden'),
  'status.submoduleSummary': given('overridden', ['status.submoduleSummary', 'true']),
  'submodule.<name>.update': { kept: 'not called', plant: (program) => [['submodule.evil.update', `!${program}`]] },
  'submodule.<name>.url': { kept: 'not called', plant: (program) => [['submodule.evil.url', `ext::${program}`]] },
  'submodule.recurse': given('overridden', ['submodule.recurse', 'true']),
  'tag.forceSignAnnotated': given('not called', ['tag.forceSignAnnotated', 'true']),
  'tag.gpgSign': given('not called', ['tag.gpgSign', 'true']),
  // Git reads these only from the user's settings. They write files.
  'trace2.eventTarget': given('leads to others', ['trace2.eventTarget', '/dev/null']),
  'trace2.normalTarget': given('leads to others', ['trace2.normalTarget', '/dev/null']),
  'trace2.perfTarget': given('leads to others', ['trace2.perfTarget', '/dev/null']),
  'transfer.bundleURI': given('no transport', ['transfer.bundleURI', 'true']),
  'uploadpack.packObjectsHook': value('uploadpack.packObjectsHook', 'overridden'),
  'url.<base>.insteadOf': {
    kept: 'no transport',
    plant: (program) => [[`url.ext::${program} .insteadOf`, 'https://evil.test/']],
  },
  'url.<base>.pushInsteadOf': {
    kept: 'not called',
    plant: (program) => [[`url.ext::${program} push.pushInsteadOf`, 'https://evil.test/']],
  },
  'web.browser': given('not called', ['web.browser', 'evil']),

  'extensions.partialClone': given(
    'no transport',
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'evil'],
  ),
  'filter.<driver>.process': value('filter.evil-process.process', 'overridden'),
  'filter.<driver>.required': given(
    'overridden',
    ['filter.evil.required', 'true'],
    ['filter.evil-process.required', 'true'],
  ),
  'filter.<driver with =>.clean': value('filter.ev=il.clean', 'overridden'),
  'gpg.ssh.program': value('gpg.ssh.program', 'overridden'),
  'gpg.x509.program': value('gpg.x509.program', 'overridden'),
  'hook.<name>.command': {
    kept: 'overridden',
    plant: (program) => [
      ['hook.evil.command', program],
      ['hook.evil.event', 'reference-transaction'],
    ],
  },
  'tar.<format>.command': value('tar.evil.command', 'not called'),
  'trailer.<token>.cmd': value('trailer.evil.cmd', 'not called'),
  'trailer.<token>.command': value('trailer.evil2.command', 'not called'),
};

const CLASSIFIED = new Set([...Object.keys(PROGRAM_SETTINGS), ...harmless()].map((name) => name.toLowerCase()));

/** Returns the settings that a person has to classify. */
export function unclassified(names: readonly string[]): string[] {
  return names.filter((name) => !CLASSIFIED.has(name.toLowerCase()));
}

/** `section: name name` a line. */
function harmless(): string[] {
  const text = readFileSync(new URL('git-settings-harmless.txt', import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [, section, names = ''] = /^([^#:\s]+): (.+)$/u.exec(line) ?? [];
    return section === undefined ? [] : names.split('  ').map((name) => `${section}.${name}`);
  });
}
