/** That every setting of the installed git is known, and that those which can run a program are kept from it. */

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COMMANDS, fixedSettings, gitEnvironment } from '../../../packages/mcp/src/git/settings.ts';
import { PROGRAM_SETTINGS, unclassified } from './git-settings.ts';

function settingsOfTheInstalledGit(): string[] {
  const listed = execFileSync('git', ['help', '--config'], { encoding: 'utf8' }).split('\n');
  return listed.filter((line) => /^[A-Za-z][\w-]*\./u.test(line));
}

test('every setting of the installed git is classified', () => {
  const names = settingsOfTheInstalledGit();
  expect(names.length).toBeGreaterThan(500);
  const advice =
    'This git has settings that nobody has looked at. Read `git help config` on each. Where it can make git run a ' +
    'program, give it an entry in tests/hostile/git/git-settings.ts, and, if a command of packages/mcp/src/git/settings.ts ' +
    'looks at it, switch it off there. Else add its name to tests/hostile/git-settings-harmless.txt.';
  expect(unclassified(names), advice).toEqual([]);
});

test('a setting that nobody has looked at is noticed', () => {
  expect(unclassified(['core.abbrev', 'core.runThis', 'evil.<name>.command'])).toEqual([
    'core.runThis',
    'evil.<name>.command',
  ]);
});

test('what is said to be overridden is', () => {
  const fixed = new Set(fixedSettings().map((word) => word.split('=')[0]?.toLowerCase()));
  const simple = Object.entries(PROGRAM_SETTINGS).filter(
    ([name, { kept }]) => kept === 'overridden' && !name.includes('<'),
  );
  expect(simple.map(([name]) => name).filter((name) => !fixed.has(name.toLowerCase()))).toEqual([]);
});

test('what is said not to be called is not', () => {
  const callers =
    'fetch pull push clone gc maintenance merge rebase commit tag difftool mergetool submodule archive am';
  const more = 'send-email imap-send instaweb help interpret-trailers checkout restore add diff show remote bundle';
  expect(
    [callers, more]
      .join(' ')
      .split(' ')
      .filter((name) => name in COMMANDS),
  ).toEqual([]);
});

test('of the environment only what says where git and its settings are is handed on', () => {
  const user = {
    ...{
      GIT_EXTERNAL_DIFF: 'x',
      GIT_PAGER: 'x',
      GIT_SSH_COMMAND: 'x',
      GIT_SSH: 'x',
      GIT_ASKPASS: 'x',
      SSH_ASKPASS: 'x',
    },
    ...{ GIT_EDITOR: 'x', GIT_SEQUENCE_EDITOR: 'x', GIT_PROXY_COMMAND: 'x', GIT_DIR: 'x', GIT_WORK_TREE: 'x' },
    ...{ GIT_INDEX_FILE: 'x', GIT_OBJECT_DIRECTORY: 'x', GIT_TRACE: 'x', GIT_TRACE2_EVENT: 'x', GIT_ATTR_SOURCE: 'x' },
    ...{
      GIT_CONFIG: 'x',
      GIT_TEMPLATE_DIR: 'x',
      GIT_NO_LAZY_FETCH: '0',
      GIT_ALLOW_PROTOCOL: 'ext',
      git_external_diff: 'x',
    },
    // Else the git that Argus starts inside a run counts as left by that run.
    ARGUS_RUN_MARKS: 'x',
  };
  const kept = {
    GIT_CONFIG_GLOBAL: 'x',
    GIT_CONFIG_COUNT: '1',
    GIT_EXEC_PATH: 'x',
    GIT_CEILING_DIRECTORIES: 'x',
    PATH: 'x',
  };
  const changed = gitEnvironment({ ...user, ...kept });
  for (const name of Object.keys(user)) expect(changed, name).toHaveProperty(name);
  expect(Object.entries(user).filter(([name, text]) => changed[name] === text)).toEqual([]);
  for (const name of Object.keys(kept)) expect(changed, name).not.toHaveProperty(name);
});
