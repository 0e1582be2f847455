/**
 * Checks that each setting of the installed git is classified, and that Argus overrides those that make git run a
 * program.
 */

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createFixedOptions, createGitEnvironment, GIT_COMMANDS } from '../../../packages/mcp/src/git/settings.ts';
import { findUnclassified, PROGRAM_SETTINGS } from './git-settings.ts';

function listInstalledGitSettings(): string[] {
  const listed = execFileSync('git', ['help', '--config'], { encoding: 'utf8' }).split('\n');
  return listed.filter((line) => /^[A-Za-z][\w-]*\./u.test(line));
}

test('every setting of the installed git is classified', () => {
  const names = listInstalledGitSettings();
  expect(names.length).toBeGreaterThan(500);
  const advice =
    'This git has settings that nobody has looked at. Read `git help config` on each. Where it can make git run a ' +
    'program, give it an entry in tests/hostile/git/git-settings.ts, and, if a command of packages/mcp/src/git/settings.ts ' +
    'looks at it, switch it off there. Else add its name to tests/hostile/git-settings-harmless.txt.';
  expect(findUnclassified(names), advice).toEqual([]);
});

test('an unclassified setting is found', () => {
  expect(findUnclassified(['core.abbrev', 'core.runThis', 'evil.<name>.command'])).toEqual([
    'core.runThis',
    'evil.<name>.command',
  ]);
});

test('settings classified as overridden are overridden', () => {
  const fixed = new Set(createFixedOptions().map((word) => word.split('=')[0]?.toLowerCase()));
  const simple = Object.entries(PROGRAM_SETTINGS).filter(
    ([name, { kept }]) => kept === 'overridden' && !name.includes('<'),
  );
  expect(simple.map(([name]) => name).filter((name) => !fixed.has(name.toLowerCase()))).toEqual([]);
});

test('git commands classified as not called are not in COMMANDS', () => {
  const callers = `fetch pull push clone gc maintenance merge rebase commit tag difftool mergetool submodule archive am
    send-email imap-send instaweb help interpret-trailers checkout restore add diff show remote bundle`;
  expect(callers.split(/\s+/u).filter((name) => name in GIT_COMMANDS)).toEqual([]);
});

test('git gets only the environment variables that locate git and its settings', () => {
  const unset = `EXTERNAL_DIFF PAGER SSH_COMMAND SSH ASKPASS EDITOR SEQUENCE_EDITOR PROXY_COMMAND DIR WORK_TREE INDEX_FILE
    OBJECT_DIRECTORY TRACE TRACE2_EVENT ATTR_SOURCE CONFIG TEMPLATE_DIR NO_LAZY_FETCH ALLOW_PROTOCOL`;
  const names = unset.split(/\s+/u).map((name) => `GIT_${name}`);
  // These variables are removed, because otherwise a git that Argus starts inside a run counts as a process that the
  // run left behind.
  const user = [...names, 'git_external_diff', 'SSH_ASKPASS', 'ARGUS_RUN_MARKS'];
  const kept = 'GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_EXEC_PATH GIT_CEILING_DIRECTORIES PATH'.split(' ');
  const changed = createGitEnvironment(Object.fromEntries([...user, ...kept].map((name) => [name, 'of the user'])));
  for (const name of user) expect(changed, name).toHaveProperty(name);
  expect(user.filter((name) => changed[name] === 'of the user')).toEqual([]);
  expect(kept.filter((name) => name in changed)).toEqual([]);
});
